import type { AuditAction, AuditEntry, AuditQuery, NewAuditEntry } from '../domain/audit.ts'
import { StoreDamaged } from '../domain/errors.ts'
import { type ColumnType, ID, INTEGER, optional, rowReader, TEXT, TIME } from './row-reader.ts'
import { all, type Query, type Row, type Statement, type Value, where } from './statement.ts'
import { run, type Write } from './write.ts'

const COLUMNS = 'at, actor, origin, action, subject_id, account_id, details'

/** Writes an audit entry. To be run in the transaction of the change that it is about. */
export function auditStatement(entry: NewAuditEntry, subjectId?: bigint): Statement {
  const { at, actor, origin, action, accountId = null, details } = entry
  return {
    sql: `INSERT INTO audit (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    values: [at, actor, origin, action, subjectId ?? null, accountId, JSON.stringify(details)],
  }
}

export function* record(entry: NewAuditEntry, subjectId?: bigint): Write<void> {
  yield auditStatement(entry, subjectId)
}

/**
 * Makes a change by one statement, which returns the id of its subject, and records it.
 * @returns false, with nothing recorded, if the statement finds nothing to change
 */
export function* change(entry: NewAuditEntry, sql: string, ...values: readonly Value[]): Write<boolean> {
  const [subject] = yield* run<{ id: bigint }>(sql, ...values)
  if (!subject) return false
  yield* record(entry, subject.id)
  return true
}

export function auditEntries({ accountId, action, beforeId, limit }: AuditQuery): Query<AuditEntry[]> {
  const { sql, values } = where([
    ['account_id = ?', accountId],
    ['action = ?', action],
    ['id < ?', beforeId],
  ])
  return all(`SELECT id, ${COLUMNS} FROM audit ${sql} ORDER BY id DESC LIMIT ?`, [...values, limit], auditEntryOf)
}

const readEntry = rowReader('an audit entry', {
  id: ID,
  at: TIME,
  actor: TEXT,
  origin: TEXT,
  // An older version may have recorded actions that this one does not.
  action: TEXT as ColumnType<AuditAction>,
  subjectId: optional(INTEGER),
  accountId: optional(INTEGER),
  details: TEXT,
})

function auditEntryOf(row: Row): AuditEntry {
  const { details, ...entry } = readEntry(row)
  try {
    return { ...entry, details: JSON.parse(details) }
  } catch (error) {
    throw new StoreDamaged('The details of an audit entry are not JSON.', { cause: error })
  }
}
