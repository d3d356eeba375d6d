import { useForm } from 'react-hook-form'
import { CONSOLE_URL } from '../../api/call.ts'
import type { IssuedToken } from '../../api/schema.ts'
import { fileUrlOf } from '../../data/sources.ts'
import { useCreateToken } from '../../data/tokens.ts'
import { choiceOf, fieldOf } from '../../lib/forms.ts'
import { NEVER } from '../../lib/time.ts'
import { Radios } from '../../ui/Choices.tsx'
import { Field } from '../../ui/Field.tsx'
import { sentence } from '../../ui/sentence.ts'
import { ExpiryField } from '../ExpiryField.tsx'
import { FormDialog } from '../FormDialog.tsx'

/** What the roles may do. The service enforces it. */
const ROLES = [
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

interface CreateTokenDialogProps {
  /** The source whose file the token may send, and nothing else. */
  source?: string
  onClose(): void
}

/** Creates an operator token, and shows it once. */
export function CreateTokenDialog({ source, onClose }: CreateTokenDialogProps) {
  const create = useCreateToken()
  const form = useForm({ defaultValues: { name: '', role: 'staff' as RoleName, expiresAt: NEVER } })
  return (
    <FormDialog
      title={source === undefined ? 'Create an operator token' : sentence`Create a token for the source “${source}”`}
      description={source !== undefined && 'It can send the file of this source, and nothing else.'}
      action="Create token"
      form={form}
      onSave={({ name, role, expiresAt }) =>
        create.mutateAsync({ name, right: source === undefined ? { role } : { source }, expiry: expiresAt })
      }
      onClose={onClose}
      issued={create.data && issuedOf(create.data)}
    >
      <Field
        label="Name"
        hint="The name of the person or program that gets it. The audit log shows this name."
        {...fieldOf(form, 'name')}
      />
      {source === undefined && <Radios label="Role" options={ROLES} {...choiceOf(form, 'role')} />}
      <ExpiryField label="Expires" {...choiceOf(form, 'expiresAt')} />
    </FormDialog>
  )
}

function issuedOf({ name, token, source }: IssuedToken) {
  const title = sentence`The token of “${name}”`
  const copy = 'Copy it now: it is shown only once.'
  const secret = { label: 'Operator token', text: token }
  if (source === null) {
    const address = { label: 'Where to sign in', text: CONSOLE_URL.href }
    return { title, warning: `${copy} Anyone who has it can sign in.`, lines: [secret, address] }
  }
  const send = `curl --fail -T FILE.csv -H 'Content-Type: text/csv' -H 'Authorization: Bearer ${token}' ${fileUrlOf(source)}`
  const lines = [secret, { label: 'A command that sends the file', text: send }]
  return { title, warning: `${copy} Anyone who has it can send a file of this source.`, lines }
}
