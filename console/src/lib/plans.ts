import type { Plan } from '../api/schema.ts'

export const PLAN_NAMES: Readonly<Record<Plan, string>> = {
  free: 'Free',
  pro: 'Pro',
  business: 'Business',
  enterprise: 'Enterprise',
}

export const PLAN_OPTIONS = Object.entries(PLAN_NAMES).map(([value, name]) => ({ value, name }))
