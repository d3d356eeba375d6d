import { useId } from 'react'
import { useForm } from 'react-hook-form'
import type { Account } from '../../api/schema.ts'
import { useRenameAccount } from '../../data/accounts.ts'
import { showRefusal } from '../../lib/show-refusal.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field } from '../../ui/Field.tsx'
import { FormRefusal } from './FormRefusal.tsx'
import { useSeenVersion } from './seen.ts'

export function RenameDialog({ account, onClose }: { account: Account; onClose(): void }) {
  const formId = useId()
  const rename = useRenameAccount(account)
  const versionFor = useSeenVersion(account)
  const form = useForm({ defaultValues: { name: account.name } })
  const { errors } = form.formState
  const submit = form.handleSubmit(({ name }) =>
    rename.mutateAsync({ name, etag: versionFor(rename.error) }).then(onClose, error => showRefusal(form, error)),
  )
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Rename the account"
      description="Its keys keep working, and its past usage follows the new name."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form={formId} isBusy={rename.isPending}>
            Save
          </Button>
        </>
      }
    >
      <form id={formId} className="dialog-form" onSubmit={submit} noValidate>
        <Field label="Name" dir="auto" autoComplete="off" {...form.register('name')} error={errors.name?.message} />
        <FormRefusal message={errors.root?.message} error={rename.error} account={account} />
      </form>
    </Dialog>
  )
}
