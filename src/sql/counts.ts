import type { Counts } from '../domain/rate-limiter.ts'
import type { AccountCounts } from '../domain/store/accounts.ts'
import { longRead, shortRead } from './operation.ts'
import { COUNT, ID, optional, present, rowReader, TIME } from './row-reader.ts'
import { all, first, type Query, type Row, type Value } from './statement.ts'

/** A window that never began is null. */
export const COUNT_COLUMNS = ['account_id', 'minute_used', 'minute_resets_at', 'day_used', 'day_resets_at']

/** In the order of the columns. */
export function countValues({ accountId, counts: { minute, day } }: AccountCounts): Value[] {
  return [accountId, minute?.used ?? null, minute?.resetsAt ?? null, day?.used ?? null, day?.resetsAt ?? null]
}

const COUNTS = `SELECT ${COUNT_COLUMNS.join(', ')} FROM account_count`

export function countsAfter(now: number): Query<AccountCounts[]> {
  return all(`${COUNTS} WHERE minute_resets_at > ? OR day_resets_at > ?`, [now, now], countsOf)
}

function countsOfAccount(accountId: bigint): Query<Counts> {
  const saved = first(`${COUNTS} WHERE account_id = ?`, [accountId], countsOf)
  return { ...saved, resultOf: rows => saved.resultOf(rows)?.counts ?? {} }
}

export const countOperations = {
  listCounts: longRead(countsAfter),
  findCounts: shortRead(countsOfAccount),
}

const readCounts = rowReader('the counts of an account', {
  accountId: ID,
  minuteUsed: optional(COUNT),
  minuteResetsAt: optional(TIME),
  dayUsed: optional(COUNT),
  dayResetsAt: optional(TIME),
})

function countsOf(row: Row): AccountCounts {
  const { accountId, minuteUsed, minuteResetsAt, dayUsed, dayResetsAt } = readCounts(row)
  const counts = { minute: windowOf(minuteUsed, minuteResetsAt), day: windowOf(dayUsed, dayResetsAt) }
  return { accountId, counts: present<Counts>(counts) }
}

function windowOf(used: number | undefined, resetsAt: number | undefined): Counts['minute'] | undefined {
  return used === undefined || resetsAt === undefined ? undefined : { used, resetsAt }
}
