import { isOverlayExpected } from './type-ahead.ts'

/**
 * Where an element had the focus and is gone, such as a button in a row that someone else has deleted, the focus moves to what is around it, or to the
 * list or the title in that. Otherwise, keys would do nothing, and a screen reader would begin again at the top.
 */

const PLACES = '[role="dialog"]:not(.toast), section, .screen'
const TARGETS = ['.dialog-title', '.table-scroller', 'h1']

/** The element that has the focus, and the places around it, from the inside out. */
let focused: Element | undefined
let places: readonly Element[] = []

addEventListener('focusin', ({ target }) => {
  focused = target as Element
  places = placesAround(focused)
})
// A click elsewhere takes the focus away, or moves it.
addEventListener('mousedown', ({ target }) => {
  if (!focused?.contains(target as Node)) focused = undefined
})

new MutationObserver(() => {
  if (!focused || focused.isConnected) return
  focused = undefined
  // Whatever has removed it may know better.
  requestAnimationFrame(findFocus)
}).observe(document.documentElement, { childList: true, subtree: true })

function findFocus(): void {
  if (document.activeElement !== document.body || isOverlayExpected()) return
  const dialog = [...document.querySelectorAll('[role="dialog"]:not(.toast)')].at(-1)
  const place = places.find(one => one.isConnected) ?? dialog ?? document.body
  const target = TARGETS.map(name => place.querySelector<HTMLElement>(name)).find(one => one !== null) ?? place
  if (!(target instanceof HTMLElement)) return
  if (!target.hasAttribute('tabindex')) target.tabIndex = -1
  target.focus({ preventScroll: true })
}

function placesAround(element: Element): Element[] {
  const place = element.parentElement?.closest(PLACES)
  return place ? [place, ...placesAround(place)] : []
}
