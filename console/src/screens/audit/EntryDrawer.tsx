import { useQuery } from '@tanstack/react-query'
import type { AuditEntry } from '../../api/schema.ts'
import { auditEntryQuery } from '../../data/audit.ts'
import { actionName, subjectName } from '../../lib/audit-words.ts'
import { TimeText } from '../../parts/TimeText.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Changes } from './Changes.tsx'
import { Details } from './Details.tsx'
import '../../parts/facts.css'

interface EntryDrawerProps {
  /** Of the entry; undefined while none is open. */
  id: string | undefined
  /** Those that are loaded. */
  rows: readonly AuditEntry[]
  onClose(): void
}

/** All that was written down of an action. */
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
  const { at, actor, origin, before, after, details, accountId, id } = entry
  const subject = subjectName(entry)
  return (
    <>
      <dl className="facts">
        <dt>When</dt>
        <dd>
          <TimeText at={at} isExact />
        </dd>
        <dt>Operator</dt>
        <dd>
          <bdi>{actor}</bdi>
        </dd>
        <dt>From</dt>
        <dd>{origin}</dd>
        {subject && <dt>Done to</dt>}
        {subject && <dd>{subject}</dd>}
        {accountId !== null && <dt>Account</dt>}
        {accountId !== null && <dd>{String(accountId)}</dd>}
        <dt>Entry</dt>
        <dd>{String(id)}</dd>
      </dl>
      {(before || after) && <Changes before={before} after={after} />}
      <Details details={details} />
    </>
  )
}
