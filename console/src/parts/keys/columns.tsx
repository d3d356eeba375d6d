import type { Key } from '../../api/schema.ts'
import type { Column } from '../DataTable.tsx'
import { KeyExpiry, KeyStateBadge, KeyUse, SCOPE_NAMES } from './badges.tsx'
import './keys.css'

/** The columns of a list of keys. */
export const KEY_COLUMNS: readonly Column<Key>[] = [
  { name: 'Name', cell: apiKey => <KeyName apiKey={apiKey} /> },
  { name: 'Key', width: '6rem', onPhone: 'plain', cell: ({ hint }) => <code>…{hint}</code> },
  { name: 'State', width: '7rem', onPhone: 'end', cell: apiKey => <KeyStateBadge apiKey={apiKey} /> },
  { name: 'Scope', width: '8rem', isSecondary: true, cell: ({ scope }) => SCOPE_NAMES[scope] },
  {
    name: 'Last used',
    width: '9rem',
    onPhone: 'labelled',
    cell: apiKey => <KeyUse apiKey={apiKey} />,
  },
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
    <strong>
      <bdi title={name}>{name}</bdi>
    </strong>
  )
}
