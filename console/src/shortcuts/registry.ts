/** A key, or several, that does something while a screen or a part of it is shown. */
export interface Shortcut {
  /** A key, such as `n` or `?`; `mod+k` for Ctrl+K or ⌘K; or keys one after the other, such as `g a`. */
  keys: string
  /** What it does, as a command: "Add animal". The list of shortcuts and the command palette show it. */
  name: string
  /** Left out where the element with the focus handles the key itself, as a row of a table does: the shortcut is only listed. */
  run?: (() => void) | undefined
}

let shortcuts: readonly Shortcut[] = []
const listeners = new Set<() => void>()

/** The shortcuts of what is shown now, the oldest first. */
export function getShortcuts(): readonly Shortcut[] {
  return shortcuts
}

export function subscribeToShortcuts(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** @returns removes it */
export function register(shortcut: Shortcut): () => void {
  change([...shortcuts, shortcut])
  if (wanted?.name === shortcut.name) {
    if (Date.now() < wanted.until) queueMicrotask(() => shortcut.run?.())
    wanted = undefined
  }
  return () => change(shortcuts.filter(one => one !== shortcut))
}

function change(next: readonly Shortcut[]): void {
  shortcuts = next
  for (const listener of listeners) listener()
}

/** What was asked for while its screen was still loading. */
let wanted: { name: string; until: number } | undefined
const PATIENCE_MS = 10_000

/** Runs the shortcut with this name, or, if its screen is not shown yet, as soon as it is. */
export function perform(name: string): void {
  const shown = shortcuts.findLast(one => one.name === name)
  wanted = shown ? undefined : { name, until: Date.now() + PATIENCE_MS }
  shown?.run?.()
}
