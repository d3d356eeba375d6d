import type { PetStatus } from '../api/schema.ts'
import type { Option } from '../lib/options.ts'
import { Badge } from '../ui/states.tsx'

export const STATUSES = [
  { value: 'available', name: 'Available', tone: 'good' },
  { value: 'pending', name: 'Pending', tone: 'change' },
  { value: 'sold', name: 'Sold', tone: 'neutral' },
] as const satisfies readonly (Option & { value: PetStatus; tone: string })[]

export function statusName(status: PetStatus): string {
  return STATUSES.find(({ value }) => value === status)?.name ?? status
}

export function StatusBadge({ status }: { status: PetStatus }) {
  const { tone } = STATUSES.find(({ value }) => value === status) ?? { tone: 'neutral' }
  return <Badge tone={tone}>{statusName(status)}</Badge>
}
