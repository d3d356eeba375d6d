import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { keyPages } from '../../data/keys.ts'
import { useRows } from '../../data/rows.ts'
import { useIsAdmin } from '../../data/session.ts'
import { fieldErrors } from '../../lib/field-errors.ts'
import { DataTable } from '../../parts/DataTable.tsx'
import { IssueKeyDialog } from '../../parts/keys/IssueKeyDialog.tsx'
import { KeyDrawer } from '../../parts/keys/KeyDrawer.tsx'
import { ListError } from '../../parts/ListError.tsx'
import { Screen } from '../../parts/Screen.tsx'
import { useAction } from '../../shortcuts/actions.ts'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { COLUMNS } from './columns.tsx'
import { KeyFilters } from './KeyFilters.tsx'
import { filterOf, type KeysSearch } from './key-search.ts'
import { NoKeys } from './NoKeys.tsx'
import { OpenLinksDialog } from './OpenLinksDialog.tsx'

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
