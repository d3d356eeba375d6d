import type { Account } from '../domain/account.ts'
import { Mistake } from '../domain/errors.ts'
import type { Limits, Plan } from '../domain/plan.ts'

/** An account as it is when it has just been created. */
export function newAccount(
  id: bigint,
  account: { name: string; plan: Plan; limits: Limits },
  createdAt: number,
): Account {
  return { id, ...account, createdAt, suspendedAt: undefined, deprecatedCalls: 0, lastDeprecatedCallAt: undefined }
}

export function nameTaken(name: string): Mistake {
  return new Mistake('conflict', `There is an account named "${name}" already.`)
}
