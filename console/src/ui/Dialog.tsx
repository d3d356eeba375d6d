import { type KeyboardEvent, useState } from 'react'
import { DialogFrame, type DialogFrameProps } from './DialogFrame.tsx'
import { DiscardDialog } from './DiscardDialog.tsx'
import { useChanges } from './use-changes.ts'

interface DialogProps extends Omit<DialogFrameProps, 'popup' | 'onKeyDown' | 'above'> {
  /** Whether there are unsaved changes. If left out, the dialog checks the fields of its forms itself. */
  hasChanges?: boolean | undefined
  /** Whether unsaved changes are still there when the dialog is opened again. */
  keepsChanges?: boolean
}

/** A dialog. Before it closes with unsaved changes, the operator must agree to lose them. */
export function Dialog({ hasChanges, keepsChanges = false, ...frame }: DialogProps) {
  const { isOpen, onClose, isGuarded = false } = frame
  const [isAsking, setIsAsking] = useState(false)
  const changes = useChanges({ isOpen, hasChanges: hasChanges ?? (isGuarded || undefined), keepsChanges })

  function close() {
    if (isGuarded) return
    if (!keepsChanges && changes.isThere()) setIsAsking(true)
    else onClose()
  }

  function press(event: KeyboardEvent<HTMLElement>) {
    const isCommand = event.ctrlKey || event.metaKey
    // Events of nested dialogs arrive here, too.
    if (event.key !== 'Enter' || !isCommand || isGuarded || !event.currentTarget.contains(event.target as Node)) return
    event.preventDefault()
    event.currentTarget.querySelector<HTMLElement>('.dialog-actions > [aria-keyshortcuts]')?.click()
  }

  const above = isAsking && (
    <DiscardDialog
      by="closing"
      onKeep={() => setIsAsking(false)}
      onDiscard={() => {
        setIsAsking(false)
        onClose()
      }}
    />
  )
  return <DialogFrame {...frame} onClose={close} popup={changes.element} onKeyDown={press} above={above} />
}
