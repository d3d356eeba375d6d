import type { ReactNode } from 'react'
import { Button } from '../ui/Button.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Notice } from '../ui/Notice.tsx'
import './secret-dialog.css'

/** A secret as something that can be pasted, such as a line of a shell. */
export interface SecretLine {
  label: string
  text: string
}

interface SecretDialogProps {
  isOpen: boolean
  onClose(): void
  title: string
  /** The form that asks for the secret, and its buttons. The secret replaces them in the same dialog. */
  children: ReactNode
  actions: ReactNode
  /** Undefined until the service has made it. */
  issued: { title: string; warning: ReactNode; lines: readonly SecretLine[] } | undefined
}

/** Shows a secret that is never shown again, until the operator says that it is stored. Esc, a click outside and leaving the page do not lose it. */
export function SecretDialog({ isOpen, onClose, title, children, actions, issued }: SecretDialogProps) {
  if (!issued) {
    return (
      <Dialog isOpen={isOpen} onClose={onClose} title={title} actions={actions}>
        {children}
      </Dialog>
    )
  }
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={issued.title}
      isGuarded
      actions={
        <Button kind="primary" onClick={onClose}>
          I have stored it
        </Button>
      }
    >
      <div className="dialog-text" tabIndex={-1} ref={focus}>
        <Notice tone="change">{issued.warning}</Notice>
        {issued.lines.map(({ label, text }) => (
          <section key={label} className="secret-line" aria-label={label}>
            <span className="secret-label">{label}</span>
            <code className="secret-text">{text}</code>
            <CopyButton text={text} label={`Copy: ${label}`} />
          </section>
        ))}
      </div>
    </Dialog>
  )
}

/** The button that had the focus is gone with the form. */
function focus(element: HTMLElement | null): void {
  element?.focus()
}
