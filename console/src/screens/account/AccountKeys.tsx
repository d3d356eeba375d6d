import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import type { Account } from '../../api/schema.ts'
import { keyPages } from '../../data/keys.ts'
import { useRows } from '../../data/rows.ts'
import { useIsAdmin } from '../../data/session.ts'
import { DataTable } from '../../parts/DataTable.tsx'
import { KEY_COLUMNS } from '../../parts/keys/columns.tsx'
import { IssueKeyDialog } from '../../parts/keys/IssueKeyDialog.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { useShortcut } from '../../shortcuts/shortcuts.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/messages.tsx'

const route = getRouteApi('/accounts/$accountId')

export function AccountKeys({ account }: { account: Account }) {
  const { key } = route.useSearch()
  const navigate = route.useNavigate()
  const isAdmin = useIsAdmin()
  const [isIssuing, setIsIssuing] = useState(false)
  useShortcut({ keys: 'n', name: 'Issue key to this account', run: () => setIsIssuing(true) }, isAdmin)
  const list = useRows(keyPages({ account: String(account.id) }))
  return (
    <Panel
      title="API keys"
      isFlush
      className="is-wide"
      actions={
        isAdmin && (
          <Button icon="plus" kind="primary" onClick={() => setIsIssuing(true)}>
            Issue a key
          </Button>
        )
      }
    >
      <DataTable
        label="API keys of this account"
        columns={KEY_COLUMNS}
        onOpen={({ id }) => navigate({ search: { key: String(id) }, replace: true })}
        openKey={key}
        {...list}
        empty={
          <EmptyState title="No keys yet">
            A program needs a key to call the API. Issue one for each program.
          </EmptyState>
        }
      />
      {isIssuing && <IssueKeyDialog account={account} onClose={() => setIsIssuing(false)} />}
    </Panel>
  )
}
