import type { AdminContext } from '../domain/administration/context.ts'
import { findUsableSession } from '../domain/administration/sessions.ts'
import { findUsableSignInLink } from '../domain/administration/sign-in-links.ts'
import { examineToken } from '../domain/administration/tokens.ts'
import type { Deployment } from '../domain/deployment.ts'
import type { Operator, OperatorToken, Role } from '../domain/operator.ts'
import type { Permit, PermitFault } from '../domain/permit.ts'
import { hashSecret } from '../domain/secret.ts'
import { isCsrfToken, type Session } from '../domain/session.ts'
import type { Store } from '../domain/store.ts'
import { forLog } from '../domain/untrusted-text.ts'
import { readBearer, SENT_TWICE, secretFault } from '../http/bearer.ts'
import type { Call } from '../http/call.ts'
import { Refusal } from '../http/refusal.ts'
import { countHeader } from '../http/request-headers.ts'
import { readCookies } from './cookie.ts'
import type { CredentialLimiter } from './credential-limiter.ts'

/** The calling operator, and the token or session that proves their identity. */
export interface Credentials {
  operator: Operator
  /** When the token or the session expires, in Unix milliseconds. */
  expiresAt: number | undefined
  /** Undefined if a token was sent. */
  sessionSecret: string | undefined
}

export interface Authentication {
  store: Store
  deployment: Deployment
  credentialLimiter: CredentialLimiter
}

/**
 * Finds the operator by a token (`Authorization: Bearer TOKEN`) or a session cookie. API keys are not accepted. The response does not reveal
 * why credentials are invalid, except for faults in their form.
 * @throws Refusal missing_token, invalid_token, rate_limit_exceeded
 */
export async function authenticate(call: Call, authentication: Authentication): Promise<Credentials> {
  const { request, now } = call
  const { store, deployment, credentialLimiter } = authentication
  const { authorization } = request.headers
  if (authorization !== undefined) {
    const isOnce = countHeader(request, 'authorization') === 1
    const { secret = '', fault } = isOnce ? readBearer(authorization) : { fault: SENT_TWICE }
    const token = await requireToken(call, secret, authentication, fault)
    return { operator: operatorOf(token), expiresAt: token.expiresAt, sessionSecret: undefined }
  }
  const secrets = readCookies(request, deployment)
  if (secrets === undefined) throw missingToken()
  // If one of the sessions has worked before, the other secrets are not guesses.
  const sent = secrets.find(secret => credentialLimiter.knowsSession(secret)) ?? secrets.join(' ')
  const found = await credentialLimiter.attempt(call, 'session', sent, () => findFirstSession({ store, now }, secrets))
  if (!found) throw sessionEnded('the session has ended or is unknown')
  const { session, sessionSecret } = found
  credentialLimiter.rememberSession(sessionSecret)
  return { operator: operatorOf(session.token), expiresAt: session.expiresAt, sessionSecret }
}

/**
 * Returns the operator's token with this text.
 * @param fault what is wrong with its form, if anything
 * @throws Refusal invalid_token, rate_limit_exceeded
 */
export async function requireToken(
  call: Call,
  text: string,
  { store, deployment, credentialLimiter }: Authentication,
  fault = secretFault(text),
): Promise<OperatorToken> {
  let reason = 'the same invalid token as in another call'
  const token = await credentialLimiter.attempt(call, 'token', text, async () => {
    const examined = await examineToken({ store, deployment, now: call.now }, text)
    if ('token' in examined) return examined.token
    reason = examined.reason
    return undefined
  })
  if (!token) throw tokenInvalid(reason, fault)
  return token
}

/**
 * Returns the operator's token that a sign-in link was created for.
 * @throws Refusal invalid_token, rate_limit_exceeded
 */
export async function requireSignInLink(
  call: Call,
  secret: string,
  { store, deployment, credentialLimiter }: Authentication,
): Promise<OperatorToken> {
  const context = { store, deployment, now: call.now }
  const link = await credentialLimiter.attempt(call, 'link', secret, () => findUsableSignInLink(context, secret))
  if (!link) throw overLink()
  return link.token
}

export function overLink(): Refusal {
  const message = 'The sign-in link has expired or was already used; "petstore console" prints another one.'
  return invalidToken(message, 'the sign-in link is unknown, used or expired')
}

async function findFirstSession(
  context: Pick<AdminContext, 'store' | 'now'>,
  secrets: readonly string[],
): Promise<{ session: Session; sessionSecret: string } | undefined> {
  for (const sessionSecret of secrets) {
    const session = await findUsableSession(context, sessionSecret)
    if (session) return { session, sessionSecret }
  }
  return undefined
}

/**
 * Protects against requests from other sites, because browsers add the cookie to those, too. A change needs the CSRF token of the session and
 * must not come from a page of another origin. Calls with an operator token need no protection: browsers do not add it automatically.
 * @throws Refusal csrf_refused
 */
export function refuseForgery(call: Call, sessionSecret: string | undefined): void {
  const { method = '', headers } = call.request
  if (sessionSecret === undefined || method === 'GET' || method === 'HEAD') return
  refuseOtherOrigins(call)
  const sent = headers['x-csrf-token']
  if (typeof sent !== 'string' || !isCsrfToken(sent, sessionSecret)) {
    throw new Refusal('csrf_refused', 'Send the X-CSRF-Token of the session with every change.')
  }
}

/**
 * Refuses requests from pages of other sites. Current browsers send `Sec-Fetch-Site`. For older ones, the origin must have the host of the
 * request, which proxies in between must not rewrite.
 * @throws Refusal csrf_refused
 */
export function refuseOtherOrigins({ request: { headers } }: Call): void {
  const { origin, host } = headers
  const site = headers['sec-fetch-site']
  const isOwn = site === 'same-origin' || site === 'none'
  const isForeign = origin !== undefined && (host === undefined || URL.parse(origin)?.host !== host)
  if (site === undefined ? isForeign : !isOwn) {
    throw new Refusal('csrf_refused', 'Requests from pages of other sites are refused.', {
      reason: `Origin ${shown(origin)}, Host ${shown(host)}, Sec-Fetch-Site ${shown(site)}`,
    })
  }
}

/** Short enough for all three values to fit in the reason. */
function shown(header: string | string[] | undefined): string {
  return header === undefined ? '(none)' : forLog(String(header), 100)
}

export function operatorOf({ id, name, role, source }: OperatorToken): Operator {
  return { tokenId: id, name, role, source }
}

export function actorName({ name, tokenId }: Operator): string {
  return `${name} (token ${tokenId})`
}

/** What the action of an operator with these credentials rests on, if it needs this role. */
export function permitOf({ operator, sessionSecret }: Credentials, role: Role): Permit {
  const sessionHash = sessionSecret === undefined ? undefined : hashSecret(sessionSecret)
  return { tokenId: operator.tokenId, sessionHash, role }
}

/** The refusal of a call whose permit has lapsed since it passed the gates. */
export function noLongerPermitted(fault: PermitFault, permit: Permit | undefined): Refusal {
  if (fault === 'role') return roleInsufficient()
  const reason = 'revoked, ended or expired while the call was in flight'
  return permit?.sessionHash === undefined ? tokenInvalid(reason) : sessionEnded(reason)
}

export function roleInsufficient(): Refusal {
  return new Refusal('role_insufficient', 'This requires a token with the role admin; yours has the role staff.')
}

/** @param source the only one whose file the token can send */
export function onlyForFeed(source: string): Refusal {
  return new Refusal('role_insufficient', `This token can only send the file of the source "${source}".`)
}

export function missingToken(): Refusal {
  const message = 'An operator token is required: send "Authorization: Bearer <TOKEN>", or sign in.'
  return new Refusal('missing_token', message, { headers: { 'WWW-Authenticate': 'Bearer' } })
}

function sessionEnded(reason: string): Refusal {
  return invalidToken('The session has ended; sign in again.', reason)
}

function tokenInvalid(reason: string, fault?: string): Refusal {
  return invalidToken(`The operator token is not valid${fault === undefined ? '' : `: ${fault}`}.`, fault ?? reason)
}

/** @param reason for the log only */
function invalidToken(message: string, reason: string): Refusal {
  const headers = { 'WWW-Authenticate': 'Bearer error="invalid_token"' }
  return new Refusal('invalid_token', message, { headers, reason })
}
