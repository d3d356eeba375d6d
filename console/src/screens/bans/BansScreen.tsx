import { useState } from 'react'
import type { Ban } from '../../api/schema.ts'
import { bansQuery } from '../../data/bans.ts'
import { useRows } from '../../data/rows.ts'
import { useIsAdmin } from '../../data/session.ts'
import { fieldErrors } from '../../lib/field-errors.ts'
import { useFilters } from '../../lib/use-filters.ts'
import { AccountFilter } from '../../parts/AccountFilter.tsx'
import { LiftDialog } from '../../parts/bans/LiftDialog.tsx'
import { DataTable } from '../../parts/DataTable.tsx'
import { FilterBar } from '../../parts/FilterBar.tsx'
import { FilterSelect } from '../../parts/FilterSelect.tsx'
import { KeyDrawer } from '../../parts/keys/KeyDrawer.tsx'
import { ListError } from '../../parts/ListError.tsx'
import { Screen } from '../../parts/Screen.tsx'
import { columnsOf } from './columns.tsx'
import { type BanFilters, NoBans } from './NoBans.tsx'

const STATES = [
  { value: '', name: 'In force' },
  { value: 'all', name: 'In force and past' },
]

/** The bans in force, or all bans. */
export function BansScreen() {
  const [{ key, ...filters }, change, clear] = useFilters<BanFilters & { key?: string }>()
  const [lifting, setLifting] = useState<Ban>()
  const isAdmin = useIsAdmin()
  const { error, rows, ...list } = useRows(bansQuery(filters))
  const errors = fieldErrors(error, { not_found: 'account' })
  return (
    <Screen
      title="Bans"
      description="A key is banned temporarily for an address that keeps calling instead of waiting. Bans end automatically."
      isFixed
    >
      <FilterBar
        label="Filter the bans"
        isSet={Object.values(filters).some(Boolean)}
        onClear={clear}
        main={
          <>
            <FilterSelect label="State" options={STATES} value={filters.state} onChoose={state => change({ state })} />
            <AccountFilter
              value={filters.account}
              error={errors.get('account')}
              onApply={account => change({ account })}
            />
          </>
        }
      />
      <DataTable
        label="Bans"
        columns={columnsOf(isAdmin ? setLifting : undefined)}
        rows={rows}
        keyOf={({ id }) => String(id)}
        onOpen={({ keyId }) => change({ key: String(keyId) })}
        {...list}
        empty={error ? <ListError error={error} onClear={clear} /> : <NoBans filters={filters} onChange={change} />}
      />
      <KeyDrawer keyId={key} onClose={() => change({ key: '' })} />
      <LiftDialog ban={lifting} onClose={() => setLifting(undefined)} />
    </Screen>
  )
}
