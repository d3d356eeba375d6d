import { UserError } from '../domain/errors.ts'
import { ActionRefused } from '../domain/permit.ts'

/** The outcome of a write that was refused, and rolled back: data, because errors lose their class between threads. */
export type RefusedWrite =
  | { refusedFor: ActionRefused['reason'] }
  | { userError: [kind: UserError['kind'], message: string, member: string | undefined] }

/** Undefined for the error of a write that failed. */
export function asRefusedWrite(error: unknown): RefusedWrite | undefined {
  if (error instanceof ActionRefused) return { refusedFor: error.reason }
  if (error instanceof UserError) return { userError: [error.kind, error.message, error.member] }
  return undefined
}

/** The error of a refused write; undefined for the result of any other write. */
export function refusalOf(outcome: unknown): ActionRefused | UserError | undefined {
  if (typeof outcome !== 'object' || outcome === null) return undefined
  const refused = outcome as RefusedWrite
  if ('refusedFor' in refused) return new ActionRefused(refused.refusedFor)
  if ('userError' in refused) return new UserError(...refused.userError)
  return undefined
}
