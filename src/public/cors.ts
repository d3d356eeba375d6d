import type { IncomingMessage } from 'node:http'

const EXPOSED =
  'Deprecation, ETag, Idempotency-Replayed, Link, Location, RateLimit, RateLimit-Policy, Retry-After, Sunset, WWW-Authenticate, ' +
  'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id'
const ACCEPTED = 'Authorization, Content-Type, Idempotency-Key, If-None-Match, X-Request-Id'

/** Headers, as name, value, name, value …, that let pages of the listed origins read an answer (Fetch standard, "CORS protocol"). */
export function buildCors(origins: readonly string[]): (request: IncomingMessage) => readonly string[] {
  if (origins.length === 0) return () => []
  const listed = new Set(origins)
  return ({ headers, method }) => {
    const { origin } = headers
    if (origin === undefined || !listed.has(origin)) return ['Vary', 'Origin']
    const allowed = ['Vary', 'Origin', 'Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', EXPOSED]
    if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return allowed
    return [
      ...allowed,
      'Access-Control-Allow-Methods',
      'GET, HEAD, POST, OPTIONS',
      'Access-Control-Allow-Headers',
      ACCEPTED,
      'Access-Control-Max-Age',
      '3600',
    ]
  }
}
