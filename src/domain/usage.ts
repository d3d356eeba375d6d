import { DAY_MS } from './time.ts'

/** Usage is counted for each day, account, key and operation. */

/** What is counted: the outcomes, and of the admitted calls those with a response of each class. */
export const COUNTED = ['admitted', 'refused', 'banned', 'status2xx', 'status3xx', 'status4xx', 'status5xx'] as const

export type UsageCounts = Record<(typeof COUNTED)[number], number>

/** One key's calls of one operation on one day, or calls to add to them. */
export interface KeyUsage extends UsageCounts {
  /** Days since 1 January 1970, in UTC. */
  day: number
  accountId: bigint
  keyId: bigint
  /** The operation's id; `none` for calls that reach no operation. */
  operation: string
  /** The newest of these calls, in Unix milliseconds. */
  lastAt: number
}

export const USAGE_DIMENSIONS = ['day', 'account', 'key', 'operation'] as const

export type UsageDimension = (typeof USAGE_DIMENSIONS)[number]

/** Selects calls, and what they are grouped by. */
export interface UsageQuery {
  /** Both included. */
  fromDay: number
  toDay: number
  accountId?: bigint | undefined
  operation?: string | undefined
  by: readonly UsageDimension[]
  /** How many sums at most. */
  limit?: number
}

/** A sum of calls, with the members that it is grouped by. */
export interface UsageSum extends UsageCounts {
  day?: number
  accountId?: bigint
  /** Absent for an account that was deleted. */
  accountName?: string
  keyId?: bigint
  keyName?: string
  operation?: string
  lastAt: number
}

export function dayOf(time: number): number {
  return Math.floor(time / DAY_MS)
}

/** Such as 2027-03-01. */
export function formatDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10)
}
