import { StoreUnavailable } from '../../domain/errors.ts'
import type { CheckFinding } from '../../operator/running-service.ts'
import { runOwnCommand } from '../own-process.ts'
import type { Environment } from '../settings.ts'

/** Long enough to read the embedded store in full. */
const TIMEOUT_MS = 600_000

/**
 * Runs `petstore doctor` in a separate process; concurrent calls share one run. File locks belong to the process: in this one, closing a file of
 * the store would release the locks that the service holds on it.
 * @param signal ends a running check
 */
export function buildDoctor(env: Environment, signal: AbortSignal): () => Promise<CheckFinding[]> {
  let running: Promise<CheckFinding[]> | undefined
  return () => {
    running ??= run(env, signal).finally(() => {
      running = undefined
    })
    return running
  }
}

async function run(env: Environment, signal: AbortSignal): Promise<CheckFinding[]> {
  const { stdout, error } = await runOwnCommand(['doctor', '--json'], env, { signal, timeoutMs: TIMEOUT_MS })
  try {
    // An error alone proves nothing: the exit code is also 1 if a check has failed.
    return JSON.parse(stdout).findings
  } catch {
    throw new StoreUnavailable('petstore doctor was stopped, or failed.', { cause: error })
  }
}
