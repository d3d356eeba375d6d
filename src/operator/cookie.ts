import type { IncomingMessage } from 'node:http'
import type { Deployment } from '../domain/deployment.ts'

/** Cookies know no ports: two deployments on one host must not share one. */
export const COOKIE_NAMES: Record<Deployment, string> = {
  production: 'petstore_session_live',
  staging: 'petstore_session_test',
}

/**
 * The secret of the session that a browser sends (RFC 6265). Of two by the same name, one is not ours, and nothing tells which: they
 * are taken for an empty one, which opens no session.
 */
export function readCookie({ headers }: IncomingMessage, deployment: Deployment): string | undefined {
  const start = `${COOKIE_NAMES[deployment]}=`
  const pairs = headers.cookie?.split(';').map(pair => pair.trim()) ?? []
  const secrets = pairs.filter(pair => pair.startsWith(start)).map(pair => pair.slice(start.length))
  return secrets.length > 1 ? '' : secrets[0]
}

interface SessionCookie {
  deployment: Deployment
  secret: string
  maxAgeSeconds: number
  /** Whether the browser came by https; it must then never send the cookie otherwise. */
  isSecure: boolean
}

/** The header that makes a browser keep a session: out of reach of scripts, and never sent from another site's page. */
export function setCookie({ deployment, secret, maxAgeSeconds, isSecure }: SessionCookie): string[] {
  const attributes = `Path=/admin; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
  return ['Set-Cookie', `${COOKIE_NAMES[deployment]}=${secret}; ${attributes}`]
}
