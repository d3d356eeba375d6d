import { Refusal, StoreUnavailable } from '../domain/errors.ts'
import type { Store } from '../domain/store.ts'
import type { Awaitable } from '../http/awaitable.ts'
import type { Answer, Call } from '../http/call.ts'
import { jsonAnswer } from '../http/json-answer.ts'
import type { Route } from '../http/routes.ts'

interface Dependencies {
  store: Pick<Store, 'check'>
  metrics: { text(): Promise<string>; readonly contentType: string }
  isStopping(): boolean
  /** Whether the caller may know what the store says of itself. */
  isOperator(call: Call): Promise<boolean>
}

/** For how long the store may keep a probe waiting. */
const PATIENCE_MS = 2_000
/** Probes that come together share one look at the store, which costs a write. */
const SHARED_FOR_MS = 1_000

/** The names that metrics and logs have for these. */
export const HEALTH_IDS = ['livez', 'readyz', 'metrics'] as const

/** What a machine asks: whether the process lives, whether it can serve, and how it fares. Needs no token. */
export function healthRoutes({ store, metrics, isStopping, isOperator }: Dependencies): Route[] {
  let checkedAt = Number.NEGATIVE_INFINITY
  let checking: Promise<void> = Promise.resolve()

  async function ready(call: Call): Promise<Answer> {
    if (isStopping()) throw notReady('the service is stopping')
    if (performance.now() - checkedAt >= SHARED_FOR_MS) {
      checkedAt = performance.now()
      checking = withPatience(store.check())
      checking.catch(() => {})
    }
    await checking.catch(async error => {
      const reason = error instanceof StoreUnavailable ? reasonOf(error) : 'the store fails'
      throw notReady((await isOperator(call)) ? reason : 'the store cannot be used', reason)
    })
    return jsonAnswer(200, '{"status":"ready"}', [])
  }

  async function expose(): Promise<Answer> {
    const body = await metrics.text()
    const headers = ['Content-Type', metrics.contentType, 'Content-Length', String(Buffer.byteLength(body))]
    return { status: 200, headers, body }
  }

  const handlers: Record<(typeof HEALTH_IDS)[number], (call: Call) => Awaitable<Answer>> = {
    livez: () => jsonAnswer(200, '{"status":"live"}', []),
    readyz: ready,
    metrics: expose,
  }
  return HEALTH_IDS.map(id => ({ path: `/${id}`, operations: { GET: { id, handle: handlers[id] } } }))
}

/** @throws StoreUnavailable when it takes too long */
function withPatience(check: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new StoreUnavailable(`The store has not answered for ${PATIENCE_MS / 1_000} seconds.`)),
    PATIENCE_MS,
  )
  return Promise.race([check, late.promise]).finally(() => clearTimeout(timer))
}

function reasonOf({ message, cause }: StoreUnavailable): string {
  return cause instanceof Error ? `${message} (${cause.message})` : message
}

/** @param reason for the log: it may name hosts, users and paths */
function notReady(words: string, reason = words): Refusal {
  return new Refusal('service_unavailable', `Not ready: ${words}`, { headers: { 'Retry-After': '1' }, reason })
}
