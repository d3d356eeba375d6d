import { linkOptions } from '@tanstack/react-router'
import type { AuditEntry } from '../../api/schema.ts'

/** The way to what an action was done to; undefined if that has no place, or was deleted by the action. */
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
