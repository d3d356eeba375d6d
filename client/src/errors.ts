import type { ErrorCode } from './openapi.ts'

interface Details {
  code: string
  status?: number | undefined
  requestId?: string | undefined
  cause?: unknown
}

/** What went wrong with a call. Every error of this client is one, but that of a signal that was aborted, which is the signal's own reason. */
export class PetstoreError extends Error {
  override readonly name: string = 'PetstoreError'
  /** Made for programs: one of the service's codes, or of this client's own `network_error`, `timeout` and `unexpected_answer`. More may come. */
  readonly code: ErrorCode | 'network_error' | 'timeout' | 'unexpected_answer' | (string & {})
  /** The HTTP status; undefined where there was no answer. */
  readonly status: number | undefined
  /** What to tell the operator of the service when asking about the call; undefined where nothing was sent. */
  readonly requestId: string | undefined

  constructor(message: string, { code, status, requestId, cause }: Details) {
    super(message, { cause })
    this.code = code
    this.status = status
    this.requestId = requestId
  }
}

/** 401: the API key is missing, mistyped, expired, revoked, or one of the other deployment. */
export class ApiKeyError extends PetstoreError {
  override readonly name = 'ApiKeyError'
}

/** 404: there is no such animal, or nothing at this address. */
export class NotFoundError extends PetstoreError {
  override readonly name = 'NotFoundError'
}

/** 400 and most other 4xx: the call must be changed before it is made again. */
export class InvalidRequestError extends PetstoreError {
  override readonly name = 'InvalidRequestError'
}

class RefusedForNowError<RetryAt extends Date | undefined> extends PetstoreError {
  /** When a call will be admitted again, by this machine's calendar; undefined where the service has not said so. */
  readonly retryAt: RetryAt

  constructor(message: string, { retryAt, ...details }: Details & { retryAt: RetryAt }) {
    super(message, details)
    this.retryAt = retryAt
  }
}

/** 429: the calls of the minute or of the day are used up. */
export class RateLimitError extends RefusedForNowError<Date> {
  override readonly name = 'RateLimitError'
}

/** 429: the key went on calling after it was told to wait, and is banned for a while. */
export class BannedError extends RefusedForNowError<Date> {
  override readonly name = 'BannedError'
}

/** 5xx, or an answer that is none of the service's: not the caller's fault. */
export class ServiceError extends RefusedForNowError<Date | undefined> {
  override readonly name = 'ServiceError'
}

/** What all calls with a key have to wait for. */
export type Refusal = RateLimitError | BannedError | ServiceError

export function isRefusal(error: PetstoreError | undefined): error is Refusal {
  return error instanceof RefusedForNowError
}

/** The refusal of a call that cannot wait until then. */
export function refusedUntil(retryAt: Date, refusal: Refusal): Refusal {
  return refuse(refusal, refusal.message, { requestId: refusal.requestId, retryAt })
}

/** For a call that cannot wait until another may be sent, which was refused. */
export function heldBack(retryAt: Date, refusal: Refusal): Refusal {
  const message = `Another call was refused, so that none is sent before ${retryAt.toISOString()}: ${refusal.message}`
  return refuse(refusal, message, { requestId: undefined, retryAt })
}

function refuse(cause: Refusal, message: string, own: { requestId: string | undefined; retryAt: Date }): Refusal {
  const { code, status } = cause
  const details = { code, status, cause, ...own }
  if (cause instanceof BannedError) return new BannedError(message, details)
  if (cause instanceof RateLimitError) return new RateLimitError(message, details)
  return new ServiceError(message, details)
}

/** There was no answer, or not all of it. A creation may have been carried out. */
export class NetworkError extends PetstoreError {
  override readonly name = 'NetworkError'
}

/**
 * The time was over: that which the call may take, that which the service waits for a request (408), or that in which another creation
 * with the same key should have been carried out (409 `idempotency_in_progress`). A creation may have been carried out.
 */
export class TimeoutError extends PetstoreError {
  override readonly name = 'TimeoutError'
}
