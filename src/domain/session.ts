import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { OperatorToken } from './operator.ts'

/** A browser that an operator has signed in with. The store keeps the SHA-256 of its secret. Times are Unix milliseconds. */
export interface Session {
  token: OperatorToken
  expiresAt: number
}

/** So many browsers may be signed in with one token: each further one ends the session that would have been over first. */
export const MAX_SESSIONS_PER_TOKEN = 20

/** A working day, and some. */
export const SESSION_MS = 12 * 60 * 60 * 1_000

/** Shows what it is, so that a log can keep it out. */
export function generateSession(): string {
  return `petstore_session_${randomBytes(32).toString('base64url')}`
}

/** Whether a text can be the secret of a session at all: what is not need not be looked up. */
export function isWellFormedSession(text: string): boolean {
  return /^petstore_session_[\w-]{43}$/.test(text)
}

/**
 * What a page of ours must send along with every change, and no other site can know: a browser sends the cookie by itself.
 * Made from the session's secret, so that nothing more need be stored.
 */
export function csrfTokenOf(sessionSecret: string): string {
  return `petstore_csrf_${createHmac('sha256', sessionSecret).update('csrf').digest('base64url')}`
}

export function isCsrfToken(text: string, sessionSecret: string): boolean {
  const sent = Buffer.from(text)
  const right = Buffer.from(csrfTokenOf(sessionSecret))
  return sent.length === right.length && timingSafeEqual(sent, right)
}
