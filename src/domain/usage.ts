/** How a service is used: counted for each day, account, key and operation. */

/** What has been counted of something. */
export interface UsageCounts {
  admitted: number
  refused: number
  banned: number
  /** Of the admitted calls, how many were answered with each class of status. */
  status2xx: number
  status3xx: number
  status4xx: number
  status5xx: number
}

/** One key's calls of one operation on one day, or what is to be added to them. */
export interface KeyUsage extends UsageCounts {
  /** Days since 1 January 1970, in UTC. */
  day: number
  accountId: bigint
  keyId: bigint
  /** As the contract names it; `none` for calls that reach no operation. */
  operation: string
  /** The newest of these calls, in Unix milliseconds. */
  lastAt: number
}

export const USAGE_DIMENSIONS = ['day', 'account', 'key', 'operation'] as const

export type UsageDimension = (typeof USAGE_DIMENSIONS)[number]

/** Which calls are wanted, and what they are added up by. */
export interface UsageQuery {
  /** Both included. */
  fromDay: number
  toDay: number
  accountId?: bigint | undefined
  operation?: string | undefined
  by: readonly UsageDimension[]
  /** How many sums at most; all of them unless it is given. */
  limit?: number
}

/** A sum; it bears the members that it was added up by. */
export interface UsageSum extends UsageCounts {
  day?: number
  accountId?: bigint
  /** Absent for an account that has been deleted. */
  accountName?: string
  keyId?: bigint
  keyName?: string
  operation?: string
  lastAt: number
}

const DAY_MS = 86_400_000

export function dayOf(time: number): number {
  return Math.floor(time / DAY_MS)
}

/** Such as 2027-03-01. */
export function formatDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10)
}
