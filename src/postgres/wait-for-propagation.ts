import { setTimeout as sleep } from 'node:timers/promises'

/** The table `revision`: how often callers have changed, and how often existing animals have. */
export interface Numbers {
  callers: number
  corrections: number
}

/** Queries the database, and returns the rows. */
export type Ask = (sql: string, values: readonly unknown[]) => Promise<Record<string, unknown>[]>

/**
 * An instance that takes longer is gone or stopped, and the server has ended its silent session after 4 seconds. By then, the instance no
 * longer trusts what it knew, and no statement that it had sent is still running.
 */
const TIMEOUT_MS = 4_500
const MAX_PAUSE_MS = 8

/**
 * While an instance holds no lock, it keeps nothing for longer than this. A change waits for a little longer, because it cannot see such an
 * instance: after a failover, one may read from the new primary before it has a lock there.
 */
export const MAX_AGE_WITHOUT_LOCK_MS = 20
const LEAST_WAIT_MS = 30

/** Advisory locks have 32 bits for the number. It wraps around after 31 bits. */
const LOCK_NUMBERS = 2 ** 31

/** The number of the lock held by an instance that knows these numbers, and no newer ones. */
export function lockNumber({ callers, corrections }: Numbers): number {
  return (callers + corrections) % LOCK_NUMBERS
}

/** A condition for the rows of `pg_locks` of advisory locks that are held on the oid of a table or sequence. */
export function locksOn(relation: string): string {
  return `locktype = 'advisory' AND objsubid = 2 AND granted AND classid = '${relation}'::regclass
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
}

/** The locks of serving instances; `objid` is the number that they know. While an instance switches to the next, it has two. */
export const SERVING_LOCKS = locksOn('revision')

/** Because numbers wrap around, an instance is late if its number is behind the wanted one by less than half of all numbers. */
const FIND_LATE = `SELECT callers, corrections, EXISTS (
    SELECT FROM pg_locks WHERE ${SERVING_LOCKS}
    AND (coalesce(?::int8, callers + corrections) - objid::int8) & ${LOCK_NUMBERS - 1} BETWEEN 1 AND ${LOCK_NUMBERS / 2}
  ) AS is_late FROM revision`

/**
 * Must be awaited after a commit that has changed the table `revision`: resolves when every serving instance knows the change, at the latest
 * after 4.5 seconds. Never rejects, because the change is committed in any case.
 * @param maxMs a shorter timeout
 * @returns the numbers at a moment after the commit; undefined if they could not be read
 */
export async function waitForPropagation(ask: Ask, maxMs = TIMEOUT_MS): Promise<Numbers | undefined> {
  let numbers: Numbers | undefined
  let isOver = false
  const asking = async () => {
    for (let pauseMs = 1; !isOver; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
      const [row] = await ask(FIND_LATE, [numbers && numbers.callers + numbers.corrections])
      if (!row) return
      numbers ??= numbersOf(row)
      if (!row.is_late) return
      await sleep(pauseMs)
    }
  }
  const leastWait = sleep(Math.min(maxMs, LEAST_WAIT_MS))
  await Promise.race([asking().catch(() => {}), sleep(Math.min(maxMs, TIMEOUT_MS), undefined, { ref: false })])
  await leastWait
  isOver = true
  return numbers
}

/** Converts numbers from strings, bigints or numbers. */
export function numbersOf({ callers, corrections }: Record<string, unknown>): Numbers {
  return { callers: Number(callers), corrections: Number(corrections) }
}
