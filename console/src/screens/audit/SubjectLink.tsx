import { Link } from '@tanstack/react-router'
import type { AuditEntry } from '../../api/schema.ts'
import { subjectName } from '../../lib/audit-words.ts'

/** What an action was done to, with the way there, unless it was deleted. */
export function SubjectLink({ entry }: { entry: AuditEntry }) {
  const { subjectKind, subjectId, action } = entry
  const name = subjectName(entry)
  if (name === undefined) return <span className="muted">–</span>
  if (subjectId === null || action.endsWith('.delete')) return name
  const id = String(subjectId)
  switch (subjectKind) {
    case 'pet':
      return (
        <Link to="/animals" search={{ open: id }}>
          {name}
        </Link>
      )
    case 'account':
      return <AccountLink id={id} />
    case 'key':
      return (
        <Link to="/keys" search={{ key: id }}>
          {name}
        </Link>
      )
    default:
      return name
  }
}

export function AccountLink({ id }: { id: string }) {
  return (
    <Link to="/accounts/$accountId" params={{ accountId: id }}>
      Account {id}
    </Link>
  )
}
