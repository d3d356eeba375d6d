import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { isGone } from '../../api/call.ts'
import type { Account } from '../../api/schema.ts'
import { accountQuery } from '../../data/accounts.ts'
import { keyPages } from '../../data/keys.ts'
import { useRows } from '../../data/rows.ts'
import { useIsAdmin } from '../../data/session.ts'
import { useOpened } from '../../lib/search.ts'
import { AccountStateBadge, PLAN_NAMES } from '../../parts/accounts/plans.tsx'
import { DataTable } from '../../parts/DataTable.tsx'
import { ClaimLinkList } from '../../parts/keys/ClaimLinkList.tsx'
import { KEY_COLUMNS } from '../../parts/keys/columns.tsx'
import { IssueKeyDialog } from '../../parts/keys/IssueKeyDialog.tsx'
import { KeyDrawer } from '../../parts/keys/KeyDrawer.tsx'
import { ListError } from '../../parts/ListError.tsx'
import { Loading } from '../../parts/Loading.tsx'
import { NewestActions } from '../../parts/NewestActions.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { RefusalTable } from '../../parts/refusals/RefusalTable.tsx'
import { Screen } from '../../parts/Screen.tsx'
import { TimeText } from '../../parts/times.tsx'
import { useShortcut } from '../../shortcuts/shortcuts.ts'
import { Button } from '../../ui/Button.tsx'
import { Badge, EmptyState, Notice } from '../../ui/states.tsx'
import { AccountActions } from './AccountActions.tsx'
import { AccountUsage, Gauges } from './AccountUsage.tsx'
import './account.css'

export function AccountScreen() {
  const { accountId } = useParams({ from: '/accounts/$accountId' })
  const { opened, close } = useOpened('key')
  const isAdmin = useIsAdmin()
  const { data: account, error } = useQuery(accountQuery(accountId))
  if (!account || isGone(error)) {
    return <Screen title="Account">{error ? <NoAccount error={error} /> : <Loading />}</Screen>
  }
  return (
    <Screen
      title={account.name}
      description={
        <span className="row">
          <Badge>{PLAN_NAMES[account.plan]}</Badge>
          <AccountStateBadge state={account.state} />
          <span>
            Account {String(account.id)}, created <TimeText at={account.createdAt} />
          </span>
        </span>
      }
      actions={isAdmin && <AccountActions account={account} />}
    >
      {account.state === 'suspended' && (
        <Notice tone="change">
          Suspended <TimeText at={account.suspendedAt} />: the keys of this account are refused until it is resumed.
        </Notice>
      )}
      <div key={accountId} className="account-grid">
        <Gauges account={account} />
        <AccountUsage account={account} />
        <AccountKeys account={account} />
        <Panel title="Refused and failed calls" className="is-wide">
          <RefusalTable owner={`/accounts/${accountId}`} />
        </Panel>
        <Panel title="Claim links" className="is-wide">
          <ClaimLinkList account={accountId} />
        </Panel>
        <NewestActions account={accountId} />
      </div>
      {opened && <KeyDrawer keyId={opened} onClose={close} />}
    </Screen>
  )
}

function NoAccount({ error }: { error: Error }) {
  if (!isGone(error)) return <ListError error={error} />
  return (
    <EmptyState
      title="This account does not exist"
      action={
        <Link to="/accounts" className="button">
          Show all accounts
        </Link>
      }
    >
      It may have been deleted. Its usage and audit entries are kept.
    </EmptyState>
  )
}

function AccountKeys({ account }: { account: Account }) {
  const { opened, open } = useOpened('key')
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
            Issue key
          </Button>
        )
      }
    >
      <DataTable
        label="API keys of this account"
        columns={KEY_COLUMNS}
        onOpen={({ id }) => open(String(id))}
        openKey={opened}
        {...list}
        empty={['No keys yet', 'A program needs a key to call the API. Issue one for each program.']}
      />
      {isIssuing && <IssueKeyDialog account={account} onClose={() => setIsIssuing(false)} />}
    </Panel>
  )
}
