import { Dialog as Base } from '@base-ui/react/dialog'
import { type KeyboardEvent, type ReactNode, useLayoutEffect, useState } from 'react'
import { expectOverlay } from '../lib/type-ahead.ts'
import { DiscardDialog } from './DiscardDialog.tsx'
import { Icon } from './Icon.tsx'
import { useChanges } from './use-changes.ts'
import './dialog.css'

interface DialogProps {
  isOpen: boolean
  /** Called on Esc, the button, and a click outside. If there are changes, the operator must first agree to lose them. */
  onClose(): void
  title: ReactNode
  description?: ReactNode
  /** At the side of the window, with its full height, for a record next to its list. */
  isDrawer?: boolean
  /** Keeps the dialog open until one of its own buttons is used. */
  isGuarded?: boolean
  /** Whether there are unsaved changes. If left out, the dialog checks the fields of its forms itself. */
  hasChanges?: boolean | undefined
  /** Whether unsaved changes are still there when the dialog is opened again. */
  keepsChanges?: boolean
  children: ReactNode
  /** Buttons, the main one last. */
  actions?: ReactNode
}

export function Dialog(props: DialogProps) {
  const { isOpen, onClose, title, description, isDrawer = false, isGuarded = false, children, actions } = props
  const { hasChanges = isGuarded || undefined, keepsChanges = false } = props
  const [isAsking, setIsAsking] = useState(false)
  const changes = useChanges({ isOpen, hasChanges, keepsChanges })
  // The focus arrives a moment after the dialog.
  useLayoutEffect(() => (isOpen ? expectOverlay() : undefined), [isOpen])

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

  return (
    <Base.Root open={isOpen} onOpenChange={open => !open && close()} disablePointerDismissal={isGuarded}>
      <Base.Portal>
        <Base.Backdrop className="dialog-backdrop" forceRender />
        <Base.Popup
          ref={changes.element}
          className={isDrawer ? 'dialog drawer' : 'dialog'}
          initialFocus={() => isDrawer || firstField(changes.element.current)}
          onKeyDown={press}
        >
          <header className="dialog-head">
            <Base.Title className="dialog-title">{title}</Base.Title>
            {!isGuarded && (
              <Base.Close className="button button-quiet dialog-close" aria-label="Close">
                <Icon name="close" />
              </Base.Close>
            )}
          </header>
          <div className="dialog-body">
            {description && <Base.Description className="dialog-description">{description}</Base.Description>}
            {children}
          </div>
          {actions && <footer className="dialog-actions">{actions}</footer>}
        </Base.Popup>
      </Base.Portal>
      {isAsking && (
        <DiscardDialog
          by="closing"
          onKeep={() => setIsAsking(false)}
          onDiscard={() => {
            setIsAsking(false)
            onClose()
          }}
        />
      )}
    </Base.Root>
  )
}

/** The field to focus. None on a touch screen, where the keyboard would cover the form. */
function firstField(popup: HTMLElement | null): HTMLElement | null | undefined {
  if (matchMedia('(pointer: coarse)').matches) return null
  return popup?.querySelector<HTMLElement>('form :is(input, textarea, select):enabled')
}
