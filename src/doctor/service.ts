import { Mistake } from '../domain/errors.ts'
import { isServing } from '../sqlite/serving-lock.ts'
import type { Finding } from './finding.ts'

/** Whether a service is running on the folder, and could. */
export function checkService(folder: string): Finding {
  try {
    const message = `${isServing(folder) ? 'A service, or petstore migrate-store, is' : 'No service is'} running on ${folder}.`
    return { check: 'service', outcome: 'ok', message }
  } catch (error) {
    if (!(error instanceof Mistake)) throw error
    return { check: 'service', outcome: 'fail', message: error.message }
  }
}
