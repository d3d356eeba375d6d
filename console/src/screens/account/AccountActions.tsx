import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { isConflict } from '../../api/call.ts'
import type { Account } from '../../api/schema.ts'
import { useDeleteAccount, useRenameAccount, useSetPlan, useSuspendAccount } from '../../data/accounts.ts'
import { fieldOf } from '../../lib/forms.ts'
import { formatCount } from '../../lib/numbers.ts'
import { PlanFields, planChoiceOf, planValuesOf } from '../../parts/accounts/PlanFields.tsx'
import { PLAN_NAMES } from '../../parts/accounts/plans.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { Field } from '../../ui/Field.tsx'
import { sentence } from '../../ui/sentence.ts'
import { Notice } from '../../ui/states.tsx'
import { addToast } from '../../ui/toasts.ts'

export function AccountActions({ account }: { account: Account }) {
  const { name } = account
  const isActive = account.state === 'active'
  const [open, setOpen] = useState<'rename' | 'plan' | 'suspend' | 'resume' | 'delete'>()
  const close = () => setOpen(undefined)
  const navigate = useNavigate()
  const suspend = useSuspendAccount(account)
  const remove = useDeleteAccount(account)
  return (
    <>
      <Button onClick={() => setOpen('rename')}>Rename</Button>
      <Button onClick={() => setOpen('plan')}>Change plan</Button>
      <Button onClick={() => setOpen(isActive ? 'suspend' : 'resume')}>{isActive ? 'Suspend' : 'Resume'}</Button>
      <Button className="is-danger" onClick={() => setOpen('delete')}>
        Delete
      </Button>
      {open === 'rename' && <RenameDialog account={account} onClose={close} />}
      {open === 'plan' && <PlanDialog account={account} onClose={close} />}
      {open === 'suspend' && (
        <ConfirmDialog
          onClose={close}
          title={sentence`Suspend “${name}”?`}
          action="Suspend account"
          onConfirm={() => suspend.mutateAsync('suspend')}
        >
          Calls with its keys are refused immediately, until you resume the account. Its keys, limits and usage are
          kept.
        </ConfirmDialog>
      )}
      {open === 'resume' && (
        <ConfirmDialog
          onClose={close}
          title={sentence`Resume “${name}”?`}
          action="Resume account"
          kind="primary"
          onConfirm={() => suspend.mutateAsync('resume')}
        >
          Its keys work again immediately, with the limits of its plan.
        </ConfirmDialog>
      )}
      {open === 'delete' && (
        <ConfirmDialog
          onClose={close}
          title={sentence`Delete “${name}”?`}
          action="Delete account"
          typed={name}
          onConfirm={async () => {
            await remove.mutateAsync()
            addToast({ title: sentence`The account “${name}” is deleted` })
          }}
          onDone={() => navigate({ to: '/accounts' })}
        >
          Its keys are deleted too, and stop working immediately. This cannot be undone. Its usage and audit entries are
          kept. To block the account temporarily, suspend it instead.
        </ConfirmDialog>
      )}
    </>
  )
}

function RenameDialog({ account, onClose }: { account: Account; onClose(): void }) {
  const rename = useRenameAccount(account)
  const { etag, refusal } = useSeenVersion(account, rename.error)
  const form = useForm({ defaultValues: { name: account.name } })
  return (
    <FormDialog
      title="Rename the account"
      description="Its keys keep working, and its usage so far appears under the new name."
      action="Save"
      form={form}
      onSave={({ name }) => rename.mutateAsync({ name, etag })}
      onClose={onClose}
      refusal={refusal}
    >
      <Field label="Name" {...fieldOf(form, 'name')} />
    </FormDialog>
  )
}

function PlanDialog({ account, onClose }: { account: Account; onClose(): void }) {
  const setPlan = useSetPlan(account)
  const { etag, refusal } = useSeenVersion(account, setPlan.error)
  const form = useForm({ defaultValues: planValuesOf(account) })
  return (
    <FormDialog
      title="Change the plan"
      description="The new limits apply from the next call. Calls that were already counted still count."
      action="Save"
      form={form}
      onSave={values => setPlan.mutateAsync({ ...planChoiceOf(values), etag })}
      onClose={onClose}
      refusal={refusal}
    >
      <PlanFields />
    </FormDialog>
  )
}

/**
 * The version that the operator has seen: the one that the form was opened with, or, after a conflict, the current one. The refusal shows it, and the
 * next save is based on it.
 */
function useSeenVersion(account: Account, error: Error | null) {
  const [opened] = useState(account)
  if (!isConflict(error)) return { etag: opened.etag, refusal: undefined }
  return { etag: account.etag, refusal: <Conflict account={account} /> }
}

function Conflict({ account: { name, plan, perMinute, perDay } }: { account: Account }) {
  return (
    <Notice tone="danger">
      This account has changed since you opened it. It is now “<bdi>{name}</bdi>” on the {PLAN_NAMES[plan]} plan (
      {formatCount(perMinute)} calls per minute, {formatCount(perDay)} per day). Save again to apply your change.
    </Notice>
  )
}
