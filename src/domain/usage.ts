import { DAY_MS, formatTime, HOUR_MS } from './time.ts'

/** Usage is counted per hour, account, key and operation. Daily usage is kept longer than hourly usage. */

/** What is counted: calls by outcome, and admitted calls by class of response. */
export const COUNTED = ['admitted', 'refused', 'banned', 'status2xx', 'status3xx', 'status4xx', 'status5xx'] as const

export type UsageCounts = Record<(typeof COUNTED)[number], number>

export const NO_CALLS = Object.fromEntries(COUNTED.map(count => [count, 0])) as UsageCounts

/** One key's calls to one operation in one hour, or calls to add to them. */
export interface KeyUsage extends UsageCounts {
  /** Hours since 1 January 1970, in UTC. */
  hour: number
  accountId: bigint
  keyId: bigint
  /** The operation's id; `none` for calls that reach no operation. */
  operation: string
  /** The newest of these calls, in Unix milliseconds. */
  lastAt: number
  /** The network that it came from, as of `networkOf`; undefined if that is not known. */
  lastFrom: string | undefined
}

/** Identifies usage that is added together. */
export interface UsageBatch {
  /** A UUID. */
  writer: string
  /** Ascending. A writer adds one batch at a time. */
  number: number
}

/** Hourly usage is kept for this many days, including the current one. How long daily usage is kept is a setting. */
export const HOURLY_USAGE_DAYS = 35
export const DAY_HOURS = 24

export const USAGE_DIMENSIONS = ['day', 'hour', 'account', 'key', 'operation'] as const

export type UsageDimension = (typeof USAGE_DIMENSIONS)[number]

/** Days or hours since 1970, both included. */
export interface UsageRange {
  unit: 'day' | 'hour'
  first: number
  last: number
}

/** Selects calls and groups them. */
export interface UsageQuery {
  /** Grouping by hour requires a range of hours. */
  range: UsageRange
  accountId?: bigint | undefined
  keyId?: bigint | undefined
  operation?: string | undefined
  by: readonly UsageDimension[]
  /** Orders the sums by calls, most first, instead of by their groups. */
  mostFirst?: boolean
  /** Only the sums after this one, if they are grouped by account, key and operation, in this order. */
  after?: Pick<UsageSum, 'accountId' | 'keyId' | 'operation'> | undefined
  limit?: number
}

/** A sum of calls. Has only the members that it is grouped by, and the counts. */
export interface UsageSum extends UsageCounts {
  day?: number
  hour?: number
  accountId?: bigint
  /** Absent for an account that was deleted. */
  accountName?: string
  keyId?: bigint
  keyName?: string
  operation?: string
  lastAt: number
}

/** All calls, whatever their outcome. */
export function callsOf({ admitted, refused, banned }: Pick<UsageCounts, 'admitted' | 'refused' | 'banned'>): number {
  return admitted + refused + banned
}

export function dayOf(time: number): number {
  return Math.floor(time / DAY_MS)
}

export function hourOf(time: number): number {
  return Math.floor(time / HOUR_MS)
}

/** Days, both included. */
export function daysFrom(first: number, last: number): UsageRange {
  return { unit: 'day', first, last }
}

/** The first hour for which hourly usage is kept if days are kept from `firstDay`. */
export function firstHourKept(now: number, firstDay: number): number {
  return Math.max(firstDay, dayOf(now) - HOURLY_USAGE_DAYS + 1) * DAY_HOURS
}

/** Such as 2027-03-01. */
export function formatDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10)
}

/** Such as 2027-03-01T09:00:00Z. */
export function formatHour(hour: number): string {
  return formatTime(hour * HOUR_MS)
}
