import { useQuery } from '@tanstack/react-query'
import { useForm, useFormContext } from 'react-hook-form'
import type { Account } from '../../api/schema.ts'
import { accountSuggestionsQuery, findAccount } from '../../data/accounts.ts'
import { useCreateClaimLink, useIssueKey } from '../../data/keys.ts'
import { versionQuery } from '../../data/service.ts'
import { choiceOf, fieldOf } from '../../lib/forms.ts'
import { SECONDS } from '../../lib/numbers.ts'
import { secretRefusal } from '../../lib/secret-refusal.ts'
import { NEVER } from '../../lib/time.ts'
import { Radios } from '../../ui/Choices.tsx'
import { Field, Select } from '../../ui/Field.tsx'
import { sentence } from '../../ui/sentence.ts'
import { ExpiryField } from '../ExpiryField.tsx'
import { FormDialog } from '../FormDialog.tsx'
import { LINK_TIMES, linkLines, networksOf, secretLines, TermsFields, type TermsValues } from './TermsFields.tsx'

const NO_ACCOUNT = 'No account has this name. Choose one from the list.'

interface IssueKeyDialogProps {
  /** If undefined, the form has a field for it. */
  account?: Account
  onClose(): void
}

/** Issues a key, or creates a claim link for it. */
export function IssueKeyDialog({ account, onClose }: IssueKeyDialogProps) {
  const { data: version } = useQuery(versionQuery)
  const issueKey = useIssueKey()
  const createLink = useCreateClaimLink()
  const form = useForm({ defaultValues: EMPTY_KEY })
  const isByLink = form.watch('delivery') === 'link'

  async function save(values: NewKeyValues) {
    const owner = account ?? (await findAccount(values.account))
    if (!owner) return form.setError('account', { message: NO_ACCOUNT }, { shouldFocus: true })
    const { name, scope, networks, expiresAt: expiry, validForSeconds } = values
    const terms = { accountId: owner.id, name: name || undefined, scope, networks: networksOf(networks), expiry }
    if (values.delivery === 'show') await issueKey.mutateAsync(terms)
    else await createLink.mutateAsync({ ...terms, validForSeconds: Number(validForSeconds) })
  }

  return (
    <FormDialog
      title={account ? sentence`Issue a key to “${account.name}”` : 'Issue a key'}
      action={isByLink ? 'Create the link' : 'Issue the key'}
      form={form}
      onSave={save}
      fieldOf={{ keyExpiresAt: 'expiresAt' }}
      onClose={onClose}
      issued={
        (issueKey.data && secretLines(issueKey.data, version?.publicUrl)) ??
        (createLink.data && linkLines(createLink.data))
      }
    >
      {!account && <AccountField />}
      <Radios label="Who sees the key?" options={DELIVERIES} {...choiceOf(form, 'delivery')} />
      <TermsFields />
      <ExpiryField label="The key expires" {...choiceOf(form, 'expiresAt')} />
      {isByLink && <Select label="The link works for" options={LINK_TIMES} {...fieldOf(form, 'validForSeconds')} />}
    </FormDialog>
  )
}

const EMPTY_KEY = {
  /** The name of an account. */
  account: '',
  delivery: 'show' as 'show' | 'link',
  name: '',
  scope: 'read-write' as TermsValues['scope'],
  networks: '',
  expiresAt: NEVER,
  validForSeconds: String(SECONDS.day),
}

type NewKeyValues = typeof EMPTY_KEY

const DELIVERIES = [
  { value: 'show', name: 'You', hint: 'The key is shown once. You pass it on.' },
  {
    value: 'link',
    name: 'Only the recipient',
    hint: 'You send a claim link, which works once. You never see the key.',
  },
] as const

/** The name of an account. The browser suggests matching ones. */
function AccountField() {
  const form = useFormContext<NewKeyValues>()
  const text = form.watch('account')
  const refusal = secretRefusal(text)
  const { data: accounts = [] } = useQuery(accountSuggestionsQuery(refusal ? '' : text))
  const { error, ...input } = fieldOf(form, 'account')
  return (
    <Field
      label="Account"
      hint="Type part of its name, then choose it."
      suggestions={accounts.map(({ name }) => name)}
      {...input}
      error={refusal ?? error}
    />
  )
}
