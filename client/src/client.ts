import { parseKey } from './api-key.ts'
import { parseMilliseconds, SYSTEM_CLOCK } from './clock.ts'
import type { Gate } from './gate.ts'
import { gateOf } from './gate-registry.ts'
import type { Hooks } from './hooks.ts'
import { Pets } from './pets.ts'
import type { RateLimit } from './rate-limit.ts'
import { DEFAULT_MAX_WAIT_MS, parseMaxRetries } from './retry.ts'
import { Transport } from './transport.ts'

export interface ClientOptions extends Hooks {
  /** `petstore_live_…` for production, `petstore_test_…` for staging. */
  apiKey: string
  /** The base address with the version, such as https://petstore.example/v1. */
  baseUrl: string | URL
  /**
   * Maximum duration of a call in milliseconds, including retries and waits. Default: 90,000, which is long enough for the next minute
   * to begin when the calls of this one are used up. When you iterate over a list, each page may take this long.
   */
  timeoutMs?: number | undefined
  /** Maximum time to wait for a single response, in milliseconds. Default: 30,000. */
  attemptTimeoutMs?: number | undefined
  /** How often a call may be sent again. Default: `Infinity`, as often as `timeoutMs` allows. */
  maxRetries?: number | undefined
  /**
   * How long a single response may hold back the calls with the key at most, in milliseconds, whatever it says. Default: 90,000,000 (25
   * hours), long enough for every window and ban. A 429 or 503 without the service's `X-RateLimit-*` headers comes from another server,
   * such as a proxy, and never holds back calls for more than two minutes.
   */
  maxWaitMs?: number | undefined
  /**
   * Once half of the minute's calls are used, spread the others over the rest of the minute, instead of using them up and then waiting.
   * Default: false.
   */
  isPaced?: boolean | undefined
  /** The function that sends requests. Default: the platform's `fetch`. */
  fetch?: typeof globalThis.fetch | undefined
}

const DEFAULT_TIMEOUT_MS = 90_000
const DEFAULT_ATTEMPT_TIMEOUT_MS = 30_000

/** A client of one deployment, with one API key. All clients in a process that use the same key share one queue of calls. */
export class PetstoreClient {
  readonly pets: Pets
  readonly #gate: Gate

  /**
   * @throws TypeError if the key, the address or a hook is not valid
   * @throws RangeError if a timeout is not a number above 0, or `maxRetries` is not a count
   */
  constructor(options: ClientOptions) {
    const baseUrl = parseBaseUrl(options.baseUrl)
    const apiKey = parseKey(options.apiKey)
    this.#gate = gateOf(baseUrl, apiKey)
    this.pets = new Pets(
      new Transport({
        baseUrl,
        apiKey,
        // A browser's fetch throws when it is called as a method of another object.
        fetch: options.fetch ?? ((...args) => globalThis.fetch(...args)),
        timeoutMs: parseTimeout('timeoutMs', options.timeoutMs ?? DEFAULT_TIMEOUT_MS),
        attemptTimeoutMs: parseTimeout('attemptTimeoutMs', options.attemptTimeoutMs ?? DEFAULT_ATTEMPT_TIMEOUT_MS),
        maxRetries: parseMaxRetries(options.maxRetries ?? Number.POSITIVE_INFINITY),
        maxWaitMs: parseTimeout('maxWaitMs', options.maxWaitMs ?? DEFAULT_MAX_WAIT_MS),
        isPaced: options.isPaced ?? false,
        hooks: parseHooks(options),
        gate: this.#gate,
        clock: SYSTEM_CLOCK,
        random: Math.random,
      }),
    )
  }

  /** The remaining calls, as of the last response; undefined before the first response. */
  get rateLimit(): RateLimit | undefined {
    return this.#gate.rateLimit
  }
}

function parseBaseUrl(text: string | URL): string {
  const url = URL.canParse(String(text)) ? new URL(text) : undefined
  const address = url?.href.replace(/\/+$/, '') ?? ''
  // Paths such as /pets are appended to it, so it must not have a query or fragment.
  const isBase = /^https?:\/\/[^?#]+$/.test(address) && !/\/pets\/*$/.test(url?.pathname ?? '')
  if (!url || !isBase || url.username || url.password) {
    throw new TypeError('baseUrl must be an address such as https://petstore.example/v1.')
  }
  return address
}

function parseHooks({ onRequest, onResponse, onWait }: Hooks): Hooks {
  const hooks = { onRequest, onResponse, onWait }
  for (const [name, hook] of Object.entries(hooks)) {
    if (hook !== undefined && typeof hook !== 'function') throw new TypeError(`${name} must be a function.`)
  }
  return hooks
}

function parseTimeout(name: string, ms: number): number {
  if (parseMilliseconds(name, ms) <= 0) throw new RangeError(`${name} must be above 0; it is ${ms}.`)
  return ms
}
