/**
 * From the keystroke that opens an overlay until the overlay has the focus, all typing belongs to the overlay, loaded or not. Nothing behind it hears
 * a key, and the text is in its field when it appears.
 */

export const OVERLAYS = '[role="dialog"]:not(.toast), [role="alertdialog"]:not(.toast), [role="menu"], dialog[open]'

/** Longer than any screen takes to open an overlay. */
export const MAX_WAIT_MS = 10_000

interface Holder {
  onEscape?: (() => void) | undefined
  isBeside: boolean
}

const holders = new Set<Holder>()
let text = ''

/**
 * Holds the keys for an overlay.
 * @param onEscape cancels its opening
 * @param isBeside whether commands still work, because it will not cover the screen
 * @returns ends that, unless the overlay has received them
 */
export function holdKeys(onEscape?: () => void, isBeside = false): () => void {
  const holder = { onEscape, isBeside }
  holders.add(holder)
  return () => {
    holders.delete(holder)
    // A placeholder gives way to its overlay in one step.
    queueMicrotask(() => {
      if (holders.size === 0) text = ''
    })
  }
}

/** Whether an overlay is about to take the focus. */
export function isOverlayExpected(): boolean {
  return holders.size > 0
}

/** Holds the keys for an overlay that is about to open. */
export function expectOverlay(): () => void {
  const end = holdKeys()
  const timer = setTimeout(end, MAX_WAIT_MS)
  return () => {
    clearTimeout(timer)
    end()
  }
}

addEventListener('keydown', press, { capture: true })
addEventListener('paste', paste, { capture: true })
addEventListener('focusin', ({ target }) => {
  if (holders.size === 0 || !(target instanceof Element && target.closest(OVERLAYS))) return
  // Other listeners first remember what the field contained before.
  setTimeout(deliver)
})

function press(event: KeyboardEvent): void {
  if (holders.size === 0) return
  const { key } = event
  const isCommand = (event.ctrlKey || event.metaKey || event.altKey) && !event.getModifierState('AltGraph')
  if (isCommand && [...holders].every(holder => holder.isBeside)) return
  // Moving on by keyboard needs it back.
  if (key === 'Tab') {
    forget()
    return
  }
  if (key === 'Escape') {
    const cancel = [...holders].findLast(({ onEscape }) => onEscape)?.onEscape
    forget()
    if (!cancel) return
    cancel()
  } else if (key === 'Backspace') text = text.slice(0, -1)
  else if (key.length === 1 && !isCommand && !event.repeat) text += key
  event.stopImmediatePropagation()
  // The browser's own shortcuts still work, other than the one that opened the palette.
  const isBrowsers = (isCommand && key.toLowerCase() !== 'k') || /^F\d/.test(key)
  if (!isBrowsers) event.preventDefault()
}

function paste(event: ClipboardEvent): void {
  if (holders.size === 0) return
  text += event.clipboardData?.getData('text/plain') ?? ''
  event.stopImmediatePropagation()
  event.preventDefault()
}

function deliver(): void {
  const typed = text
  forget()
  const field = document.activeElement
  if (typed !== '' && isTextField(field)) {
    field.setRangeText(typed, field.selectionStart ?? 0, field.selectionEnd ?? 0, 'end')
    field.dispatchEvent(new InputEvent('input', { bubbles: true, data: typed }))
  }
}

function forget(): void {
  holders.clear()
  text = ''
}

function isTextField(element: Element | null): element is HTMLInputElement | HTMLTextAreaElement {
  return (
    element instanceof HTMLTextAreaElement || (element instanceof HTMLInputElement && element.selectionStart !== null)
  )
}
