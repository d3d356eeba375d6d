import { useQuery } from '@tanstack/react-query'
import type { AuditEntry } from '../../api/schema.ts'
import { auditEntryQuery } from '../../data/audit.ts'
import { actionName } from '../../lib/audit-words.ts'
import { formatUtc } from '../../lib/time.ts'
import { Actor } from '../../parts/audit/Actor.tsx'
import { TimeText } from '../../parts/TimeText.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Changes } from './Changes.tsx'
import { Details } from './Details.tsx'
import { AccountLink, SubjectLink } from './SubjectLink.tsx'
import '../../parts/facts.css'

interface EntryDrawerProps {
  /** The id of the open entry, if any. */
  id: string | undefined
  /** The loaded entries. */
  rows: readonly AuditEntry[]
  onClose(): void
}

/** Everything that the log has about an action. */
export function EntryDrawer({ id, rows, onClose }: EntryDrawerProps) {
  if (!id) return null
  return <OpenDrawer id={id} known={rows.find(row => String(row.id) === id)} onClose={onClose} />
}

function OpenDrawer({ id, known, onClose }: { id: string; known: AuditEntry | undefined; onClose(): void }) {
  const { data = known, error, isLoading } = useQuery(auditEntryQuery(id, !known))
  return (
    <Dialog isOpen onClose={onClose} isDrawer title={data ? actionName(data.action) : `Entry ${id}`}>
      {data && <Entry entry={data} />}
      {error && <Notice tone="danger">{error.message}</Notice>}
      {!data && !error && !isLoading && <Notice>There is no entry with this id.</Notice>}
    </Dialog>
  )
}

function Entry({ entry }: { entry: AuditEntry }) {
  const { at, origin, before, after, details, subjectKind, accountId, id } = entry
  return (
    <>
      <dl className="facts">
        <dt>When</dt>
        <dd>
          <TimeText at={at} isFull />
        </dd>
        <dt>In UTC</dt>
        <dd className="number">{formatUtc(at)}</dd>
        <dt>Operator</dt>
        <dd>
          <Actor entry={entry} />
        </dd>
        <dt>From</dt>
        <dd>{origin}</dd>
        {subjectKind !== null && (
          <>
            <dt>Subject</dt>
            <dd>
              <SubjectLink entry={entry} />
            </dd>
          </>
        )}
        {accountId !== null && subjectKind !== 'account' && (
          <>
            <dt>Account</dt>
            <dd>
              <AccountLink id={String(accountId)} />
            </dd>
          </>
        )}
        <dt>Entry</dt>
        <dd>{String(id)}</dd>
      </dl>
      {(before || after) && <Changes before={before} after={after} />}
      <Details details={details} />
    </>
  )
}
