import { getRouteApi, Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { Account } from '../../api/schema.ts'
import { type AccountFilter, accountPages } from '../../data/accounts.ts'
import { useRows } from '../../data/rows.ts'
import { useIsAdmin } from '../../data/session.ts'
import { formatCount } from '../../lib/numbers.ts'
import { AccountStateBadge, PLAN_OPTIONS, PlanBadge } from '../../parts/accounts/badges.tsx'
import { type Column, DataTable } from '../../parts/DataTable.tsx'
import { FilterBar, FilterSelect, SearchField } from '../../parts/Filters.tsx'
import { ListError } from '../../parts/ListError.tsx'
import { Screen } from '../../parts/Screen.tsx'
import { TimeText } from '../../parts/TimeText.tsx'
import { useAction } from '../../shortcuts/actions.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { CreateAccountDialog } from './CreateAccountDialog.tsx'

const route = getRouteApi('/accounts')

/** Who may call the public API, and how often. */
export function AccountsScreen() {
  const filter = route.useSearch()
  const navigate = route.useNavigate()
  const isAdmin = useIsAdmin()
  const [isCreating, setIsCreating] = useState(false)
  useAction('createAccount', () => setIsCreating(true), isAdmin)
  const { error, rows, ...list } = useRows(accountPages(filter))
  const change = (changes: AccountFilter) =>
    void navigate({ search: previous => ({ ...previous, ...changes }), replace: true })
  const clear = () => void navigate({ search: {}, replace: true })
  const create = isAdmin && (
    <Button kind="primary" onClick={() => setIsCreating(true)}>
      <Icon name="plus" />
      Create an account
    </Button>
  )
  return (
    <Screen
      title="Accounts"
      description="Each partner or app has an account. Its plan limits how often its API keys may call."
      actions={create}
      isFixed
    >
      <AccountFilters filter={filter} onChange={change} onClear={clear} />
      <DataTable
        label="Accounts"
        columns={COLUMNS}
        rows={rows}
        keyOf={({ id }) => String(id)}
        onOpen={({ id }) => navigate({ to: '/accounts/$accountId', params: { accountId: String(id) } })}
        {...list}
        empty={
          error ? (
            <ListError error={error} onClear={clear} />
          ) : (
            <NoAccounts filter={filter} create={create} onClear={clear} />
          )
        }
      />
      {isCreating && <CreateAccountDialog onClose={() => setIsCreating(false)} />}
    </Screen>
  )
}

const COLUMNS: readonly Column<Account>[] = [
  {
    name: 'Name',
    cell: ({ id, name }) => (
      <Link to="/accounts/$accountId" params={{ accountId: String(id) }} className="row-link" tabIndex={-1}>
        <bdi title={name}>{name}</bdi>
      </Link>
    ),
  },
  { name: 'Plan', width: '7.5rem', onPhone: 'plain', cell: ({ plan }) => <PlanBadge plan={plan} /> },
  { name: 'State', width: '8rem', onPhone: 'end', cell: ({ state }) => <AccountStateBadge state={state} /> },
  {
    name: 'Calls per minute',
    width: '9rem',
    isNumber: true,
    onPhone: 'hidden',
    cell: ({ perMinute }) => formatCount(perMinute),
  },
  {
    name: 'Calls per day',
    width: '9rem',
    isNumber: true,
    onPhone: 'hidden',
    cell: ({ perDay }) => formatCount(perDay),
  },
  { name: 'Created', width: '10rem', isSecondary: true, cell: ({ createdAt }) => <TimeText at={createdAt} /> },
]

const PLANS = [{ value: '', name: 'All plans' }, ...PLAN_OPTIONS]
const STATES = [
  { value: '', name: 'All states' },
  { value: 'active', name: 'Active' },
  { value: 'suspended', name: 'Suspended' },
]
const ORDERS = [
  { value: '', name: 'Oldest first' },
  { value: 'newest', name: 'Newest first' },
  { value: 'name', name: 'By name' },
]

interface AccountFiltersProps {
  filter: AccountFilter
  onChange(changes: AccountFilter): void
  onClear(): void
}

function AccountFilters({ filter: { name, plan, state, sort }, onChange, onClear }: AccountFiltersProps) {
  return (
    <FilterBar
      label="Filter accounts"
      isSet={[name, plan, state].some(Boolean)}
      onClear={onClear}
      main={<SearchField label="Search by name" value={name} onChange={name => onChange({ name })} />}
    >
      <FilterSelect label="Plan" options={PLANS} value={plan} onChoose={plan => onChange({ plan })} />
      <FilterSelect label="State" options={STATES} value={state} onChoose={state => onChange({ state })} />
      <FilterSelect label="Order" options={ORDERS} value={sort} onChoose={sort => onChange({ sort })} />
    </FilterBar>
  )
}

interface NoAccountsProps {
  filter: AccountFilter
  create: ReactNode
  onClear(): void
}

function NoAccounts({ filter: { name, plan, state }, create, onClear }: NoAccountsProps) {
  if (name || plan || state) {
    return (
      <EmptyState title="No account matches" action={<Button onClick={onClear}>Clear filters</Button>}>
        Try a shorter part of the name, or another plan.
      </EmptyState>
    )
  }
  return (
    <EmptyState title="No accounts yet" action={create}>
      Create one for each partner or app that calls the API. Then issue an API key to it.
    </EmptyState>
  )
}
