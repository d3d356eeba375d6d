import type { DatabaseSync } from 'node:sqlite'
import type { NewAuditEntry } from '../domain/audit.ts'
import { AUDIT_COLUMNS, auditValues } from '../sql/audit-values.ts'

/** Makes what writes an audit entry within the transaction that does the deed. It gives true, for the deed that it ends. */
export function buildAudit(database: DatabaseSync): (entry: NewAuditEntry, subjectId?: bigint) => true {
  const insert = database.prepare(`INSERT INTO audit (${AUDIT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`)
  return (entry, subjectId) => {
    insert.run(...auditValues(entry, subjectId))
    return true
  }
}
