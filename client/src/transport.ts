import { type Answer, errorOf, type Outcome } from './answer.ts'
import { type Clock, parseMilliseconds, sleep } from './clock.ts'
import { type PetstoreError, TimeoutError } from './errors.ts'
import { exchange, type Request } from './exchange.ts'
import type { Gate } from './gate.ts'
import { type Hooks, notify } from './hooks.ts'
import { errorWithoutResponse } from './network-error.ts'
import { isTransient, MAX_FIRST_CONTACT_RETRIES, parseMaxRetries, pauseBefore } from './retry.ts'

export interface CallOptions {
  /** Aborts the call, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined
  /**
   * Maximum duration of the call in milliseconds, including retries and waits. Default: the client's `timeoutMs`. When you iterate over a
   * list, it applies to each page.
   */
  timeoutMs?: number | undefined
  /** How often the call may be sent again. Default: the client's `maxRetries`. When you iterate over a list, it applies to each page. */
  maxRetries?: number | undefined
}

export interface TransportOptions {
  /** Without a slash at the end. */
  baseUrl: string
  apiKey: string
  fetch: typeof globalThis.fetch
  timeoutMs: number
  attemptTimeoutMs: number
  maxRetries: number
  maxWaitMs: number
  isPaced: boolean
  hooks: Hooks
  gate: Gate
  clock: Clock
  random: () => number
}

/** Sends calls through the gate of their key, and retries them as long as that can help. */
export class Transport {
  readonly #options: TransportOptions

  constructor(options: TransportOptions) {
    this.#options = options
  }

  /**
   * Sends a request, several times if necessary; it is carried out once.
   * @throws PetstoreError of the last attempt, if there is no time for another one or it could not help
   * @throws RangeError if `timeoutMs` or `maxRetries` is not a valid number, TypeError if `signal` is not a signal
   */
  async call(request: Request, options: CallOptions = {}): Promise<Answer> {
    const { gate, clock, random, isPaced, hooks } = this.#options
    const { signal, timeoutMs = this.#options.timeoutMs, maxRetries = this.#options.maxRetries } = options
    const deadline = clock.now() + parseMilliseconds('timeoutMs', timeoutMs)
    parseMaxRetries(maxRetries)
    let last: PetstoreError | undefined
    for (let attempt = 1; ; attempt += 1) {
      const onWait =
        hooks.onWait && ((until: number, cause?: PetstoreError) => this.#noteWait(request, attempt, until, cause))
      await gate.enter({ deadline, isPaced, signal, last, onWait }).catch(error => {
        throw error instanceof TimeoutError && last ? last : error
      })
      const { answer, error } = await this.#attempt(request, attempt, deadline, signal)
      if (!error) return answer
      const isFirstContact = !gate.isReached && !(error.cause instanceof AttemptTimeout)
      if (attempt > maxRetries || (isFirstContact && attempt > MAX_FIRST_CONTACT_RETRIES)) throw error
      const retryAt = clock.now() + pauseBefore(attempt, answer, random)
      if (!isTransient(answer, error) || retryAt >= deadline) throw error
      this.#noteWait(request, attempt + 1, retryAt, error)
      await sleep(clock, retryAt - clock.now(), signal)
      last = error
    }
  }

  async #attempt(request: Request, attempt: number, deadline: number, signal?: AbortSignal): Promise<Outcome> {
    const { gate, clock, baseUrl, hooks } = this.#options
    const requestId = randomId()
    const event = { method: request.method, url: baseUrl + request.path, attempt, requestId }
    const sentAt = clock.now()
    notify(hooks.onRequest, event)
    let outcome: Outcome
    try {
      const answer = await this.#exchange(request, requestId, deadline, signal)
      const isSuccess = answer.status >= 200 && answer.status < 300
      outcome = isSuccess ? { answer } : { answer, error: errorOf(answer) }
    } catch (cause) {
      const isTimeOver = clock.now() >= deadline
      outcome = { error: errorWithoutResponse({ baseUrl, requestId, cause, isTimeOver, isReached: gate.isReached }) }
    }
    gate.leave(sentAt, outcome)
    const { answer, error } = outcome
    if (hooks.onResponse) {
      const headers = answer && new Headers(answer.headers)
      notify(hooks.onResponse, { ...event, status: answer?.status, headers, durationMs: clock.now() - sentAt, error })
    }
    if (!answer) signal?.throwIfAborted()
    return outcome
  }

  async #exchange(request: Request, requestId: string, deadline: number, signal?: AbortSignal): Promise<Answer> {
    const { attemptTimeoutMs, maxWaitMs, baseUrl, apiKey, fetch, gate, clock } = this.#options
    const attempt = new AbortController()
    const abort = () => attempt.abort(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    const cancelTimer = clock.after(Math.min(attemptTimeoutMs, deadline - clock.now()), () =>
      attempt.abort(new AttemptTimeout('no response arrived in time')),
    )
    const onHead = () => gate.noteReached()
    try {
      signal?.throwIfAborted()
      const sent = { ...request, baseUrl, apiKey, requestId, fetch, signal: attempt.signal, onHead }
      return { ...(await exchange(sent)), maxWaitMs, receivedAt: Number(clock.dateOf(clock.now())) }
    } finally {
      cancelTimer()
      signal?.removeEventListener('abort', abort)
    }
  }

  #noteWait({ method, path }: Request, attempt: number, until: number, error: PetstoreError | undefined): void {
    const { hooks, clock, baseUrl } = this.#options
    const waitMs = until - clock.now()
    if (waitMs <= 0) return
    notify(hooks.onWait, { method, url: baseUrl + path, attempt, waitMs, until: clock.dateOf(until), error })
  }
}

/** It remains unknown whether there is a server at the address. */
class AttemptTimeout extends Error {
  override readonly name = 'AttemptTimeout'
}

/** 32 random hexadecimal digits. `randomUUID` exists only on secure pages. */
export function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('')
}
