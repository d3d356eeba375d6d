import { linkOptions } from '@tanstack/react-router'
import type { AuditEntry } from '../../api/schema.ts'

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
