import assert from 'node:assert/strict'
import { type Clock, SYSTEM_CLOCK } from '../../client/src/clock.ts'
import { Gate } from '../../client/src/gate.ts'
import { Pets } from '../../client/src/pets.ts'
import type { RateLimit } from '../../client/src/rate-limit.ts'
import { DEFAULT_MAX_WAIT_MS } from '../../client/src/retry.ts'
import { Transport, type TransportOptions } from '../../client/src/transport.ts'
import type { TestService } from './service.ts'

/**
 * A clock that runs this many times as fast as the real one, so that a wait of a minute is shorter. `after` is never early, but may be late,
 * multiplied by the same factor.
 * @param now its start, in Unix milliseconds
 */
export function fastClock(times: number, now = Date.UTC(2027, 2, 1, 12, 0, 0, 250)): Clock {
  const startedAt = performance.now()
  return {
    now: () => now + (performance.now() - startedAt) * times,
    after: (ms, run) => SYSTEM_CLOCK.after(ms / times, run),
    dateOf: at => new Date(at),
  }
}

/** Makes a service's clock follow another one, in whole milliseconds. */
export function runWith(service: TestService, clock: Clock): void {
  Object.defineProperty(service.clock, 'now', { get: () => Math.floor(clock.now()) })
}

export interface TestClient {
  readonly pets: Pets
  readonly rateLimit: RateLimit | undefined
}

/**
 * The parts of `PetstoreClient`, on another clock and with its own gate. A call may take an hour of that clock, and an attempt ten minutes, because a
 * faster clock shortens the real time.
 * @param url of the service or of what stands before it
 */
export function clientOn(
  clock: Clock,
  url: string,
  apiKey: string,
  options: Partial<
    Pick<TransportOptions, 'timeoutMs' | 'attemptTimeoutMs' | 'maxRetries' | 'isPaced' | 'hooks' | 'random'>
  > = {},
): TestClient {
  const { random = Math.random } = options
  const gate = new Gate(clock, random)
  const transport = new Transport({
    baseUrl: `${url}/v1`,
    apiKey,
    fetch: globalThis.fetch,
    timeoutMs: 60 * MINUTE_MS,
    attemptTimeoutMs: 10 * MINUTE_MS,
    maxRetries: Number.POSITIVE_INFINITY,
    maxWaitMs: DEFAULT_MAX_WAIT_MS,
    isPaced: false,
    hooks: {},
    gate,
    clock,
    random,
    ...options,
  })
  return {
    pets: new Pets(transport),
    get rateLimit() {
      return gate.rateLimit
    },
  }
}

const MINUTE_MS = 60_000

/** The error of a call, which must not succeed. */
export async function errorOf(call: PromiseLike<unknown>): Promise<unknown> {
  return call.then(
    () => assert.fail('The call has succeeded.'),
    error => error,
  )
}
