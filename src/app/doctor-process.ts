import { type ChildProcess, execFile } from 'node:child_process'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { StoreUnavailable } from '../domain/errors.ts'
import type { Finding } from '../operator/running-service.ts'
import type { Environment } from './settings.ts'

const PROGRAM = fileURLToPath(new URL('../../bin/petstore.ts', import.meta.url))
/** Long enough to read the embedded store in full. */
const TIMEOUT_MS = 600_000
const MAX_OUTPUT_BYTES = 1_048_576
/** The lowest priority, so that the check does not delay calls. */
const PRIORITY = 19

/**
 * Runs `petstore doctor` in a separate process. File locks belong to the process: in this one, closing a file of the store would release
 * the locks that the service holds on it.
 */
export class DoctorProcess {
  readonly #env: Environment
  #running: Promise<Finding[]> | undefined
  #child: ChildProcess | undefined

  constructor(env: Environment) {
    this.#env = env
  }

  /** Concurrent calls share one run. */
  examine(): Promise<Finding[]> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** Ends a running check. */
  close(): void {
    this.#child?.kill('SIGKILL')
  }

  #run(): Promise<Finding[]> {
    const { promise, resolve, reject } = Promise.withResolvers<Finding[]>()
    const options = { env: this.#env, timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES }
    this.#child = execFile(process.execPath, [PROGRAM, 'doctor', '--json'], options, (error, stdout) => {
      this.#child = undefined
      try {
        // An error alone proves nothing: the exit code is also 1 if a check has failed.
        resolve(JSON.parse(stdout).findings)
      } catch {
        reject(new StoreUnavailable('petstore doctor was stopped, or failed.', { cause: error }))
      }
    })
    if (this.#child.pid !== undefined) lowerPriority(this.#child.pid)
    return promise
  }
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, PRIORITY)
  } catch {
    // It has already ended, or the system does not allow this.
  }
}
