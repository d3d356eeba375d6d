import { CommanderError } from 'commander'
import { UserError } from '../domain/errors.ts'
import { InvalidInput } from '../schema/invalid-input.ts'
import { Interrupted } from './confirm.ts'

/** The exit code that shells report for a process ended by Ctrl-C (128 + SIGINT). */
const INTERRUPTED = 130

/**
 * 2 if the command line is wrong regardless of the store and of files; 130 if a question was interrupted; otherwise 1. Commander also
 * throws after printing help, which is not a failure.
 */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  if (error instanceof Interrupted) return INTERRUPTED
  return error instanceof InvalidInput || (error instanceof UserError && error.kind === 'invalid') ? 2 : 1
}
