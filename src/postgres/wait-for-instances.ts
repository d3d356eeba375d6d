import { setTimeout as sleep } from 'node:timers/promises'
import { isEarlierLate } from './finish-upgrade.ts'
import { LEASE_MS } from './renewals.ts'

/** Queries the database, and returns the rows. */
type Ask = (sql: string, values: readonly unknown[]) => Promise<Record<string, unknown>[]>

const MAX_PAUSE_MS = 50
const DELETION_MS = 1_000

const FIND_LATE = `WITH change AS MATERIALIZED (
    SELECT coalesce(?::int8, (SELECT callers + corrections FROM revision)) AS number
  )
  SELECT number, EXISTS (SELECT FROM instance WHERE seen < number) OR ${isEarlierLate('number')} AS is_late FROM change`

/** They serve nothing before they have registered again. The next change does not wait for them. */
const DELETE_LATE = 'DELETE FROM instance WHERE seen < ?'

/**
 * Must be awaited after a commit that has changed the table `revision`: resolves when no instance acts on an older state. An instance that does not
 * respond no longer does so after its lease. Never rejects, because the change is committed in any case.
 * @param maxMs a shorter timeout
 */
export async function waitForInstances(ask: Ask, maxMs = LEASE_MS): Promise<void> {
  const end = performance.now() + maxMs
  const inTime = (rows: ReturnType<Ask>, untilMs: number) =>
    Promise.race([rows.catch(() => []), sleep(Math.max(0, untilMs - performance.now()), [], { ref: false })])
  let number: unknown
  for (let pauseMs = 1; performance.now() < end; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    const [row] = await inTime(ask(FIND_LATE, [number]), end)
    if (row?.is_late === false) return
    number ??= row?.number
    await sleep(Math.max(0, Math.min(pauseMs, end - performance.now())))
  }
  if (maxMs >= LEASE_MS && number !== undefined) await inTime(ask(DELETE_LATE, [number]), end + DELETION_MS)
}
