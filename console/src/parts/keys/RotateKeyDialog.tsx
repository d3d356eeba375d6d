import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import type { Key } from '../../api/schema.ts'
import { useRotateKey } from '../../data/keys.ts'
import { versionQuery } from '../../data/version.ts'
import { durationOptions, SECONDS } from '../../lib/durations.ts'
import { Button } from '../../ui/Button.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Select } from '../../ui/Select.tsx'
import { SecretDialog } from '../SecretDialog.tsx'
import { secretLines } from './secret-lines.ts'

const OVERLAPS = [
  { value: '0', name: 'Not at all: it stops at once' },
  ...durationOptions([SECONDS.hour, SECONDS.day, SECONDS.week, SECONDS.month]),
]

/** Replaces a key by a new one. Both work for a while, so that nothing is interrupted. */
export function RotateKeyDialog({ apiKey, onClose }: { apiKey: Key; onClose(): void }) {
  const formId = useId()
  const [overlap, setOverlap] = useState(String(SECONDS.day))
  const { data: version } = useQuery(versionQuery)
  const rotate = useRotateKey(apiKey.id)

  function submit(event: FormEvent) {
    event.preventDefault()
    rotate.mutate(Number(overlap))
  }

  return (
    <SecretDialog
      isOpen
      onClose={onClose}
      title="Rotate the key"
      issued={rotate.data && secretLines(rotate.data, version?.publicUrl)}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form={formId} isBusy={rotate.isPending}>
            Issue the new key
          </Button>
        </>
      }
    >
      <form id={formId} className="dialog-form" onSubmit={submit}>
        <p>
          A new key is issued with the same name, scope, networks and expiry. Give it to the program while the old one
          still works.
        </p>
        <Select
          label="The old key keeps working for"
          options={OVERLAPS}
          value={overlap}
          onChange={event => setOverlap(event.target.value)}
        />
        {rotate.error && <Notice tone="danger">{rotate.error.message}</Notice>}
      </form>
    </SecretDialog>
  )
}
