import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { FormProvider, useForm } from 'react-hook-form'
import type { Account } from '../../api/schema.ts'
import { findAccount } from '../../data/account-choice.ts'
import { versionQuery } from '../../data/version.ts'
import { showRefusal } from '../../lib/show-refusal.ts'
import { useZone } from '../../lib/use-zone.ts'
import { Button } from '../../ui/Button.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { SecretDialog } from '../SecretDialog.tsx'
import { IssueKeyFields } from './IssueKeyFields.tsx'
import { EMPTY_KEY, type NewKeyValues, useIssue } from './issue.ts'
import { linkLines, secretLines } from './secret-lines.ts'

interface IssueKeyDialogProps {
  /** Undefined: the form asks for it. */
  account?: Account
  onClose(): void
}

/** Issues a key, or makes a link with which its recipient does. */
export function IssueKeyDialog({ account, onClose }: IssueKeyDialogProps) {
  const formId = useId()
  const [zone] = useZone()
  const { data: version } = useQuery(versionQuery)
  const { issue, key, link } = useIssue()
  const form = useForm<NewKeyValues>({ defaultValues: EMPTY_KEY })
  const { isSubmitting, errors } = form.formState
  const isLink = form.watch('delivery') === 'link'

  const submit = form.handleSubmit(async values => {
    const owner = account ?? (await findAccount(values.account).catch(() => undefined))
    if (!owner) {
      return form.setError(
        'account',
        { message: 'No account has this name. Choose one of the list.' },
        { shouldFocus: true },
      )
    }
    await issue(owner.id, values, zone).catch(error => showRefusal(form, error, { keyExpiresAt: 'expiresAt' }))
  })

  return (
    <SecretDialog
      isOpen
      onClose={onClose}
      title={account ? `Issue a key to “${account.name}”` : 'Issue a key'}
      issued={(key && secretLines(key, version?.publicUrl)) ?? (link && linkLines(link))}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form={formId} isBusy={isSubmitting}>
            {isLink ? 'Create the link' : 'Issue the key'}
          </Button>
        </>
      }
    >
      <form id={formId} className="dialog-form" onSubmit={submit} noValidate>
        <FormProvider {...form}>
          <IssueKeyFields hasAccount={account !== undefined} />
        </FormProvider>
        {errors.root && <Notice tone="danger">{errors.root.message}</Notice>}
      </form>
    </SecretDialog>
  )
}
