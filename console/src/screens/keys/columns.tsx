import type { Key } from '../../api/schema.ts'
import type { Column } from '../../parts/DataTable.tsx'
import { KEY_COLUMNS } from '../../parts/keys/columns.tsx'

const [name, ...others] = KEY_COLUMNS

/** As in the list of an account, and whose each key is. */
export const COLUMNS: readonly Column<Key>[] = [
  ...(name ? [name] : []),
  { name: 'Account', onPhone: 'plain', cell: ({ account }) => <bdi title={account ?? undefined}>{account}</bdi> },
  ...others,
]
