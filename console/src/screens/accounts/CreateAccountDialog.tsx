import { useNavigate } from '@tanstack/react-router'
import { useId } from 'react'
import { FormProvider, useForm } from 'react-hook-form'
import { useCreateAccount } from '../../data/accounts.ts'
import { showRefusal } from '../../lib/show-refusal.ts'
import { PlanFields, type PlanValues, planChoiceOf } from '../../parts/accounts/PlanFields.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field } from '../../ui/Field.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { toasts } from '../../ui/toasts.tsx'

interface CreateAccountDialogProps {
  isOpen: boolean
  onClose(): void
}

export function CreateAccountDialog({ isOpen, onClose }: CreateAccountDialogProps) {
  return isOpen ? <OpenDialog onClose={onClose} /> : null
}

function OpenDialog({ onClose }: { onClose(): void }) {
  const formId = useId()
  const navigate = useNavigate()
  const create = useCreateAccount()
  const form = useForm<PlanValues & { name: string }>({
    defaultValues: { name: '', plan: 'free', perMinute: '', perDay: '' },
  })
  const { errors } = form.formState

  const submit = form.handleSubmit(async values => {
    try {
      const { id, name } = await create.mutateAsync({ name: values.name, ...planChoiceOf(values) })
      onClose()
      toasts.add({ title: `The account “${name}” is created`, description: 'Issue it an API key next.' })
      await navigate({ to: '/accounts/$accountId', params: { accountId: String(id) } })
    } catch (error) {
      showRefusal(form, error)
    }
  })

  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Create an account"
      description="One for each partner or app that calls the API."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form={formId} isBusy={create.isPending}>
            Create the account
          </Button>
        </>
      }
    >
      <form id={formId} className="dialog-form" onSubmit={submit} noValidate>
        <Field label="Name" dir="auto" autoComplete="off" {...form.register('name')} error={errors.name?.message} />
        <FormProvider {...form}>
          <PlanFields />
        </FormProvider>
        {errors.root && <Notice tone="danger">{errors.root.message}</Notice>}
      </form>
    </Dialog>
  )
}
