import { isUtf8 } from 'node:buffer'
import { existsSync, readFileSync } from 'node:fs'
import { CommanderError } from 'commander'
import { invalid, UserError } from '../domain/errors.ts'
import { InvalidInput } from '../schema/invalid-input.ts'
import { Interrupted } from './confirm.ts'
import { watchOutput } from './output/print.ts'
import { buildProgram, VERSION } from './program.ts'

/** Runs one command line. On an error, prints it to standard error and sets the exit code from `exitCodeOf`. */
export async function run(argv: readonly string[]): Promise<void> {
  watchOutput()
  const [first, ...rest] = argv.slice(2)
  if (first === COMPLETE) {
    // Loaded late, because only shells need it.
    const { complete } = await import('./completion/complete.ts')
    return complete(rest)
  }
  try {
    ensureUtf8Arguments(rest)
    // Loaded late, because few folders have one.
    if (existsSync('demo')) (await import('../app/demo-folder.ts')).chooseRunningDemo(first)
    const program = await buildProgram(first)
    // The option prints the same as the command, and also accepts --json.
    await program.parseAsync(first === VERSION ? ['version', ...rest] : argv.slice(2), { from: 'user' })
  } catch (error) {
    process.exitCode = exitCodeOf(error)
    // Commander has already printed its errors and the help.
    if (error instanceof CommanderError) return
    // Loaded late, because most commands succeed.
    const { explain } = await import('./output/explain.ts')
    process.stderr.write(explain(error))
  }
}

/** Node replaces other bytes by U+FFFD, which a name may also contain; only Linux shows which of both it was. */
function ensureUtf8Arguments(args: readonly string[]): void {
  const bytes = '/proc/self/cmdline'
  if (!args.some(arg => arg.includes('\uFFFD')) || !existsSync(bytes) || isUtf8(readFileSync(bytes))) return
  throw invalid('The command line must be UTF-8.')
}

/** Called by completion scripts; not listed in the help. */
const COMPLETE = '__complete'

/** The exit code that shells report for a process ended by Ctrl-C (128 + SIGINT). */
const INTERRUPTED = 130

/**
 * 2 if the command line is wrong regardless of the store and of files; 130 if a question was interrupted; otherwise 1. Commander also
 * throws after printing help, which is not a failure.
 */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  if (error instanceof Interrupted) return INTERRUPTED
  return error instanceof InvalidInput || (error instanceof UserError && error.kind === 'invalid') ? 2 : 1
}
