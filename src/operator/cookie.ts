import type { IncomingMessage } from 'node:http'
import type { Deployment } from '../domain/deployment.ts'
import { isWellFormedSession } from '../domain/session.ts'

/** Cookies know no ports: two deployments on one host must not share one. */
export const COOKIE_NAMES: Record<Deployment, string> = {
  production: 'petstore_session_live',
  staging: 'petstore_session_test',
}

const PATH = '/admin'
/** Where else a cookie of this name reaches the admin API from. */
const OTHER_PATHS = ['/', '/admin/v1']
/** So many cookies of the name are looked at. */
const MAX_COOKIES = 4

/**
 * The secrets of sessions that a browser sends (RFC 6265): undefined where it sends no cookie of the name. There may be several,
 * as others on this host, or on one above it, can set cookies of any name for other paths, and nothing tells which is ours.
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
 * The headers that make a browser keep a session: out of reach of scripts, and never sent from another site's page. Other cookies of the
 * name that came along are taken away.
 */
export function setCookie(
  { headers }: IncomingMessage,
  deployment: Deployment,
  { secret, maxAgeSeconds }: SessionCookie,
): string[] {
  const isSecure = maxAgeSeconds > 0 && cameByHttps(headers['x-forwarded-proto'])
  const cookie = (path: string, value: string, seconds: number) => [
    'Set-Cookie',
    `${COOKIE_NAMES[deployment]}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`,
  ]
  const others = valuesOf(headers.cookie, deployment).length > 1 ? OTHER_PATHS : []
  return [...others.flatMap(path => cookie(path, '', 0)), ...cookie(PATH, secret, maxAgeSeconds)]
}

/**
 * Whether the browser came by https; it must then never send the cookie otherwise. Of several proxies each adds how it was called, the
 * browser's way first. Who lies about it changes nobody's cookie but their own.
 */
function cameByHttps(forwarded: string | string[] | undefined): boolean {
  return (
    String(forwarded ?? '')
      .split(',', 1)[0]
      ?.trim()
      .toLowerCase() === 'https'
  )
}

function valuesOf(cookies: string | undefined, deployment: Deployment): string[] {
  const start = `${COOKIE_NAMES[deployment]}=`
  const pairs = cookies?.split(';').map(pair => pair.trim()) ?? []
  return pairs.filter(pair => pair.startsWith(start)).map(pair => pair.slice(start.length))
}
