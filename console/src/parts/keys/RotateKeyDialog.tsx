import { useQuery } from '@tanstack/react-query'
import { Controller, useForm } from 'react-hook-form'
import type { Key } from '../../api/schema.ts'
import { useRotateKey } from '../../data/keys.ts'
import { versionQuery } from '../../data/version.ts'
import { formatSeconds, SECONDS } from '../../lib/durations.ts'
import { Radios } from '../../ui/Radios.tsx'
import { FormDialog } from '../FormDialog.tsx'
import { secretLines } from './secret-lines.tsx'

const OVERLAPS = [
  {
    value: '0',
    name: 'Not at all',
    hint: 'For a key that has leaked. Calls with the old key are refused immediately.',
  },
  { value: String(SECONDS.hour), name: formatSeconds(SECONDS.hour), hint: 'If you replace it yourself, right now.' },
  { value: String(SECONDS.day), name: formatSeconds(SECONDS.day), hint: 'If its program is deployed today.' },
  { value: String(SECONDS.week), name: formatSeconds(SECONDS.week), hint: 'If a partner has to replace it.' },
  {
    value: String(SECONDS.month),
    name: formatSeconds(SECONDS.month),
    hint: 'If a partner releases rarely. A copy of the old key also works until then.',
  },
]

/** Replaces a key with a new one. Both work for a while, so that there is no downtime. */
export function RotateKeyDialog({ apiKey, onClose }: { apiKey: Key; onClose(): void }) {
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
      <Controller
        control={form.control}
        name="overlap"
        render={({ field: { value, onChange } }) => (
          <Radios
            label="How long does the old key keep working?"
            value={value}
            options={OVERLAPS}
            onChoose={onChange}
          />
        )}
      />
    </FormDialog>
  )
}
