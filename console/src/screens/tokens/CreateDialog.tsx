import { Controller, useForm } from 'react-hook-form'
import { CONSOLE_URL } from '../../api/call.ts'
import { useCreateToken } from '../../data/tokens.ts'
import { NEVER } from '../../lib/expiry.ts'
import { useZone } from '../../lib/use-zone.ts'
import { ExpiryField } from '../../parts/ExpiryField.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { Field } from '../../ui/Field.tsx'
import { Quoted } from '../../ui/Quoted.tsx'
import { Radios } from '../../ui/Radios.tsx'
import { ROLES, type RoleName } from './roles.ts'

/** Creates a token, and shows it once. */
export function CreateDialog({ onClose }: { onClose(): void }) {
  const [zone] = useZone()
  const create = useCreateToken()
  const form = useForm({ defaultValues: { name: '', role: 'staff' as RoleName, expiresAt: NEVER } })
  const { errors } = form.formState
  return (
    <FormDialog
      title="Create an operator token"
      action="Create token"
      form={form}
      onSave={({ expiresAt, ...wanted }) => create.mutateAsync({ ...wanted, expiry: expiresAt, zone })}
      onClose={onClose}
      issued={create.data && issuedOf(create.data)}
    >
      <Field
        label="Name"
        hint="The name of the person or program that gets it. The audit log shows this name."
        dir="auto"
        autoComplete="off"
        error={errors.name?.message}
        {...form.register('name')}
      />
      <Controller
        name="role"
        control={form.control}
        render={({ field: { value, onChange } }) => (
          <Radios label="Role" value={value} options={ROLES} onChoose={onChange} />
        )}
      />
      <Controller
        name="expiresAt"
        control={form.control}
        render={({ field: { value, onChange } }) => (
          <ExpiryField label="Expires" value={value} onChange={onChange} error={errors.expiresAt?.message} />
        )}
      />
    </FormDialog>
  )
}

function issuedOf({ name, token }: { name: string; token: string }) {
  return {
    title: (
      <>
        The token of <Quoted>{name}</Quoted>
      </>
    ),
    warning: 'Copy it now: it is shown only once. Anyone who has it can sign in.',
    lines: [
      { label: 'Operator token', text: token },
      { label: 'Where to sign in', text: CONSOLE_URL.href },
    ],
  }
}
