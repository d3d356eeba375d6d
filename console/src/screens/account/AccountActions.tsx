import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Account } from '../../api/schema.ts'
import { useDeleteAccount, useSuspendAccount } from '../../data/accounts.ts'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { Quoted } from '../../ui/Quoted.tsx'
import { toasts } from '../../ui/toasts.ts'
import { PlanDialog } from './PlanDialog.tsx'
import { RenameDialog } from './RenameDialog.tsx'

type Action = 'rename' | 'plan' | 'suspend' | 'resume' | 'delete'

/** What an admin can do with an account. */
export function AccountActions({ account }: { account: Account }) {
  const { name, state } = account
  const [open, setOpen] = useState<Action>()
  const close = () => setOpen(undefined)
  const navigate = useNavigate()
  const suspend = useSuspendAccount(account)
  const remove = useDeleteAccount(account)
  return (
    <>
      <Button onClick={() => setOpen('rename')}>Rename</Button>
      <Button onClick={() => setOpen('plan')}>Change plan</Button>
      {state === 'active' ? (
        <Button onClick={() => setOpen('suspend')}>Suspend</Button>
      ) : (
        <Button onClick={() => setOpen('resume')}>Resume</Button>
      )}
      <Button className="is-danger" onClick={() => setOpen('delete')}>
        Delete
      </Button>
      {open === 'rename' && <RenameDialog account={account} onClose={close} />}
      {open === 'plan' && <PlanDialog account={account} onClose={close} />}
      <ConfirmDialog
        isOpen={open === 'suspend'}
        onClose={close}
        title={
          <>
            Suspend <Quoted>{name}</Quoted>?
          </>
        }
        action="Suspend account"
        onConfirm={() => suspend.mutateAsync('suspend')}
      >
        Calls with its keys are refused immediately, until you resume the account. Its keys, limits and usage are kept.
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={open === 'resume'}
        onClose={close}
        title={
          <>
            Resume <Quoted>{name}</Quoted>?
          </>
        }
        action="Resume account"
        kind="primary"
        onConfirm={() => suspend.mutateAsync('resume')}
      >
        Its keys work again immediately, with the limits of its plan.
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={open === 'delete'}
        onClose={close}
        title={
          <>
            Delete <Quoted>{name}</Quoted>?
          </>
        }
        action="Delete account"
        typed={name}
        onConfirm={async () => {
          await remove.mutateAsync()
          toasts.add({
            title: (
              <>
                The account <Quoted>{name}</Quoted> is deleted
              </>
            ),
          })
          await navigate({ to: '/accounts' })
        }}
      >
        Its keys are deleted too, and stop working immediately. This cannot be undone. Its usage and audit entries are
        kept. To block the account temporarily, suspend it instead.
      </ConfirmDialog>
    </>
  )
}
