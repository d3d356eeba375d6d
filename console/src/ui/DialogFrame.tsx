import { Dialog as Base } from '@base-ui/react/dialog'
import { type KeyboardEventHandler, type ReactNode, type Ref, useLayoutEffect, useRef } from 'react'
import { expectOverlay } from '../lib/type-ahead.ts'
import { Icon } from './Icon.tsx'
import './dialog.css'

export interface DialogFrameProps {
  /** Called on Esc, the button, and a click outside. */
  onClose(): void
  title: ReactNode
  description?: ReactNode
  /** At the side of the window, with its full height, for a record next to its list. */
  isDrawer?: boolean
  /** Keeps the dialog open until one of its own buttons is used. */
  isGuarded?: boolean
  children: ReactNode
  /** Buttons, the main one last. */
  actions?: ReactNode
  popup?: Ref<HTMLDivElement>
  onKeyDown?: KeyboardEventHandler<HTMLElement>
  /** A dialog above this one. */
  above?: ReactNode
}

/** What every dialog looks like, and how it is opened and closed. */
export function DialogFrame(props: DialogFrameProps) {
  const { onClose, title, description, isDrawer = false, isGuarded = false, children, actions } = props
  const body = useRef<HTMLDivElement>(null)
  // The focus arrives a moment after the dialog.
  useLayoutEffect(expectOverlay, [])
  return (
    <Base.Root open onOpenChange={open => !open && onClose()} disablePointerDismissal={isGuarded}>
      <Base.Portal>
        <Base.Backdrop className="dialog-backdrop" forceRender />
        <Base.Popup
          ref={props.popup}
          className={isDrawer ? 'dialog drawer' : 'dialog'}
          initialFocus={() => isDrawer || firstField(body.current)}
          onKeyDown={props.onKeyDown}
        >
          <header className="dialog-head">
            <Base.Title className="dialog-title">{title}</Base.Title>
            {!isGuarded && (
              <Base.Close className="button button-quiet dialog-close" aria-label="Close">
                <Icon name="close" />
              </Base.Close>
            )}
          </header>
          <div className="dialog-body" ref={body}>
            {description && <Base.Description className="dialog-description">{description}</Base.Description>}
            {children}
          </div>
          {actions && <footer className="dialog-actions">{actions}</footer>}
        </Base.Popup>
      </Base.Portal>
      {props.above}
    </Base.Root>
  )
}

/** The field to focus. None on a touch screen, where the keyboard would cover the form. */
function firstField(body: HTMLElement | null): HTMLElement | null | undefined {
  if (matchMedia('(pointer: coarse)').matches) return null
  return body?.querySelector<HTMLElement>('form :is(input, textarea, select):enabled')
}
