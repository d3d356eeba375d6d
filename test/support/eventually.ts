/** Waits for what becomes true soon, not at once: tries until it throws no more, for at most ten seconds. */
export async function eventually<Value>(attempt: () => Promise<Value> | Value): Promise<Value> {
  const deadline = performance.now() + 10_000
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (performance.now() > deadline) throw error
      await new Promise(resolve => setTimeout(resolve, 20))
    }
  }
}

/** The store looks for what other processes have written once a millisecond. */
export function untilOthersWritesShow(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, 3))
}
