import type { Ban } from './ban.ts'
import { Mistake } from './errors.ts'
import { parseInt64 } from './int64.ts'
import { parseLabel } from './label.ts'
import type { Limits, Plan } from './plan.ts'

/** Owns API keys; a plan belongs to it, and all its keys share the plan's limits. Times are Unix milliseconds. */
export interface Account {
  id: bigint
  name: string
  plan: Plan
  limits: Limits
  createdAt: number
  /** Since when its keys are not let in; undefined while they are. */
  suspendedAt: number | undefined
  /** How often its keys called the deprecated `getPet`, and when last, as far back as usage is kept. */
  deprecatedCalls: number
  lastDeprecatedCallAt: number | undefined
}

/** Who calls: one key of one account, as the store knows it. */
export interface Caller {
  keyId: bigint
  accountId: bigint
  plan: Plan
  limits: Limits
  suspendedAt: number | undefined
  expiresAt: number | undefined
  revokedAt: number | undefined
  /** The key's newest ban, over or not. */
  lastBan: Ban | undefined
}

/**
 * An account's name: 1 to 100 code points without control characters, not a number, so that it is never taken for an id.
 * @throws Mistake
 */
export function parseAccountName(text: string): string {
  const name = parseLabel(text, 'An account name')
  if (/^\d+$/.test(name) || parseInt64(name) !== undefined) {
    throw new Mistake('invalid', 'An account name is not a number: it would be taken for an id.')
  }
  return name
}
