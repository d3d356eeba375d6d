/**
 * Waits for what becomes true soon, not at once: tries until it throws no more, for at most half a minute.
 * @param everyMs seldom, where it takes seconds and each attempt costs
 */
export async function eventually<Value>(attempt: () => Promise<Value> | Value, everyMs = 20): Promise<Value> {
  const deadline = performance.now() + 30_000
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (performance.now() > deadline) throw error
      await new Promise(resolve => setTimeout(resolve, everyMs))
    }
  }
}

/** Waits for the next day (UTC) where this one ends within that time: what is counted by the day begins anew then. */
export async function untilDayLasts(ms: number): Promise<void> {
  const leftMs = DAY_MS - (Date.now() % DAY_MS)
  if (leftMs < ms) await new Promise(resolve => setTimeout(resolve, leftMs))
}

const DAY_MS = 86_400_000

/** The store looks for what other processes have written once a millisecond. */
export function untilOthersWritesShow(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, 3))
}
