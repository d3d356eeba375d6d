import { Dialog as Base } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'
import { Icon } from './Icon.tsx'
import './dialog.css'

interface DialogProps {
  isOpen: boolean
  /** Called by Esc, by the button, and by a click outside. */
  onClose(): void
  title: string
  description?: ReactNode
  /** At the side of the window and as high as it, for a record beside its list. */
  isDrawer?: boolean
  /** Keeps the dialog open until one of its own buttons is used. */
  isGuarded?: boolean
  children: ReactNode
  /** Buttons, the main one last. */
  actions?: ReactNode
}

export function Dialog(props: DialogProps) {
  const { isOpen, onClose, title, description, isDrawer = false, isGuarded = false, children, actions } = props
  return (
    <Base.Root
      open={isOpen}
      onOpenChange={open => !open && !isGuarded && onClose()}
      disablePointerDismissal={isGuarded}
    >
      <Base.Portal>
        <Base.Backdrop className="dialog-backdrop" forceRender />
        <Base.Popup className={isDrawer ? 'dialog drawer' : 'dialog'}>
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
    </Base.Root>
  )
}
