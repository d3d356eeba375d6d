import { useForm } from 'react-hook-form'
import type { Key } from '../../api/schema.ts'
import { useChangeKey } from '../../data/keys.ts'
import { FormDialog } from '../FormDialog.tsx'
import { networksOf } from './networks.ts'
import { TermsFields, type TermsValues } from './TermsFields.tsx'

export function ChangeKeyDialog({ apiKey, onClose }: { apiKey: Key; onClose(): void }) {
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
        const list = networksOf(networks)
        await change.mutateAsync({ name: name || null, scope, networks: list.length > 0 ? list : null })
        onClose()
      }}
      onClose={onClose}
    >
      <TermsFields />
    </FormDialog>
  )
}
