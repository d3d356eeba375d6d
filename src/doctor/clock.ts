import { formatTime } from '../domain/time.ts'
import type { Finding } from './finding.ts'

/** This program did not exist before: a clock that says so is wrong. */
const WRITTEN_AT = Date.UTC(2026, 10, 1)
/** How far clocks of machines that share a backup may well lie apart. */
const TOLERATED_MS = 60_000
/** How far clocks of machines that work together may lie apart: callers are told the end of a window to the second. */
const TOLERATED_TOGETHER_MS = 1_000

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

/** Whether a server's clock goes with this machine's. */
export function compareClocks(server: string, aheadMs: number): Finding {
  const apart = Math.abs(aheadMs)
  if (apart < TOLERATED_TOGETHER_MS)
    return finding('ok', `The clock of ${server} is within a second of this machine's.`)
  const seconds = (apart / 1_000).toFixed(1)
  const words = `The clock of ${server} is ${seconds} seconds ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine's`
  return finding(apart < TOLERATED_MS ? 'warn' : 'fail', `${words}; let one time service set both.`)
}

function finding(outcome: Finding['outcome'], message: string): Finding {
  return { check: 'clock', outcome, message }
}
