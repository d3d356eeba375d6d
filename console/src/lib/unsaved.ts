/** Something that the operator has entered, or was shown only once. */
interface Unsaved {
  isThere(): boolean
  /** Whether it outlives its screen, and is lost only with the tab. */
  isKept: boolean
}

const places = new Set<Unsaved>()

/** @returns ends it */
export function watchUnsaved(place: Unsaved): () => void {
  places.add(place)
  return () => places.delete(place)
}

/** Whether the operator would lose something by leaving. */
export function hasUnsaved(left: 'tab' | 'screen'): boolean {
  return [...places].some(({ isThere, isKept }) => (left === 'tab' || !isKept) && isThere())
}
