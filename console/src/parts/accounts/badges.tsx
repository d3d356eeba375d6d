import type { Account, Plan } from '../../api/schema.ts'
import { PLAN_NAMES } from '../../lib/plans.ts'
import { Badge } from '../../ui/Badge.tsx'

export function PlanBadge({ plan }: { plan: Plan }) {
  return <Badge>{PLAN_NAMES[plan]}</Badge>
}

export function AccountStateBadge({ state }: { state: Account['state'] }) {
  return state === 'active' ? <Badge tone="good">Active</Badge> : <Badge tone="danger">Suspended</Badge>
}
