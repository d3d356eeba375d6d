import { useId } from 'react'
import { FormProvider, useForm } from 'react-hook-form'
import type { Key } from '../../api/schema.ts'
import { useChangeKey } from '../../data/keys.ts'
import { showRefusal } from '../../lib/show-refusal.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { networksOf } from './networks.ts'
import { TermsFields, type TermsValues } from './TermsFields.tsx'

export function ChangeKeyDialog({ apiKey, onClose }: { apiKey: Key; onClose(): void }) {
  const formId = useId()
  const change = useChangeKey(apiKey.id)
  const form = useForm<TermsValues>({
    defaultValues: { name: apiKey.name ?? '', scope: apiKey.scope, networks: apiKey.networks?.join('\n') ?? '' },
  })
  const { errors } = form.formState
  const submit = form.handleSubmit(({ name, scope, networks }) => {
    const list = networksOf(networks)
    const changed = { name: name || null, scope, networks: list.length > 0 ? list : null }
    return change.mutateAsync(changed).then(onClose, error => showRefusal(form, error))
  })
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Change the key"
      description="The key itself stays the same. The change applies from its next call."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form={formId} isBusy={change.isPending}>
            Save
          </Button>
        </>
      }
    >
      <form id={formId} className="dialog-form" onSubmit={submit} noValidate>
        <FormProvider {...form}>
          <TermsFields />
        </FormProvider>
        {errors.root && <Notice tone="danger">{errors.root.message}</Notice>}
      </form>
    </Dialog>
  )
}
