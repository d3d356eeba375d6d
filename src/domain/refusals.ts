import { DAY_MS } from './time.ts'

/** The last calls of each key that were answered with an error, so that an operator sees why a partner gets no animals. */

export interface RefusedCall {
  keyId: bigint
  /** Unix milliseconds. */
  calledAt: number
  /** Identifies a call of this key and this time, over all instances. Those of one instance ascend. */
  sequence: number
  method: string
  /** With its query; without secrets, and shortened. */
  path: string
  /** Of the response: 400 or more. */
  status: number
  code: string
  /** The network that it came from, as of `networkOf`. */
  calledFrom: string
  /** Without secrets, and shortened. */
  userAgent: string | undefined
}

export interface ListedRefusal extends Omit<RefusedCall, 'sequence'> {
  keyName: string | undefined
}

export type RefusalQuery = { keyId: bigint } | { accountId: bigint }

/** For each key, and in a list. */
export const MAX_REFUSALS = 100
export const REFUSAL_DAYS = 7

/** Refused calls before this time are deleted: they name the addresses of people, and are not kept longer than usage. */
export function firstRefusalKept(now: number, firstUsageDay: number): number {
  return Math.max(firstUsageDay * DAY_MS, now - REFUSAL_DAYS * DAY_MS)
}
