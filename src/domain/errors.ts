/** Every code a client of the public API can meet, with its HTTP status. Adding one here adds it to the public contract. */
export const PUBLIC_ERRORS = {
  malformed_request: 400,
  invalid_parameter: 400,
  invalid_cursor: 400,
  invalid_json: 400,
  invalid_body: 400,
  invalid_idempotency_key: 400,
  missing_api_key: 401,
  invalid_api_key: 401,
  pet_not_found: 404,
  route_not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  idempotency_in_progress: 409,
  operation_removed: 410,
  body_too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  expectation_failed: 417,
  idempotency_key_reused: 422,
  rate_limit_exceeded: 429,
  api_key_banned: 429,
  headers_too_large: 431,
  internal_error: 500,
  method_not_supported: 501,
  service_unavailable: 503,
} as const

/** The codes that only the operators' side has. */
const OPERATOR_ERRORS = {
  invalid_input: 400,
  missing_token: 401,
  invalid_token: 401,
  role_insufficient: 403,
  csrf_refused: 403,
  not_found: 404,
  conflict: 409,
  precondition_failed: 412,
  misdirected_request: 421,
  precondition_required: 428,
} as const

export const ERRORS = { ...PUBLIC_ERRORS, ...OPERATOR_ERRORS }

export type PublicErrorCode = keyof typeof PUBLIC_ERRORS

export type ErrorCode = keyof typeof ERRORS

/** The answer to a call that is not carried out: what is wrong, and what would be right. */
export class Refusal extends Error {
  readonly code: ErrorCode
  readonly status: number
  /** Headers that belong to this refusal, such as `Allow` or `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>
  /** Why, in words for the log alone: never sent to the client. */
  readonly reason: string | undefined

  constructor(
    code: ErrorCode,
    message: string,
    { headers = {}, reason }: { headers?: Record<string, string>; reason?: string } = {},
  ) {
    super(message)
    this.name = 'Refusal'
    this.code = code
    this.status = ERRORS[code]
    this.headers = headers
    this.reason = reason
  }
}

/** The store cannot be written or read just now (a full disk, a lost connection): the caller may try again. */
export class StoreUnavailable extends Error {
  override readonly name: string = 'StoreUnavailable'
}

/** What the store holds cannot be what was stored in it. It is not served: to callers the store is unavailable. */
export class StoreDamaged extends StoreUnavailable {
  override readonly name = 'StoreDamaged'
}

/** An operator asked for something that cannot be done; the message is the whole explanation. */
export class Mistake extends Error {
  override readonly name = 'Mistake'
  readonly kind: MistakeKind

  constructor(kind: MistakeKind, message: string) {
    super(message)
    this.kind = kind
  }
}

/** `invalid`: never possible so; `not_found`: what it is about is not there; `conflict`: not possible as things stand. */
type MistakeKind = 'invalid' | 'not_found' | 'conflict'
