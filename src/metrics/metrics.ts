import { performance } from 'node:perf_hooks'
import type { Caller } from '../domain/account.ts'
import { PLANS } from '../domain/plan.ts'
import type { Decision } from '../domain/rate-limiter.ts'
import type { Call } from '../http/call.ts'
import { DAMAGED, type Refusal } from '../http/refusal.ts'
import type { OnAnswered } from '../http/server.ts'
import { ERRORS, type PublicErrorCode } from '../schema/error-codes.ts'
import type { Build } from '../schema/responses/service.ts'
import { HotCounter, HotHistogram, Label } from './hot-metrics.ts'
import { addProcessMetrics, measureEventLoopDelay } from './process-metrics.ts'
import { Counter, Gauge, Histogram, Registry } from './prometheus.ts'

const OTHER = 'other'
const OUTCOMES = ['admitted', 'refused', 'banned'] as const satisfies Decision['outcome'][]
/** The status of a call whose client disconnected before the response. */
const GONE = 'gone'
const STATUS = new Label('status', [200, 201, 204, 304, 308, ...Object.values(ERRORS), GONE], OTHER)
const FAILURES = Object.values(ERRORS).filter(status => status >= 500)

/** The refusals of bytes that are not a request (http/parser-refusals.ts). */
const CONNECTION_CODES: readonly PublicErrorCode[] = [
  'malformed_request',
  'request_timeout',
  'body_too_large',
  'uri_too_long',
  'headers_too_large',
  'rate_limit_exceeded',
  'method_not_supported',
]

/** Seconds, from a fast list to the timeout of most clients. */
const CALL_BOUNDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** Seconds, around the duration of an fsync. */
const COMMIT_BOUNDS = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
const BATCH_SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024]

/** A call of the public API, with its caller and the limiter's decision if they are known. */
interface CountedCall extends Call {
  caller: Caller | undefined
  decision: Decision | undefined
}

/**
 * The metrics of one service, for Prometheus. Every label has a fixed list of values: neither accounts nor client input create series.
 * Series that alerts use are 0 from the start.
 */
export class Metrics {
  readonly #registry = new Registry()
  readonly #calls = new HotCounter(
    this.#registry,
    'petstore_calls_total',
    'Calls with a valid key, by plan of the account and outcome of the limits.',
    [new Label('plan', PLANS, OTHER), new Label('outcome', OUTCOMES, OTHER)],
    { rows: PLANS, columns: OUTCOMES },
  )
  readonly #anonymousRefused = this.#counter(
    'petstore_anonymous_refused_total',
    'Calls without a valid key refused because their address had used up its limit.',
  )
  readonly connectionsDropped = this.#counter(
    'petstore_connections_dropped_total',
    'Connections to either listener closed immediately because too many were open.',
  )
  readonly overloadRefused = this.#counter(
    'petstore_overload_refused_total',
    'Calls refused unread because more arrived than could be answered.',
  )
  readonly overloaded = this.#gauge(
    'petstore_overloaded',
    '1 while more calls arrive than can be answered, so that some are refused, else 0.',
  )
  readonly credentialsRefused = this.#counter(
    'petstore_operator_credentials_refused_total',
    "Credentials on the operators' listener that were wrong, or not checked because their address had sent too many wrong ones.",
    ['why'],
  )
  readonly #connectionsRefused = this.#counter(
    'petstore_connections_refused_total',
    'Connections closed because their bytes were not a request, by error code.',
    ['code'],
  )
  readonly certificateExpiry = this.#gauge(
    'petstore_certificate_expiry_timestamp_seconds',
    'When the certificate that a listener uses expires, in Unix seconds; 0 if it speaks HTTP.',
    ['listener'],
  )
  readonly handshakesFailed = this.#counter(
    'petstore_tls_handshakes_failed_total',
    'TLS handshakes on either listener that were not completed.',
  )
  readonly #commitWrites = this.#histogram(
    'petstore_store_commit_writes',
    'Number of writes in one commit of the store.',
    BATCH_SIZES,
  )
  readonly #commitDurations = this.#histogram(
    'petstore_store_commit_duration_seconds',
    'Duration of one commit of the store, until it is on disk.',
    COMMIT_BOUNDS,
  )
  readonly #storeErrors = this.#counter('petstore_store_errors_total', 'Failed operations of the store.')
  readonly #storeDamage = this.#counter(
    'petstore_store_damage_total',
    'Calls refused because of damaged data in the store.',
  )
  readonly limiterErrors = this.#counter('petstore_limiter_errors_total', 'Failed operations of the rate limiter.')
  readonly limiterAlone = this.#gauge(
    'petstore_limiter_alone',
    '1 while this process counts calls alone because Redis cannot be used, else 0.',
  )
  readonly decidedAlone = this.#counter(
    'petstore_limiter_alone_decisions_total',
    'Calls that this process decided alone because Redis could not be used.',
  )
  readonly #buildInfo = this.#gauge('petstore_build_info', 'Always 1; the labels are the versions.', [
    'version',
    'commit',
    'node',
  ])
  readonly leaseLost = this.#gauge(
    'petstore_store_push_lost',
    '1 while this instance cannot renew its lease in the database, without which it serves nothing, else 0.',
  )
  readonly backupAt = this.#gauge(
    'petstore_backup_timestamp_seconds',
    'The time of the newest verified backup that a service wrote by its schedule, in Unix seconds; 0 if there is none.',
  )
  readonly backupInterval = this.#gauge(
    'petstore_backup_interval_seconds',
    'Time from one scheduled backup to the next, in seconds; 0 without a schedule.',
  )
  readonly backupErrors = this.#counter('petstore_backup_errors_total', 'Failed attempts to write a scheduled backup.')
  readonly #stopMeasuring = measureEventLoopDelay(this.#registry)

  constructor(droppedLogLines: () => number = () => 0) {
    for (const listener of ['public', 'operators']) this.certificateExpiry.set({ listener }, 0)
    for (const code of CONNECTION_CODES) this.#connectionsRefused.inc({ code }, 0)
    for (const why of ['wrong', 'not_tried']) this.credentialsRefused.inc({ why }, 0)
    addProcessMetrics(this.#registry)
    new Counter({
      name: 'petstore_log_lines_dropped_total',
      help: 'Lines of the log that were dropped because they could not be written.',
      registers: [this.#registry],
      collect() {
        this.reset()
        this.inc(droppedLogLines())
      },
    })
  }

  /** Called once it is known which program runs. */
  showBuild({ version, commit }: Pick<Build, 'version' | 'commit'>): void {
    this.#buildInfo.set({ version, commit: commit ?? 'unknown', node: process.version }, 1)
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  text(): Promise<string> {
    return this.#registry.metrics()
  }

  /** Stops measuring. The metrics can still be read. */
  close(): void {
    this.#stopMeasuring()
  }

  /** @param operations the ids of all public operations */
  buildPublicAnswered(operations: readonly string[]): OnAnswered<CountedCall> {
    const operation = operationLabel(operations)
    const requests = this.#requests(
      'petstore_http_requests_total',
      `Answered calls of the public API by operation ("none": no operation of the API) and status ("${GONE}": the client disconnected before the response).`,
      operation,
    )
    const durations = new HotHistogram(
      this.#registry,
      'petstore_http_request_duration_seconds',
      'Time from the arrival of the headers until the response was handed over, including the arrival of the body.',
      operation,
      CALL_BOUNDS,
    )
    return ({ operation, caller, decision, startedAt }, status, refusal) => {
      requests.add(operation, status ?? GONE)
      if (status !== undefined) durations.observe(operation, (performance.now() - startedAt) / 1_000)
      if (caller && decision) this.#calls.add(caller.plan, decision.outcome)
      else if (refusal) this.#countAnonymous(refusal)
    }
  }

  /** @param operations the ids of all operations of the operators' listener */
  buildOperatorAnswered(operations: readonly string[]): OnAnswered {
    const requests = this.#requests(
      'petstore_operator_requests_total',
      "Answered calls of the operators' listener by operation and status, as in petstore_http_requests_total.",
      operationLabel(operations),
    )
    return (call, status) => requests.add(call.operation, status ?? GONE)
  }

  /** Counts a connection to the public listener whose bytes are not a request. */
  connectionRefused(refusal: Refusal): void {
    this.#connectionsRefused.inc({ code: CONNECTION_CODES.find(code => code === refusal.code) ?? OTHER })
    this.#countAnonymous(refusal)
  }

  committed(writes: number, milliseconds: number): void {
    this.#commitWrites.observe(writes)
    this.#commitDurations.observe(milliseconds / 1_000)
  }

  /** @param refusal of the call that failed, if there was one */
  storeFailed(refusal?: Refusal): void {
    this.#storeErrors.inc()
    if (refusal?.reason === DAMAGED) this.#storeDamage.inc()
  }

  /** Only the limit of its address can refuse a call without an account. */
  #countAnonymous({ code }: Refusal): void {
    if (code === 'rate_limit_exceeded') this.#anonymousRefused.inc()
  }

  #requests(name: string, help: string, operation: Label): HotCounter {
    return new HotCounter(this.#registry, name, help, [operation, STATUS], {
      rows: operation.values,
      columns: FAILURES,
    })
  }

  #counter(name: string, help: string, labelNames: string[] = []): Counter<string> {
    return new Counter({ name, help, labelNames, registers: [this.#registry] })
  }

  #gauge(name: string, help: string, labelNames: string[] = []): Gauge<string> {
    return new Gauge({ name, help, labelNames, registers: [this.#registry] })
  }

  #histogram(name: string, help: string, buckets: number[]): Histogram {
    return new Histogram({ name, help, buckets, registers: [this.#registry] })
  }
}

function operationLabel(operations: readonly string[]): Label {
  return new Label('operation', [...operations, 'none'], 'none')
}
