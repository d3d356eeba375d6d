import { useSyncExternalStore } from 'react'

/** Unix milliseconds, updated every ten seconds. Everything on screen ticks at the same time. */
export const useNow = buildClock(10_000)

/** Updated every second, for countdowns. */
export const useSeconds = buildClock(1_000)

function buildClock(everyMs: number): () => number {
  let now = Date.now()
  const listeners = new Set<() => void>()
  let timer: ReturnType<typeof setInterval> | undefined

  function tick(): void {
    now = Date.now()
    for (const listener of listeners) listener()
  }

  function subscribe(listener: () => void): () => void {
    // The clock stopped while nothing used it.
    if (listeners.size === 0) now = Date.now()
    listeners.add(listener)
    timer ??= setInterval(tick, everyMs)
    return () => {
      listeners.delete(listener)
      if (listeners.size > 0) return
      clearInterval(timer)
      timer = undefined
    }
  }

  return () => useSyncExternalStore(subscribe, () => now)
}
