import { UserError } from '../errors.ts'
import { parseInt64 } from '../int64.ts'
import type { AccountStore } from '../store/accounts.ts'
import { dayOf, formatDay, USAGE_DIMENSIONS, type UsageDimension } from '../usage.ts'
import { findAccount } from './accounts.ts'

export const DEFAULT_USAGE_DAYS = 30

/** The first and the last day, as an operator writes them. */
interface Days {
  from?: string | undefined
  to?: string | undefined
}

/** How a message names a parameter, such as `--from`. */
type NameOf = (parameter: 'from' | 'to' | 'by') => string

/**
 * Returns the first and the last day, both included. `to` is today by default; without `from` there are `days` days.
 * @throws UserError
 */
export function parseUsageDays(
  { from, to }: Days,
  now: number,
  { days = DEFAULT_USAGE_DAYS, nameOf = unchanged }: { days?: number; nameOf?: NameOf } = {},
): { fromDay: number; toDay: number } {
  const toDay = to === undefined ? dayOf(now) : parseDay(nameOf('to'), to)
  const fromDay = from === undefined ? toDay - days + 1 : parseDay(nameOf('from'), from)
  if (fromDay > toDay) {
    const last = to === undefined ? 'today' : nameOf('to')
    throw new UserError('invalid', `${nameOf('from')} must not be later than ${last}.`)
  }
  return { fromDay, toDay }
}

/**
 * Reads what usage is grouped by, such as `day,key`. The sums are in this order.
 * @throws UserError
 */
export function parseDimensions(text: string, nameOf: NameOf = unchanged): UsageDimension[] {
  const names = text.split(',')
  const known = names.flatMap(name => USAGE_DIMENSIONS.filter(dimension => dimension === name))
  if (known.length < names.length || new Set(known).size < known.length) {
    const all = USAGE_DIMENSIONS.join(', ')
    throw new UserError('invalid', `${nameOf('by')} must be one or more of ${all}, separated by commas.`)
  }
  return known
}

/**
 * Finds an account by its id or its name, to look at its past. An account that was deleted is still found by its id, without a name.
 * @throws UserError
 */
export async function findPastAccount(store: AccountStore, nameOrId: string): Promise<{ id: bigint; name?: string }> {
  const id = parseInt64(nameOrId)
  if (id === undefined) return findAccount(store, nameOrId)
  return (await store.findAccount(id)) ?? { id }
}

/** Reads an ISO 8601 date, into days since 1970. `Date` reads 30 February as 2 March, which is formatted differently. */
function parseDay(name: string, text: string): number {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  if (Number.isNaN(time) || formatDay(dayOf(time)) !== text) {
    throw new UserError('invalid', `${name} must be a UTC day such as 2030-12-31.`)
  }
  return dayOf(time)
}

function unchanged(parameter: string): string {
  return parameter
}
