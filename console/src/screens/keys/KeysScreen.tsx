import { useState } from 'react'
import { type KeyFilter, keyPages } from '../../data/keys.ts'
import { useRows } from '../../data/rows.ts'
import { useIsAdmin } from '../../data/session.ts'
import { filterErrors } from '../../lib/forms.ts'
import { optionsOf } from '../../lib/options.ts'
import { controlsOf, type Texts, useFilters, useOpened } from '../../lib/search.ts'
import { pastedSecret } from '../../lib/secrets.ts'
import { DataTable } from '../../parts/DataTable.tsx'
import { AccountFilter, FilterBar, FilterSelect, SearchField } from '../../parts/Filters.tsx'
import { ClaimLinkList } from '../../parts/keys/ClaimLinkList.tsx'
import { KEY_COLUMNS } from '../../parts/keys/columns.tsx'
import { IssueKeyDialog } from '../../parts/keys/IssueKeyDialog.tsx'
import { KeyDrawer } from '../../parts/keys/KeyDrawer.tsx'
import { Screen } from '../../parts/Screen.tsx'
import { useAction } from '../../shortcuts/shortcuts.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'

export function KeysScreen() {
  const [{ key: _, ...filter }, change, clear] = useFilters<KeysSearch>()
  const { opened, open: openKey, close } = useOpened('key')
  const isAdmin = useIsAdmin()
  const [open, setOpen] = useState<'issue' | 'links'>()
  useAction('issueKey', () => setOpen('issue'), isAdmin)
  const list = useRows(keyPages(filterOf(filter)))
  const control = controlsOf(filter, change, filterErrors(list.error))
  const isFiltered = Object.values(filter).some(Boolean)
  return (
    <Screen
      title="Keys"
      description="Each program that calls the API has its own key."
      isFixed
      actions={
        <>
          <Button onClick={() => pastedSecret.set('')}>Whose is this?</Button>
          <Button onClick={() => setOpen('links')}>Open claim links</Button>
          {isAdmin && (
            <Button icon="plus" kind="primary" onClick={() => setOpen('issue')}>
              Issue key
            </Button>
          )}
        </>
      }
    >
      <FilterBar
        label="Filter keys"
        isSet={isFiltered}
        onClear={clear}
        main={<SearchField label="Search by name or ending" {...control('search', true)} />}
      >
        <AccountFilter {...control('account')} />
        <FilterSelect label="State" options={STATES} {...control('state')} />
        <FilterSelect label="Last use" options={USES} {...control('unused')} />
        <FilterSelect label="Expiry" options={EXPIRIES} {...control('expires')} />
      </FilterBar>
      <DataTable
        label="API keys"
        columns={COLUMNS}
        onOpen={({ id }) => openKey(String(id))}
        openKey={opened}
        {...list}
        onClear={clear}
        notFound={isFiltered && ['No key matches', 'Try a part of its name, or the last characters of the key.']}
        empty={['No keys yet', 'A program needs a key to call the API. Create an account first, then issue it a key.']}
      />
      {opened && <KeyDrawer keyId={opened} known={list.rows} onClose={close} />}
      {open === 'issue' && <IssueKeyDialog onClose={() => setOpen(undefined)} />}
      {open === 'links' && (
        <Dialog
          onClose={() => setOpen(undefined)}
          isDrawer
          title="Open claim links"
          description="Each of these links can still be used to claim a key."
        >
          <ClaimLinkList />
        </Dialog>
      )}
    </Screen>
  )
}

/** The columns of an account's list of keys, plus the account. */
const COLUMNS = KEY_COLUMNS.toSpliced(1, 0, {
  name: 'Account',
  onPhone: 'plain',
  cell: ({ account }) => <bdi title={account}>{account}</bdi>,
})

const STATES = optionsOf({
  '': 'All states',
  active: 'Active',
  banned: 'Banned',
  expired: 'Expired',
  revoked: 'Revoked',
})
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

/**
 * The search of the URL: filters, and the open key. `unused` is `never`, or the days since the key last called; `expires`, the days within which it
 * expires.
 */
type KeysSearch = Texts<'account' | 'search' | 'state' | 'unused' | 'expires' | 'key'>

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

/** The start of a UTC day: the query stays the same all day, so cached results can be used. The service refuses what is not a day. */
function startOfDay(daysFromNow: number): string {
  const start = new Date(Math.floor(Date.now() / DAY_MS + daysFromNow) * DAY_MS)
  return Number.isNaN(start.getTime()) ? String(daysFromNow) : start.toISOString()
}
