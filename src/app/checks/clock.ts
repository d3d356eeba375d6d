import { describeDoubt, isInDoubt, MAX_AHEAD_MS } from '../../domain/clock.ts'
import { formatTime } from '../../domain/time.ts'
import { COMMAND } from '../command-name.ts'
import { check } from './check.ts'
import type { Facts } from './facts.ts'
import { fail, ok, type Verdict, warn } from './verdict.ts'

/** This program was written later than this, so an earlier clock is wrong. */
const WRITTEN_AT = Date.UTC(2026, 10, 1)
/** How far the clocks of machines that share a backup may differ. */
const MAX_BEHIND_STORE_MS = 60_000
/** How far the clocks of cooperating machines may differ: responses give the end of a window to the second. */
const MAX_APART_MS = 1_000
const FAIL_APART_MS = 60_000

/** Whether the clock is plausible. Windows, bans and expiries depend on it. */
export const CLOCK_CHECKS = [
  check('clock', 'clock', (clock, { now }) => checkClock(clock, now)),
  check('clock', 'database', ({ name, clockAheadMs }) => compareClocks(`PostgreSQL at ${name}`, clockAheadMs)),
]

export function checkClock({ newestTime, clockConfirmedAt, inDoubtSince }: Facts['clock'], now: number): Verdict {
  const clock = `The clock shows ${formatTime(now)}`
  if (now < WRITTEN_AT) return fail(`${clock}, a time before this program was written; correct it.`)
  if (clockConfirmedAt !== undefined && isInDoubt(now, clockConfirmedAt)) {
    return warn(describeDoubt(now, clockConfirmedAt, COMMAND), inDoubtSince)
  }
  const latest = latestCredible(newestTime, clockConfirmedAt)
  if (latest !== undefined && now < latest - MAX_BEHIND_STORE_MS) {
    const seconds = Math.round((latest - now) / 1_000)
    return fail(`${clock}, ${seconds} seconds before the newest time in the store (${formatTime(latest)}); correct it.`)
  }
  return ok(`${clock}.`)
}

/** A time far after the last confirmed one was written while the clock was wrong, or before it was confirmed. */
function latestCredible(newestTime: number | undefined, confirmedAt: number | undefined): number | undefined {
  if (newestTime === undefined || confirmedAt === undefined) return newestTime ?? confirmedAt
  return newestTime > confirmedAt + MAX_AHEAD_MS ? confirmedAt : Math.max(newestTime, confirmedAt)
}

export function compareClocks(server: string, aheadMs: number): Verdict {
  const apart = Math.abs(aheadMs)
  if (apart < MAX_APART_MS) return ok(`The clock of ${server} is within a second of this machine's.`)
  const difference = `${(apart / 1_000).toFixed(1)} seconds ${aheadMs > 0 ? 'ahead of' : 'behind'}`
  const judge = apart < FAIL_APART_MS ? warn : fail
  return judge(`The clock of ${server} is ${difference} this machine's; synchronise both with the same time service.`)
}
