import { describePlan, type Plan } from '../domain/plan.ts'

/** What a change of an account reads first, in its own transaction: so the audit log says what was, whoever else is at work. */
export const ACCOUNT_BEFORE = 'SELECT name, plan, per_minute, per_day FROM account WHERE id = ?'

export interface AccountBeforeRow {
  name: string
  plan: Plan
  per_minute: bigint
  per_day: bigint
}

export function planBefore({ plan, per_minute, per_day }: AccountBeforeRow): string {
  return describePlan(plan, { perMinute: Number(per_minute), perDay: Number(per_day) })
}
