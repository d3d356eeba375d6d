import type { NewAuditEntry } from '../domain/audit.ts'

/** The columns of an audit entry that is written, and in the same order their values. */
export const AUDIT_COLUMNS = 'at, actor, origin, action, subject_id, account_id, details'

export function auditValues(
  { at, actor, origin, action, accountId, details }: NewAuditEntry,
  subjectId: bigint | undefined,
) {
  return [at, actor, origin, action, subjectId ?? null, accountId ?? null, JSON.stringify(details)]
}
