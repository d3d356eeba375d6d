import { useQuery } from '@tanstack/react-query'
import { Link, linkOptions } from '@tanstack/react-router'
import type { AuditEntry } from '../../api/schema.ts'
import { newestActionsQuery } from '../../data/overview.ts'
import { actionName, subjectName } from '../../lib/audit-words.ts'
import { Actor } from '../../parts/audit/Actor.tsx'
import { subjectLinkOf } from '../../parts/audit/subject-link.ts'
import { Panel } from '../../parts/Panel.tsx'
import { TimeText } from '../../parts/TimeText.tsx'
import { Loading } from '../../ui/Loading.tsx'
import { Notice } from '../../ui/Notice.tsx'

/** The latest operator actions. */
export function NewestActions() {
  const { data, error } = useQuery(newestActionsQuery)
  return (
    <Panel title="Newest actions" actions={<Link to="/audit">Show the audit log</Link>}>
      {error && <Notice tone="danger">{error.message}</Notice>}
      {!data && !error && <Loading />}
      <ol className="actions">
        {data?.rows.map(entry => (
          <li key={entry.id}>
            <span className="actions-what">
              {actionName(entry.action)} <Subject entry={entry} />
            </span>
            <span className="actions-actor">
              <Actor entry={entry} />
            </span>
            <TimeText at={entry.at} />
          </li>
        ))}
      </ol>
    </Panel>
  )
}

/** The subject of an action, by name if the audit log has it, with a link to it or to the entry in the audit log. */
function Subject({ entry }: { entry: AuditEntry }) {
  const name = [entry.after, entry.before, entry.details].find(one => typeof one?.name === 'string')?.name
  const text = name ?? subjectName(entry)
  return (
    text !== undefined && (
      <Link {...(subjectLinkOf(entry) ?? linkOptions({ to: '/audit', search: { open: String(entry.id) } }))}>
        <bdi>{text}</bdi>
      </Link>
    )
  )
}
