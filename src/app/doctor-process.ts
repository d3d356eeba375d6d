import { type ChildProcess, execFile } from 'node:child_process'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { StoreUnavailable } from '../domain/errors.ts'
import type { Finding } from '../operator/running-service.ts'
import type { Environment } from './settings.ts'

const PROGRAM = fileURLToPath(new URL('../../bin/petstore.ts', import.meta.url))
/** It reads the embedded store in full. */
const TIMEOUT_MS = 600_000
const MAX_OUTPUT_BYTES = 1_048_576
/** It must not delay calls: everything else comes first. */
const PRIORITY = 19

/**
 * Runs `petstore doctor` in a process of its own. In this one, closing a file of the store would release the locks that the service holds on
 * it, as locks of files belong to processes.
 */
export class DoctorProcess {
  readonly #env: Environment
  #running: Promise<Finding[]> | undefined
  #child: ChildProcess | undefined

  constructor(env: Environment) {
    this.#env = env
  }

  /** Calls that come while it runs share its findings. */
  examine(): Promise<Finding[]> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** Ends it if it runs. */
  close(): void {
    this.#child?.kill('SIGKILL')
  }

  #run(): Promise<Finding[]> {
    const { promise, resolve, reject } = Promise.withResolvers<Finding[]>()
    const options = { env: this.#env, timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES }
    this.#child = execFile(process.execPath, [PROGRAM, 'doctor', '--json'], options, (error, stdout) => {
      this.#child = undefined
      try {
        // It also exits with 1 when a check has failed.
        resolve(JSON.parse(stdout).findings)
      } catch {
        reject(new StoreUnavailable('petstore doctor was ended, or failed.', { cause: error }))
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
