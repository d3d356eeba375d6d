import { Controller, useFormContext } from 'react-hook-form'
import { durationOptions, SECONDS } from '../../lib/durations.ts'
import { Select } from '../../ui/Select.tsx'
import { AccountField } from '../accounts/AccountField.tsx'
import { ExpiryField } from '../ExpiryField.tsx'
import type { NewKeyValues } from './issue.ts'
import { TermsFields } from './TermsFields.tsx'
import './keys.css'

const LINK_TIMES = durationOptions([SECONDS.hour, SECONDS.day, SECONDS.week, SECONDS.month])

export function IssueKeyFields({ hasAccount }: { hasAccount: boolean }) {
  const { register, control, watch, formState } = useFormContext<NewKeyValues>()
  const { errors } = formState
  return (
    <>
      {!hasAccount && <AccountField {...register('account')} text={watch('account')} error={errors.account?.message} />}
      <fieldset className="choices">
        <legend>Who sees the key?</legend>
        <label className="choice">
          <input type="radio" value="show" {...register('delivery')} />
          <span className="choice-name">You</span>
          <span className="choice-hint">It is shown once, and you pass it on.</span>
        </label>
        <label className="choice">
          <input type="radio" value="link" {...register('delivery')} />
          <span className="choice-name">Only its recipient</span>
          <span className="choice-hint">You send a claim link that works once. You never see the key.</span>
        </label>
      </fieldset>
      <TermsFields />
      <Controller
        control={control}
        name="expiresAt"
        render={({ field: { value, onChange } }) => (
          <ExpiryField label="The key expires" value={value} onChange={onChange} error={errors.expiresAt?.message} />
        )}
      />
      {watch('delivery') === 'link' && (
        <Select
          label="The link works for"
          options={LINK_TIMES}
          {...register('validForSeconds')}
          error={errors.validForSeconds?.message}
        />
      )}
    </>
  )
}
