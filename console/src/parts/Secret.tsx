import type { ReactNode } from 'react'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Notice } from '../ui/Notice.tsx'
import './secret.css'

/** A secret that the service has just created, as lines to paste, such as into a shell. */
export interface Issued {
  title: ReactNode
  warning: ReactNode
  lines: readonly { label: string; text: string }[]
}

/** Shows a secret that is never shown again. Its dialog is guarded: leaving the page needs confirmation. */
export function Secret({ warning, lines }: Issued) {
  return (
    <div className="dialog-text" tabIndex={-1} ref={focus}>
      <Notice tone="change">{warning}</Notice>
      {lines.map(({ label, text }) => (
        <section key={label} className="secret-line" aria-label={label}>
          <span className="secret-label">{label}</span>
          <code className="secret-text">{text}</code>
          <CopyButton text={text} label={`Copy: ${label}`} />
        </section>
      ))}
    </div>
  )
}

/** The button that had the focus is gone with the form. */
function focus(element: HTMLElement | null): void {
  element?.focus()
}
