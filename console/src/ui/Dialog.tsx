import { Dialog as Base } from '@base-ui/react/dialog'
import { type KeyboardEvent, type ReactNode, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'
import { watchUnsaved } from '../lib/leaving.ts'
import { expectOverlay } from '../lib/type-ahead.ts'
import { Button } from './Button.tsx'
import { Icon } from './Icon.tsx'
import './dialog.css'

interface DialogProps extends Omit<DialogFrameProps, 'above'> {
  /** Whether its form has unsaved changes. */
  hasChanges?: boolean
  /** Whether unsaved changes are still there when the dialog is opened again. */
  keepsChanges?: boolean
}

/** A dialog. Before it closes with unsaved changes, the operator must agree to lose them. */
export function Dialog({ hasChanges = false, keepsChanges = false, ...frame }: DialogProps) {
  const { onClose, isGuarded = false } = frame
  const [isAsking, setIsAsking] = useState(false)
  const isUnsaved = useEffectEvent(() => hasChanges || isGuarded)
  useEffect(() => watchUnsaved({ isThere: () => isUnsaved(), isKept: keepsChanges }), [keepsChanges])

  function close() {
    if (isGuarded) return
    if (!keepsChanges && hasChanges) setIsAsking(true)
    else onClose()
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
  return <DialogFrame {...frame} onClose={close} above={above} />
}

interface DialogFrameProps {
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
  /** A dialog above this one. */
  above?: ReactNode
}

/** What every dialog looks like, and how it is opened and closed. */
function DialogFrame(props: DialogFrameProps) {
  const { onClose, title, description, isDrawer = false, isGuarded = false, children, actions } = props
  const body = useRef<HTMLDivElement>(null)
  // The focus arrives a moment after the dialog.
  useLayoutEffect(expectOverlay, [])

  function press(event: KeyboardEvent<HTMLElement>) {
    const isCommand = event.ctrlKey || event.metaKey
    // Events of nested dialogs arrive here, too.
    if (event.key !== 'Enter' || !isCommand || isGuarded || !event.currentTarget.contains(event.target as Node)) return
    event.preventDefault()
    event.currentTarget.querySelector<HTMLElement>('.dialog-actions > [aria-keyshortcuts]')?.click()
  }

  return (
    <Base.Root open onOpenChange={open => !open && onClose()} disablePointerDismissal={isGuarded}>
      <Base.Portal>
        <Base.Backdrop className="dialog-backdrop" forceRender />
        <Base.Popup
          className={isDrawer ? 'dialog drawer' : 'dialog'}
          initialFocus={() => isDrawer || firstField(body.current)}
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

interface DiscardDialogProps {
  /** How the input would be lost: by closing a dialog, or by leaving its screen. */
  by: 'closing' | 'leaving'
  onKeep(): void
  onDiscard(): void
}

const TEXTS = {
  closing: {
    title: 'Discard your changes?',
    text: 'Your changes have not been saved.',
    keep: 'Keep editing',
    discard: 'Discard',
  },
  leaving: {
    title: 'Leave this screen?',
    text: 'Anything you have not saved or stored yet will be lost.',
    keep: 'Stay',
    discard: 'Leave',
  },
}

/** Asks before unsaved input, or a secret that is shown only once, is lost. */
export function DiscardDialog({ by, onKeep, onDiscard }: DiscardDialogProps) {
  const { title, text, keep, discard } = TEXTS[by]
  return (
    <DialogFrame
      onClose={onKeep}
      title={title}
      actions={
        <>
          <Button onClick={onKeep}>{keep}</Button>
          <Button kind="danger" onClick={onDiscard}>
            {discard}
          </Button>
        </>
      }
    >
      <p>{text}</p>
    </DialogFrame>
  )
}
