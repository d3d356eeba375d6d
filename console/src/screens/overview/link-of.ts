import { linkOptions } from '@tanstack/react-router'
import type { AuditEntry } from '../../api/schema.ts'

/** Leads to what an action changed, or to its entry in the audit log. */
export function linkOf({ id, subjectKind, subjectId }: AuditEntry) {
  const subject = String(subjectId)
  switch (subjectId === null ? null : subjectKind) {
    case 'pet':
      return linkOptions({ to: '/animals', search: { open: subject } })
    case 'category':
      return linkOptions({ to: '/animals', search: { category: subject } })
    case 'account':
      return linkOptions({ to: '/accounts/$accountId', params: { accountId: subject } })
    case 'key':
      return linkOptions({ to: '/keys', search: { key: subject } })
    default:
      return linkOptions({ to: '/audit', search: { open: String(id) } })
  }
}
