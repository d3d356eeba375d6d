import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { ERRORS, type PublicErrorCode, type Refusal } from '../domain/errors.ts'
import { PLANS } from '../domain/plan.ts'
import type { Decision } from '../domain/rate-limiter.ts'
import { DAMAGED } from '../http/errors.ts'
import type { OnAnswered } from '../http/server.ts'
import { ClosedList } from './closed-list.ts'
import { CountTable } from './count-table.ts'
import { DurationTable } from './duration-table.ts'
import { measureEventLoopDelay } from './event-loop-delay.ts'
import { addProcessMetrics } from './process-metrics.ts'

const OUTCOMES = ['admitted', 'refused', 'banned'] as const satisfies Decision['outcome'][]
/** The status of a call whose client was gone before the answer. */
const GONE = 'gone'
const STATUSES = new ClosedList('status', [200, 201, 204, 304, ...Object.values(ERRORS), GONE], 'other')
const FAILURES = Object.values(ERRORS).filter(status => status >= 500)

const OTHER = 'other'

/** What bytes can be refused for that are no call (http/parser-refusals.ts). */
const CONNECTION_CODES: readonly PublicErrorCode[] = [
  'malformed_request',
  'request_timeout',
  'body_too_large',
  'uri_too_long',
  'headers_too_large',
  'rate_limit_exceeded',
  'method_not_supported',
]

/** Seconds, from what a list takes to where clients give up. */
const CALL_BOUNDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** Seconds, around what an fsync takes. */
const COMMIT_BOUNDS = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
const BATCH_SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024]

/**
 * What one service has done, for Prometheus. Every label has a closed list of values: neither accounts nor what a client sends
 * makes a series. What alerts ask for is there as 0 from the start.
 */
export class Metrics {
  readonly #registry = new Registry()
  readonly #calls = new CountTable(this.#registry, {
    name: 'petstore_calls_total',
    help: 'Calls with a valid key by the plan of its account and what the limits made of them.',
    rows: new ClosedList('plan', PLANS, OTHER),
    columns: new ClosedList('outcome', OUTCOMES, OTHER),
    zero: OUTCOMES,
  })
  readonly #anonymousRefused = this.#counter(
    'petstore_anonymous_refused_total',
    'Calls without a valid key that were refused because their address had used up its limit.',
  )
  readonly #connectionsDropped = this.#counter(
    'petstore_connections_dropped_total',
    'Connections to either listener that were closed at once because too many were open.',
  )
  readonly #credentialsRefused = new Counter({
    name: 'petstore_operator_credentials_refused_total',
    help: "Credentials on the operators' listener that were wrong, or not tried because their address had too many wrong ones.",
    labelNames: ['why'],
    registers: [this.#registry],
  })
  readonly #connectionsRefused = new Counter({
    name: 'petstore_connections_refused_total',
    help: 'Connections ended for bytes that were no call, by the code of the refusal.',
    labelNames: ['code'],
    registers: [this.#registry],
  })
  readonly #commitWrites = this.#histogram(
    'petstore_store_commit_writes',
    'Writes that shared one commit of the store.',
    BATCH_SIZES,
  )
  readonly #commitDurations = this.#histogram(
    'petstore_store_commit_duration_seconds',
    'Time of one commit of the store, until it was on disk.',
    COMMIT_BOUNDS,
  )
  readonly #storeErrors = this.#counter('petstore_store_errors_total', 'What the store was asked and failed to do.')
  readonly #storeDamage = this.#counter(
    'petstore_store_damage_total',
    'Calls that met damaged data in the store and were refused.',
  )
  readonly #limiterErrors = this.#counter(
    'petstore_limiter_errors_total',
    'What the rate limiter was asked and failed to do.',
  )
  readonly #limiterAlone = this.#gauge(
    'petstore_limiter_alone',
    '1 while calls are counted in this process alone because Redis cannot be used, else 0.',
  )
  readonly #decidedAlone = this.#counter(
    'petstore_limiter_alone_decisions_total',
    'Calls that were decided in this process alone because Redis could not be used.',
  )
  readonly #pushLost = this.#gauge(
    'petstore_store_push_lost',
    '1 while this instance is not told what other instances change, else 0.',
  )
  readonly #stopMeasuring = measureEventLoopDelay(this.#registry)

  /** @param version of the service */
  constructor(version: string) {
    for (const code of CONNECTION_CODES) this.#connectionsRefused.inc({ code }, 0)
    for (const why of ['wrong', 'not_tried']) this.#credentialsRefused.inc({ why }, 0)
    addProcessMetrics(this.#registry)
    new Gauge({
      name: 'petstore_build_info',
      help: 'Always 1; the labels say what runs.',
      labelNames: ['version', 'node'],
      registers: [this.#registry],
    }).set({ version, node: process.version }, 1)
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  /** All of it, as Prometheus reads it. */
  text(): Promise<string> {
    return this.#registry.metrics()
  }

  /** Ends the measuring; what has been counted can still be read. */
  close(): void {
    this.#stopMeasuring()
  }

  /** Returns what counts the calls of the public listener. @param operations the ids of all its operations */
  buildPublicAnswered(operations: readonly string[]): OnAnswered {
    const rows = operationList(operations)
    const requests = new CountTable(this.#registry, {
      name: 'petstore_http_requests_total',
      help: `Answered calls of the public API by operation ("none": no operation of the API) and status ("${GONE}": the client was gone before the answer).`,
      rows,
      columns: STATUSES,
      zero: FAILURES,
    })
    const durations = new DurationTable(this.#registry, {
      name: 'petstore_http_request_duration_seconds',
      help: 'From the arrival of the headers until the answer was handed over, the arrival of a body included.',
      rows,
      bounds: CALL_BOUNDS,
    })
    return ({ operation, caller, decision, startedAt }, status, refusal) => {
      requests.add(operation, status ?? GONE)
      if (status !== undefined) durations.observe(operation, (performance.now() - startedAt) / 1_000)
      if (caller && decision) this.#calls.add(caller.plan, decision.outcome)
      else if (refusal) this.#countAnonymous(refusal)
    }
  }

  /** Returns what counts the calls of the operators' listener. @param operations the ids of all its operations */
  buildOperatorAnswered(operations: readonly string[]): OnAnswered {
    const requests = new CountTable(this.#registry, {
      name: 'petstore_operator_requests_total',
      help: "Answered calls of the operators' listener by operation and status, as in petstore_http_requests_total.",
      rows: operationList(operations),
      columns: STATUSES,
      zero: FAILURES,
    })
    return (call, status) => requests.add(call.operation, status ?? GONE)
  }

  /** Counts a connection to the public listener that was refused for bytes that are no call. */
  unread(refusal: Refusal): void {
    this.#connectionsRefused.inc({ code: CONNECTION_CODES.find(code => code === refusal.code) ?? OTHER })
    this.#countAnonymous(refusal)
  }

  /** Counts one commit of the store. */
  committed(writes: number, milliseconds: number): void {
    this.#commitWrites.observe(writes)
    this.#commitDurations.observe(milliseconds / 1_000)
  }

  /** Counts a connection that was closed at once because too many were open. */
  connectionDropped(): void {
    this.#connectionsDropped.inc()
  }

  credentialsRefused(why: 'wrong' | 'not_tried'): void {
    this.#credentialsRefused.inc({ why })
  }

  /** @param refusal of the call that met the failure, if there was one */
  storeFailed(refusal?: Refusal): void {
    this.#storeErrors.inc()
    if (refusal?.reason === DAMAGED) this.#storeDamage.inc()
  }

  limiterFailed(): void {
    this.#limiterErrors.inc()
  }

  setLimiterAlone(isAlone: boolean): void {
    this.#limiterAlone.set(Number(isAlone))
  }

  decidedAlone(): void {
    this.#decidedAlone.inc()
  }

  setPushLost(isLost: boolean): void {
    this.#pushLost.set(Number(isLost))
  }

  /** A limit that refuses a call which no account pays for is that of its address. */
  #countAnonymous({ code }: Refusal): void {
    if (code === 'rate_limit_exceeded') this.#anonymousRefused.inc()
  }

  #counter(name: string, help: string): Counter {
    return new Counter({ name, help, registers: [this.#registry] })
  }

  #gauge(name: string, help: string): Gauge {
    return new Gauge({ name, help, registers: [this.#registry] })
  }

  #histogram(name: string, help: string, buckets: number[]): Histogram {
    return new Histogram({ name, help, buckets, registers: [this.#registry] })
  }
}

function operationList(operations: readonly string[]): ClosedList {
  return new ClosedList('operation', [...operations, 'none'], 'none')
}
