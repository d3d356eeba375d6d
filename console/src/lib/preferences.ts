/** The reader's preferences, stored by the browser and shared by all tabs. Where storage is blocked, they last as long as the page. */
const PREFIX = 'petstore-'
const kept = new Map<string, string>()
const listeners = new Set<() => void>()

addEventListener('storage', () => notify())

export function subscribeToPreferences(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * Reports a value that another tab sets or removes.
 * @returns a function that stops it
 */
export function onRemembered(name: string, listener: (value: string | undefined) => void): () => void {
  const hear = ({ key, newValue }: StorageEvent) => key === PREFIX + name && listener(newValue ?? undefined)
  addEventListener('storage', hear)
  return () => removeEventListener('storage', hear)
}

function notify(): void {
  for (const listener of listeners) listener()
}

export function recall(name: string): string | undefined {
  try {
    return localStorage.getItem(PREFIX + name) ?? undefined
  } catch {
    return kept.get(name)
  }
}

/** @param value undefined removes the preference */
export function remember(name: string, value: string | undefined): void {
  if (value === undefined) kept.delete(name)
  else kept.set(name, value)
  try {
    if (value === undefined) localStorage.removeItem(PREFIX + name)
    else localStorage.setItem(PREFIX + name, value)
  } catch {}
  notify()
}
