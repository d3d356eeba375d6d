import { SYSTEM_CLOCK } from './clock.ts'
import type { Gate } from './gate.ts'
import { gateOf } from './gates.ts'
import { parseMilliseconds } from './milliseconds.ts'
import { Pets } from './pets.ts'
import type { RateLimit } from './rate-limit.ts'
import { Transport } from './transport.ts'

export interface ClientOptions {
  /** `petstore_live_…` for production, `petstore_test_…` for staging. */
  apiKey: string
  /** The base address with the version, such as https://petstore.example/v1. */
  baseUrl: string | URL
  /**
   * The longest that a call may take, its repetitions and waits included: milliseconds. A minute and a half unless it is given: by then
   * the minute has passed in which calls may have been used up. Of a list that is walked through, each page may take so long.
   */
  timeoutMs?: number | undefined
  /** The longest that one answer is waited for: milliseconds. 30 seconds unless it is given. */
  attemptTimeoutMs?: number | undefined
  /** Whether calls are spread over the rest of the minute once half of it is used, instead of waiting at its end. No, unless it is given. */
  isPaced?: boolean | undefined
  /** What sends requests, if not the platform's own `fetch`. */
  fetch?: typeof globalThis.fetch | undefined
}

const TIMEOUT_MS = 90_000
const ATTEMPT_TIMEOUT_MS = 30_000

/** A client of one deployment, with one key. All clients of a process that use the same key wait together. */
export class PetstoreClient {
  readonly pets: Pets
  readonly #gate: Gate

  /**
   * @throws TypeError when the key or the address cannot be one
   * @throws RangeError when a time is no number above 0
   */
  constructor(options: ClientOptions) {
    const baseUrl = parseBaseUrl(options.baseUrl)
    const apiKey = parseKey(options.apiKey)
    this.#gate = gateOf(baseUrl, apiKey)
    this.pets = new Pets(
      new Transport({
        baseUrl,
        apiKey,
        // A browser's fetch must be called as a method of nothing else.
        fetch: options.fetch ?? ((...args) => globalThis.fetch(...args)),
        timeoutMs: parseTimeout('timeoutMs', options.timeoutMs ?? TIMEOUT_MS),
        attemptTimeoutMs: parseTimeout('attemptTimeoutMs', options.attemptTimeoutMs ?? ATTEMPT_TIMEOUT_MS),
        isPaced: options.isPaced ?? false,
        gate: this.#gate,
        clock: SYSTEM_CLOCK,
        random: Math.random,
      }),
    )
  }

  /** How many calls remain, as the last answer told; undefined before the first. */
  get rateLimit(): RateLimit | undefined {
    return this.#gate.rateLimit
  }
}

function parseBaseUrl(text: string | URL): string {
  const url = URL.parse(String(text))
  // The path is put behind it: nothing of an address may follow that comes behind a path.
  if (!url || !/^https?:$/.test(url.protocol) || /[?#]/.test(url.href) || url.username || url.password) {
    throw new TypeError('baseUrl must be an address such as https://petstore.example/v1.')
  }
  return url.href.replace(/\/+$/, '')
}

function parseKey(text: string): string {
  if (typeof text !== 'string' || !/^[\x21-\x7e]+$/.test(text)) {
    throw new TypeError('apiKey must be the API key that the operator of the service has issued.')
  }
  return text
}

function parseTimeout(name: string, ms: number): number {
  if (parseMilliseconds(name, ms) <= 0) throw new RangeError(`${name} must be above 0; it is ${ms}.`)
  return ms
}
