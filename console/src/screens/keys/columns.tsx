import type { Key } from '../../api/schema.ts'
import type { Column } from '../../parts/DataTable.tsx'
import { KEY_COLUMNS } from '../../parts/keys/columns.tsx'

const [name, ...others] = KEY_COLUMNS

/** The columns of an account's list of keys, plus the account. */
export const COLUMNS: readonly Column<Key>[] = [
  ...(name ? [name] : []),
  { name: 'Account', onPhone: 'plain', cell: ({ account }) => <bdi title={account ?? undefined}>{account}</bdi> },
  ...others,
]
