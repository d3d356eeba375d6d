import { useQuery } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import type { Account } from '../../api/schema.ts'
import { findAccount } from '../../data/account-choice.ts'
import { versionQuery } from '../../data/version.ts'
import { useZone } from '../../lib/use-zone.ts'
import { Quoted } from '../../ui/Quoted.tsx'
import { FormDialog } from '../FormDialog.tsx'
import { IssueKeyFields } from './IssueKeyFields.tsx'
import { EMPTY_KEY, type NewKeyValues, useIssue } from './issue.ts'
import { linkLines, secretLines } from './secret-lines.tsx'

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
      title={
        account ? (
          <>
            Issue a key to <Quoted>{account.name}</Quoted>
          </>
        ) : (
          'Issue a key'
        )
      }
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
