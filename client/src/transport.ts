import { type Answer, errorOf } from './answer.ts'
import { type Clock, sleep } from './clock.ts'
import { NetworkError, type PetstoreError, TimeoutError } from './errors.ts'
import type { Gate } from './gate.ts'
import { isTransient, pauseBefore } from './retry.ts'

export interface CallOptions {
  /** Breaks the call off, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined
  /** The longest that the call may take, its repetitions and waits included: milliseconds. */
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
   * @throws PetstoreError the last refusal, if there is no time for another attempt or that would bring nothing else
   */
  async call(request: Request, { signal, timeoutMs = this.#options.timeoutMs }: CallOptions = {}): Promise<Answer> {
    const { gate, clock, random, isPaced } = this.#options
    const deadline = clock.now() + timeoutMs
    for (let attempt = 1; ; attempt += 1) {
      await gate.enter({ deadline, isPaced, signal })
      const { answer, error } = await this.#attempt(request, deadline, signal)
      if (!error) return answer
      if (answer && !isTransient(answer.status, error.code)) throw error
      // For how long a refusal of the limits is waited, the gate knows.
      const pauseMs = answer?.status === 429 ? 0 : pauseBefore(attempt, answer, random)
      if (clock.now() + pauseMs >= deadline) throw error
      await sleep(clock, pauseMs, signal)
    }
  }

  async #attempt(request: Request, deadline: number, signal: AbortSignal | undefined): Promise<Outcome> {
    const { gate, clock } = this.#options
    const sentAt = clock.now()
    let answer: Answer | undefined
    try {
      answer = await this.#send(request, deadline, signal)
    } catch (cause) {
      signal?.throwIfAborted()
      return { error: clock.now() >= deadline ? outOfTime(cause) : unanswered(cause) }
    } finally {
      gate.leave(sentAt, answer)
    }
    return answer.status >= 200 && answer.status < 300 ? { answer } : { answer, error: errorOf(answer) }
  }

  async #send(
    { method, path, headers, body }: Request,
    deadline: number,
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    const { baseUrl, apiKey, fetch, attemptTimeoutMs, clock } = this.#options
    const attempt = new AbortController()
    const abort = () => attempt.abort(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    const cancelTimer = clock.after(Math.min(attemptTimeoutMs, deadline - clock.now()), () =>
      attempt.abort(new Error('No answer came in time.')),
    )
    try {
      signal?.throwIfAborted()
      const response = await fetch(baseUrl + path, {
        method,
        headers: { authorization: `Bearer ${apiKey}`, accept: 'application/json', ...headers },
        ...(body !== undefined && { body }),
        signal: attempt.signal,
        // The key is for this address alone.
        redirect: 'error',
        credentials: 'omit',
        cache: 'no-store',
      })
      const text = await response.text()
      return { status: response.status, headers: response.headers, text, receivedAt: clock.now() }
    } finally {
      cancelTimer()
      signal?.removeEventListener('abort', abort)
    }
  }
}

type Outcome = { answer: Answer; error?: undefined } | { answer?: Answer; error: PetstoreError }

function unanswered(cause: unknown): NetworkError {
  const { message } = cause as Error
  return new NetworkError(`The service could not be reached, or did not answer in full: ${message}`, {
    code: 'network_error',
    cause,
  })
}

function outOfTime(cause: unknown): TimeoutError {
  return new TimeoutError('The time that the call may take is over. It may have been carried out.', {
    code: 'timeout',
    cause,
  })
}
