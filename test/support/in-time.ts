import { afterSilence } from '../../src/domain/silence.ts'

/**
 * Waits for work that has begun, and fails if it takes longer than this: the figure that is promised, and a little for what else the test does. It
 * counts time as the service does (`afterSilence`): while this process is paused or gets no processor, none passes, so that a busy machine does not
 * make a test fail. The time in which another process, such as a database, gets no processor cannot be known, and counts.
 * @param what the subject of a sentence, such as `the call`
 */
export async function inTime<Value>(milliseconds: number, what: string, work: Value | Promise<Value>): Promise<Value> {
  const { promise: tooLong, reject } = Promise.withResolvers<never>()
  const ended = afterSilence(milliseconds, () => reject(new Error(`${what} took longer than ${milliseconds} ms.`)))
  try {
    return await Promise.race([work, tooLong])
  } finally {
    ended()
  }
}
