import { StoreDamaged, StoreFull, StoreUnavailable, UserError } from '../domain/errors.ts'
import { ActionRefused } from '../domain/permit.ts'

/** An error in a form that can be posted between threads, which only exchange data. */
export interface PackedError {
  name: string
  kind: UserError['kind'] | undefined
  reason: ActionRefused['reason'] | undefined
  message: string
  /** The stack of the cause, for the log. */
  cause: string | undefined
}

export function packError(error: unknown): PackedError {
  const { name, message, stack, cause } = error instanceof Error ? error : new Error(String(error))
  const isExpected = error instanceof UserError || error instanceof ActionRefused || error instanceof StoreUnavailable
  return {
    name,
    kind: error instanceof UserError ? error.kind : undefined,
    reason: error instanceof ActionRefused ? error.reason : undefined,
    message,
    cause: cause instanceof Error ? cause.stack : isExpected ? undefined : stack,
  }
}

export function unpackError({ name, kind, reason, message, cause: stack }: PackedError): Error {
  const cause = stack === undefined ? undefined : Object.assign(new Error('in another thread'), { stack })
  if (reason) return new ActionRefused(reason)
  if (kind) return new UserError(kind, message)
  if (name === 'StoreDamaged') return new StoreDamaged(message, { cause })
  if (name === 'StoreFull') return new StoreFull(cause)
  if (name === 'StoreUnavailable') return new StoreUnavailable(message, { cause })
  return new Error(message, { cause })
}
