import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { Button } from './Button.tsx'
import { Dialog } from './Dialog.tsx'
import { Field } from './Field.tsx'
import { Notice } from './states.tsx'

interface ConfirmDialogProps {
  onClose(): void
  /** A question that names the action, such as "Revoke the key “Checkout”?" */
  title: ReactNode
  /** The consequence. */
  children: ReactNode
  /** The label of the button: the action, never "OK". */
  action: string
  kind?: 'danger' | 'primary'
  /** Whether it can be confirmed; true by default. */
  isReady?: boolean
  /** Text that must be typed first. Only for the most destructive actions. */
  typed?: string | undefined
  /** The dialog closes when this is done. If it fails, the dialog says why, and the operator can try again. */
  onConfirm(): Promise<unknown>
  /** Called after that, unless the operator did not wait for it. */
  onDone?(): void
}

/** Asks before an action that affects others. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { onClose, title, children, action, kind = 'danger', isReady = true, typed, onConfirm, onDone } = props
  const formId = useId()
  const [text, setText] = useState('')
  const confirm = useMutation({ mutationFn: onConfirm })
  const isAllowed = isReady && (typed === undefined || text === typed)

  /** Not called once this dialog is closed: another one may be open instead. */
  function finish() {
    onClose()
    onDone?.()
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    // Nested forms: the event must not reach the form around this dialog.
    event.stopPropagation()
    if (isAllowed && !confirm.isPending) confirm.mutate(undefined, { onSuccess: finish })
  }

  return (
    <Dialog
      onClose={onClose}
      isRunning={confirm.isPending}
      title={title}
      canCancel
      actions={
        <Button kind={kind} isMain type="submit" form={formId} isBusy={confirm.isPending} disabled={!isAllowed}>
          {action}
        </Button>
      }
    >
      <div className="dialog-text stack">{children}</div>
      <form id={formId} onSubmit={submit}>
        {typed !== undefined && (
          <Field
            label="To confirm, type the name"
            hint={<bdi>{typed}</bdi>}
            value={text}
            onChange={event => setText(event.target.value)}
          />
        )}
      </form>
      {confirm.error && <Notice tone="danger">{confirm.error.message}</Notice>}
    </Dialog>
  )
}
