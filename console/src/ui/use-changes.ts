import { useEffect, useEffectEvent, useRef } from 'react'
import { watchUnsaved } from '../lib/unsaved.ts'

interface ChangesOptions {
  isOpen: boolean
  /** Whether the form itself reports changes. If undefined, the fields are compared with their initial values. */
  hasChanges: boolean | undefined
  keepsChanges: boolean
}

/** Whether the fields of a dialog have unsaved changes. */
export function useChanges({ isOpen, hasChanges, keepsChanges }: ChangesOptions) {
  const element = useRef<HTMLDivElement>(null)
  const first = useRef<string>(undefined)

  function isThere(): boolean {
    if (hasChanges !== undefined) return hasChanges
    return first.current !== undefined && textOf(element.current) !== first.current
  }

  const isThereNow = useEffectEvent(isThere)
  useEffect(() => {
    if (!isOpen) return
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
  }, [isOpen, keepsChanges])
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
