/** Repeats the work, never twice at once, even after a failure. Returns a function that stops it, and waits for the current run. */
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
    // A read of the embedded store throws at once: in a timer, that would end the process.
    underway = Promise.try(work)
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
