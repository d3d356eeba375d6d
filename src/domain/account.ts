import type { Ban } from './ban.ts'
import { Mistake } from './errors.ts'
import { parseInt64 } from './int64.ts'
import type { Limits, Plan } from './plan.ts'
import { bearsSecret } from './secret.ts'

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
  const name = text.trim()
  if (!/^\P{Cc}{1,100}$/u.test(name) || !name.isWellFormed() || /^\d+$/.test(name) || parseInt64(name) !== undefined) {
    throw new Mistake('invalid', 'An account name has 1 to 100 characters, no control characters, and is not a number.')
  }
  if (bearsSecret(name)) {
    throw new Mistake('invalid', 'An account name must not hold a key or a token: names are shown to everyone.')
  }
  return name
}
