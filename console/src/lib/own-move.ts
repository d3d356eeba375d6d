/**
 * Whether the operator is moving the focus, with Tab or by pressing elsewhere. Otherwise something else took the focus, such as a dialog: a field
 * that saves when it is left must not save then.
 */
export function isOwnMove(): boolean {
  return isMoving
}

let isMoving = false

addEventListener('mousedown', begin, { capture: true })
addEventListener('keydown', event => event.key === 'Tab' && begin(), { capture: true })

/** The browser moves the focus in the same task. */
function begin(): void {
  isMoving = true
  setTimeout(() => {
    isMoving = false
  })
}
