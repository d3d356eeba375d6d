import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { accountQuery } from '../../data/accounts.ts'
import { useIsAdmin } from '../../data/session.ts'
import { AccountStateBadge, PlanBadge } from '../../parts/accounts/badges.tsx'
import { KeyDrawer } from '../../parts/keys/KeyDrawer.tsx'
import { Screen } from '../../parts/Screen.tsx'
import { TimeText } from '../../parts/TimeText.tsx'
import { Loading } from '../../ui/Loading.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { AccountActions } from './AccountActions.tsx'
import { AccountAudit } from './AccountAudit.tsx'
import { AccountKeys } from './AccountKeys.tsx'
import { AccountLinks } from './AccountLinks.tsx'
import { AccountUsage } from './AccountUsage.tsx'
import { Gauges } from './Gauges.tsx'
import { NoAccount } from './NoAccount.tsx'
import './account.css'

const route = getRouteApi('/accounts/$accountId')

/** One account: all its facts and actions. */
export function AccountScreen() {
  const { accountId } = route.useParams()
  const { key } = route.useSearch()
  const navigate = route.useNavigate()
  const isAdmin = useIsAdmin()
  const { data: account, error } = useQuery(accountQuery(accountId))
  if (error && !account) {
    return (
      <Screen title="Account">
        <NoAccount error={error} />
      </Screen>
    )
  }
  if (!account) {
    return (
      <Screen title="Account">
        <Loading />
      </Screen>
    )
  }
  return (
    <Screen
      title={account.name}
      description={
        <span className="account-facts">
          <PlanBadge plan={account.plan} />
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
      <div className="account-grid">
        <Gauges account={account} />
        <AccountUsage accountId={accountId} />
        <AccountKeys account={account} />
        <AccountLinks account={account} />
        <AccountAudit accountId={accountId} />
      </div>
      <KeyDrawer keyId={key} onClose={() => navigate({ search: {}, replace: true })} />
    </Screen>
  )
}
