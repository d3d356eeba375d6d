import { hash } from 'node:crypto'
import { DAY_MS } from './time.ts'

/** A creation that clients may retry: the same key with the same body creates one animal. */
export interface IdempotentRequest {
  accountId: bigint
  /** 1 to 255 visible ASCII characters. */
  key: string
  /** Identifies the body. */
  fingerprint: string
}

/** A creation that repeats an earlier one only if that was later than `since`, in Unix milliseconds. */
export interface DatedRequest extends IdempotentRequest {
  since: number
}

/** How long the creation of a key is kept. */
export const IDEMPOTENCY_MS = DAY_MS

/** Two bodies are the same if their bytes are the same. */
export function fingerprintOf(body: Uint8Array): string {
  return hash('sha256', body, 'base64url')
}
