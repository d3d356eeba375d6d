import { Refusal, StoreDamaged, StoreUnavailable } from '../domain/errors.ts'
import type { Answer } from './call.ts'
import { jsonAnswer } from './json-answer.ts'

/** The reason of a call that met damaged data. */
export const DAMAGED = 'the store is damaged'

/** What any thrown thing is to the client. Only a Refusal shows itself; all else is ours to know. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (error instanceof StoreUnavailable) {
    return new Refusal('service_unavailable', 'The service cannot reach its store just now; retry shortly.', {
      headers: { 'Retry-After': '1' },
      ...(error instanceof StoreDamaged && { reason: DAMAGED }),
    })
  }
  return new Refusal('internal_error', 'Something went wrong on our side; the request id helps the operator find it.')
}

/** The one shape of every refusal. */
export function refusalAnswer({ code, message, status, headers }: Refusal): Answer {
  return jsonAnswer(status, JSON.stringify({ code, message, status }), Object.entries(headers).flat())
}
