import type { Client } from 'pg'
import type { NewAuditEntry } from '../domain/audit.ts'
import { AUDIT_COLUMNS, auditValues } from '../sql/audit-values.ts'

/** Writes an audit entry within the connection's transaction, which does the deed. */
export async function writeAuditEntry(client: Client, entry: NewAuditEntry): Promise<void> {
  const text = `INSERT INTO audit (${AUDIT_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7)`
  await client.query(text, auditValues(entry, undefined))
}
