import { StoreBusy, StoreDamaged, StoreFull, StoreUnavailable, UserError } from './errors.ts'
import { ActionRefused } from './permit.ts'

export type ThreadOutcome<Result> = { result: Result } | { error: PackedError }

/** An error in a form that can be posted between threads: of an error itself, only the message, the stack and the cause arrive. */
export interface PackedError extends Partial<Pick<UserError, 'kind' | 'member'> & Pick<ActionRefused, 'reason'>> {
  error: Error
  name: string
}

export function packError(thrown: unknown): PackedError {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown))
  const { name } = error
  if (error instanceof ActionRefused) return { error, name, reason: error.reason }
  if (error instanceof UserError) return { error, name, kind: error.kind, member: error.member }
  return { error, name }
}

/** Whether a value that arrived from another thread is one. No result has an error as this member. */
export function isPackedError(value: unknown): value is PackedError {
  return (value as Partial<PackedError> | null | undefined)?.error instanceof Error
}

export function unpackError({ error, name, kind, member, reason }: PackedError): Error {
  const { message, cause } = error
  if (reason) return new ActionRefused(reason)
  if (kind) return new UserError(kind, message, member)
  if (name === 'StoreDamaged') return new StoreDamaged(message, { cause })
  if (name === 'StoreFull') return new StoreFull(cause)
  if (name === 'StoreBusy') return new StoreBusy(cause)
  if (name === 'StoreUnavailable') return new StoreUnavailable(message, { cause })
  return error
}
