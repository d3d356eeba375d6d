/** Does the work again and again, never twice at once; after a failure it is tried again the next time. Returns what ends it. */
export function repeat(
  everyMs: number,
  work: () => Promise<void>,
  onFailure: (error: unknown) => void,
): () => Promise<void> {
  let underway = Promise.resolve()
  let isBusy = false
  const timer = setInterval(() => {
    if (isBusy) return
    isBusy = true
    underway = work()
      .catch(onFailure)
      .finally(() => {
        isBusy = false
      })
  }, everyMs)
  return () => {
    clearInterval(timer)
    return underway
  }
}
