import { useId } from 'react'
import { Controller, useForm } from 'react-hook-form'
import { CONSOLE_URL } from '../../api/call.ts'
import { useCreateToken } from '../../data/tokens.ts'
import { instantOf, NEVER } from '../../lib/expiry.ts'
import { showRefusal } from '../../lib/show-refusal.ts'
import { useZone } from '../../lib/use-zone.ts'
import { ExpiryField } from '../../parts/ExpiryField.tsx'
import { SecretDialog } from '../../parts/SecretDialog.tsx'
import { Button } from '../../ui/Button.tsx'
import { Field } from '../../ui/Field.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Select } from '../../ui/Select.tsx'

const ROLES = [
  { value: 'staff', name: 'Staff: manages animals, reads everything' },
  { value: 'admin', name: 'Administrator: can do everything' },
]

/** Creates a token, and shows it once. */
export function CreateDialog({ onClose }: { onClose(): void }) {
  const formId = useId()
  const [zone] = useZone()
  const create = useCreateToken()
  const form = useForm({ defaultValues: { name: '', role: 'staff', expiresAt: NEVER } })
  const { errors } = form.formState

  const submit = form.handleSubmit(async ({ expiresAt, ...wanted }) => {
    const body = { ...wanted, expiresAt: instantOf(expiresAt, zone) }
    await create.mutateAsync(body).catch(error => showRefusal(form, error))
  })

  return (
    <SecretDialog
      isOpen
      onClose={onClose}
      title="Create an operator token"
      issued={create.data && issuedOf(create.data)}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form={formId} isBusy={create.isPending}>
            Create token
          </Button>
        </>
      }
    >
      <form id={formId} className="dialog-form" onSubmit={submit} noValidate>
        <Field
          label="Name"
          hint="Whose token it is. The audit log shows this name."
          dir="auto"
          autoComplete="off"
          error={errors.name?.message}
          {...form.register('name')}
        />
        <Select label="Role" options={ROLES} error={errors.role?.message} {...form.register('role')} />
        <Controller
          name="expiresAt"
          control={form.control}
          render={({ field: { value, onChange } }) => (
            <ExpiryField label="Expires" value={value} onChange={onChange} error={errors.expiresAt?.message} />
          )}
        />
      </form>
      {errors.root && <Notice tone="danger">{errors.root.message}</Notice>}
    </SecretDialog>
  )
}

function issuedOf({ name, token }: { name: string; token: string }) {
  return {
    title: `The token of “${name}”`,
    warning: 'Hand it over now: it is shown only once. Whoever has it can sign in.',
    lines: [
      { label: 'Operator token', text: token },
      { label: 'Where to sign in', text: CONSOLE_URL.href },
    ],
  }
}
