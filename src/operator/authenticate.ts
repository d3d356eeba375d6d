import type { Acting } from '../domain/administration/acting.ts'
import { findUsableSession } from '../domain/administration/sessions.ts'
import { examineToken } from '../domain/administration/tokens.ts'
import type { Deployment } from '../domain/deployment.ts'
import { Refusal } from '../domain/errors.ts'
import type { Operator, OperatorToken } from '../domain/operator.ts'
import { forLog } from '../domain/outside-text.ts'
import { isCsrfToken, type Session } from '../domain/session.ts'
import type { Store } from '../domain/store.ts'
import type { Call } from '../http/call.ts'
import { countHeader } from '../http/headers.ts'
import type { Brake } from './brake.ts'
import { readCookies } from './cookie.ts'

/** Who calls, and by what that is known. */
export interface Credentials {
  operator: Operator
  /** When it ends, in Unix milliseconds. */
  expiresAt: number | undefined
  /** The secret of a browser's session; undefined where a token was sent. */
  sessionSecret: string | undefined
}

/** What is needed to know who calls. */
export interface Authentication {
  store: Store
  deployment: Deployment
  brake: Brake
}

/**
 * Tells who calls: by a token, as `Authorization: Bearer TOKEN`, or by the cookie of a session. All that do not work look alike.
 * An API key is no token: it opens nothing here.
 * @throws Refusal missing_token, invalid_token, rate_limit_exceeded
 */
export async function authenticate(call: Call, authentication: Authentication): Promise<Credentials> {
  const { request, now } = call
  const { store, deployment, brake } = authentication
  const { authorization } = request.headers
  if (authorization !== undefined) {
    const text = /^Bearer +(\S+)$/i.exec(authorization)?.[1]
    const isOnce = countHeader(request, 'authorization') === 1
    const token = await requireToken(call, isOnce && text ? text : '', authentication)
    return { operator: operatorOf(token), expiresAt: token.expiresAt, sessionSecret: undefined }
  }
  const secrets = readCookies(request, deployment)
  if (secrets === undefined) throw missingToken()
  // What stands beside a session that has worked is no guess; what cannot be one may be.
  const sent = secrets.find(secret => brake.knowsSession(secret)) ?? secrets.join(' ')
  const found = await brake.attempt(call, 'session', sent, () => findFirstSession({ store, now }, secrets))
  if (!found) throw invalidToken('The session is over; sign in again.', 'the session is over or unknown')
  const { session, sessionSecret } = found
  brake.rememberSession(sessionSecret)
  return { operator: operatorOf(session.token), expiresAt: session.expiresAt, sessionSecret }
}

/**
 * The operator's token that a text is.
 * @throws Refusal invalid_token, rate_limit_exceeded
 */
export async function requireToken(
  call: Call,
  text: string,
  { store, deployment, brake }: Authentication,
): Promise<OperatorToken> {
  let why = 'the same as another that is not valid'
  const token = await brake.attempt(call, 'token', text, async () => {
    const examined = await examineToken({ store, deployment, now: call.now }, text)
    if ('token' in examined) return examined.token
    why = examined.reason
    return undefined
  })
  if (!token) throw invalidToken('The operator token is not valid.', why)
  return token
}

/** Of several, one may be ours. */
async function findFirstSession(
  acting: Pick<Acting, 'store' | 'now'>,
  secrets: readonly string[],
): Promise<{ session: Session; sessionSecret: string } | undefined> {
  for (const sessionSecret of secrets) {
    const session = await findUsableSession(acting, sessionSecret)
    if (session) return { session, sessionSecret }
  }
  return undefined
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
