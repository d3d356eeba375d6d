import type { Ban } from './ban.ts'
import { Mistake } from './errors.ts'
import type { Limits, Plan } from './plan.ts'

/** Owns API keys; a plan belongs to it, and all its keys share the plan's limits. Times are Unix milliseconds. */
export interface Account {
  id: bigint
  name: string
  plan: Plan
  limits: Limits
  createdAt: number
  /** How often its keys called the deprecated `getPet`, and when last. */
  deprecatedCalls: number
  lastDeprecatedCallAt: number | undefined
}

/** Who calls: one key of one account, as the store knows it. */
export interface Caller {
  keyId: bigint
  accountId: bigint
  limits: Limits
  expiresAt: number | undefined
  revokedAt: number | undefined
  /** The key's newest ban, over or not. */
  lastBan: Ban | undefined
}

/**
 * An account's name: 1 to 100 code points without control characters, not only digits, so that it is never taken for an id.
 * @throws Mistake
 */
export function parseAccountName(text: string): string {
  const name = text.trim()
  if (!/^\P{Cc}{1,100}$/u.test(name) || /^\d+$/.test(name)) {
    throw new Mistake('An account name has 1 to 100 characters, no control characters, and is not a number.')
  }
  return name
}
