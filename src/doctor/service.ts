import { Mistake } from '../domain/errors.ts'
import { findLostFile } from '../sqlite/connection.ts'
import { isServing } from '../sqlite/serving-lock.ts'
import type { Finding } from './finding.ts'

/** Whether a service is running on the folder, and could. */
export function checkService(folder: string): Finding {
  try {
    const lost = findLostFile(folder)
    if (lost) return finding('fail', `A service is running on ${folder}, but ${lost}.`)
    const message = `${isServing(folder) ? 'A service, or petstore migrate-store, is' : 'No service is'} running on ${folder}.`
    return finding('ok', message)
  } catch (error) {
    if (!(error instanceof Mistake)) throw error
    return finding('fail', error.message)
  }
}

function finding(outcome: Finding['outcome'], message: string): Finding {
  return { check: 'service', outcome, message }
}
