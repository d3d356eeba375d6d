import type { ErrorCode } from './openapi.ts'

interface Details {
  code: string
  status?: number | undefined
  requestId?: string | undefined
  cause?: unknown
}

/** The base class of all errors of a call. The only exception: a call whose signal is aborted rejects with the signal's reason. */
export class PetstoreError extends Error {
  override readonly name: string = 'PetstoreError'
  /** For programs: an error code of the service, or this client's `network_error`, `timeout` or `unexpected_answer`. New codes may be added. */
  readonly code: ErrorCode | 'network_error' | 'timeout' | 'unexpected_answer' | (string & {})
  /** The HTTP status; undefined without a response. */
  readonly status: number | undefined
  /** Quote it when you ask the operator of the service about the call. Undefined if nothing was sent. */
  readonly requestId: string | undefined

  constructor(message: string, { code, status, requestId, cause }: Details) {
    super(message, { cause })
    this.code = code
    this.status = status
    this.requestId = requestId
  }
}

/** 401: the API key is missing, mistyped, expired or revoked, or belongs to the other deployment. */
export class ApiKeyError extends PetstoreError {
  override readonly name = 'ApiKeyError'
}

/** 403 `insufficient_scope`: the API key can only read. Use a key with the scope `read-write`. */
export class ScopeError extends PetstoreError {
  override readonly name = 'ScopeError'
}

/** 404: the animal or the address does not exist. */
export class NotFoundError extends PetstoreError {
  override readonly name = 'NotFoundError'
}

/** 400 and most other 4xx: change the call before you repeat it. */
export class InvalidRequestError extends PetstoreError {
  override readonly name = 'InvalidRequestError'
}

interface RefusalDetails<RetryAt> extends Details {
  retryAt: RetryAt
  retryAfterMs?: number | undefined
}

class RefusedForNowError<RetryAt extends Date | undefined> extends PetstoreError {
  /** When calls will be admitted again, by this machine's clock; undefined if the service has not said. */
  readonly retryAt: RetryAt
  /**
   * `Retry-After` of the response, in milliseconds; undefined if there is none. If it is longer than the client's `maxWaitMs`, the client
   * sends calls again before that.
   */
  readonly retryAfterMs: number | undefined

  constructor(message: string, { retryAt, retryAfterMs, ...details }: RefusalDetails<RetryAt>) {
    super(message, details)
    this.retryAt = retryAt
    this.retryAfterMs = retryAfterMs
  }
}

/** 429: the calls of the minute or of the day are used up. */
export class RateLimitError extends RefusedForNowError<Date> {
  override readonly name = 'RateLimitError'
}

/** 429: the key kept calling after 429 responses and is temporarily banned. */
export class BannedError extends RefusedForNowError<Date> {
  override readonly name = 'BannedError'
}

/** 5xx, or a response that does not come from the service: not the caller's fault. */
export class ServiceError extends RefusedForNowError<Date | undefined> {
  override readonly name = 'ServiceError'
}

/** No response arrived, or only part of it. A creation may have been carried out. */
export class NetworkError extends PetstoreError {
  override readonly name = 'NetworkError'
}

/**
 * The call has run out of time, the service did not receive the request in time (408), or another creation with the same key is still in
 * progress (409 `idempotency_in_progress`). A creation may have been carried out.
 */
export class TimeoutError extends PetstoreError {
  override readonly name = 'TimeoutError'
}

/** The errors that make all calls with a key wait. */
export type Refusal = RateLimitError | BannedError | ServiceError

export function isRefusal(error: PetstoreError | undefined): error is Refusal {
  return error instanceof RefusedForNowError
}

/** The same refusal for a call that cannot wait until `retryAt`. */
export function refuseUntil(retryAt: Date, cause: Refusal, message: string, requestId: string | undefined): Refusal {
  const { code, status, retryAfterMs } = cause
  const details = { code, status, cause, requestId, retryAt, retryAfterMs }
  if (cause instanceof BannedError) return new BannedError(message, details)
  return cause instanceof RateLimitError ? new RateLimitError(message, details) : new ServiceError(message, details)
}
