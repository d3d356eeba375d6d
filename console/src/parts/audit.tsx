import { Link, linkOptions } from '@tanstack/react-router'
import type { AuditEntry } from '../api/schema.ts'
import { describeMany, subjectNumber } from '../lib/audit-words.ts'

/** Who did it. For a refused sign-in, that is unknown. */
export function Actor({ entry: { action, actor } }: { entry: AuditEntry }) {
  if (action === 'sign-in.refused') return <span className="muted">Not signed in</span>
  return <bdi>{actor}</bdi>
}

/** The link to the subject of an action; undefined if the subject has no page, or the action deleted it. */
export function subjectLinkOf({ action, subjectKind, subjectId }: AuditEntry) {
  if (subjectId === null || action.endsWith('.delete')) return undefined
  const subject = String(subjectId)
  switch (subjectKind) {
    case 'pet':
      return linkOptions({ to: '/animals', search: { open: subject } })
    case 'category':
      return linkOptions({ to: '/animals', search: { category: subject } })
    case 'account':
      return linkOptions({ to: '/accounts/$accountId', params: { accountId: subject } })
    case 'key':
      return linkOptions({ to: '/keys', search: { key: subject } })
    default:
      return undefined
  }
}

/** The subject of an action by its name and number, with a link to it unless it was deleted; or the animals that it was about. */
export function SubjectLink({ entry }: { entry: AuditEntry }) {
  const number = subjectNumber(entry)
  const link = subjectLinkOf(entry)
  if (number === undefined) return <bdi className="muted">{describeMany(entry) ?? '–'}</bdi>
  const name = <Named name={entry.subjectName} number={number} />
  return link ? <Link {...link}>{name}</Link> : name
}

/** Such as "Acme Pets · Account 1". */
export function Named({ name, number }: { name: string | null; number: string }) {
  if (name === null) return number
  return (
    <>
      <bdi>{name}</bdi> · {number}
    </>
  )
}

export function AccountLink({ id, name }: { id: string; name: string | null }) {
  return (
    <Link to="/accounts/$accountId" params={{ accountId: id }}>
      <Named name={name} number={`Account ${id}`} />
    </Link>
  )
}
