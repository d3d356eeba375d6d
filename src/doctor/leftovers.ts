import { findLeftovers } from '../sqlite/leftovers.ts'
import type { Finding } from './finding.ts'

/** What commands that were killed have left in the folder, which takes room. */
export function checkLeftovers(folder: string): Finding[] {
  try {
    return findLeftovers(folder).map(path =>
      warning(`${path} was left by a command that was killed or is still running.`),
    )
  } catch {
    // Another check reports that the folder cannot be read.
    return []
  }
}

function warning(message: string): Finding {
  return { check: 'leftovers', outcome: 'warn', message: `${message} The next start of the service removes it.` }
}
