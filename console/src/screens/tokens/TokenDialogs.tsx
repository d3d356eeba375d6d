import { useForm } from 'react-hook-form'
import { CONSOLE_URL } from '../../api/call.ts'
import type { Token } from '../../api/schema.ts'
import { signOut, useSession } from '../../data/session.ts'
import { useCreateToken, useRevokeToken } from '../../data/tokens.ts'
import { NEVER } from '../../lib/expiry.ts'
import { choiceOf, fieldOf } from '../../lib/form-fields.ts'
import { startFresh } from '../../lib/start-fresh.ts'
import { useZone } from '../../lib/use-preferences.ts'
import { ExpiryField } from '../../parts/ExpiryField.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { Radios } from '../../ui/Choices.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { Field } from '../../ui/Field.tsx'
import { sentence } from '../../ui/sentence.ts'
import { addToast } from '../../ui/toasts.ts'

/** What the roles may do. The service enforces it. */
export const ROLES = [
  {
    value: 'staff',
    name: 'Staff',
    hint: 'Adds, corrects, imports and deletes animals. Can see everything else except operator tokens.',
  },
  {
    value: 'admin',
    name: 'Administrator',
    hint: 'Can do everything, including managing accounts, keys, bans and operator tokens.',
  },
] as const

type RoleName = (typeof ROLES)[number]['value']

/** Creates a token, and shows it once. */
export function CreateDialog({ onClose }: { onClose(): void }) {
  const [zone] = useZone()
  const create = useCreateToken()
  const form = useForm({ defaultValues: { name: '', role: 'staff' as RoleName, expiresAt: NEVER } })
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
        {...fieldOf(form, 'name')}
      />
      <Radios label="Role" options={ROLES} {...choiceOf(form, 'role')} />
      <ExpiryField label="Expires" {...choiceOf(form, 'expiresAt')} />
    </FormDialog>
  )
}

function issuedOf({ name, token }: { name: string; token: string }) {
  return {
    title: sentence`The token of “${name}”`,
    warning: 'Copy it now: it is shown only once. Anyone who has it can sign in.',
    lines: [
      { label: 'Operator token', text: token },
      { label: 'Where to sign in', text: CONSOLE_URL.href },
    ],
  }
}

/** @param token undefined while the dialog is closed */
export function RevokeDialog({ token, onClose }: { token: Token | undefined; onClose(): void }) {
  const { operator } = useSession()
  const revoke = useRevokeToken()
  if (!token) return null
  const isOwn = operator.tokenId === token.id
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={isOwn ? 'Revoke your own token?' : sentence`Revoke the token of “${token.name}”?`}
      action={isOwn ? 'Revoke and sign out' : 'Revoke token'}
      typed={isOwn ? token.name : undefined}
      onConfirm={async () => {
        await revoke.mutateAsync(token.id)
        if (isOwn) {
          await signOut()
          startFresh()
        } else
          addToast({
            title: sentence`The token of “${token.name}” is revoked`,
          })
      }}
    >
      {isOwn ? (
        <p>
          <strong>You will be signed out.</strong> You need another token to sign in again. This cannot be undone.
        </p>
      ) : (
        <p>
          The token stops working immediately, and everyone who signed in with it is signed out. This cannot be undone.
        </p>
      )}
    </ConfirmDialog>
  )
}
