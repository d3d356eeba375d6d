import type { Account, Plan } from '../../api/schema.ts'
import { optionsOf } from '../../lib/options.ts'
import { Badge } from '../../ui/states.tsx'

export const PLAN_NAMES: Readonly<Record<Plan, string>> = {
  free: 'Free',
  pro: 'Pro',
  business: 'Business',
  enterprise: 'Enterprise',
}

export const PLAN_OPTIONS = optionsOf(PLAN_NAMES)

export function AccountStateBadge({ state }: { state: Account['state'] }) {
  return state === 'active' ? <Badge tone="good">Active</Badge> : <Badge tone="danger">Suspended</Badge>
}
