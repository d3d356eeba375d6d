import { StoreBusy, StoreDamaged, StoreFull, StoreUnavailable } from '../domain/errors.ts'
import { describeError, ERRORS, type ErrorCode, type FixedErrorCode } from '../schema/error-codes.ts'
import { InvalidInput, type Problem } from '../schema/invalid-input.ts'
import { jsonAnswer, type WholeAnswer } from './answer.ts'

interface Details {
  /** Headers of this refusal, such as `Allow` or `Retry-After`. */
  headers?: Readonly<Record<string, string>>
  /** Why, for the log only: never sent to the client. */
  reason?: string
  /** A page for people, sent instead of JSON. */
  page?: Pick<WholeAnswer, 'headers' | 'body'>
  /** The invalid members, for an API whose errors list them. */
  errors?: readonly Problem[]
}

/** The error response to a call that is not carried out: what is wrong, and what would be right. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: ErrorCode
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly reason: string | undefined
  readonly page: Details['page']
  readonly errors: readonly Problem[]

  /** @param message may be omitted if all refusals with this code have the same message */
  constructor(code: FixedErrorCode, message?: string, details?: Details)
  constructor(code: ErrorCode, message: string, details?: Details)
  constructor(code: ErrorCode, message?: string, { headers, reason, page, errors = [] }: Details = {}) {
    const fixed = describeError(code)
    super(message ?? fixed.message)
    this.code = code
    this.status = ERRORS[code]
    this.headers = { ...fixed.headers, ...headers }
    this.reason = reason
    this.page = page
    this.errors = errors
  }
}

/** The reason of a call that met damaged data. */
export const DAMAGED = 'the store is damaged'

/** Turns anything that was thrown into a refusal. Details of unexpected errors are not sent. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (error instanceof InvalidInput) return new Refusal(error.code, error.message)
  if (error instanceof StoreDamaged) return new Refusal('service_unavailable', undefined, { reason: DAMAGED })
  if (error instanceof StoreFull) return new Refusal('store_full')
  if (error instanceof StoreBusy) return new Refusal('service_unavailable', error.message)
  return new Refusal(error instanceof StoreUnavailable ? 'service_unavailable' : 'internal_error')
}

/** Every refusal has this shape, unless it is a page. */
export function refusalAnswer({ code, message, status, headers, page, errors }: Refusal): WholeAnswer {
  const own = Object.entries(headers).flat()
  if (page) return { status, headers: [...page.headers, ...own], body: page.body }
  return jsonAnswer(status, JSON.stringify({ code, message, status, ...(errors.length > 0 && { errors }) }), own)
}
