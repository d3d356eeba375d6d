import { invalid } from './errors.ts'
import { formatNumber } from './format-number.ts'

/** How many calls an account has in each of its two windows. */
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

export const MAX_LIMIT = 1_000_000_000

/**
 * Returns the limits of a plan. Enterprise requires custom limits; the other plans allow none.
 * @throws UserError when the limits do not fit the plan
 */
export function limitsOf(plan: Plan, own: Partial<Limits> = {}): Limits {
  if (plan !== 'enterprise') {
    if (own.perMinute !== undefined || own.perDay !== undefined) {
      throw invalid(`Plan ${plan} has fixed limits; only enterprise has custom limits.`, 'plan')
    }
    return FIXED_PLANS[plan]
  }
  if (own.perMinute === undefined || own.perDay === undefined) {
    const missing = own.perMinute === undefined ? 'perMinute' : 'perDay'
    throw invalid('Plan enterprise needs both limits: requests per minute and requests per day.', missing)
  }
  checkLimit(own.perMinute)
  checkLimit(own.perDay)
  return { perMinute: own.perMinute, perDay: own.perDay }
}

/** @throws UserError when no account can have this limit */
export function checkLimit(limit: number): void {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return
  throw invalid(`A limit must be a whole number from 1 to ${formatNumber(MAX_LIMIT)}.`)
}

/** @throws UserError */
export function parsePlan(text: string): Plan {
  const plan = PLANS.find(name => name === text)
  if (!plan) throw invalid(`There is no plan "${text}"; choose one of ${PLANS.join(', ')}.`, 'plan')
  return plan
}
