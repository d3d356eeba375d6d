/** Milliseconds to wait for Redis before an outage is declared. */
export const REDIS_TIMEOUT_MS = 1_000
const CHECK_MS = 100

export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
}

/**
 * Waits for an answer, but no longer than the timeout; then rejects with `NoAnswer`. Only silence of the other side counts. The wait is
 * divided into checks, and this process reads what has arrived before each of them. If the process itself is blocked, its checks come
 * later and it waits longer.
 */
export function withTimeout<Answer>(answer: Promise<Answer>, ms = REDIS_TIMEOUT_MS): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const end = performance.now() + ms
    let checksLeft = Math.ceil(ms / CHECK_MS)
    let timer: NodeJS.Timeout
    let immediate: NodeJS.Immediate | undefined
    const wait = () => {
      timer = setTimeout(
        () => {
          // An immediate runs after everything that has arrived was read.
          immediate = setImmediate(check)
        },
        Math.min(ms, CHECK_MS),
      )
    }
    const check = () => {
      checksLeft -= 1
      if (checksLeft > 0 || performance.now() < end) wait()
      else reject(new NoAnswer('No answer came in time.'))
    }
    wait()
    answer.then(resolve, reject).finally(() => {
      clearTimeout(timer)
      clearImmediate(immediate)
    })
  })
}
