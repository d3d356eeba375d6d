import { useQuery } from '@tanstack/react-query'
import { Link, linkOptions } from '@tanstack/react-router'
import { newestActionsQuery } from '../data/overview.ts'
import { actionName, describeMany, subjectNumber } from '../lib/audit-words.ts'
import { Notice } from '../ui/states.tsx'
import { Actor, subjectLinkOf } from './audit.tsx'
import { Loading } from './Loading.tsx'
import { Panel } from './Panel.tsx'
import { TimeText } from './times.tsx'
import './newest-actions.css'

/** The latest operator actions, or those on an account and its keys. Each leads to its subject, or to its entry if it has none or is of the account. */
export function NewestActions({ account }: { account?: string }) {
  const { data, error } = useQuery(newestActionsQuery(account))
  return (
    <Panel
      title="Newest actions"
      className="is-wide"
      actions={
        <Link to="/audit" search={{ account }}>
          Show the audit log
        </Link>
      }
    >
      {error && <Notice tone="danger">{error.message}</Notice>}
      {!data && !error && <Loading />}
      <ol className="actions lines">
        {data?.rows.map(entry => {
          const link = account === undefined ? subjectLinkOf(entry) : undefined
          const subject = entry.subjectName ?? subjectNumber(entry) ?? describeMany(entry)
          return (
            <li key={entry.id}>
              <span className="one-line">
                {actionName(entry.action)}{' '}
                {subject !== undefined && (
                  <Link {...(link ?? linkOptions({ to: '/audit', search: { account, open: String(entry.id) } }))}>
                    <bdi>{subject}</bdi>
                  </Link>
                )}
              </span>
              <span className="one-line">
                <Actor entry={entry} />
              </span>
              <TimeText at={entry.at} />
            </li>
          )
        })}
      </ol>
    </Panel>
  )
}
