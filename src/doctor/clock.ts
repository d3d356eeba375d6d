import { formatTime } from '../domain/time.ts'
import { type Finding, findingsOf } from './finding.ts'

const { ok, warn, fail } = findingsOf('clock')

/** This program was written later than this, so an earlier clock is wrong. */
const WRITTEN_AT = Date.UTC(2026, 10, 1)
/** How far the clocks of machines that share a backup may differ. */
const MAX_BEHIND_STORE_MS = 60_000
/** How far the clocks of cooperating machines may differ: responses give the end of a window to the second. */
const MAX_APART_MS = 1_000
const FAIL_APART_MS = 60_000

/**
 * Checks whether the clock is plausible. Windows, bans and expiries depend on it.
 * @param newestTime the newest time in the store
 */
export function checkClock(now: number, newestTime: number | undefined): Finding {
  const clock = `The clock shows ${formatTime(now)}`
  if (now < WRITTEN_AT) return fail(`${clock}, a time before this program was written; correct it.`)
  if (newestTime !== undefined && now < newestTime - MAX_BEHIND_STORE_MS) {
    const seconds = Math.round((newestTime - now) / 1_000)
    return fail(
      `${clock}, ${seconds} seconds before the newest time in the store (${formatTime(newestTime)}); correct it.`,
    )
  }
  return ok(`${clock}.`)
}

/** Compares a server's clock with that of this machine. */
export function compareClocks(server: string, aheadMs: number): Finding {
  const apart = Math.abs(aheadMs)
  if (apart < MAX_APART_MS) return ok(`The clock of ${server} is within a second of this machine's.`)
  const difference = `${(apart / 1_000).toFixed(1)} seconds ${aheadMs > 0 ? 'ahead of' : 'behind'}`
  const finding = apart < FAIL_APART_MS ? warn : fail
  return finding(`The clock of ${server} is ${difference} this machine's; synchronise both with the same time service.`)
}
