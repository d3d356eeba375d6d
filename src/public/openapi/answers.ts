import { STATUS_CODES } from 'node:http'
import { PUBLIC_ERRORS, type PublicErrorCode } from '../../domain/errors.ts'
import { type Json, refer, referToHeaders } from '../../http/openapi/references.ts'
import type { PET_EXAMPLES } from './examples.ts'
import { REFUSAL_TEXTS } from './refusal-texts.ts'

/** Refused before it is known which operation is called. */
const UNREAD: readonly PublicErrorCode[] = [
  'malformed_request',
  'request_timeout',
  'uri_too_long',
  'expectation_failed',
  'headers_too_large',
]

/** What every operation may answer. */
const ANYWHERE: readonly PublicErrorCode[] = [
  ...UNREAD,
  'missing_api_key',
  'invalid_api_key',
  'rate_limit_exceeded',
  'api_key_banned',
  'internal_error',
  'service_unavailable',
]

/** The codes that some answer of the document has. The others meet calls that reach no operation at all. */
export const ANSWERED_CODES = (Object.keys(PUBLIC_ERRORS) as PublicErrorCode[]).filter(
  code => code !== 'route_not_found' && code !== 'method_not_allowed' && code !== 'method_not_supported',
)

const EVERY_ANSWER = referToHeaders(
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
  'X-Request-Id',
  'X-Content-Type-Options',
)

/** What a refusal of this status has besides. */
const HEADERS_OF_STATUS: Record<number, Json> = {
  401: referToHeaders('WWW-Authenticate'),
  409: referToHeaders('Retry-After'),
  429: referToHeaders('Retry-After'),
  503: referToHeaders('Retry-After'),
}

/** The answer to a call that is carried out. */
export function answer(description: string, headers: Json, schema?: string, examples: Examples = {}): Json {
  const body = schema ? { content: content(refer('schemas', schema), examples) } : {}
  return { description, headers: { ...EVERY_ANSWER, ...headers }, ...body }
}

/**
 * Every refusal of an operation, by status; those that are the same for every operation are written once.
 * @param own the codes that only this operation has
 * @param headers what its refusals have besides, from the moment it is known that they are its own
 */
export function refusals(own: readonly PublicErrorCode[], headers: Json = {}): Json {
  const shared = sharedRefusals()
  return Object.fromEntries(
    byStatus([...own, ...ANYWHERE]).map(([status, codes]) => {
      const name = responseName(status)
      const described = refusal(codes, codes.every(code => UNREAD.includes(code)) ? {} : headers)
      const isShared = JSON.stringify(shared[name]) === JSON.stringify(described)
      return [status, isShared ? refer('responses', name) : described]
    }),
  )
}

/** The refusals that are the same for every operation, by the name of their status. */
export function sharedRefusals(): Json {
  return Object.fromEntries(byStatus(ANYWHERE).map(([status, codes]) => [responseName(status), refusal(codes)]))
}

/** Examples by their names in this place. */
type Examples = Readonly<Record<string, keyof typeof PET_EXAMPLES | PublicErrorCode>>

export function content(schema: Json, examples: Examples): Json {
  const named = Object.entries(examples).map(([place, name]) => [place, refer('examples', name)])
  return { 'application/json': { schema, examples: Object.fromEntries(named) } }
}

/** @param codes all of one status */
function refusal(codes: readonly PublicErrorCode[], headers: Json = {}): Json {
  const status = PUBLIC_ERRORS[codes[0] as PublicErrorCode]
  const narrowed = { type: 'object', properties: { code: { 'x-extensible-enum': codes }, status: { const: status } } }
  return {
    description: codes.map(code => REFUSAL_TEXTS[code].when).join(' '),
    headers: { ...EVERY_ANSWER, ...HEADERS_OF_STATUS[status], ...headers },
    content: content(
      { allOf: [refer('schemas', 'Error'), narrowed] },
      Object.fromEntries(codes.map(code => [code, code])),
    ),
  }
}

function byStatus(codes: readonly PublicErrorCode[]): [status: string, codes: PublicErrorCode[]][] {
  return Object.entries(Object.groupBy(codes, code => PUBLIC_ERRORS[code]))
}

function responseName(status: string): string {
  return (STATUS_CODES[status] as string).replaceAll(' ', '')
}
