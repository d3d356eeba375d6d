import { isDeepStrictEqual } from 'node:util'
import type { KeyScope } from './api-key.ts'
import type { Ban } from './ban.ts'
import { invalid } from './errors.ts'
import { parseInt64 } from './int64.ts'
import { parseLabel } from './label.ts'
import type { Limits, Plan } from './plan.ts'
import type { UsageCounts } from './usage.ts'

export const ACCOUNT_STATES = ['active', 'suspended'] as const

export type AccountState = (typeof ACCOUNT_STATES)[number]

/** Owns API keys, which share the limits of its plan. Times are Unix milliseconds. */
export interface Account {
  id: bigint
  name: string
  plan: Plan
  limits: Limits
  createdAt: number
  /** Undefined unless the account is suspended. */
  suspendedAt: number | undefined
  /** Calls to the deprecated `getPet`, as far back as usage is kept. */
  deprecatedCalls: number
  lastDeprecatedCallAt: number | undefined
}

/** An account with its calls of the current UTC day, as far as they have been saved. */
export interface AccountWithUsage extends Account {
  usageToday: Pick<UsageCounts, 'admitted' | 'refused' | 'banned'>
  /** How many of its keys have a ban in force. */
  bannedKeys: number
}

/** Rounded down; over 100 after a change to a smaller plan. */
export function usedPercent(admitted: number, { perDay }: Limits): number {
  return Math.floor((100 * admitted) / perDay)
}

/** What operators can change about an account. */
export type AccountVersion = Omit<Account, 'id' | 'createdAt' | 'deprecatedCalls' | 'lastDeprecatedCallAt'>

/** Its values, in the order in which they are part of the version that operators see. */
export function valuesOfVersion({ name, plan, limits: { perMinute, perDay }, suspendedAt }: AccountVersion) {
  type Members = Exclude<keyof AccountVersion, 'limits'> | keyof Limits
  return { name, plan, perMinute, perDay, suspendedAt: suspendedAt ?? null } satisfies Record<Members, unknown>
}

export function isSameVersion(one: AccountVersion, other: AccountVersion): boolean {
  return isDeepStrictEqual(valuesOfVersion(one), valuesOfVersion(other))
}

export function accountState({ suspendedAt }: Pick<Account, 'suspendedAt'>): AccountState {
  return suspendedAt === undefined ? 'active' : 'suspended'
}

/** One key of one account, as stored. */
export interface Caller {
  keyId: bigint
  accountId: bigint
  plan: Plan
  limits: Limits
  suspendedAt: number | undefined
  scope: KeyScope
  networks: readonly string[] | undefined
  expiresAt: number | undefined
  revokedAt: number | undefined
  /** Newest first, whether in force or not; includes all that are in force. */
  bans: readonly Ban[]
}

/**
 * The terms on which a key was permitted to write. A write is carried out only if the key still has them, is not revoked, has the scope
 * `read-write`, and its account is not suspended.
 */
export type WriteTerms = Pick<Caller, 'keyId' | 'networks' | 'expiresAt'>

/**
 * Reads the name of an account: a label, and not a number, so that it cannot be confused with an id.
 * @throws UserError
 */
export function parseAccountName(text: string): string {
  const name = parseLabel(text, 'An account name')
  if (/^\d+$/.test(name) || parseInt64(name) !== undefined) {
    throw invalid('An account name must not be a number; numbers are read as ids.', 'name')
  }
  return name
}
