import type { IncomingMessage } from 'node:http'
import { REQUEST_HEADERS, responseHeaders } from './headers.ts'
import { METHODS } from './routes.ts'

const ACCEPTED = [
  'Authorization',
  'Content-Type',
  ...Object.values(REQUEST_HEADERS).map(({ name }) => name),
  // With these a page may name its client and version. Pages of most browsers cannot set User-Agent.
  'User-Agent',
  'X-Petstore-Client',
]

/** Pages can always read the first; the others are for the browser only. */
const NOT_EXPOSED = ['Cache-Control', 'X-Content-Type-Options', 'Vary', 'Content-Encoding']
const EXPOSED = Object.keys(responseHeaders(''))
  .map(name => name.replace(/^(?:Page|Deprecation)Link$/, 'Link'))
  .filter(name => !NOT_EXPOSED.includes(name))

/** Headers, as name, value, name, value …, that let pages of the listed origins read an answer (Fetch standard, "CORS protocol"). */
export function buildCors(origins: readonly string[]): (request: IncomingMessage) => readonly string[] {
  if (origins.length === 0) return () => []
  const listed = new Set(origins)
  const exposed = format(EXPOSED)
  const preflight = [
    'Access-Control-Allow-Methods',
    METHODS,
    'Access-Control-Allow-Headers',
    format(ACCEPTED),
    'Access-Control-Max-Age',
    '3600',
  ]
  return ({ headers, method }) => {
    const { origin } = headers
    if (origin === undefined || !listed.has(origin)) return ['Vary', 'Origin']
    const allowed = ['Vary', 'Origin', 'Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', exposed]
    const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
    return isPreflight ? [...allowed, ...preflight] : allowed
  }
}

function format(names: readonly string[]): string {
  return [...new Set(names)].toSorted().join(', ')
}
