import { createStore } from './store.ts'

/** Unix milliseconds, updated every ten seconds. Everything on screen ticks at the same time. */
export const useNow = buildClock(10_000)

/** Updated every second, for countdowns. */
export const useSeconds = buildClock(1_000)

/** It ticks as long as the page is open. */
function buildClock(everyMs: number): () => number {
  const clock = createStore(Date.now())
  setInterval(() => clock.set(Date.now()), everyMs)
  return clock.use
}
