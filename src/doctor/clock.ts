import { COMMAND } from '../app/command-name.ts'
import { describeDoubt, isInDoubt, MAX_AHEAD_MS } from '../domain/clock.ts'
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
 * @param store its newest time, and the latest time at which the clock was known to be right
 */
export function checkClock(now: number, store: StoreTimes | undefined): Finding {
  const clock = `The clock shows ${formatTime(now)}`
  if (now < WRITTEN_AT) return fail(`${clock}, a time before this program was written; correct it.`)
  const { newestTime, clockConfirmedAt } = store ?? {}
  if (clockConfirmedAt !== undefined && isInDoubt(now, clockConfirmedAt)) {
    return warn(describeDoubt(now, clockConfirmedAt, COMMAND))
  }
  const latest = latestCredible(newestTime, clockConfirmedAt)
  if (latest !== undefined && now < latest - MAX_BEHIND_STORE_MS) {
    const seconds = Math.round((latest - now) / 1_000)
    return fail(`${clock}, ${seconds} seconds before the newest time in the store (${formatTime(latest)}); correct it.`)
  }
  return ok(`${clock}.`)
}

interface StoreTimes {
  newestTime: number | undefined
  clockConfirmedAt: number | undefined
}

/** A time far after the last confirmed one was written while the clock was wrong, or before it was confirmed. */
function latestCredible(newestTime: number | undefined, confirmedAt: number | undefined): number | undefined {
  if (newestTime === undefined || confirmedAt === undefined) return newestTime ?? confirmedAt
  return newestTime > confirmedAt + MAX_AHEAD_MS ? confirmedAt : Math.max(newestTime, confirmedAt)
}

/** Compares a server's clock with that of this machine. */
export function compareClocks(server: string, aheadMs: number): Finding {
  const apart = Math.abs(aheadMs)
  if (apart < MAX_APART_MS) return ok(`The clock of ${server} is within a second of this machine's.`)
  const difference = `${(apart / 1_000).toFixed(1)} seconds ${aheadMs > 0 ? 'ahead of' : 'behind'}`
  const finding = apart < FAIL_APART_MS ? warn : fail
  return finding(`The clock of ${server} is ${difference} this machine's; synchronise both with the same time service.`)
}
