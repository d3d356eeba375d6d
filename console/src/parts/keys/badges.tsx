import type { Key } from '../../api/schema.ts'
import { Badge } from '../../ui/Badge.tsx'

export const SCOPE_NAMES: Readonly<Record<Key['scope'], string>> = { read: 'Read only', 'read-write': 'Read and write' }

export const SCOPE_OPTIONS = [
  { value: 'read-write', name: 'Read and write: may also add animals' },
  { value: 'read', name: 'Read only' },
]

export function KeyStateBadge({ apiKey: { state, bannedUntil } }: { apiKey: Key }) {
  if (state === 'revoked') return <Badge>Revoked</Badge>
  if (state === 'expired') return <Badge>Expired</Badge>
  return bannedUntil === null ? <Badge tone="good">Active</Badge> : <Badge tone="danger">Banned</Badge>
}
