import { Mistake } from './errors.ts'

/** What an account may spend in its two windows. */
export interface Limits {
  perMinute: number
  perDay: number
}

const FIXED_PLANS = {
  free: { perMinute: 60, perDay: 1_000 },
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
} as const satisfies Record<string, Limits>

export const PLANS = ['free', 'pro', 'business', 'enterprise'] as const

export type Plan = (typeof PLANS)[number]

export const HIGHEST_LIMIT = 1_000_000_000

/**
 * The limits of a plan. Enterprise has none of its own: both numbers are the account's, and mandatory; the other plans take none.
 * @throws Mistake when the numbers do not go with the plan
 */
export function limitsOf(plan: Plan, own: Partial<Limits> = {}): Limits {
  if (plan !== 'enterprise') {
    if (own.perMinute !== undefined || own.perDay !== undefined) {
      throw new Mistake('invalid', `Plan ${plan} has fixed limits; only enterprise takes limits of its own.`)
    }
    return FIXED_PLANS[plan]
  }
  if (own.perMinute === undefined || own.perDay === undefined) {
    throw new Mistake('invalid', 'Plan enterprise needs both limits: requests per minute and requests per day.')
  }
  for (const limit of [own.perMinute, own.perDay]) {
    if (!Number.isInteger(limit) || limit < 1 || limit > HIGHEST_LIMIT) {
      throw new Mistake('invalid', `A limit must be a whole number from 1 to ${HIGHEST_LIMIT}.`)
    }
  }
  return { perMinute: own.perMinute, perDay: own.perDay }
}

/** @throws Mistake when there is no such plan */
export function parsePlan(text: string): Plan {
  const plan = PLANS.find(name => name === text)
  if (!plan) throw new Mistake('invalid', `There is no plan "${text}"; choose one of ${PLANS.join(', ')}.`)
  return plan
}

/** A plan in words, with the limits that the account has of its own. */
export function describePlan(plan: Plan, { perMinute, perDay }: Limits): string {
  return plan === 'enterprise' ? `enterprise, ${perMinute} per minute, ${perDay} per day` : plan
}
