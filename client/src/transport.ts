import { type Answer, errorOf } from './answer.ts'
import { type Clock, parseMilliseconds, sleep } from './clock.ts'
import { NetworkError, type PetstoreError, TimeoutError } from './errors.ts'
import type { Gate } from './gate.ts'
import { isTransient, pauseBefore } from './retry.ts'

export interface CallOptions {
  /** Aborts the call, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined
  /**
   * Maximum duration of the call in milliseconds, including retries and waits. Default: the client's `timeoutMs`. When you iterate over a
   * list, it applies to each page.
   */
  timeoutMs?: number | undefined
}

export interface Request {
  method: 'GET' | 'POST'
  /** Appended to the base address, such as /pets?limit=20. */
  path: string
  headers?: Readonly<Record<string, string>>
  body?: string
}

export interface TransportOptions {
  /** Without a slash at the end. */
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

/** Sends calls through the gate of their key, and sends them again as long as that can help. */
export class Transport {
  readonly #options: TransportOptions

  constructor(options: TransportOptions) {
    this.#options = options
  }

  /**
   * Sends a request, several times if necessary; it is carried out once.
   * @throws PetstoreError of the last attempt, if there is no time for another one or it could not help
   * @throws RangeError if `timeoutMs` is not a number, TypeError if `signal` is not a signal
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
      // After a refusal by the limits, the gate waits.
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
      return { error: errorWithoutAnswer(clock.now() >= deadline, baseUrl, requestId, cause) }
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
      attempt.abort(new Error('No response arrived in time.')),
    )
    try {
      signal?.throwIfAborted()
      // A fetch function brought by the caller may ignore the signal.
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
      // The key is for this address only. A redirect is reported as an error of its own, not as a lost connection.
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

/** 32 random hexadecimal digits. `randomUUID` exists only on secure pages. */
export function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('')
}

/** Far more than any response of the service. Decoding a much larger one would take too much time and memory. */
const MAX_ANSWER_BYTES = 8 * 1_024 * 1_024

/** Another attempt would bring the same. */
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
      throw new AnswerTooLarge(`the response is larger than ${MAX_ANSWER_BYTES} bytes`)
    }
    text += decoder.decode(value, { stream: true })
  }
}

interface Attempt extends Request {
  requestId: string
}

type Outcome = { answer: Answer; error?: undefined } | { answer?: Answer; error: PetstoreError }

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
}

function errorWithoutAnswer(isTimeOver: boolean, baseUrl: string, requestId: string, cause: unknown): PetstoreError {
  if (isTimeOver) {
    return new TimeoutError('The call timed out. It may have been carried out.', { code: 'timeout', requestId, cause })
  }
  const message = `${baseUrl} could not be reached, or did not send a complete response: ${reasonOf(cause)}`
  return new NetworkError(message, { code: 'network_error', requestId, cause })
}

/** Platforms often give the reason only in the cause of an error. There may be several causes, and some have nothing but a code. */
function reasonOf(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return String(error)
  const causes = error instanceof AggregateError ? error.errors : error.cause === undefined ? [] : [error.cause]
  const reasons = depth < MAX_CAUSE_DEPTH ? causes.map(cause => reasonOf(cause, depth + 1)).filter(Boolean) : []
  if (reasons.length > 0) return [...new Set(reasons)].join(', ')
  return error.message || String((error as { code?: unknown }).code ?? '')
}

const MAX_CAUSE_DEPTH = 5
