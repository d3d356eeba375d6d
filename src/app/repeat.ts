/** Repeats the work, also after a failure, and never overlaps runs. Returns a function that stops it and waits for the current run. */
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
    // A read of the embedded store throws synchronously. In a timer, that would end the process.
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
