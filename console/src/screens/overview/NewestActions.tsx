import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { newestActionsQuery } from '../../data/overview.ts'
import { actionName, subjectName } from '../../lib/audit-words.ts'
import { Panel } from '../../parts/Panel.tsx'
import { TimeText } from '../../parts/TimeText.tsx'
import { Notice } from '../../ui/Notice.tsx'

/** What operators did last. */
export function NewestActions() {
  const { data, error } = useQuery(newestActionsQuery)
  return (
    <Panel title="Newest actions" actions={<Link to={'/audit' as string}>Show the audit log</Link>}>
      {error && <Notice tone="danger">{error.message}</Notice>}
      <ol className="actions">
        {data?.rows.map(entry => (
          <li key={entry.id}>
            <span>
              <strong>{actionName(entry.action)}</strong> {subjectName(entry)}
            </span>
            <bdi>{entry.actor}</bdi>
            <TimeText at={entry.at} />
          </li>
        ))}
      </ol>
    </Panel>
  )
}
