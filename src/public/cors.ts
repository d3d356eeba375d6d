import type { IncomingMessage } from 'node:http'
import { linesOf, preparedLinesOf } from '../http/header-lines.ts'
import { REQUEST_HEADERS, responseHeaders } from './headers.ts'
import { METHODS } from './routes.ts'

const ACCEPTED = [
  'Authorization',
  'Content-Type',
  ...Object.values(REQUEST_HEADERS).map(({ name }) => name),
  // A page may use these to identify its client and version. In most browsers, pages cannot set User-Agent.
  'User-Agent',
  'X-Petstore-Client',
]

/** Pages can always read the first header; the others are for the browser only. */
const NOT_EXPOSED = ['Cache-Control', 'X-Content-Type-Options', 'Vary', 'Content-Encoding']
const EXPOSED = Object.keys(responseHeaders(''))
  .map(name => name.replace(/^(?:Page|Deprecation)Link$/, 'Link'))
  .filter(name => !NOT_EXPOSED.includes(name))

/** The header lines that allow pages of the listed origins to read an answer (Fetch standard, "CORS protocol"). */
export function buildCors(origins: readonly string[]): (request: IncomingMessage) => string {
  if (origins.length === 0) return () => ''
  const listed = new Set(origins)
  const exposed = preparedLinesOf(['Access-Control-Expose-Headers', format(EXPOSED)])
  const preflight = preparedLinesOf([
    'Access-Control-Allow-Methods',
    METHODS,
    'Access-Control-Allow-Headers',
    format(ACCEPTED),
    'Access-Control-Max-Age',
    '3600',
  ])
  return ({ headers, method }) => {
    const { origin } = headers
    if (origin === undefined || !listed.has(origin)) return BY_ORIGIN
    const allowed = BY_ORIGIN + linesOf(['Access-Control-Allow-Origin', origin]) + exposed
    const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
    return isPreflight ? allowed + preflight : allowed
  }
}

const BY_ORIGIN = preparedLinesOf(['Vary', 'Origin'])

function format(names: readonly string[]): string {
  return [...new Set(names)].toSorted().join(', ')
}
