import type { IncomingMessage } from 'node:http'
import { Refusal } from './refusal.ts'
import { countHeader } from './request-headers.ts'

/** @throws Refusal invalid_idempotency_key */
export function readIdempotencyKey(request: IncomingMessage): string | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || countHeader(request, 'idempotency-key') > 1 || !isIdempotencyKey(key)) {
    throw new Refusal('invalid_idempotency_key')
  }
  return key
}

export function isIdempotencyKey(text: string): boolean {
  return /^[\x21-\x7e]{1,255}$/.test(text)
}
