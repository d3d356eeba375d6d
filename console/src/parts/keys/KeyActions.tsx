import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { isConflict } from '../../api/call.ts'
import type { Key } from '../../api/schema.ts'
import { useChangeKey, useCreateClaimLink, useRevokeKey, useRotateKey } from '../../data/keys.ts'
import { versionQuery } from '../../data/service.ts'
import { changedMembers, choiceOf, fieldOf } from '../../lib/forms.ts'
import { watchUnsaved } from '../../lib/leaving.ts'
import { formatSeconds, SECONDS } from '../../lib/numbers.ts'
import { NEVER } from '../../lib/time.ts'
import { Button } from '../../ui/Button.tsx'
import { Radios } from '../../ui/Choices.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { Select } from '../../ui/Field.tsx'
import { sentence } from '../../ui/sentence.ts'
import { FormDialog } from '../FormDialog.tsx'
import { KeyLastUse } from './columns.tsx'
import { LINK_TIMES, linkLines, networksOf, secretLines, TermsFields, type TermsValues } from './TermsFields.tsx'

/** What an admin can do with an active key. A new key is shown until it is stored, also once the old one has ended. */
export function KeyActions({ apiKey }: { apiKey: Key }) {
  const [open, setOpen] = useState<'change' | 'rotate' | 'revoke'>()
  const close = () => setOpen(undefined)
  if (apiKey.state !== 'active' && open === undefined) return null
  return (
    <div className="row">
      <Button onClick={() => setOpen('change')}>Change</Button>
      <Button onClick={() => setOpen('rotate')}>Rotate</Button>
      <Button className="is-danger" onClick={() => setOpen('revoke')}>
        Revoke
      </Button>
      {open === 'change' && <ChangeKeyDialog apiKey={apiKey} onClose={close} />}
      {open === 'rotate' && <RotateKeyDialog apiKey={apiKey} onClose={close} />}
      {open === 'revoke' && <RevokeKeyDialog apiKey={apiKey} onClose={close} />}
    </div>
  )
}

interface KeyDialogProps {
  apiKey: Key
  onClose(): void
}

/** Asks before a key is revoked: whose it is, and what stops. */
export function RevokeKeyDialog({ apiKey, onClose }: KeyDialogProps) {
  const revoke = useRevokeKey(apiKey.id)
  const { name, hint, account } = apiKey
  return (
    <ConfirmDialog
      onClose={onClose}
      title={sentence`Revoke the key “${name ?? `…${hint}`}” of “${account}”?`}
      action="Revoke the key"
      onConfirm={() => revoke.mutateAsync()}
    >
      <WhatStops apiKey={apiKey} />
      <p>This cannot be undone. To replace the key without downtime, rotate it instead.</p>
    </ConfirmDialog>
  )
}

function WhatStops({ apiKey }: { apiKey: Key }) {
  return (
    <>
      <p>{sentence`Each program of “${apiKey.account}” that calls with this key is refused immediately. Other keys keep working.`}</p>
      <p>
        Last used: <KeyLastUse apiKey={apiKey} />.
      </p>
    </>
  )
}

/** Revokes a key that has leaked, and creates a claim link for another one on the same terms, so that only its owner sees that. */
export function ReplaceKeyDialog({ apiKey, onClose }: KeyDialogProps) {
  const createLink = useCreateClaimLink()
  const revoke = useRevokeKey(apiKey.id)
  const [shown, setShown] = useState<'revoked' | 'active'>()
  const form = useForm({ defaultValues: { validForSeconds: String(SECONDS.day) } })
  const { accountId, account, name, scope, networks, expiresAt } = apiKey

  async function save({ validForSeconds }: { validForSeconds: string }) {
    const terms = { accountId, name: name ?? undefined, scope, networks: networks ?? undefined }
    const wanted = { ...terms, expiry: expiresAt ?? NEVER, validForSeconds: Number(validForSeconds) }
    // The link first: if it is refused, the key still works.
    if (!createLink.data) await createLink.mutateAsync(wanted)
    await revoke.mutateAsync().catch(error => {
      // Someone else has revoked it.
      if (!isConflict(error)) throw error
    })
    setShown('revoked')
  }

  const { data: link } = createLink
  useEffect(() => watchUnsaved({ isThere: () => link !== undefined, isKept: false }), [link])

  return (
    <FormDialog
      title={sentence`Replace the key “${name ?? `…${apiKey.hint}`}” of “${account}”`}
      description="You get a claim link to send to the owner, who gets a new key with it: same name, rights, allowed addresses and expiry."
      action="Revoke the key and create a link"
      form={form}
      onSave={save}
      fieldOf={{ keyExpiresAt: 'validForSeconds' }}
      // A link that was created is never lost, even if the key could not be revoked.
      onClose={link && !shown ? () => setShown('active') : onClose}
      issued={link && shown && { ...linkLines(link), ...(shown === 'active' && { title: STILL_WORKS }) }}
    >
      <WhatStops apiKey={apiKey} />
      <Select label="The link works for" options={LINK_TIMES} {...fieldOf(form, 'validForSeconds')} />
    </FormDialog>
  )
}

const STILL_WORKS = 'The old key still works, but there is already a claim link for the new one'

function ChangeKeyDialog({ apiKey, onClose }: KeyDialogProps) {
  const change = useChangeKey(apiKey.id)
  const { name, scope, networks } = apiKey
  const form = useForm<TermsValues>({
    defaultValues: { name: name ?? '', scope, networks: networks?.join('\n') ?? '' },
  })
  return (
    <FormDialog
      title="Change the key"
      description="The key itself stays the same. The change applies from its next call."
      action="Save"
      form={form}
      onSave={values => change.mutateAsync(changedMembers(values, form.formState.defaultValues, termsOf))}
      onClose={onClose}
    >
      <TermsFields />
    </FormDialog>
  )
}

function termsOf({ name, scope, networks }: TermsValues) {
  return { name: name || null, scope, networks: networksOf(networks) ?? null }
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
function RotateKeyDialog({ apiKey, onClose }: KeyDialogProps) {
  const { data: version } = useQuery(versionQuery)
  const rotate = useRotateKey(apiKey.id)
  const form = useForm({ defaultValues: { overlap: String(SECONDS.day) } })
  return (
    <FormDialog
      title="Rotate the key"
      description="You get a new key with the same name, rights, allowed addresses and expiry. Give it to the program before the old key stops."
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
