import { Dialog as Base } from '@base-ui/react/dialog'
import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useEffectEvent,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { watchUnsaved } from '../lib/leaving.ts'
import { expectOverlay, OVERLAYS } from '../lib/type-ahead.ts'
import { Button } from './Button.tsx'
import { Icon } from './Icon.tsx'
import { Notice } from './states.tsx'
import './dialog.css'

export interface DialogProps extends Omit<DialogFrameProps, 'above' | 'onKey'>, DialogContentProps {
  hasChanges?: boolean
  /** Whether its action is running, which closing it does not stop. It stays open meanwhile, unless that takes long. */
  isRunning?: boolean
  /** The label of a button before its actions, which closes it without a question. */
  cancel?: string
}

/** A dialog. Before it closes with unsaved changes, the operator must agree to lose them. */
export function Dialog(props: DialogProps) {
  const { hasChanges = false, isRunning = false, cancel, description, actions, children, ...frame } = props
  const { onClose } = frame
  const [isAsking, setIsAsking] = useState(false)
  const isLong = useIsLong(isRunning)
  const isGuarded = frame.isGuarded || (isRunning && !isLong)
  const isDiscarded = useRef(false)
  const isUnsaved = useEffectEvent(() => (hasChanges && !isDiscarded.current) || (frame.isGuarded ?? false))
  useEffect(() => watchUnsaved({ isThere: () => isUnsaved(), isKept: false }), [])
  // An action continues without its screen, and may itself lead to another one.
  useEffect(() => (isRunning ? watchUnsaved({ isThere: () => true, isKept: true }) : undefined), [isRunning])

  function close() {
    if (isGuarded) return
    if (hasChanges && !isRunning) setIsAsking(true)
    else onClose()
  }

  const keep = () => setIsAsking(false)
  const discard = () => {
    keep()
    // A drawer closes by leaving its address.
    isDiscarded.current = true
    onClose()
  }
  const discardButtons = (
    <>
      <Button onClick={keep}>Keep editing</Button>
      <Button kind="danger" onClick={discard}>
        Discard
      </Button>
    </>
  )
  const above = isAsking && (
    <DialogFrame onClose={keep} title="Discard your changes?">
      <DialogContent actions={discardButtons}>Your changes have not been saved.</DialogContent>
    </DialogFrame>
  )
  const buttons = actions && (
    <>
      {cancel && (
        <Button onClick={onClose} disabled={isGuarded}>
          {isLong ? 'Close' : cancel}
        </Button>
      )}
      {actions}
    </>
  )
  return (
    <DialogFrame {...frame} isGuarded={isGuarded} onClose={close} above={above}>
      <DialogContent description={description} actions={buttons}>
        {children}
        {isLong && (
          <div role="alert">
            <Notice>
              This takes longer than usual. Closing this dialog does not stop it. Check later whether it was done.
            </Notice>
          </div>
        )}
      </DialogContent>
    </DialogFrame>
  )
}

const LONG_MS = 10_000

function useIsLong(isRunning: boolean): boolean {
  const [isLong, setIsLong] = useState(false)
  useEffect(() => {
    if (!isRunning) return
    const timer = setTimeout(() => setIsLong(true), LONG_MS)
    return () => {
      clearTimeout(timer)
      setIsLong(false)
    }
  }, [isRunning])
  return isLong
}

interface DialogFrameProps {
  /** Called on Esc, the button, and a click outside. */
  onClose(): void
  title: ReactNode
  /** At the side of the window, with its full height, for a record next to its list. */
  isDrawer?: boolean
  /** Keeps the dialog open until one of its own buttons is used. */
  isGuarded?: boolean
  /** Above the title. */
  tools?: ReactNode
  /** Handles further keys that are pressed in the dialog. */
  onKey?(event: KeyboardEvent<HTMLElement>): void
  children: ReactNode
  /** A dialog above this one. */
  above?: ReactNode
}

/** What every dialog looks like, and how it is opened and closed. */
export function DialogFrame(props: DialogFrameProps) {
  const { onClose, isDrawer = false, isGuarded = false, children, above } = props
  const titleId = useId()
  const popup = useRef<HTMLDivElement>(null)
  // The focus arrives a moment after the dialog.
  useLayoutEffect(expectOverlay, [])
  return (
    <Base.Root open onOpenChange={open => !open && onClose()} disablePointerDismissal={isGuarded}>
      <Base.Portal>
        <Base.Backdrop className="dialog-backdrop" forceRender />
        <Base.Popup
          ref={popup}
          className={isDrawer ? 'dialog drawer' : 'dialog'}
          aria-labelledby={titleId}
          initialFocus={() => (isDrawer ? document.getElementById(titleId) : firstField(popup.current))}
          onKeyDown={event => press(event, props)}
        >
          <DialogHead {...props} titleId={titleId}>
            {!isGuarded && (
              <Base.Close className="button button-quiet dialog-close" aria-label="Close">
                <Icon name="close" />
              </Base.Close>
            )}
          </DialogHead>
          {children}
        </Base.Popup>
      </Base.Portal>
      {above}
    </Base.Root>
  )
}

interface BesideProps extends Omit<DialogFrameProps, 'isDrawer' | 'isGuarded' | 'above'> {
  /** Moves the focus to the title whenever it changes, and at first unless the focus is in the list. It leaves the focus in a dialog. */
  entered: object | undefined
}

/** A record beside its list, which stays usable. */
export function Beside({ entered, ...props }: BesideProps) {
  const titleId = useId()
  useEffect(() => {
    const isElsewhere = document.activeElement?.closest(entered ? OVERLAYS : `tr, ${OVERLAYS}`)
    if (!isElsewhere) document.getElementById(titleId)?.focus()
  }, [entered, titleId])
  return (
    <section className="dialog drawer beside" aria-labelledby={titleId} onKeyDown={event => press(event, props)}>
      <DialogHead {...props} titleId={titleId}>
        <Button kind="quiet" icon="close" className="dialog-close" aria-label="Close" onClick={props.onClose} />
      </DialogHead>
      {props.children}
    </section>
  )
}

/** Ctrl+Enter saves. Events of nested dialogs arrive here, too. */
function press(event: KeyboardEvent<HTMLElement>, { isGuarded, onKey }: DialogFrameProps): void {
  const { key, ctrlKey, metaKey, currentTarget, target } = event
  if (isGuarded || !currentTarget.contains(target as Node)) return
  if (key !== 'Enter' || !(ctrlKey || metaKey)) {
    onKey?.(event)
    return
  }
  event.preventDefault()
  currentTarget.querySelector<HTMLElement>('.dialog-actions > [aria-keyshortcuts]')?.click()
}

function DialogHead({ title, titleId, tools, children }: DialogFrameProps & { titleId: string }) {
  return (
    <header className="dialog-head">
      {tools}
      <h2 className="dialog-title" id={titleId} tabIndex={-1}>
        {title}
      </h2>
      {children}
    </header>
  )
}

interface DialogContentProps {
  description?: ReactNode
  children: ReactNode
  /** Buttons, the main one last. */
  actions?: ReactNode
}

export function DialogContent({ description, children, actions }: DialogContentProps) {
  return (
    <>
      <div className="dialog-body stack">
        {description && <Base.Description className="muted">{description}</Base.Description>}
        {children}
      </div>
      {actions && <footer className="dialog-actions row">{actions}</footer>}
    </>
  )
}

/** The field to focus. None on a touch screen, where the keyboard would cover the form. */
function firstField(popup: HTMLElement | null): HTMLElement | null | undefined {
  if (matchMedia('(pointer: coarse)').matches) return null
  return popup?.querySelector<HTMLElement>('form :is(input, textarea, select):enabled')
}
