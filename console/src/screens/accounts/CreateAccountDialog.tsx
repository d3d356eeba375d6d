import { useNavigate } from '@tanstack/react-router'
import { useForm } from 'react-hook-form'
import { useCreateAccount } from '../../data/accounts.ts'
import { fieldOf } from '../../lib/forms.ts'
import { PlanFields, type PlanValues, planChoiceOf } from '../../parts/accounts/PlanFields.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { Field } from '../../ui/Field.tsx'
import { sentence } from '../../ui/sentence.ts'
import { addToast } from '../../ui/toasts.ts'

export function CreateAccountDialog({ onClose }: { onClose(): void }) {
  const navigate = useNavigate()
  const create = useCreateAccount()
  const form = useForm<PlanValues & { name: string }>({
    defaultValues: { name: '', plan: 'free', perMinute: '', perDay: '' },
  })
  return (
    <FormDialog
      title="Create an account"
      description="Create one for each partner or app that calls the API."
      action="Create the account"
      form={form}
      onSave={async values => {
        const account = await create.mutateAsync({ name: values.name, ...planChoiceOf(values) })
        addToast({
          title: sentence`The account “${account.name}” is created`,
          description: 'Issue an API key to it next.',
        })
        return account
      }}
      onDone={({ id }) => navigate({ to: '/accounts/$accountId', params: { accountId: String(id) } })}
      onClose={onClose}
    >
      <Field label="Name" {...fieldOf(form, 'name')} />
      <PlanFields />
    </FormDialog>
  )
}
