import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { type AccountFilter, accountPages } from '../../data/accounts.ts'
import { lazyOverlay } from '../../data/lazy-chunks.tsx'
import { useRows } from '../../data/rows.ts'
import { useIsAdmin } from '../../data/session.ts'
import { optionsOf } from '../../lib/options.ts'
import { controlsOf, useFilters } from '../../lib/search.ts'
import { PLAN_OPTIONS } from '../../parts/accounts/plans.tsx'
import { DataTable } from '../../parts/DataTable.tsx'
import { FilterBar, FilterSelect, SearchField } from '../../parts/Filters.tsx'
import { Screen } from '../../parts/Screen.tsx'
import { useAction } from '../../shortcuts/shortcuts.ts'
import { Button } from '../../ui/Button.tsx'
import { COLUMNS } from './columns.tsx'
import './accounts.css'

const CreateAccountDialog = lazyOverlay(() => import('./CreateAccountDialog.tsx'), 'CreateAccountDialog')

export function AccountsScreen() {
  const [filter, change, clear] = useFilters<AccountFilter>()
  const control = controlsOf(filter, change)
  const navigate = useNavigate()
  const isAdmin = useIsAdmin()
  const [isCreating, setIsCreating] = useState(false)
  useAction('createAccount', () => setIsCreating(true), isAdmin)
  const list = useRows(accountPages(filter))
  const isFiltered = [filter.name, filter.plan, filter.state].some(Boolean)
  return (
    <Screen
      title="Accounts"
      description="Each partner or app has an account. Its plan limits how often its API keys may call."
      actions={
        isAdmin && (
          <Button icon="plus" kind="primary" onClick={() => setIsCreating(true)}>
            Create account
          </Button>
        )
      }
      isFixed
    >
      <FilterBar
        label="Filter accounts"
        isSet={isFiltered}
        onClear={clear}
        main={<SearchField label="Search by name" {...control('name', true)} />}
      >
        <FilterSelect label="Plan" options={PLANS} {...control('plan')} />
        <FilterSelect label="State" options={STATES} {...control('state')} />
        <FilterSelect label="Order" options={ORDERS} {...control('sort')} />
      </FilterBar>
      <DataTable
        label="Accounts"
        columns={COLUMNS}
        order={filter.sort}
        onOrder={sort => change({ sort })}
        onOpen={({ id }) => navigate({ to: '/accounts/$accountId', params: { accountId: String(id) } })}
        {...list}
        onClear={clear}
        notFound={isFiltered && ['No account matches', 'Try a shorter part of the name, or another plan.']}
        empty={[
          'No accounts yet',
          'Create one for each partner or app that calls the API. Then issue an API key to it.',
        ]}
      />
      {isCreating && <CreateAccountDialog onClose={() => setIsCreating(false)} />}
    </Screen>
  )
}

const PLANS = [{ value: '', name: 'All plans' }, ...PLAN_OPTIONS]
const STATES = optionsOf({ '': 'All states', active: 'Active', suspended: 'Suspended' })
const ORDERS = optionsOf({
  '': 'Oldest first',
  newest: 'Newest first',
  name: 'By name',
  usage: 'By share of the limit',
  refused: 'Most refused today',
})
