import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { isUsable, type OperatorToken } from './operator.ts'
import { DAY_MS } from './time.ts'

/** The session of a signed-in browser. The store keeps the SHA-256 of its secret. Times are Unix milliseconds. */
export interface Session {
  token: OperatorToken
  expiresAt: number
}

/** Starting another session ends the one that would have expired first. */
export const MAX_SESSIONS_PER_TOKEN = 20

/** A working day, and some more. */
export const SESSION_MS = DAY_MS / 2

export function isUsableSession({ token, expiresAt }: Session, now: number): boolean {
  return now < expiresAt && isUsable(token, now)
}

/** The prefix allows logs to recognize the secret and leave it out. */
export function generateSession(): string {
  return `petstore_session_${randomBytes(32).toString('base64url')}`
}

/** Whether a text can be the secret of a session. Needs no lookup. */
export function isWellFormedSession(text: string): boolean {
  return /^petstore_session_[\w-]{43}$/.test(text)
}

/**
 * Our own pages send this token with every change, and other sites cannot know it. The cookie alone proves nothing, because browsers add it
 * to any request. The token is derived from the secret of the session, so it need not be stored.
 */
export function csrfTokenOf(sessionSecret: string): string {
  return `petstore_csrf_${createHmac('sha256', sessionSecret).update('csrf').digest('base64url')}`
}

export function isCsrfToken(text: string, sessionSecret: string): boolean {
  const sent = Buffer.from(text)
  const right = Buffer.from(csrfTokenOf(sessionSecret))
  return sent.length === right.length && timingSafeEqual(sent, right)
}
