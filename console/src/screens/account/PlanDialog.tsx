import { useId } from 'react'
import { FormProvider, useForm } from 'react-hook-form'
import type { Account } from '../../api/schema.ts'
import { useSetPlan } from '../../data/accounts.ts'
import { showRefusal } from '../../lib/show-refusal.ts'
import { PlanFields, planChoiceOf, planValuesOf } from '../../parts/accounts/PlanFields.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { FormRefusal } from './FormRefusal.tsx'
import { useSeenVersion } from './seen.ts'

export function PlanDialog({ account, onClose }: { account: Account; onClose(): void }) {
  const formId = useId()
  const setPlan = useSetPlan(account)
  const versionFor = useSeenVersion(account)
  const form = useForm({ defaultValues: planValuesOf(account) })
  const submit = form.handleSubmit(values =>
    setPlan
      .mutateAsync({ ...planChoiceOf(values), etag: versionFor(setPlan.error) })
      .then(onClose, error => showRefusal(form, error)),
  )
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Change the plan"
      description="The new limits apply from the next call. Calls that were counted before still count."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form={formId} isBusy={setPlan.isPending}>
            Save
          </Button>
        </>
      }
    >
      <form id={formId} className="dialog-form" onSubmit={submit} noValidate>
        <FormProvider {...form}>
          <PlanFields />
        </FormProvider>
        <FormRefusal message={form.formState.errors.root?.message} error={setPlan.error} account={account} />
      </form>
    </Dialog>
  )
}
