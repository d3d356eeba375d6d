import type { IncomingMessage } from 'node:http'
import type { Deployment } from '../domain/deployment.ts'
import { isWellFormedSession } from '../domain/session.ts'
import { isEncrypted } from '../http/tls-handshakes.ts'

/** All ports of a host share cookies, so each deployment has its own name. */
export const COOKIE_NAMES: Record<Deployment, string> = {
  production: 'petstore_session_live',
  staging: 'petstore_session_test',
}

/** Other paths from which a cookie of this name would reach the admin API. Earlier releases used the second. */
const OTHER_PATHS = ['/', '/admin']
const MAX_COOKIES = 4

/**
 * The session secrets that a browser sends (RFC 6265); undefined if it sends no cookie of this name. There may be several: other services on
 * this host or on a parent domain can set cookies of any name, and ours cannot be distinguished from theirs.
 */
export function readCookies({ headers }: IncomingMessage, deployment: Deployment): string[] | undefined {
  const values = valuesOf(headers.cookie, deployment)
  if (values.length === 0) return undefined
  return [...new Set(values.filter(isWellFormedSession))].slice(0, MAX_COOKIES)
}

interface SessionCookie {
  secret: string
  maxAgeSeconds: number
}

/**
 * The headers that set the session cookie. Scripts cannot read it, and pages of other sites cannot send it. It has no path: the browser uses
 * the folder of the address that it called, including the path prefix of a proxy. Other cookies of the same name are deleted.
 */
export function setCookie(
  { headers, socket }: IncomingMessage,
  deployment: Deployment,
  { secret, maxAgeSeconds }: SessionCookie,
): string[] {
  const isSecure = maxAgeSeconds > 0 && (isEncrypted(socket) || isForwardedHttps(headers['x-forwarded-proto']))
  const cookie = (path: string | undefined, value: string, seconds: number) => [
    'Set-Cookie',
    `${COOKIE_NAMES[deployment]}=${value}${path ? `; Path=${path}` : ''}; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`,
  ]
  const others = valuesOf(headers.cookie, deployment).length > 1 ? OTHER_PATHS : []
  return [...others.flatMap(path => cookie(path, '', 0)), ...cookie(undefined, secret, maxAgeSeconds)]
}

/**
 * Whether the browser reached a proxy over https; it must then send the cookie only over https. Each proxy appends the protocol that it saw,
 * so the browser's protocol is first. A client that sends a false value affects only its own cookie.
 */
function isForwardedHttps(forwarded: string | string[] | undefined): boolean {
  return /^\s*https\s*(,|$)/i.test(String(forwarded ?? ''))
}

function valuesOf(cookies: string | undefined, deployment: Deployment): string[] {
  const start = `${COOKIE_NAMES[deployment]}=`
  const pairs = cookies?.split(';').map(pair => pair.trim()) ?? []
  return pairs.filter(pair => pair.startsWith(start)).map(pair => pair.slice(start.length))
}
