import { StoreUnavailable } from '../domain/errors.ts'
import type { Finding } from '../operator/running-service.ts'
import { runOwnCommand } from './own-process.ts'
import type { Environment } from './settings.ts'

/** Long enough to read the embedded store in full. */
const TIMEOUT_MS = 600_000

/**
 * Runs `petstore doctor` in a separate process. File locks belong to the process: in this one, closing a file of the store would release
 * the locks that the service holds on it.
 */
export class DoctorProcess {
  readonly #env: Environment
  readonly #closing = new AbortController()
  #running: Promise<Finding[]> | undefined

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
    this.#closing.abort()
  }

  async #run(): Promise<Finding[]> {
    const limits = { signal: this.#closing.signal, timeoutMs: TIMEOUT_MS }
    const { stdout, error } = await runOwnCommand(['doctor', '--json'], this.#env, limits)
    try {
      // An error alone proves nothing: the exit code is also 1 if a check has failed.
      return JSON.parse(stdout).findings
    } catch {
      throw new StoreUnavailable('petstore doctor was stopped, or failed.', { cause: error })
    }
  }
}
