import { type Answer, jsonAnswer } from '../http/answer.ts'
import type { Awaitable } from '../http/awaitable.ts'
import type { Call } from '../http/call.ts'
import { Refusal } from '../http/refusal.ts'
import type { RunningService } from './running-service.ts'

interface Dependencies {
  service: RunningService
  metrics: { text(): Promise<string>; readonly contentType: string }
  /** Whether the caller may see why the store cannot be used. */
  isOperator(call: Call): Promise<boolean>
}

export type Health = Record<'livez' | 'readyz' | 'metrics', (call: Call) => Awaitable<Answer>>

export function buildHealth({ service, metrics, isOperator }: Dependencies): Health {
  async function readyz(call: Call): Promise<Answer> {
    const problem = await service.checkReadiness()
    if (problem) {
      const { check, message: reason } = problem
      // A reason of the store may name hosts, users and paths.
      const isSecret = check === 'store' && !(await isOperator(call))
      const message = `Not ready: ${isSecret ? 'the store cannot be used' : reason}`
      throw new Refusal('service_unavailable', message, { headers: { 'Retry-After': '1' }, reason })
    }
    const days = service.certificateDays()
    const body = { status: 'ready', ...(Object.keys(days).length > 0 && { certificateDaysLeft: days }) }
    return jsonAnswer(200, JSON.stringify(body), [])
  }

  async function exportMetrics(): Promise<Answer> {
    const body = await metrics.text()
    const headers = ['Content-Type', metrics.contentType, 'Content-Length', String(Buffer.byteLength(body))]
    return { status: 200, headers, body }
  }

  async function livez(): Promise<Answer> {
    const { version, commit } = await service.build
    return jsonAnswer(200, JSON.stringify({ status: 'live', version, commit }), [])
  }

  return { livez, readyz, metrics: exportMetrics }
}
