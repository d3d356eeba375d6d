import { Mistake } from '../errors.ts'
import { parseInt64 } from '../int64.ts'
import type { Store } from '../store.ts'
import { dayOf, formatDay, USAGE_DIMENSIONS, type UsageDimension } from '../usage.ts'
import { findAccount } from './accounts.ts'

/** How many days of usage are told unless others are asked for. */
export const USUAL_DAYS = 30

/** Which days are asked for, as they are written. */
interface DaysWish {
  from?: string | undefined
  to?: string | undefined
}

/** What a surface calls a parameter, such as `--from`. */
type NameOf = (parameter: 'from' | 'to' | 'by') => string

/**
 * The days that are asked for, both included. Without `to` the last one is today; without `from` there are as many as `days`.
 * @throws Mistake
 */
export function parseUsageDays(
  { from, to }: DaysWish,
  now: number,
  { days = USUAL_DAYS, nameOf = asItIs }: { days?: number; nameOf?: NameOf } = {},
): { fromDay: number; toDay: number } {
  const toDay = to === undefined ? dayOf(now) : parseDay(nameOf('to'), to)
  const fromDay = from === undefined ? toDay - days + 1 : parseDay(nameOf('from'), from)
  if (fromDay > toDay) {
    const last = to === undefined ? 'today' : nameOf('to')
    throw new Mistake('invalid', `${nameOf('from')} must not be later than ${last}.`)
  }
  return { fromDay, toDay }
}

/**
 * Reads what usage is added up by, such as `day,key`; the order is that of the sums.
 * @throws Mistake
 */
export function parseDimensions(text: string, nameOf: NameOf = asItIs): UsageDimension[] {
  const wanted = text.split(',')
  const known = wanted.filter(isDimension)
  if (known.length < wanted.length || new Set(known).size < known.length) {
    throw new Mistake(
      'invalid',
      `${nameOf('by')} must be one or more of ${USAGE_DIMENSIONS.join(', ')}, with commas between.`,
    )
  }
  return known
}

function isDimension(text: string): text is UsageDimension {
  return USAGE_DIMENSIONS.some(dimension => dimension === text)
}

/**
 * Finds an account whose past is asked for, by its id or its name. One that has been deleted can still be asked for by its id: then
 * there is no name.
 * @throws Mistake
 */
export async function findPastAccount(store: Store, nameOrId: string): Promise<{ id: bigint; name?: string }> {
  const id = parseInt64(nameOrId)
  if (id === undefined) return findAccount(store, nameOrId)
  return (await store.findAccount(id)) ?? { id }
}

/** Reads an ISO 8601 date, into days since 1970. `Date` takes 30 February for 2 March: it comes back as another day. */
function parseDay(name: string, text: string): number {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  if (Number.isNaN(time) || formatDay(dayOf(time)) !== text) {
    throw new Mistake('invalid', `${name} must be a UTC day such as 2030-12-31.`)
  }
  return dayOf(time)
}

function asItIs(parameter: string): string {
  return parameter
}
