import type { DatabaseSync } from 'node:sqlite'
import type { NewAuditEntry } from '../domain/audit.ts'

/** Makes what writes an audit entry within the transaction that does the deed. It gives true, for the deed that it ends. */
export function buildAudit(database: DatabaseSync): (entry: NewAuditEntry, subjectId?: bigint) => true {
  const insert = database.prepare(
    'INSERT INTO audit (at, actor, origin, action, subject_id, account_id, details) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  return ({ at, actor, origin, action, accountId, details }, subjectId) => {
    insert.run(at, actor, origin, action, subjectId ?? null, accountId ?? null, JSON.stringify(details))
    return true
  }
}
