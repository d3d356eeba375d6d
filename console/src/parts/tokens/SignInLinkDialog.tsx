import { useForm } from 'react-hook-form'
import { CONSOLE_URL } from '../../api/call.ts'
import type { Token } from '../../api/schema.ts'
import { useCreateSignInLink } from '../../data/tokens.ts'
import { fieldOf } from '../../lib/forms.ts'
import { SECONDS } from '../../lib/numbers.ts'
import { durationOptions } from '../../lib/options.ts'
import { formatTime } from '../../lib/time.ts'
import { useZone } from '../../lib/use-preferences.ts'
import { Select } from '../../ui/Field.tsx'
import { sentence } from '../../ui/sentence.ts'
import { FormDialog } from '../FormDialog.tsx'

const TIMES = durationOptions([SECONDS.hour, SECONDS.day, SECONDS.week])

/** Creates a link that signs a colleague in, who need not know their token. */
export function SignInLinkDialog({ token: { id, name }, onClose }: { token: Token; onClose(): void }) {
  const [zone] = useZone()
  const create = useCreateSignInLink(id)
  const form = useForm({ defaultValues: { validForSeconds: String(SECONDS.day) } })
  return (
    <FormDialog
      title={sentence`Create a sign-in link for “${name}”`}
      description="For a colleague: it signs one browser in, once. Revoking the token ends the link, too."
      action="Create the link"
      form={form}
      onSave={({ validForSeconds }) => create.mutateAsync(Number(validForSeconds))}
      onClose={onClose}
      issued={
        create.data && {
          title: sentence`A sign-in link for “${name}”`,
          warning: `Send it only to this person: the first browser that opens it is signed in as them. It works once, until ${formatTime(create.data.expiresAt, zone)}, and is shown only now.`,
          lines: [{ label: 'The link', text: `${CONSOLE_URL}sign-in#${create.data.link}` }],
        }
      }
    >
      <Select label="The link works for" options={TIMES} {...fieldOf(form, 'validForSeconds')} />
    </FormDialog>
  )
}
