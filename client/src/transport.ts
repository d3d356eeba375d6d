import { type Answer, errorOf } from './answer.ts'
import { type Clock, sleep } from './clock.ts'
import { NetworkError, type PetstoreError, TimeoutError } from './errors.ts'
import type { Gate } from './gate.ts'
import { parseMilliseconds } from './milliseconds.ts'
import { randomId } from './random-id.ts'
import { isTransient, pauseBefore } from './retry.ts'

export interface CallOptions {
  /** Breaks the call off, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined
  /** The longest that the call may take, its repetitions and waits included: milliseconds. Of a list that is walked through, each page may. */
  timeoutMs?: number | undefined
}

export interface Request {
  method: 'GET' | 'POST'
  /** Behind the base address, such as /pets?limit=20. */
  path: string
  headers?: Readonly<Record<string, string>>
  body?: string
}

export interface TransportOptions {
  /** Without a slash at its end. */
  baseUrl: string
  apiKey: string
  fetch: typeof globalThis.fetch
  timeoutMs: number
  attemptTimeoutMs: number
  isPaced: boolean
  gate: Gate
  clock: Clock
  random: () => number
}

/** Sends calls through the gate of their key, and again for as long as that makes sense. */
export class Transport {
  readonly #options: TransportOptions

  constructor(options: TransportOptions) {
    this.#options = options
  }

  /**
   * The answer to a request that may be sent several times and is carried out once.
   * @throws PetstoreError what became of the last attempt, if there is no time for another or that would bring nothing else
   * @throws RangeError for a `timeoutMs` that is no number, TypeError for a `signal` that is none
   */
  async call(request: Request, { signal, timeoutMs = this.#options.timeoutMs }: CallOptions = {}): Promise<Answer> {
    const { gate, clock, random, isPaced } = this.#options
    const deadline = clock.now() + parseMilliseconds('timeoutMs', timeoutMs)
    let last: PetstoreError | undefined
    for (let attempt = 1; ; attempt += 1) {
      await gate.enter({ deadline, isPaced, signal, last }).catch(error => {
        throw error instanceof TimeoutError && last ? last : error
      })
      const { answer, error } = await this.#attempt(request, deadline, signal)
      if (!error) return answer
      if (answer && !isTransient(answer.status, error.code)) throw error
      if (error.cause instanceof AnswerTooLarge) throw error
      // For how long a refusal of the limits is waited, the gate knows.
      const pauseMs = answer?.status === 429 ? 0 : pauseBefore(attempt, answer, random)
      if (clock.now() + pauseMs >= deadline) throw error
      await sleep(clock, pauseMs, signal)
      last = error
    }
  }

  async #attempt(request: Request, deadline: number, signal: AbortSignal | undefined): Promise<Outcome> {
    const { gate, clock, baseUrl } = this.#options
    const requestId = randomId()
    const sentAt = clock.now()
    let answer: Answer | undefined
    try {
      answer = await this.#send({ ...request, requestId }, deadline, signal)
    } catch (cause) {
      signal?.throwIfAborted()
      const details = { requestId, cause }
      return { error: clock.now() >= deadline ? outOfTime(details) : unanswered(baseUrl, details) }
    } finally {
      gate.leave(sentAt, answer)
    }
    return answer.status >= 200 && answer.status < 300 ? { answer } : { answer, error: errorOf(answer) }
  }

  async #send(request: Attempt, deadline: number, signal: AbortSignal | undefined): Promise<Answer> {
    const { attemptTimeoutMs, clock } = this.#options
    const attempt = new AbortController()
    const abort = () => attempt.abort(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    const cancelTimer = clock.after(Math.min(attemptTimeoutMs, deadline - clock.now()), () =>
      attempt.abort(new Error('No answer came in time.')),
    )
    try {
      signal?.throwIfAborted()
      // Not every fetch that a caller may bring heeds a signal.
      return await Promise.race([this.#exchange(request, attempt.signal), whenAborted(attempt.signal)])
    } finally {
      cancelTimer()
      signal?.removeEventListener('abort', abort)
    }
  }

  async #exchange({ method, path, headers, body, requestId }: Attempt, signal: AbortSignal): Promise<Answer> {
    const { baseUrl, apiKey, fetch, clock } = this.#options
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        accept: 'application/json',
        'x-request-id': requestId,
        ...headers,
      },
      ...(body !== undefined && { body }),
      signal,
      // The key is for this address alone. Whoever is sent elsewhere learns of it: it is no lost connection.
      redirect: 'manual',
      credentials: 'omit',
      cache: 'no-store',
    })
    const text = await readText(response)
    const { status, headers: answered } = response
    const receivedAt = Number(clock.dateOf(clock.now()))
    return { status, headers: answered, text, receivedAt, requestId: answered.get('x-request-id') ?? requestId }
  }
}

/** Far more than any answer of the service has. To make a text of a much larger one would take longer than the call may, and memory. */
const MAX_ANSWER_BYTES = 8 * 1_024 * 1_024

/** It would be as large the next time. */
class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge'
}

async function readText(response: Response): Promise<string> {
  const reader = response.body?.getReader()
  if (!reader) return response.text()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.length
    if (bytes > MAX_ANSWER_BYTES) {
      void reader.cancel().catch(() => {})
      throw new AnswerTooLarge(`the answer is larger than ${MAX_ANSWER_BYTES} bytes`)
    }
    text += decoder.decode(value, { stream: true })
  }
}

/** A request that is sent once. */
interface Attempt extends Request {
  requestId: string
}

interface Failure {
  requestId: string
  cause: unknown
}

type Outcome = { answer: Answer; error?: undefined } | { answer?: Answer; error: PetstoreError }

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
}

function unanswered(baseUrl: string, { requestId, cause }: Failure): NetworkError {
  const message = `${baseUrl} could not be reached, or has not answered in full: ${reasonOf(cause)}`
  return new NetworkError(message, { code: 'network_error', requestId, cause })
}

/** A platform says that it has failed, and why only in the cause of that: which may be several, or say nothing but a code. */
function reasonOf(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return String(error)
  const causes = error instanceof AggregateError ? error.errors : error.cause === undefined ? [] : [error.cause]
  const reasons = depth < DEEPEST_CAUSE ? causes.map(cause => reasonOf(cause, depth + 1)).filter(Boolean) : []
  if (reasons.length > 0) return [...new Set(reasons)].join(', ')
  return error.message || String((error as { code?: unknown }).code ?? '')
}

const DEEPEST_CAUSE = 5

function outOfTime(failure: Failure): TimeoutError {
  const message = 'The time that the call may take is over. It may have been carried out.'
  return new TimeoutError(message, { code: 'timeout', ...failure })
}
