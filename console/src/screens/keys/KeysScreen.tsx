import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { Key } from '../../api/schema.ts'
import { type KeyFilter, keyPages } from '../../data/keys.ts'
import { useRows } from '../../data/rows.ts'
import { useIsAdmin } from '../../data/session.ts'
import { fieldErrors } from '../../lib/refusals.ts'
import { type Column, DataTable } from '../../parts/DataTable.tsx'
import { AccountFilter, FilterBar, FilterSelect, SearchField } from '../../parts/Filters.tsx'
import { ClaimLinkList } from '../../parts/keys/ClaimLinkList.tsx'
import { KEY_COLUMNS } from '../../parts/keys/columns.tsx'
import { IssueKeyDialog } from '../../parts/keys/IssueKeyDialog.tsx'
import { KeyDrawer } from '../../parts/keys/KeyDrawer.tsx'
import { ListError } from '../../parts/ListError.tsx'
import { Screen } from '../../parts/Screen.tsx'
import { useAction } from '../../shortcuts/actions.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Icon } from '../../ui/Icon.tsx'

const route = getRouteApi('/keys')

/** The keys of all accounts. */
export function KeysScreen() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const isAdmin = useIsAdmin()
  const [open, setOpen] = useState<'issue' | 'links'>()
  useAction('issueKey', () => setOpen('issue'), isAdmin)
  const { error, rows, ...list } = useRows(keyPages(filterOf(search)))
  const change = (changes: KeysSearch) =>
    void navigate({ search: previous => ({ ...previous, ...changes }), replace: true })
  const clear = () => void navigate({ search: {}, replace: true })
  const issue = isAdmin && (
    <Button kind="primary" onClick={() => setOpen('issue')}>
      <Icon name="plus" />
      Issue a key
    </Button>
  )
  return (
    <Screen
      title="Keys"
      description="Each program that calls the API has its own key."
      isFixed
      actions={
        <>
          <Button onClick={() => setOpen('links')}>Open claim links</Button>
          {issue}
        </>
      }
    >
      <KeyFilters
        search={search}
        errors={fieldErrors(error, { not_found: 'account' })}
        onChange={change}
        onClear={clear}
      />
      <DataTable
        label="API keys"
        columns={COLUMNS}
        rows={rows}
        keyOf={({ id }) => String(id)}
        onOpen={({ id }) => change({ key: String(id) })}
        openKey={search.key}
        {...list}
        empty={
          error ? <ListError error={error} onClear={clear} /> : <NoKeys search={search} issue={issue} onClear={clear} />
        }
      />
      <KeyDrawer keyId={search.key} known={rows} onClose={() => change({ key: undefined })} />
      {open === 'issue' && <IssueKeyDialog onClose={() => setOpen(undefined)} />}
      <OpenLinksDialog isOpen={open === 'links'} onClose={() => setOpen(undefined)} />
    </Screen>
  )
}

const [name, ...others] = KEY_COLUMNS

/** The columns of an account's list of keys, plus the account. */
const COLUMNS: readonly Column<Key>[] = [
  ...(name ? [name] : []),
  { name: 'Account', onPhone: 'plain', cell: ({ account }) => <bdi title={account ?? undefined}>{account}</bdi> },
  ...others,
]

const STATES = [
  { value: '', name: 'All states' },
  { value: 'active', name: 'Active' },
  { value: 'banned', name: 'Banned' },
  { value: 'expired', name: 'Expired' },
  { value: 'revoked', name: 'Revoked' },
]
const USES = [
  { value: '', name: 'Used or not' },
  { value: '30', name: 'Unused for 30 days' },
  { value: '90', name: 'Unused for 90 days' },
  { value: 'never', name: 'Never used' },
]
const EXPIRIES = [
  { value: '', name: 'Any expiry' },
  { value: '7', name: 'Expired or within 7 days' },
  { value: '14', name: 'Expired or within 14 days' },
  { value: '30', name: 'Expired or within 30 days' },
]

interface KeyFiltersProps {
  search: KeysSearch
  errors: ReadonlyMap<string, string>
  onChange(changes: KeysSearch): void
  onClear(): void
}

function KeyFilters({ search: { key: _open, ...filter }, errors, onChange, onClear }: KeyFiltersProps) {
  const { account, search, state, unused, expires } = filter
  return (
    <FilterBar
      label="Filter keys"
      isSet={Object.values(filter).some(Boolean)}
      onClear={onClear}
      main={<SearchField label="Search by name or ending" value={search} onChange={search => onChange({ search })} />}
    >
      <AccountFilter value={account} error={errors.get('account')} onApply={account => onChange({ account })} />
      <FilterSelect label="State" options={STATES} value={state} onChoose={state => onChange({ state })} />
      <FilterSelect label="Last use" options={USES} value={unused} onChoose={unused => onChange({ unused })} />
      <FilterSelect label="Expiry" options={EXPIRIES} value={expires} onChoose={expires => onChange({ expires })} />
    </FilterBar>
  )
}

interface NoKeysProps {
  search: KeysSearch
  issue: ReactNode
  onClear(): void
}

function NoKeys({ search: { account, search, state, unused, expires }, issue, onClear }: NoKeysProps) {
  if (account || search || state || unused || expires) {
    return (
      <EmptyState title="No key matches" action={<Button onClick={onClear}>Clear filters</Button>}>
        Try a part of its name, or the last characters of the key.
      </EmptyState>
    )
  }
  return (
    <EmptyState title="No keys yet" action={issue}>
      A program needs a key to call the API. Create an account first, then issue it a key.
    </EmptyState>
  )
}

function OpenLinksDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      isDrawer
      title="Open claim links"
      description="Each of these links can still be used to claim a key."
    >
      <ClaimLinkList filter={{ state: 'open' }} hasAccount />
    </Dialog>
  )
}

/** The search of the URL: filters, and the open key. */
interface KeysSearch {
  account?: string | undefined
  search?: string | undefined
  state?: string | undefined
  /** `never`, or the days since the key last called. */
  unused?: string | undefined
  /** The days within which a key expires. */
  expires?: string | undefined
  key?: string | undefined
}

/** The filter, as query parameters for the service. */
function filterOf({ account, search, state, unused, expires }: KeysSearch): KeyFilter {
  return {
    account,
    search,
    state,
    ...(unused === 'never' ? { used: 'false' } : unused && { unusedSince: startOfDay(-Number(unused)) }),
    ...(expires && { expiresBefore: startOfDay(Number(expires) + 1) }),
  }
}

const DAY_MS = 86_400_000

/** The start of a UTC day: the query stays the same all day, so cached results can be used. */
function startOfDay(daysFromNow: number): string {
  return new Date(Math.floor(Date.now() / DAY_MS + daysFromNow) * DAY_MS).toISOString()
}
