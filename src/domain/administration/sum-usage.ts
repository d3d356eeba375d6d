import { invalid } from '../errors.ts'
import { formatNumber } from '../format-number.ts'
import type { UsageStore } from '../store/usage.ts'
import {
  callsOf,
  DAY_HOURS,
  dayOf,
  firstHourKept,
  hourOf,
  NO_CALLS,
  USAGE_DIMENSIONS,
  type UsageCounts,
  type UsageQuery,
  type UsageRange,
  type UsageSum,
} from '../usage.ts'

/** How calls ended: admitted, with a response of this class or with none (the client disconnected), or not admitted. */
export const CALL_STATUSES = ['2xx', '3xx', '4xx', '5xx', 'none', 'refused', 'banned'] as const

export type CallStatus = (typeof CALL_STATUSES)[number]

export const USAGE_GROUPS = [...USAGE_DIMENSIONS, 'status'] as const

export type UsageGroup = (typeof USAGE_GROUPS)[number]

export interface UsageRequest extends Omit<UsageQuery, 'by' | 'mostFirst' | 'limit'> {
  by: readonly UsageGroup[]
  /** Whether to add the days or hours without calls. */
  fill?: boolean | undefined
  /** Returns at most this many sums, most calls first, and adds none without calls. */
  top?: number | undefined
}

/** A sum of calls. Has only the members that it is grouped by, and the counts. */
export interface UsageRow extends Omit<UsageSum, 'lastAt'> {
  /** Only calls that ended this way are counted. */
  status?: CallStatus
  /** Absent if there are no calls, and for a single status: it is known only for all statuses together. */
  lastAt?: number
}

/** A longer list would take a lot of memory. */
const MAX_SUMS = 1_000_000

interface Options {
  /** Maximum number of sums; default: a million. */
  limit?: number
  /** How many days usage is kept. If omitted, usage may be known for the whole range. */
  keptDays?: number
  /** Cancels the query when its result is no longer needed. */
  signal?: AbortSignal
}

/**
 * Sums up calls. The sums are ordered by their groups, or by the number of calls if `top` is given.
 * @throws UserError when there are more sums than the limit
 */
export async function sumUsage(
  store: UsageStore,
  { by, fill = false, top, ...wanted }: UsageRequest,
  now: number,
  { limit = MAX_SUMS, keptDays = Number.POSITIVE_INFINITY, signal }: Options = {},
): Promise<UsageRow[]> {
  const query = { ...wanted, by: by.filter(group => group !== 'status') }
  const isSplit = by.includes('status')
  // The store cannot apply the limit if the sums are split afterwards: it does not know which parts have the most calls.
  if (top !== undefined && !isSplit) return store.sumUsage({ ...query, mostFirst: true, limit: top }, signal)
  const sums = await store.sumUsage({ ...query, limit: limit + 1 }, signal)
  ensureWithin(limit, sums.length)
  const rows: UsageRow[] = isSplit ? sums.flatMap(splitByStatus) : sums
  if (top !== undefined) return rows.toSorted((one, other) => callsOf(other) - callsOf(one)).slice(0, top)
  const filled = fill ? addEmpty(rows, { by, range: wanted.range }, { now, keptDays, limit }) : rows
  ensureWithin(limit, filled.length)
  return filled.toSorted((one, other) => compare(one, other, by))
}

function ensureWithin(limit: number, count: number): void {
  if (count <= limit) return
  const advice = 'choose a shorter time, or group by less'
  throw invalid(`The result has more than ${formatNumber(limit)} sums; ${advice}.`)
}

export function splitByStatus({ lastAt: _, ...sum }: UsageRow): UsageRow[] {
  const { status2xx, status3xx, status4xx, status5xx, refused, banned } = sum
  const admitted = (status: CallStatus, count: number, counted: Partial<UsageCounts> = {}) =>
    count === 0 ? [] : [{ ...sum, ...NO_CALLS, admitted: count, ...counted, status }]
  return [
    ...admitted('2xx', status2xx, { status2xx }),
    ...admitted('3xx', status3xx, { status3xx }),
    ...admitted('4xx', status4xx, { status4xx }),
    ...admitted('5xx', status5xx, { status5xx }),
    ...admitted('none', sum.admitted - status2xx - status3xx - status4xx - status5xx),
    ...(refused > 0 ? [{ ...sum, ...NO_CALLS, refused, status: 'refused' as const }] : []),
    ...(banned > 0 ? [{ ...sum, ...NO_CALLS, banned, status: 'banned' as const }] : []),
  ]
}

/**
 * Adds the days or hours without calls, for every combination of the other groups. Leaves out those about which nothing can be known:
 * the future, and days or hours that are no longer kept.
 */
function addEmpty(
  sums: readonly UsageRow[],
  { by, range }: Pick<UsageRequest, 'by' | 'range'>,
  { now, keptDays, limit }: { now: number; keptDays: number; limit: number },
): readonly UsageRow[] {
  const unit = by.includes('hour') ? 'hour' : 'day'
  if (!by.includes(unit)) return sums
  const { first, last } = knownPeriods(sums, unit, range, { now, keptDays })
  const seriesBy = by.filter(group => group !== 'day' && group !== 'hour')
  const series = new Map(sums.map(sum => [slotOf(sum, seriesBy), membersOf(sum, seriesBy)]))
  if (seriesBy.length === 0) series.set('', {})
  ensureWithin(limit, (last - first + 1) * series.size)
  const known = new Map(sums.map(sum => [`${sum[unit]} ${slotOf(sum, seriesBy)}`, sum]))
  const all: UsageRow[] = []
  for (let period = first; period <= last; period += 1) {
    const time = unit === 'day' ? { day: period } : timeOfHour(period, by)
    for (const [slot, members] of series)
      all.push(known.get(`${period} ${slot}`) ?? { ...time, ...members, ...NO_CALLS })
  }
  return all
}

function knownPeriods(
  sums: readonly UsageRow[],
  unit: UsageRange['unit'],
  range: UsageRange,
  { now, keptDays }: { now: number; keptDays: number },
): { first: number; last: number } {
  const periods = sums.map(sum => sum[unit] as number)
  const inUnit = (period: number) => (range.unit === 'hour' && unit === 'day' ? Math.floor(period / DAY_HOURS) : period)
  const current = unit === 'day' ? dayOf(now) : hourOf(now)
  const firstDay = Math.max(0, dayOf(now) - keptDays)
  const firstKept = range.unit === 'day' ? firstDay : inUnit(firstHourKept(now, firstDay))
  const min = (one: number, other: number) => Math.min(one, other)
  const max = (one: number, other: number) => Math.max(one, other)
  return {
    first: Math.max(inUnit(range.first), periods.reduce(min, firstKept)),
    last: Math.min(inUnit(range.last), periods.reduce(max, current)),
  }
}

function timeOfHour(hour: number, by: readonly UsageGroup[]): Pick<UsageRow, 'day' | 'hour'> {
  return { ...(by.includes('day') && { day: Math.floor(hour / DAY_HOURS) }), hour }
}

const VALUES: Record<UsageGroup, (row: UsageRow) => number | bigint | string> = {
  day: ({ day = 0 }) => day,
  hour: ({ hour = 0 }) => hour,
  account: ({ accountId = 0n }) => accountId,
  key: ({ keyId = 0n }) => keyId,
  operation: ({ operation = '' }) => operation,
  status: ({ status = '2xx' }) => CALL_STATUSES.indexOf(status),
}

function slotOf(row: UsageRow, by: readonly UsageGroup[]): string {
  return by.map(group => VALUES[group](row)).join(' ')
}

function membersOf(
  { accountId, accountName, keyId, keyName, operation, status }: UsageRow,
  by: readonly UsageGroup[],
): Partial<UsageRow> {
  return {
    ...(by.includes('account') && { accountId, accountName }),
    ...(by.includes('key') && { keyId, keyName }),
    ...(by.includes('operation') && { operation }),
    ...(by.includes('status') && { status }),
  } as Partial<UsageRow>
}

function compare(one: UsageRow, other: UsageRow, by: readonly UsageGroup[]): number {
  for (const group of by) {
    const [value, otherValue] = [VALUES[group](one), VALUES[group](other)]
    if (value !== otherValue) return value < otherValue ? -1 : 1
  }
  return 0
}
