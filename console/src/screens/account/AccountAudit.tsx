import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { accountAuditQuery } from '../../data/account-records.ts'
import { ACTION_NAMES } from '../../lib/action-names.ts'
import { Panel } from '../../parts/Panel.tsx'
import { TimeText } from '../../parts/TimeText.tsx'
import { Notice } from '../../ui/Notice.tsx'

/** The newest operator actions on the account. */
export function AccountAudit({ accountId }: { accountId: string }) {
  const { data: entries, error } = useQuery(accountAuditQuery(accountId))
  return (
    <Panel
      title="Newest actions"
      className="is-wide"
      actions={
        <Link to="/audit" search={{ account: accountId }}>
          All actions
        </Link>
      }
    >
      {error && <Notice tone="danger">{error.message}</Notice>}
      {entries?.length === 0 && <p className="muted">What operators do to this account appears here.</p>}
      <ol className="entries">
        {entries?.map(({ id, action, actor, at }) => (
          <li key={String(id)} className="entry">
            <Link to="/audit" search={{ account: accountId, open: String(id) }} className="entry-name">
              {ACTION_NAMES[action]}
            </Link>
            <span className="muted">
              <bdi>{actor}</bdi>, <TimeText at={at} />
            </span>
          </li>
        ))}
      </ol>
    </Panel>
  )
}
