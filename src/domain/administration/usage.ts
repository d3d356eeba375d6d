import { invalid } from '../errors.ts'
import { parseInt64 } from '../int64.ts'
import type { AccountStore } from '../store/accounts.ts'
import { DAY_HOURS, dayOf, daysFrom, formatDay, HOURLY_USAGE_DAYS, hourOf, type UsageRange } from '../usage.ts'
import { findAccount } from './accounts.ts'
import { findKey } from './keys.ts'
import { USAGE_GROUPS, type UsageGroup } from './sum-usage.ts'

export const DEFAULT_USAGE_DAYS = 30
export const DEFAULT_USAGE_HOURS = 24
export const MAX_USAGE_HOURS = HOURLY_USAGE_DAYS * DAY_HOURS

/** The period of a usage query, as typed by an operator. */
interface UsageTime {
  /** The first and the last day. `to` is today by default. */
  from?: string | undefined
  to?: string | undefined
  /** Number of days, if `from` is not given. */
  days?: number | undefined
  /** Only the last hours of these days, up to the current one. */
  hours?: number | undefined
}

/** How a message names a parameter, such as `--from`. */
type NameOf = (parameter: 'from' | 'to' | 'by') => string

/**
 * Returns a range of hours if usage is grouped by hour or `hours` is given; otherwise a range of days.
 * @throws UserError
 */
export function parseUsageRange(
  time: UsageTime,
  by: readonly UsageGroup[],
  now: number,
  nameOf: NameOf = parameter => parameter,
): UsageRange {
  const { from, to } = time
  const toDay = to === undefined ? dayOf(now) : parseDay(nameOf('to'), to)
  const fromDay = from === undefined ? toDay - (time.days ?? DEFAULT_USAGE_DAYS) + 1 : parseDay(nameOf('from'), from)
  if (fromDay > toDay) {
    const last = to === undefined ? 'today' : nameOf('to')
    throw invalid(`${nameOf('from')} must not be later than ${last}.`, 'from')
  }
  const isWithoutDays = from === undefined && time.days === undefined
  const hours = time.hours ?? (isWithoutDays ? DEFAULT_USAGE_HOURS : Number.POSITIVE_INFINITY)
  if (time.hours === undefined && !by.includes('hour')) return daysFrom(fromDay, toDay)
  const endOfDays = toDay * DAY_HOURS + DAY_HOURS - 1
  const last = toDay === dayOf(now) ? hourOf(now) : endOfDays
  return { unit: 'hour', first: Math.max(isWithoutDays ? 0 : fromDay * DAY_HOURS, last - hours + 1), last }
}

/**
 * Parses the groups of a usage query, such as `day,key`. The sums are ordered by them.
 * @throws UserError
 */
export function parseGroups(text: string, nameOf: NameOf = parameter => parameter): UsageGroup[] {
  const names = text.split(',')
  const known = names.flatMap(name => USAGE_GROUPS.filter(group => group === name))
  if (known.length < names.length) {
    const all = USAGE_GROUPS.join(', ')
    throw invalid(`${nameOf('by')} must be one or more of ${all}, separated by commas.`, 'by')
  }
  return [...new Set(known)]
}

/** The default: by account, or by day for a single account or key. */
export function defaultGroups({ account, key }: { account?: unknown; key?: unknown }): UsageGroup[] {
  return [account === undefined && key === undefined ? 'account' : 'day']
}

export interface UsageScope {
  accountId?: bigint | undefined
  /** Absent for an account that was deleted. */
  accountName?: string | undefined
  keyId?: bigint | undefined
}

/**
 * Finds an account, a key of any account, or a key of the given account. The key of a deleted account is found only if its account is given.
 * @throws UserError
 */
export async function findUsageScope(
  store: AccountStore,
  { account, key }: { account?: string | undefined; key?: string | undefined },
): Promise<UsageScope> {
  const past = account === undefined ? undefined : await findPastAccount(store, account)
  const scope = { accountId: past?.id, accountName: past?.name }
  if (key === undefined) return scope
  const keyId = parseInt64(key)
  if (past && keyId !== undefined) return { ...scope, keyId }
  const { id, accountId, accountName } = await findKey(store, key)
  return { accountId, accountName, keyId: id }
}

/**
 * Finds an account by its id or its name, for queries about the past. A deleted account is still found by its id, without a name.
 * @throws UserError
 */
export async function findPastAccount(store: AccountStore, nameOrId: string): Promise<{ id: bigint; name?: string }> {
  const id = parseInt64(nameOrId)
  if (id === undefined) return findAccount(store, nameOrId)
  return (await store.findAccount(id)) ?? { id }
}

/** Parses an ISO 8601 date into days since 1970. `Date` reads 30 February as 2 March; formatting the result again reveals that. */
function parseDay(name: string, text: string): number {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  if (Number.isNaN(time) || formatDay(dayOf(time)) !== text) {
    throw invalid(`${name} must be a UTC day such as 2030-12-31.`, name)
  }
  return dayOf(time)
}
