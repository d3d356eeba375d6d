import type { IncomingMessage } from 'node:http'
import { linesOf, preparedLinesOf } from '../http/header-lines.ts'
import { REQUEST_HEADERS, responseHeaders } from './headers.ts'
import { METHODS } from './routes.ts'

const ACCEPTED = unique([
  'Authorization',
  'Content-Type',
  ...Object.values(REQUEST_HEADERS).map(({ name }) => name),
  // A page may use these to identify its client and version. In most browsers, pages cannot set User-Agent.
  'User-Agent',
  'X-Petstore-Client',
])
const ACCEPTED_IN_LOWER_CASE = new Set(ACCEPTED.map(name => name.toLowerCase()))

/** Pages can always read the first header; the others are for the browser only. */
const NOT_EXPOSED = ['Cache-Control', 'X-Content-Type-Options', 'Vary', 'Content-Encoding']
const EXPOSED = Object.keys(responseHeaders(''))
  .map(name => name.replace(/^(?:Page|Deprecation)Link$/, 'Link'))
  .filter(name => !NOT_EXPOSED.includes(name))

/** The header lines that allow pages of the listed origins to read an answer (Fetch standard, "CORS protocol"). */
export function buildCors(origins: readonly string[]): (request: IncomingMessage) => string {
  if (origins.length === 0) return () => ''
  const listed = new Set(origins)
  const exposed = preparedLinesOf(['Access-Control-Expose-Headers', unique(EXPOSED).join(', ')])
  const preflight = preparedLinesOf([
    'Access-Control-Allow-Methods',
    METHODS,
    'Access-Control-Max-Age',
    '3600',
    'Vary',
    'Access-Control-Request-Headers',
  ])
  return ({ headers, method }) => {
    const { origin } = headers
    if (origin === undefined || !listed.has(origin)) return BY_ORIGIN
    const allowed = BY_ORIGIN + linesOf(['Access-Control-Allow-Origin', origin]) + exposed
    const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
    if (!isPreflight) return allowed
    const names = [...ACCEPTED, ...otherNamesIn(headers['access-control-request-headers'] ?? '')]
    return allowed + preflight + linesOf(['Access-Control-Allow-Headers', names.join(', ')])
  }
}

/**
 * The well-formed header names of a list (RFC 9110 section 5.6.2) that are not accepted anyway. Libraries for tracing and monitoring add such
 * headers to every call of a page, and browsers block a call if a single one is not allowed.
 */
function otherNamesIn(list: string): string[] {
  const names = list.split(',').map(name => name.trim().toLowerCase())
  return [...new Set(names)].filter(name => TOKEN.test(name) && !ACCEPTED_IN_LOWER_CASE.has(name))
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/

const BY_ORIGIN = preparedLinesOf(['Vary', 'Origin'])

function unique(names: readonly string[]): string[] {
  return [...new Set(names)].toSorted()
}
