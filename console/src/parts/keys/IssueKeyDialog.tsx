import { useQuery } from '@tanstack/react-query'
import { Controller, useForm, useFormContext } from 'react-hook-form'
import type { Account, Key } from '../../api/schema.ts'
import { findAccount } from '../../data/accounts.ts'
import { useCreateClaimLink, useIssueKey } from '../../data/keys.ts'
import { versionQuery } from '../../data/service.ts'
import { durationOptions, SECONDS } from '../../lib/durations.ts'
import { type Expiry, NEVER } from '../../lib/expiry.ts'
import type { Zone } from '../../lib/time.ts'
import { useZone } from '../../lib/use-preferences.ts'
import { Radios } from '../../ui/Choices.tsx'
import { Select } from '../../ui/Field.tsx'
import { sentence } from '../../ui/sentence.ts'
import { AccountField } from '../accounts/AccountField.tsx'
import { ExpiryField } from '../ExpiryField.tsx'
import { FormDialog } from '../FormDialog.tsx'
import { linkLines, secretLines } from './secret-lines.tsx'
import { networksOf, TermsFields } from './TermsFields.tsx'

const NO_ACCOUNT = 'No account has this name. Choose one from the list.'

interface IssueKeyDialogProps {
  /** If undefined, the form has a field for it. */
  account?: Account
  onClose(): void
}

/** Issues a key, or creates a claim link for it. */
export function IssueKeyDialog({ account, onClose }: IssueKeyDialogProps) {
  const [zone] = useZone()
  const { data: version } = useQuery(versionQuery)
  const { issue, key, link } = useIssue()
  const form = useForm<NewKeyValues>({ defaultValues: EMPTY_KEY })

  async function save(values: NewKeyValues) {
    const owner = account ?? (await findAccount(values.account))
    if (owner) await issue(owner.id, values, zone)
    else form.setError('account', { message: NO_ACCOUNT }, { shouldFocus: true })
  }

  return (
    <FormDialog
      title={account ? sentence`Issue a key to “${account.name}”` : 'Issue a key'}
      action={form.watch('delivery') === 'link' ? 'Create the link' : 'Issue the key'}
      form={form}
      onSave={save}
      fieldOf={{ keyExpiresAt: 'expiresAt' }}
      onClose={onClose}
      issued={(key && secretLines(key, version?.publicUrl)) ?? (link && linkLines(link))}
    >
      <IssueKeyFields hasAccount={account !== undefined} />
    </FormDialog>
  )
}

/** A new key, as form values. */
interface NewKeyValues {
  /** Its name. */
  account: string
  delivery: 'show' | 'link'
  name: string
  scope: Key['scope']
  networks: string
  expiresAt: Expiry
  validForSeconds: string
}

const EMPTY_KEY: NewKeyValues = {
  account: '',
  delivery: 'show',
  name: '',
  scope: 'read-write',
  networks: '',
  expiresAt: NEVER,
  validForSeconds: String(SECONDS.day),
}

function useIssue() {
  const issueKey = useIssueKey()
  const createLink = useCreateClaimLink()

  function issue(accountId: bigint, values: NewKeyValues, zone: Zone): Promise<unknown> {
    const networks = networksOf(values.networks)
    const terms = {
      accountId,
      name: values.name || undefined,
      scope: values.scope,
      networks: networks.length > 0 ? networks : undefined,
      expiry: values.expiresAt,
      zone,
    }
    if (values.delivery === 'show') return issueKey.mutateAsync(terms)
    return createLink.mutateAsync({ ...terms, validForSeconds: Number(values.validForSeconds) })
  }
  return { issue, key: issueKey.data, link: createLink.data }
}

const LINK_TIMES = durationOptions([SECONDS.hour, SECONDS.day, SECONDS.week, SECONDS.month])

const DELIVERIES = [
  { value: 'show', name: 'You', hint: 'The key is shown once. You pass it on.' },
  {
    value: 'link',
    name: 'Only the recipient',
    hint: 'You send a claim link, which works once. You never see the key.',
  },
] as const

function IssueKeyFields({ hasAccount }: { hasAccount: boolean }) {
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
