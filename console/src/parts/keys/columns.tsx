import type { Key } from '../../api/schema.ts'
import { optionsOf } from '../../lib/options.ts'
import { useNow } from '../../lib/use-now.ts'
import { Badge } from '../../ui/states.tsx'
import type { Column } from '../DataTable.tsx'
import { TimeText } from '../times.tsx'

export const SCOPE_NAMES: Readonly<Record<Key['scope'], string>> = {
  read: 'Read animals',
  'read-write': 'Read and add animals',
}

export const SCOPE_OPTIONS = optionsOf({ 'read-write': 'read and add animals', read: 'read animals' })

export function KeyStateBadge({ apiKey: { state, bannedUntil } }: { apiKey: Key }) {
  if (state === 'revoked') return <Badge>Revoked</Badge>
  if (state === 'expired') return <Badge>Expired</Badge>
  return bannedUntil === null ? <Badge tone="good">Active</Badge> : <Badge tone="danger">Banned</Badge>
}

const DAY_MS = 86_400_000
const EXPIRES_SOON_MS = 14 * DAY_MS
const UNUSED_MS = 90 * DAY_MS

/** When a key expires, highlighted if that is soon. */
export function KeyExpiry({ apiKey: { state, expiresAt } }: { apiKey: Key }) {
  const now = useNow()
  const isSoon = expiresAt !== null && Date.parse(expiresAt) - now < EXPIRES_SOON_MS
  return <Marked at={expiresAt} isMarked={state === 'active' && isSoon} />
}

/** When a key was last used, highlighted if that is so long ago that the key may no longer be needed. */
function KeyUse({ apiKey: { state, createdAt, lastUsedAt } }: { apiKey: Key }) {
  const now = useNow()
  const isUnused = now - Date.parse(lastUsedAt ?? createdAt) > UNUSED_MS
  return <Marked at={lastUsedAt} isMarked={state === 'active' && isUnused} />
}

/** The same, with where that was, such as "3 minutes ago from 203.0.113.7". */
export function KeyLastUse({ apiKey }: { apiKey: Key }) {
  return (
    <>
      <KeyUse apiKey={apiKey} />
      {apiKey.lastUsedFrom !== null && ` from ${apiKey.lastUsedFrom}`}
    </>
  )
}

function Marked({ at, isMarked }: { at: string | null; isMarked: boolean }) {
  return (
    <span className={isMarked ? 'toned' : undefined} data-tone="change">
      <TimeText at={at} />
    </span>
  )
}

export const KEY_COLUMNS: readonly Column<Key>[] = [
  { name: 'Name', cell: apiKey => <KeyName apiKey={apiKey} /> },
  { name: 'Key', width: '6rem', onPhone: 'plain', cell: ({ hint }) => <code>…{hint}</code> },
  { name: 'State', width: '7rem', onPhone: 'end', cell: apiKey => <KeyStateBadge apiKey={apiKey} /> },
  { name: 'May', width: '11rem', isSecondary: true, cell: ({ scope }) => SCOPE_NAMES[scope] },
  { name: 'Last used', width: '9rem', onPhone: 'labelled', cell: apiKey => <KeyUse apiKey={apiKey} /> },
  {
    name: 'Expires',
    width: '8rem',
    isSecondary: true,
    onPhone: 'labelled',
    cell: apiKey => <KeyExpiry apiKey={apiKey} />,
  },
]

function KeyName({ apiKey: { name } }: { apiKey: Key }) {
  return name === null ? (
    <span className="muted">unnamed</span>
  ) : (
    <strong dir="auto" title={name}>
      {name}
    </strong>
  )
}
