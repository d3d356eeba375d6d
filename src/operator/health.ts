import { StoreUnavailable } from '../domain/errors.ts'
import type { Store } from '../domain/store.ts'
import { type Answer, jsonAnswer } from '../http/answer.ts'
import type { Awaitable } from '../http/awaitable.ts'
import type { Call } from '../http/call.ts'
import { Refusal } from '../http/refusal.ts'

interface Dependencies {
  store: Pick<Store, 'check'>
  metrics: { text(): Promise<string>; readonly contentType: string }
  isStopping(): boolean
  /** Whole days until each listener's certificate expires. */
  certificateDays(): Readonly<Record<string, number>>
  /** Whether the caller may see why the store cannot be used. */
  isOperator(call: Call): Promise<boolean>
}

export type Health = Record<'livez' | 'readyz' | 'metrics', (call: Call) => Awaitable<Answer>>

/** How long the store may take to answer a probe. */
const CHECK_TIMEOUT_MS = 2_000
/** Probes within this time share one check of the store, which costs a write. */
const CHECK_SHARED_MS = 1_000

/** Says whether the process is alive, whether it can serve, and its metrics. */
export function buildHealth({ store, metrics, isStopping, certificateDays, isOperator }: Dependencies): Health {
  let checkedAt = Number.NEGATIVE_INFINITY
  let checking: Promise<void> = Promise.resolve()

  async function readyz(call: Call): Promise<Answer> {
    if (isStopping()) throw notReady('the service is stopping')
    if (performance.now() - checkedAt >= CHECK_SHARED_MS) {
      checkedAt = performance.now()
      checking = withTimeout(store.check())
      checking.catch(() => {})
    }
    await checking.catch(async error => {
      const reason = error instanceof StoreUnavailable ? reasonOf(error) : 'the store fails'
      throw notReady((await isOperator(call)) ? reason : 'the store cannot be used', reason)
    })
    const days = certificateDays()
    const body = { status: 'ready', ...(Object.keys(days).length > 0 && { certificateDaysLeft: days }) }
    return jsonAnswer(200, JSON.stringify(body), [])
  }

  async function exportMetrics(): Promise<Answer> {
    const body = await metrics.text()
    const headers = ['Content-Type', metrics.contentType, 'Content-Length', String(Buffer.byteLength(body))]
    return { status: 200, headers, body }
  }

  return { livez: () => jsonAnswer(200, '{"status":"live"}', []), readyz, metrics: exportMetrics }
}

/** @throws StoreUnavailable when it takes too long */
function withTimeout(check: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new StoreUnavailable(`The store has not answered for ${CHECK_TIMEOUT_MS / 1_000} seconds.`)),
    CHECK_TIMEOUT_MS,
  )
  return Promise.race([check, late.promise]).finally(() => clearTimeout(timer))
}

function reasonOf({ message, cause }: StoreUnavailable): string {
  return cause instanceof Error ? `${message} (${cause.message})` : message
}

/** @param reason for the log only: it may name hosts, users and paths */
function notReady(text: string, reason = text): Refusal {
  return new Refusal('service_unavailable', `Not ready: ${text}`, { headers: { 'Retry-After': '1' }, reason })
}
