import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { OperatorToken } from './operator.ts'
import { DAY_MS } from './time.ts'

/** The session of a signed-in browser. The store keeps the SHA-256 of its secret. Times are Unix milliseconds. */
export interface Session {
  token: OperatorToken
  expiresAt: number
}

/** One more session ends the one that would have expired first. */
export const MAX_SESSIONS_PER_TOKEN = 20

/** A working day, with some reserve. */
export const SESSION_MS = DAY_MS / 2

/** Its prefix lets a log recognize it and leave it out. */
export function generateSession(): string {
  return `petstore_session_${randomBytes(32).toString('base64url')}`
}

/** Whether a text can be the secret of a session, without a look-up. */
export function isWellFormedSession(text: string): boolean {
  return /^petstore_session_[\w-]{43}$/.test(text)
}

/**
 * Our own pages send it with every change, and other sites cannot know it: the cookie is no proof, as browsers add it to any request.
 * It is derived from the secret of the session, so it need not be stored.
 */
export function csrfTokenOf(sessionSecret: string): string {
  return `petstore_csrf_${createHmac('sha256', sessionSecret).update('csrf').digest('base64url')}`
}

export function isCsrfToken(text: string, sessionSecret: string): boolean {
  const sent = Buffer.from(text)
  const right = Buffer.from(csrfTokenOf(sessionSecret))
  return sent.length === right.length && timingSafeEqual(sent, right)
}
