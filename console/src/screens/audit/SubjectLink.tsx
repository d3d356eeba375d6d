import { Link } from '@tanstack/react-router'
import type { AuditEntry } from '../../api/schema.ts'
import { subjectName } from '../../lib/audit-words.ts'
import { subjectLinkOf } from '../../parts/audit/subject-link.ts'

/** The subject of an action, with a link to it unless it was deleted. */
export function SubjectLink({ entry }: { entry: AuditEntry }) {
  const name = subjectName(entry)
  const link = subjectLinkOf(entry)
  if (name === undefined) return <span className="muted">–</span>
  return link ? <Link {...link}>{name}</Link> : name
}

export function AccountLink({ id }: { id: string }) {
  return (
    <Link to="/accounts/$accountId" params={{ accountId: id }}>
      Account {id}
    </Link>
  )
}
