import { STATUS_CODES } from '../../http/node-http.ts'
import { describeError, ERRORS, PUBLIC_ERRORS, type PublicErrorCode } from '../../schema/error-codes.ts'
import { type Json, refer } from '../../schema/openapi/references.ts'
import type { ResponseHeader } from '../headers.ts'

/** Codes of refusals before the operation is known. */
const BEFORE_ROUTING: readonly PublicErrorCode[] = [
  'malformed_request',
  'request_timeout',
  'uri_too_long',
  'expectation_failed',
  'headers_too_large',
]

/** Codes that every operation may return. */
const ANYWHERE: readonly PublicErrorCode[] = [
  ...BEFORE_ROUTING,
  'missing_api_key',
  'invalid_api_key',
  'rate_limit_exceeded',
  'api_key_banned',
  'internal_error',
  'overloaded',
  'service_unavailable',
]

/** Codes of calls that reach no operation: no response in the document has them. */
const WITHOUT_OPERATION: readonly string[] = [
  'https_required',
  'route_not_found',
  'method_not_allowed',
  'method_not_supported',
]

/** The codes that some response in the document has. */
export const DOCUMENTED_CODES = (Object.keys(PUBLIC_ERRORS) as PublicErrorCode[]).filter(
  code => !WITHOUT_OPERATION.includes(code),
)

const ON_EVERY_RESPONSE: readonly ResponseHeader[] = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
  'X-Request-Id',
  'X-Content-Type-Options',
]

interface Body {
  schema: Json
  /** Names of components, by the names that they have here. */
  examples: Readonly<Record<string, string>>
}

export function response(description: string, headers: readonly ResponseHeader[], body?: Body): Json {
  return {
    description,
    headers: referToHeaders([...ON_EVERY_RESPONSE, ...headers]),
    ...(body && { content: content(body.schema, body.examples) }),
  }
}

/**
 * Every refusal of an operation, by status. Those that are the same for every operation are references.
 * @param own the codes that only this operation has
 * @param headers the headers of its refusals once the operation is known
 */
export function refusals(own: readonly PublicErrorCode[], headers: readonly ResponseHeader[] = []): Json {
  const shared = sharedRefusals()
  return Object.fromEntries(
    byStatus([...own, ...ANYWHERE]).map(([status, codes]) => {
      const name = nameOf(status)
      const described = refusal(codes, codes.every(code => BEFORE_ROUTING.includes(code)) ? [] : headers)
      const isShared = JSON.stringify(shared[name]) === JSON.stringify(described)
      return [status, isShared ? refer('responses', name) : described]
    }),
  )
}

/** The refusals that are the same for every operation, by the name of their status. */
export function sharedRefusals(): Json {
  return Object.fromEntries(byStatus(ANYWHERE).map(([status, codes]) => [nameOf(status), refusal(codes, [])]))
}

export function content(schema: Json, examples: Body['examples']): Json {
  const references = Object.entries(examples).map(([name, component]) => [name, refer('examples', component)])
  return { 'application/json': { schema, examples: Object.fromEntries(references) } }
}

/** @param codes all of one status */
function refusal(codes: readonly PublicErrorCode[], headers: readonly ResponseHeader[]): Json {
  const status = ERRORS[codes[0] as PublicErrorCode]
  const ofCodes = codes.flatMap(code => Object.keys(describeError(code).headers ?? {})) as ResponseHeader[]
  const narrowed = { type: 'object', properties: { code: { 'x-extensible-enum': codes }, status: { const: status } } }
  return response(codes.map(code => PUBLIC_ERRORS[code].when).join(' '), [...ofCodes, ...headers], {
    schema: { allOf: [refer('schemas', 'Error'), narrowed] },
    examples: Object.fromEntries(codes.map(code => [code, code])),
  })
}

/** `PageLink` and `DeprecationLink` are two kinds of `Link`. */
function referToHeaders(names: readonly ResponseHeader[]): Json {
  return Object.fromEntries(
    names.map(name => [name.replace(/^(?:Page|Deprecation)Link$/, 'Link'), refer('headers', name)]),
  )
}

function byStatus(codes: readonly PublicErrorCode[]): [status: string, codes: PublicErrorCode[]][] {
  return Object.entries(Object.groupBy(codes, code => ERRORS[code])).map(([status, grouped = []]) => [status, grouped])
}

function nameOf(status: string): string {
  return (STATUS_CODES[status] as string).replaceAll(' ', '')
}
