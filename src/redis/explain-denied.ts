import { reasonOf } from '../domain/system-error.ts'
import { NEEDED_RIGHTS } from './scripts.ts'

/** Why a command or a script failed and, if its user lacks a right, the rights that it needs. */
export function explainDenied(error: Error): string {
  const [, command, cause] = NAMED.exec(error.message) ?? []
  const reason = command === undefined ? reasonOf(error) : `the command ${command} failed (${cause})`
  if (!DENIED.test(error.message)) return reason
  return `${reason}; its user needs the rights ${NEEDED_RIGHTS}, and on a cluster +cluster|slots`
}

/** A script can name the command that failed: `[HSET] ERR …`. The server adds where in the script that was. */
const NAMED = /\[(\w+)\] (?:ERR |NOPERM )?(.*?)(?: script: \w+, on .*)?$/
/** Redis 6 and 7.0 have no error code for what is denied within a script. */
const DENIED = /NOPERM|no permissions|user executing the script can't/
