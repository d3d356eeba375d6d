const NOTICE = 'petstore-notice'
let isLeaving = false
let waiting: string | undefined

// Registered before all other listeners, so that none asks whether to leave.
addEventListener('beforeunload', event => isLeaving && event.stopImmediatePropagation(), { capture: true })

/** Reloads the page, so that no data of one operator stays for the next one. */
export function startFresh(notice?: string): void {
  isLeaving = true
  forgetTab()
  if (notice) attempt(() => sessionStorage.setItem(NOTICE, notice))
  location.reload()
}

/** Deletes what the tab has stored for its operator, such as the recent screens. */
export function forgetTab(): void {
  attempt(() => sessionStorage.clear())
}

/** Browsers may block the storage. */
function attempt<Value>(use: () => Value): Value | undefined {
  try {
    return use()
  } catch {
    return undefined
  }
}

/** A list that the tab stores for its operator. */
export function tabList<Item>(key: string) {
  return {
    read: (): readonly Item[] => attempt(() => JSON.parse(sessionStorage.getItem(key) ?? '[]')) ?? [],
    write: (items: readonly Item[]) => attempt(() => sessionStorage.setItem(key, JSON.stringify(items))),
  }
}

/** Leaves a message for when the console is shown. */
export function leaveNotice(notice: string): void {
  waiting = notice
}

export function takeNotice(): string | undefined {
  const notice = waiting ?? attempt(() => sessionStorage.getItem(NOTICE)) ?? undefined
  waiting = undefined
  attempt(() => sessionStorage.removeItem(NOTICE))
  return notice
}

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
