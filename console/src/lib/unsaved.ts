/** Unsaved input, or a secret that is shown only once. */
interface Unsaved {
  isThere(): boolean
  /** Whether it outlives its screen and is only lost when the tab is closed. */
  isKept: boolean
}

const places = new Set<Unsaved>()

/** @returns a function that removes it */
export function watchUnsaved(place: Unsaved): () => void {
  places.add(place)
  return () => places.delete(place)
}

/** Whether the operator would lose something by leaving. */
export function hasUnsaved(left: 'tab' | 'screen'): boolean {
  return [...places].some(({ isThere, isKept }) => (left === 'tab' || !isKept) && isThere())
}
