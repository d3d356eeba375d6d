import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { AuditEntry } from '../../api/schema.ts'
import { newestActionsQuery } from '../../data/overview.ts'
import { actionName, subjectName } from '../../lib/audit-words.ts'
import { Panel } from '../../parts/Panel.tsx'
import { TimeText } from '../../parts/TimeText.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { linkOf } from './link-of.ts'

/** What operators did last. */
export function NewestActions() {
  const { data, error } = useQuery(newestActionsQuery)
  return (
    <Panel title="Newest actions" actions={<Link to="/audit">Show the audit log</Link>}>
      {error && <Notice tone="danger">{error.message}</Notice>}
      <ol className="actions">
        {data?.rows.map(entry => (
          <li key={entry.id}>
            <span className="actions-what">
              {actionName(entry.action)} <Subject entry={entry} />
            </span>
            <bdi className="actions-actor">{entry.actor}</bdi>
            <TimeText at={entry.at} />
          </li>
        ))}
      </ol>
    </Panel>
  )
}

/** What was changed, by its name where the audit log has it. */
function Subject({ entry }: { entry: AuditEntry }) {
  const name = [entry.after, entry.before, entry.details].find(one => typeof one?.name === 'string')?.name
  const text = name ?? subjectName(entry)
  return (
    text !== undefined && (
      <Link {...linkOf(entry)}>
        <bdi>{text}</bdi>
      </Link>
    )
  )
}
