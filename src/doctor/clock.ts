import { formatTime } from '../domain/time.ts'
import type { Finding } from './finding.ts'

/** This program did not exist before: a clock that says so is wrong. */
const WRITTEN_AT = Date.UTC(2026, 10, 1)
/** How far clocks of machines that share a backup may well lie apart. */
const TOLERATED_MS = 60_000

/**
 * Whether the clock can be right. Windows, bans and expiries go by it.
 * @param newestTime the newest that the store has written down
 */
export function checkClock(now: number, newestTime: number | undefined): Finding {
  const time = formatTime(now)
  if (now < WRITTEN_AT) {
    return finding('fail', `The clock says ${time}, which is before this program was written; set it right.`)
  }
  if (newestTime !== undefined && now < newestTime - TOLERATED_MS) {
    const behind = `${Math.round((newestTime - now) / 1_000)} seconds`
    return finding(
      'fail',
      `The clock says ${time}, ${behind} before the newest time in the store (${formatTime(newestTime)}); set it right.`,
    )
  }
  return finding('ok', `The clock says ${time}.`)
}

function finding(outcome: Finding['outcome'], message: string): Finding {
  return { check: 'clock', outcome, message }
}
