/**
 * Waits for a condition that becomes true soon: tries until the check no longer throws, for at most half a minute.
 * @param everyMs larger if it takes seconds and each attempt is expensive
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

/** Waits for the next day (UTC) if this one ends within that time, because daily counts start over then. */
export async function untilDayLasts(ms: number): Promise<void> {
  const leftMs = DAY_MS - (Date.now() % DAY_MS)
  if (leftMs < ms) await new Promise(resolve => setTimeout(resolve, leftMs))
}

const DAY_MS = 86_400_000

/** The store checks for writes by other processes once per millisecond. */
export function untilOthersWritesShow(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, 3))
}
