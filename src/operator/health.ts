import { type Answer, jsonAnswer } from '../http/answer.ts'
import type { Awaitable } from '../http/awaitable.ts'
import type { Call } from '../http/call.ts'
import { Refusal } from '../http/refusal.ts'
import type { CheckStore } from './store-check.ts'

interface Dependencies {
  checkStore: CheckStore
  /** Then it says nothing about this instance: if it fails, it fails for all, and a load balancer must not take out all of them. */
  isStoreShared: boolean
  metrics: { text(): Promise<string>; readonly contentType: string }
  isStopping(): boolean
  /** Whole days until each listener's certificate expires. */
  certificateDays(): Readonly<Record<string, number>>
  /** Whether the caller may see why the store cannot be used. */
  isOperator(call: Call): Promise<boolean>
}

export type Health = Record<'livez' | 'readyz' | 'metrics', (call: Call) => Awaitable<Answer>>

/** Liveness, readiness and metrics. */
export function buildHealth(dependencies: Dependencies): Health {
  const { checkStore, isStoreShared, metrics, isStopping, certificateDays, isOperator } = dependencies

  async function readyz(call: Call): Promise<Answer> {
    if (isStopping()) throw notReady('the service is stopping')
    const reason = isStoreShared ? undefined : await checkStore()
    if (reason !== undefined) throw notReady((await isOperator(call)) ? reason : 'the store cannot be used', reason)
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

/** @param reason for the log only: it may name hosts, users and paths */
function notReady(text: string, reason = text): Refusal {
  return new Refusal('service_unavailable', `Not ready: ${text}`, { headers: { 'Retry-After': '1' }, reason })
}
