import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { type AccountFilter, accountPages } from '../../data/accounts.ts'
import { useRows } from '../../data/rows.ts'
import { useIsAdmin } from '../../data/session.ts'
import { DataTable } from '../../parts/DataTable.tsx'
import { ListError } from '../../parts/ListError.tsx'
import { Screen } from '../../parts/Screen.tsx'
import { useAction } from '../../shortcuts/actions.ts'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { AccountFilters } from './AccountFilters.tsx'
import { CreateAccountDialog } from './CreateAccountDialog.tsx'
import { COLUMNS } from './columns.tsx'
import { NoAccounts } from './NoAccounts.tsx'

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
