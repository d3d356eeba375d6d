import { useForm } from 'react-hook-form'
import type { Account } from '../../api/schema.ts'
import { useRenameAccount } from '../../data/accounts.ts'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { Field } from '../../ui/Field.tsx'
import { conflictWith } from './Conflict.tsx'
import { useSeenVersion } from './seen.ts'

export function RenameDialog({ account, onClose }: { account: Account; onClose(): void }) {
  const rename = useRenameAccount(account)
  const versionFor = useSeenVersion(account)
  const form = useForm({ defaultValues: { name: account.name } })
  return (
    <FormDialog
      title="Rename the account"
      description="Its keys keep working, and its usage so far appears under the new name."
      action="Save"
      form={form}
      onSave={async ({ name }) => {
        await rename.mutateAsync({ name, etag: versionFor(rename.error) })
        onClose()
      }}
      onClose={onClose}
      refusal={conflictWith(account, rename.error)}
    >
      <Field
        label="Name"
        dir="auto"
        autoComplete="off"
        {...form.register('name')}
        error={form.formState.errors.name?.message}
      />
    </FormDialog>
  )
}
