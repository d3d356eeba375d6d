import { CommanderError } from 'commander'
import { UserError } from '../domain/errors.ts'
import { InvalidInput } from '../schema/invalid-input.ts'
import { Interrupted } from './confirm.ts'

/** As of a process that the signal of Ctrl-C has ended. */
const INTERRUPTED = 130

/**
 * 2 if the command line is wrong, whatever is in the store and in files; 130 if a question was interrupted; otherwise 1. Commander also
 * throws once help was printed, which is no failure.
 */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  if (error instanceof Interrupted) return INTERRUPTED
  return error instanceof InvalidInput || (error instanceof UserError && error.kind === 'invalid') ? 2 : 1
}
