import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { Button } from './Button.tsx'
import { Dialog, type DialogProps } from './Dialog.tsx'
import { Field } from './Field.tsx'
import { Notice } from './states.tsx'

interface ConfirmDialogProps
  extends Pick<DialogProps, 'onClose' | 'title' | 'description' | 'hasChanges' | 'cancel' | 'children'> {
  /** The label of the button: the action, never "OK". */
  action: string
  kind?: 'danger' | 'primary'
  /** Whether Ctrl+Enter confirms it, which operators press to save; true by default. */
  hasShortcut?: boolean
  /** Whether it can be confirmed; true by default. */
  isReady?: boolean
  /** Text that must be typed first. Only for the most destructive actions. */
  typed?: string | undefined
  /** The dialog closes when this is done. If it fails, the dialog says why, and the operator can try again. */
  onConfirm(): Promise<unknown>
  /** Called after that, unless the operator did not wait for it. */
  onDone?(): void
}

/** Several spaces, or one that does not break, look like one. */
const spaced = (text: string) => text.trim().replaceAll(/\s+/g, ' ')

/** Asks before an action that affects others: its title names the action, its content the consequence. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { action, kind = 'danger', hasShortcut = true, isReady = true, typed } = props
  const { onConfirm, onDone, children, ...dialog } = props
  const formId = useId()
  const [text, setText] = useState('')
  const confirm = useMutation({ mutationFn: onConfirm })
  const isAllowed = isReady && (typed === undefined || spaced(text) === spaced(typed))

  /** Not called once this dialog is closed: another one may be open instead. */
  function finish() {
    dialog.onClose()
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
      cancel="Cancel"
      {...dialog}
      isRunning={confirm.isPending}
      actions={
        <Button
          kind={kind}
          isMain={hasShortcut}
          type="submit"
          form={formId}
          isBusy={confirm.isPending}
          disabled={!isAllowed}
        >
          {action}
        </Button>
      }
    >
      {confirm.error && <Notice tone="danger">{confirm.error.message}</Notice>}
      <form id={formId} className="stack" onSubmit={submit}>
        {children}
        {typed !== undefined && (
          <Field
            label="To confirm, type the name"
            hint={<bdi>{typed}</bdi>}
            value={text}
            onChange={event => setText(event.target.value)}
          />
        )}
      </form>
    </Dialog>
  )
}
