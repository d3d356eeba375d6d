import { Controller, useFormContext } from 'react-hook-form'
import { durationOptions, SECONDS } from '../../lib/durations.ts'
import { Radios } from '../../ui/Radios.tsx'
import { Select } from '../../ui/Select.tsx'
import { AccountField } from '../accounts/AccountField.tsx'
import { ExpiryField } from '../ExpiryField.tsx'
import type { NewKeyValues } from './issue.ts'
import { TermsFields } from './TermsFields.tsx'

const LINK_TIMES = durationOptions([SECONDS.hour, SECONDS.day, SECONDS.week, SECONDS.month])

const DELIVERIES = [
  { value: 'show', name: 'You', hint: 'The key is shown once. You pass it on.' },
  {
    value: 'link',
    name: 'Only the recipient',
    hint: 'You send a claim link, which works once. You never see the key.',
  },
] as const

export function IssueKeyFields({ hasAccount }: { hasAccount: boolean }) {
  const { register, control, watch, formState } = useFormContext<NewKeyValues>()
  const { errors } = formState
  return (
    <>
      {!hasAccount && <AccountField {...register('account')} text={watch('account')} error={errors.account?.message} />}
      <Controller
        control={control}
        name="delivery"
        render={({ field: { value, onChange } }) => (
          <Radios label="Who sees the key?" value={value} options={DELIVERIES} onChoose={onChange} />
        )}
      />
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
