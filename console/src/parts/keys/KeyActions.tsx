import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import type { Key } from '../../api/schema.ts'
import { useChangeKey, useRevokeKey, useRotateKey } from '../../data/keys.ts'
import { versionQuery } from '../../data/service.ts'
import { choiceOf } from '../../lib/forms.ts'
import { formatSeconds, SECONDS } from '../../lib/numbers.ts'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { Radios } from '../../ui/Field.tsx'
import { sentence } from '../../ui/sentence.ts'
import { FormDialog } from '../FormDialog.tsx'
import { TimeText } from '../times.tsx'
import { networksOf, secretLines, TermsFields, type TermsValues } from './TermsFields.tsx'
import './keys.css'

/** What an admin can do with an active key. A new key is shown until it is stored, also once the old one has ended. */
export function KeyActions({ apiKey }: { apiKey: Key }) {
  const [open, setOpen] = useState<'change' | 'rotate' | 'revoke'>()
  const close = () => setOpen(undefined)
  const revoke = useRevokeKey(apiKey.id)
  if (apiKey.state !== 'active' && open === undefined) return null
  return (
    <div className="buttons">
      <Button onClick={() => setOpen('change')}>Change</Button>
      <Button onClick={() => setOpen('rotate')}>Rotate</Button>
      <Button className="is-danger" onClick={() => setOpen('revoke')}>
        Revoke
      </Button>
      {open === 'change' && <ChangeKeyDialog apiKey={apiKey} onClose={close} />}
      {open === 'rotate' && <RotateKeyDialog apiKey={apiKey} onClose={close} />}
      <ConfirmDialog
        isOpen={open === 'revoke'}
        onClose={close}
        title={apiKey.name === null ? `Revoke the key …${apiKey.hint}?` : sentence`Revoke the key “${apiKey.name}”?`}
        action="Revoke the key"
        onConfirm={() => revoke.mutateAsync()}
      >
        <p>
          Calls with this key are refused immediately. This cannot be undone. To replace the key without downtime,
          rotate it instead.
        </p>
        <p>
          Last used: <TimeText at={apiKey.lastUsedAt} />.
        </p>
      </ConfirmDialog>
    </div>
  )
}

function ChangeKeyDialog({ apiKey, onClose }: { apiKey: Key; onClose(): void }) {
  const change = useChangeKey(apiKey.id)
  const form = useForm<TermsValues>({
    defaultValues: { name: apiKey.name ?? '', scope: apiKey.scope, networks: apiKey.networks?.join('\n') ?? '' },
  })
  return (
    <FormDialog
      title="Change the key"
      description="The key itself stays the same. The change applies from its next call."
      action="Save"
      form={form}
      onSave={async ({ name, scope, networks }) => {
        await change.mutateAsync({ name: name || null, scope, networks: networksOf(networks) ?? null })
        onClose()
      }}
      onClose={onClose}
    >
      <TermsFields />
    </FormDialog>
  )
}

const OVERLAPS = [
  {
    value: '0',
    name: 'Not at all',
    hint: 'For a key that has leaked. Calls with the old key are refused immediately.',
  },
  overlap(SECONDS.hour, 'If you replace it yourself, right now.'),
  overlap(SECONDS.day, 'If its program is deployed today.'),
  overlap(SECONDS.week, 'If a partner has to replace it.'),
  overlap(SECONDS.month, 'If a partner releases rarely. A copy of the old key also works until then.'),
]

function overlap(seconds: number, hint: string) {
  return { value: String(seconds), name: formatSeconds(seconds), hint }
}

/** Replaces a key with a new one. Both work for a while, so that there is no downtime. */
function RotateKeyDialog({ apiKey, onClose }: { apiKey: Key; onClose(): void }) {
  const { data: version } = useQuery(versionQuery)
  const rotate = useRotateKey(apiKey.id)
  const form = useForm({ defaultValues: { overlap: String(SECONDS.day) } })
  return (
    <FormDialog
      title="Rotate the key"
      description="You get a new key with the same name, scope, networks and expiry. Give it to the program before the old key stops."
      action="Issue the new key"
      form={form}
      onSave={({ overlap }) => rotate.mutateAsync(Number(overlap))}
      onClose={onClose}
      issued={rotate.data && secretLines(rotate.data, version?.publicUrl)}
    >
      <Radios label="How long does the old key keep working?" options={OVERLAPS} {...choiceOf(form, 'overlap')} />
    </FormDialog>
  )
}
