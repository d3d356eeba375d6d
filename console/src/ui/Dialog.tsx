import { type KeyboardEvent, useEffect, useEffectEvent, useRef, useState } from 'react'
import { watchUnsaved } from '../lib/unsaved.ts'
import { DialogFrame, type DialogFrameProps } from './DialogFrame.tsx'
import { DiscardDialog } from './DiscardDialog.tsx'

interface DialogProps extends Omit<DialogFrameProps, 'popup' | 'onKeyDown' | 'above'> {
  /** Whether there are unsaved changes. If left out, the dialog checks the fields of its forms itself. */
  hasChanges?: boolean | undefined
  /** Whether unsaved changes are still there when the dialog is opened again. */
  keepsChanges?: boolean
}

/** A dialog. Before it closes with unsaved changes, the operator must agree to lose them. */
export function Dialog({ hasChanges, keepsChanges = false, ...frame }: DialogProps) {
  const { onClose, isGuarded = false } = frame
  const [isAsking, setIsAsking] = useState(false)
  const changes = useChanges(hasChanges ?? (isGuarded || undefined), keepsChanges)

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

/**
 * Whether the fields of a dialog have unsaved changes.
 * @param hasChanges what the form itself reports; if undefined, the fields are compared with their initial values
 */
function useChanges(hasChanges: boolean | undefined, keepsChanges: boolean) {
  const element = useRef<HTMLDivElement>(null)
  const first = useRef<string>(undefined)

  function isThere(): boolean {
    if (hasChanges !== undefined) return hasChanges
    return first.current !== undefined && textOf(element.current) !== first.current
  }

  const isThereNow = useEffectEvent(isThere)
  useEffect(() => {
    first.current = undefined
    // A value that is loaded into a field before the operator focuses it is not a change.
    const remember = ({ target }: FocusEvent) => {
      if (isField(target) && element.current?.contains(target)) first.current ??= textOf(element.current)
    }
    addEventListener('focusin', remember)
    const end = watchUnsaved({ isThere: () => isThereNow(), isKept: keepsChanges })
    return () => {
      removeEventListener('focusin', remember)
      end()
    }
  }, [keepsChanges])
  return { element, isThere }
}

const FIELDS = 'form :is(input, textarea, select)'

function isField(target: EventTarget | null): target is Element {
  return target instanceof Element && target.matches(FIELDS)
}

/** The values of all fields. */
function textOf(element: Element | null): string {
  const fields = [...(element?.querySelectorAll<HTMLInputElement>(FIELDS) ?? [])]
  return JSON.stringify(fields.map(({ type, checked, value }) => (/checkbox|radio/.test(type) ? checked : value)))
}
