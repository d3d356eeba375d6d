import { useQuery } from '@tanstack/react-query'
import { accountAuditQuery } from '../../data/account-records.ts'
import { ACTION_NAMES } from '../../lib/action-names.ts'
import { Panel } from '../../parts/Panel.tsx'
import { TimeText } from '../../parts/TimeText.tsx'
import { Notice } from '../../ui/Notice.tsx'

/** The newest things that operators did to the account. */
export function AccountAudit({ accountId }: { accountId: string }) {
  const { data: entries, error } = useQuery(accountAuditQuery(accountId))
  return (
    <Panel title="Newest actions" className="is-wide">
      {error && <Notice tone="danger">{error.message}</Notice>}
      <ol className="entries">
        {entries?.map(({ id, action, actor, at }) => (
          <li key={String(id)} className="entry">
            <span>{ACTION_NAMES[action]}</span>
            <span className="muted">
              <bdi>{actor}</bdi>, <TimeText at={at} />
            </span>
          </li>
        ))}
      </ol>
    </Panel>
  )
}
