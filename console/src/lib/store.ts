import { useSyncExternalStore } from 'react'

/** A value outside of components, and a hook that follows it. */
export function createStore<State>(state: State) {
  const listeners = new Set<() => void>()
  function subscribe(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  return {
    get: () => state,
    set(next: State): void {
      state = next
      for (const listener of listeners) listener()
    },
    use: () => useSyncExternalStore(subscribe, () => state),
  }
}
