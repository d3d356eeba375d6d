import { OVERLAYS } from '../lib/type-ahead.ts'
import { type Shortcut, shortcuts } from './shortcuts.ts'

/** Keys form a sequence if no more than this time passes between them. */
const MAX_PAUSE_MS = 1_000

/** People pause for longer between two keys. A scanner, or a program that types a password, means a text: none of its letters is a command. */
const MIN_PAUSE_MS = 30

const FIELDS = 'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable="true"]'

/**
 * Runs the shortcuts as their keys are pressed.
 * @returns a function that stops it
 */
export function listenToKeys(): () => void {
  let first = ''
  let firstAt = 0
  let typedAt = Number.NEGATIVE_INFINITY

  function press(event: KeyboardEvent): void {
    if (isPartOfText(event)) {
      // Nor may the focused row handle it.
      event.preventDefault()
      event.stopPropagation()
      return
    }
    const key = keyOf(event)
    if (key === undefined || document.querySelector(OVERLAYS) || (!isCommand(event) && isTyping(event))) return
    const before = event.timeStamp - firstAt < MAX_PAUSE_MS ? first : ''
    const shortcut = find(`${before} ${key}`) ?? find(key)
    first = shortcut ? '' : key
    firstAt = event.timeStamp
    if (!shortcut) return
    // Neither the browser nor the focused row may handle the key as well.
    event.preventDefault()
    event.stopPropagation()
    shortcut.run?.()
  }

  function isPartOfText(event: KeyboardEvent): boolean {
    if (event.key?.length !== 1 || isCommand(event) || isTyping(event)) return false
    const pause = event.timeStamp - typedAt
    typedAt = event.timeStamp
    return pause < MIN_PAUSE_MS
  }

  addEventListener('keydown', press, { capture: true })
  return () => removeEventListener('keydown', press, { capture: true })
}

function find(keys: string): Shortcut | undefined {
  return shortcuts.get().findLast(one => one.keys === keys && one.run !== undefined)
}

/** The key as shortcuts name it; undefined if no shortcut can have it. */
function keyOf(event: KeyboardEvent): string | undefined {
  const { key, code, altKey, shiftKey, repeat, isComposing } = event
  // Browsers that fill in a form send an event without a key.
  if ((key?.length !== 1 && key !== 'Escape') || altKey || repeat || isComposing) return undefined
  // Keyboards for other scripts have the Latin letters in the same positions.
  const letter = /^[a-z]$/i.test(key) ? key : key > '\x7f' ? /^Key([A-Z])$/.exec(code)?.[1] : undefined
  if (letter === undefined) return isCommand(event) ? undefined : key
  if (shiftKey) return undefined
  return (isCommand(event) ? 'mod+' : '') + letter.toLowerCase()
}

function isCommand({ ctrlKey, metaKey }: KeyboardEvent): boolean {
  return ctrlKey || metaKey
}

export function isTyping({ target }: Pick<Event, 'target'>): boolean {
  return target instanceof Element && target.closest(FIELDS) !== null
}
