import type { Error as ErrorBody } from './schema.ts'

/** The service refused a call. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: string
  readonly status: number
  /** The invalid members of the request, each with a message. */
  readonly members: ReadonlyMap<string, string>

  constructor({ code, status, message, errors }: ErrorBody) {
    super(message)
    this.code = code
    this.status = status
    this.members = new Map(errors?.map(({ member, message }) => [member, message]))
  }
}

/** The service could not be reached, or its response was cut off. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'

  constructor(cause: unknown) {
    super('The service cannot be reached. Your input is kept; try again in a moment.', { cause })
  }
}

/** Whether someone else has changed the resource first. */
export function isConflict(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'precondition_failed' || error.code === 'conflict')
}

/** Whether the service may have carried out the call, or may still do so. */
export function isUndecided(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status >= 500 || error.code === 'idempotency_in_progress'
}
