import { execFile } from 'node:child_process'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Environment } from './settings.ts'

const PROGRAM = fileURLToPath(new URL('../../bin/main.js', import.meta.url))
const MAX_OUTPUT_BYTES = 1_048_576
/** A low priority, so that the command does not delay calls. With the lowest, it would take a minute where the machine is busy. */
const PRIORITY = 10

interface Limits {
  signal: AbortSignal
  killSignal?: NodeJS.Signals
  timeoutMs?: number
}

/** What a command has printed, and why it failed; undefined if it has succeeded. */
interface Ending {
  stdout: string
  stderr: string
  error: Error | undefined
}

/** Resolves once the command has ended, also if the signal ends it: it may still have to remove its files. */
export function runOwnCommand(args: readonly string[], env: Environment, limits: Limits): Promise<Ending> {
  const { signal, killSignal = 'SIGKILL', timeoutMs = 0 } = limits
  const { promise, resolve } = Promise.withResolvers<Ending>()
  const options = { env, signal, killSignal, timeout: timeoutMs, maxBuffer: MAX_OUTPUT_BYTES }
  const child = execFile(process.execPath, [PROGRAM, ...args], options, (error, stdout, stderr) => {
    const ending = { stdout, stderr, error: error ?? undefined }
    const isRunning = child.pid !== undefined && child.exitCode === null && child.signalCode === null
    if (isRunning) child.once('exit', () => resolve(ending))
    else resolve(ending)
  })
  if (child.pid !== undefined) lowerPriority(child.pid)
  return promise
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, PRIORITY)
  } catch {
    // It has already ended, or the system does not allow this.
  }
}
