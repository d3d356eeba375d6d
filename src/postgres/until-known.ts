import { setTimeout as sleep } from 'node:timers/promises'

/** What the table `revision` says: how often callers have changed, and how often animals that were there. */
export interface Numbers {
  callers: number
  corrections: number
}

/** Asks the database, and gives the rows. */
export type Ask = (sql: string, parameters: unknown[]) => Promise<Record<string, unknown>[]>

/** An instance that says nothing for longer has not heard of the change, and learns of it by looking again. */
const PATIENCE_MS = 1_000
const LONGEST_PAUSE_MS = 8

/** Advisory locks have 32 bits for the number; it begins again at 0 after 31 of them. */
const LOCK_NUMBERS = 2 ** 31

/** The number of the lock that an instance holds which knows these numbers, and none that are newer. */
export function lockNumber({ callers, corrections }: Numbers): number {
  return (callers + corrections) % LOCK_NUMBERS
}

/** Which rows of `pg_locks` are instances that serve; `objid` is the number they know. Where one takes the next, it has two. */
export const SERVING_LOCKS = `locktype = 'advisory' AND objsubid = 2 AND granted AND classid = 'revision'::regclass
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

/** Behind the wanted number, by less than half the way round. */
const KNOWN = `SELECT callers, corrections, EXISTS (
    SELECT FROM pg_locks WHERE ${SERVING_LOCKS}
    AND (coalesce($1::int8, callers + corrections) - objid::int8) & ${LOCK_NUMBERS - 1} BETWEEN 1 AND ${LOCK_NUMBERS / 2}
  ) AS is_late FROM revision`

/**
 * To be awaited after a commit that has changed the table `revision`: ends when every instance that serves knows, at the latest
 * after a second. Never rejects, for what is committed has been done, whoever knows of it.
 * @param mostMs the longest that it may take, if that is less
 * @returns the numbers of a moment after the commit; undefined if they could not be read
 */
export async function untilKnown(ask: Ask, mostMs = PATIENCE_MS): Promise<Numbers | undefined> {
  let numbers: Numbers | undefined
  let isOver = false
  const asking = async () => {
    for (let pauseMs = 1; !isOver; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      const [row] = await ask(KNOWN, [numbers && numbers.callers + numbers.corrections])
      if (!row) return
      numbers ??= numbersOf(row)
      if (!row.is_late) return
      await sleep(pauseMs)
    }
  }
  await Promise.race([asking().catch(() => {}), sleep(Math.min(mostMs, PATIENCE_MS), undefined, { ref: false })])
  isOver = true
  return numbers
}

/** Of a row whose numbers are texts, bigints or numbers. */
export function numbersOf({ callers, corrections }: Record<string, unknown>): Numbers {
  return { callers: Number(callers), corrections: Number(corrections) }
}
