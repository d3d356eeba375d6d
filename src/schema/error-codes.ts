import { formatCount } from '../domain/format-number.ts'
import { SUNSET_DATE } from './deprecation.ts'
import {
  bytes,
  MAX_BODY_BYTES,
  MAX_HEADER_BYTES,
  MAX_HEADERS,
  MAX_JSON_DEPTH,
  MAX_PAGE_SIZE,
  MAX_TARGET_BYTES,
} from './limits.ts'

interface PublicError {
  status: number
  /** When callers get it. */
  when: string
  /** Its message or, if the message depends on the call, an example. */
  message?: string
  example?: string
  /** Headers of every refusal with this code, unless the refusal sets other values. */
  headers?: Readonly<Record<string, string>>
}

/** Every code that callers of the public API can get. Adding one here adds it to the public contract. */
export const PUBLIC_ERRORS = {
  malformed_request: {
    status: 400,
    when: 'The request is not valid HTTP/1.1: the request line, a header or the target is invalid, or there is not exactly one valid `Host`.',
    example: 'The request must have exactly one valid Host header.',
  },
  invalid_parameter: {
    status: 400,
    when: '`limit`, `status` or `cursor` is empty, repeated or out of range.',
    example: `limit must be an integer from 1 to ${MAX_PAGE_SIZE}.`,
  },
  invalid_cursor: {
    status: 400,
    when: '`cursor` was not issued by this deployment, or was issued for another `status`.',
    message: 'cursor must come from the Link header of the previous page, with the same status.',
  },
  invalid_json: {
    status: 400,
    when: `The body is not a single JSON value in UTF-8, has two members of the same name, nests deeper than ${MAX_JSON_DEPTH} levels, or has a string with NUL or a lone surrogate, even in an unknown member.`,
    example: 'The body must be one JSON value; it is not valid at character 12.',
  },
  invalid_body: {
    status: 400,
    when: 'The body lacks a required member, or a member does not match the schema. Values are never converted.',
    example: 'categoryId must be an integer from -9223372036854775808 to 9223372036854775807.',
  },
  invalid_idempotency_key: {
    status: 400,
    when: '`Idempotency-Key` is repeated, or is not 1 to 255 visible ASCII characters.',
    message: 'Idempotency-Key must be 1 to 255 visible ASCII characters, sent once.',
  },
  missing_api_key: {
    status: 401,
    when: 'The request has no `Authorization` header.',
    message: 'An API key is required: send "Authorization: Bearer <API_KEY>".',
    headers: { 'WWW-Authenticate': 'Bearer' },
  },
  invalid_api_key: {
    status: 401,
    when: 'The API key is mistyped, unknown, expired or revoked, is bound to other networks, or belongs to the other deployment; or its account is suspended; or `Authorization` is sent twice, or is not `Bearer` and a key: the message then names the fault.',
    message: 'The API key is not valid here: send "Authorization: Bearer <API_KEY>" with a current key.',
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  },
  https_required: {
    status: 403,
    when: 'The call was sent over plain HTTP, but the service uses HTTPS. Anyone on the network path could read the key: have it replaced.',
    example: 'HTTPS is required: call https://petstore.example/v1.',
  },
  insufficient_scope: {
    status: 403,
    when: 'The API key has the scope `read` and cannot add animals.',
    message: 'This API key can only read; adding an animal needs a key with the scope read-write.',
    headers: { 'WWW-Authenticate': 'Bearer error="insufficient_scope", scope="read-write"' },
  },
  pet_not_found: {
    status: 404,
    when: 'No animal has this id. Anything other than a decimal 64-bit integer gets the same response.',
    example: 'No animal has the id 4711.',
  },
  route_not_found: {
    status: 404,
    when: 'Nothing is at this path. Paths must match exactly, including case and trailing slashes.',
    message: 'Nothing is at this path; the API is described at /docs.',
  },
  method_not_allowed: {
    status: 405,
    when: 'The path exists, but does not support this method; `Allow` lists the methods it supports.',
    example: 'This path allows GET, HEAD, POST, OPTIONS.',
  },
  request_timeout: {
    status: 408,
    when: 'The request did not arrive completely in time. The connection is closed.',
    message: 'The request did not arrive completely in time.',
  },
  idempotency_in_progress: {
    status: 409,
    when: 'A request with the same `Idempotency-Key` is still in progress.',
    message: 'A request with this Idempotency-Key is still in progress; retry in a second.',
    headers: { 'Retry-After': '1' },
  },
  operation_removed: {
    status: 410,
    when: `The operation was removed on ${SUNSET_DATE}.`,
    message: `This operation was removed on ${SUNSET_DATE}; use GET /pets with the status filter.`,
  },
  body_too_large: {
    status: 413,
    when: `The body is longer than ${bytes(MAX_BODY_BYTES)}.`,
    message: `The body must be at most ${bytes(MAX_BODY_BYTES)} long.`,
  },
  uri_too_long: {
    status: 414,
    when: `The request target is longer than ${bytes(MAX_TARGET_BYTES)}.`,
    message: `The request target must be at most ${bytes(MAX_TARGET_BYTES)} long.`,
  },
  unsupported_media_type: {
    status: 415,
    when: 'The body is not sent as `application/json` in UTF-8, or is compressed.',
    message: 'The body must be sent as Content-Type: application/json, in UTF-8.',
  },
  expectation_failed: {
    status: 417,
    when: '`Expect` is not `100-continue`.',
    message: 'Expect must be 100-continue.',
  },
  idempotency_key_reused: {
    status: 422,
    when: 'This `Idempotency-Key` was used within the last 24 hours with a different body.',
    message: 'This Idempotency-Key was used for a different request; use a new key for each creation.',
  },
  rate_limit_exceeded: {
    status: 429,
    when: 'All calls of the minute or of the day are used up. Wait for `Retry-After` seconds.',
    example: 'The limit of 60 calls per minute is used up; retry in 17 seconds.',
    headers: { 'Retry-After': '60' },
  },
  api_key_banned: {
    status: 429,
    when: 'Calls with the API key from this address continued after 429 responses. The key is banned for this address until `X-RateLimit-Reset`.',
    example:
      'Calls with this API key from this address continued after 429 responses, so they are banned; retry in 894 seconds.',
    headers: { 'Retry-After': '60' },
  },
  headers_too_large: {
    status: 431,
    when: `The target and headers are larger than ${bytes(MAX_HEADER_BYTES)}, or there are over ${formatCount(MAX_HEADERS, 'header')}.`,
    message: `The target and headers must be at most ${bytes(MAX_HEADER_BYTES)} long, with at most ${formatCount(MAX_HEADERS, 'header')}.`,
  },
  internal_error: {
    status: 500,
    when: 'Something went wrong in the service. Quote `X-Request-Id` to its operator.',
    message: 'Something went wrong on our side; the request id helps the operator find it.',
  },
  method_not_supported: {
    status: 501,
    when: 'The method is `CONNECT`. The connection is closed.',
    message: 'CONNECT is not supported: this service is not a proxy.',
  },
  overloaded: {
    status: 503,
    when: 'The service receives more calls than it can handle. The call was neither counted nor carried out. Retry after `Retry-After` seconds.',
    message: 'The service receives more calls than it can handle; retry shortly.',
    headers: { 'Retry-After': '1' },
  },
  service_unavailable: {
    status: 503,
    when: 'The service cannot use its store right now. Retry after `Retry-After` seconds; retry a creation with the same `Idempotency-Key`.',
    message: 'The service cannot use its store right now; retry shortly.',
    headers: { 'Retry-After': '1' },
  },
  store_full: {
    status: 503,
    when: 'The disk of the store is full. Nothing was written. Retrying does not help until the operator of the service has freed some space.',
    message: 'The disk of the store is full; retrying does not help until its operator has freed some space.',
    headers: { 'Retry-After': '60' },
  },
} as const satisfies Readonly<Record<string, PublicError>>

/** The codes that only the admin API has, with their HTTP status. */
const OPERATOR_ERRORS = {
  invalid_input: 400,
  missing_token: 401,
  invalid_token: 401,
  role_insufficient: 403,
  csrf_refused: 403,
  not_found: 404,
  conflict: 409,
  unknown_encoding: 409,
  precondition_failed: 412,
  misdirected_request: 421,
  precondition_required: 428,
} as const

/** The codes that only pages for people have. */
const PAGE_ERRORS = { gone: 410 } as const

export type PublicErrorCode = keyof typeof PUBLIC_ERRORS
export type ErrorCode = PublicErrorCode | keyof typeof OPERATOR_ERRORS | keyof typeof PAGE_ERRORS
/** The codes whose message is the same for every call. */
export type FixedErrorCode = {
  [Code in PublicErrorCode]: (typeof PUBLIC_ERRORS)[Code] extends { message: string } ? Code : never
}[PublicErrorCode]

const publicStatuses = Object.entries(PUBLIC_ERRORS).map(([code, { status }]) => [code, status])

/** Every code, with its HTTP status. */
export const ERRORS: Readonly<Record<ErrorCode, number>> = {
  ...Object.fromEntries(publicStatuses),
  ...OPERATOR_ERRORS,
  ...PAGE_ERRORS,
}

/** What is known about a code. For codes that the public API does not have, this is only the status. */
export function describeError(code: ErrorCode): Partial<PublicError> {
  return (PUBLIC_ERRORS as Partial<Record<ErrorCode, PublicError>>)[code] ?? { status: ERRORS[code] }
}
