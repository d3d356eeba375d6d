/** How long Redis may be silent while something was asked: milliseconds. */
export const SILENCE_MS = 80
/** How long a call waits while others are answered, as when very many come at once. */
export const LONGEST_WAIT_MS = 250
/** What is later than that has been held up in this process. */
const HELD_UP_MS = 20

/**
 * The answer, if it comes in time; else it rejects. For as long as this process was held up itself, it waits longer: the answer
 * may be there and not have been read.
 * @param untilWhen until when it waits, asked again then: milliseconds of this process's monotonic clock
 */
export function answerInTime<Answer>(answer: Promise<Answer>, untilWhen: () => number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout
    const wait = (ms: number) => {
      const dueAt = performance.now() + Math.max(0, ms)
      // What has come is read before an immediate runs.
      timer = setTimeout(() => setImmediate(check, dueAt), Math.max(1, ms))
    }
    const check = (dueAt: number) => {
      const now = performance.now()
      const heldUpMs = now - dueAt
      const left = untilWhen() - now
      if (left > 0) wait(left)
      else if (heldUpMs > HELD_UP_MS) wait(Math.min(heldUpMs, SILENCE_MS))
      else reject(new Error('No answer came in time.'))
    }
    wait(untilWhen() - performance.now())
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/** So many milliseconds, counted from now. */
export function within(ms: number): () => number {
  const end = performance.now() + ms
  return () => end
}
