import { useForm } from 'react-hook-form'
import type { Account } from '../../api/schema.ts'
import { useSetPlan } from '../../data/accounts.ts'
import { PlanFields, planChoiceOf, planValuesOf } from '../../parts/accounts/PlanFields.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { conflictWith } from './Conflict.tsx'
import { useSeenVersion } from './seen.ts'

export function PlanDialog({ account, onClose }: { account: Account; onClose(): void }) {
  const setPlan = useSetPlan(account)
  const versionFor = useSeenVersion(account)
  const form = useForm({ defaultValues: planValuesOf(account) })
  return (
    <FormDialog
      title="Change the plan"
      description="The new limits apply from the next call. Calls that were already counted still count."
      action="Save"
      form={form}
      onSave={async values => {
        await setPlan.mutateAsync({ ...planChoiceOf(values), etag: versionFor(setPlan.error) })
        onClose()
      }}
      onClose={onClose}
      refusal={conflictWith(account, setPlan.error)}
    >
      <PlanFields />
    </FormDialog>
  )
}
