import { findUsableSession } from '../domain/administration/sessions.ts'
import { findUsableToken } from '../domain/administration/tokens.ts'
import type { Deployment } from '../domain/deployment.ts'
import { Refusal } from '../domain/errors.ts'
import { isWellFormedToken, type Operator, type OperatorToken } from '../domain/operator.ts'
import { forLog } from '../domain/outside-text.ts'
import { hashSecret } from '../domain/secret.ts'
import { isCsrfToken } from '../domain/session.ts'
import type { Store } from '../domain/store.ts'
import type { Call } from '../http/call.ts'
import { countHeader } from '../http/headers.ts'
import { readCookie } from './cookie.ts'

/** Who calls, and by what that is known. */
export interface Credentials {
  operator: Operator
  /** When it ends, in Unix milliseconds. */
  expiresAt: number | undefined
  /** The secret of a browser's session; undefined where a token was sent. */
  sessionSecret: string | undefined
}

/**
 * Tells who calls: by a token, as `Authorization: Bearer TOKEN`, or by the cookie of a session. All that do not work look alike.
 * An API key is no token: it opens nothing here.
 * @throws Refusal missing_token, invalid_token
 */
export async function authenticate(
  { request, now }: Call,
  { store, deployment }: { store: Store; deployment: Deployment },
): Promise<Credentials> {
  const { authorization } = request.headers
  if (authorization !== undefined) {
    const text = /^Bearer +(\S+)$/i.exec(authorization)?.[1]
    const isOnce = countHeader(request, 'authorization') === 1
    const token = text && isOnce ? await findUsableToken({ store, deployment, now }, text) : undefined
    if (!token)
      throw invalidToken(
        'The operator token is not valid here, or not any more.',
        await whyRefused(text, { store, deployment }),
      )
    return { operator: operatorOf(token), expiresAt: token.expiresAt, sessionSecret: undefined }
  }
  const sessionSecret = readCookie(request, deployment)
  if (sessionSecret === undefined) {
    throw missingToken()
  }
  const session = await findUsableSession({ store, now }, sessionSecret)
  if (!session) throw invalidToken('The session is over; sign in again.', 'the session is over or unknown')
  return { operator: operatorOf(session.token), expiresAt: session.expiresAt, sessionSecret }
}

/**
 * Keeps other sites from using the cookie that a browser sends by itself: a change needs the session's CSRF token, and must not come
 * from a page of another origin. Whoever sends a token of their own is no browser that was tricked.
 * @throws Refusal csrf_refused
 */
export function refuseForgery(call: Call, sessionSecret: string | undefined): void {
  const { method = '', headers } = call.request
  if (sessionSecret === undefined || method === 'GET' || method === 'HEAD') return
  refuseOtherOrigins(call)
  const sent = headers['x-csrf-token']
  if (typeof sent !== 'string' || !isCsrfToken(sent, sessionSecret)) {
    throw new Refusal('csrf_refused', 'A change by a signed-in browser needs the X-CSRF-Token of its session.')
  }
}

/**
 * Refuses what a browser says that another site's page has sent. A browser of today says it in one word; what an older one says is
 * compared with the host that it asked, which a proxy in between must not rewrite.
 * @throws Refusal csrf_refused
 */
export function refuseOtherOrigins({ request: { headers } }: Call): void {
  const { origin, host } = headers
  const site = headers['sec-fetch-site']
  const isOwn = site === 'same-origin' || site === 'none'
  const isForeign = origin !== undefined && (host === undefined || URL.parse(origin)?.host !== host)
  if (site === undefined ? isForeign : !isOwn) {
    throw new Refusal('csrf_refused', 'This must not be called from a page of another site.', {
      reason: `Origin ${shown(origin)}, Host ${shown(host)}, Sec-Fetch-Site ${shown(site)}`,
    })
  }
}

/** Short, so that all three fit into the reason. */
function shown(header: string | string[] | undefined): string {
  return header === undefined ? '(none)' : forLog(String(header), 100)
}

export function operatorOf({ id, name, role }: OperatorToken): Operator {
  return { tokenId: id, name, role }
}

export function missingToken(): Refusal {
  return new Refusal(
    'missing_token',
    'An operator token is needed: send "Authorization: Bearer <TOKEN>", or sign in.',
    {
      headers: { 'WWW-Authenticate': 'Bearer' },
    },
  )
}

/** @param reason for the log alone */
export function invalidToken(message: string, reason: string): Refusal {
  const headers = { 'WWW-Authenticate': 'Bearer error="invalid_token"' }
  return new Refusal('invalid_token', message, { headers, reason })
}

/** Why a token does not let its holder in, for the log. */
export async function whyRefused(
  text: string | undefined,
  { store, deployment }: { store: Store; deployment: Deployment },
): Promise<string> {
  if (text === undefined || !isWellFormedToken(text, deployment)) return 'no operator token of this deployment'
  const token = await store.findToken(hashSecret(text))
  if (!token) return 'unknown'
  return `token ${token.id} ${token.revokedAt === undefined ? 'has expired' : 'is revoked'}`
}
