/** How long an answer of Redis is waited for before an outage is declared: milliseconds. */
export const WAIT_MS = 1_000
const TURN_MS = 100

/** No answer came in time. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
}

/**
 * The answer, if it comes in time; otherwise it rejects with `NoAnswer`. Only the silence of the other side counts: the wait is
 * divided into turns, and in each of them this process reads what has arrived. A process that is held up has its turns later, and
 * so waits longer.
 */
export function answerInTime<Answer>(answer: Promise<Answer>, ms = WAIT_MS): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const end = performance.now() + ms
    let turnsLeft = Math.ceil(ms / TURN_MS)
    let timer: NodeJS.Timeout
    let immediate: NodeJS.Immediate | undefined
    // What has arrived is read before an immediate runs.
    const wait = () => {
      timer = setTimeout(
        () => {
          immediate = setImmediate(check)
        },
        Math.min(ms, TURN_MS),
      )
    }
    const check = () => {
      turnsLeft -= 1
      if (turnsLeft > 0 || performance.now() < end) wait()
      else reject(new NoAnswer('No answer came in time.'))
    }
    wait()
    answer.then(resolve, reject).finally(() => {
      clearTimeout(timer)
      clearImmediate(immediate)
    })
  })
}
