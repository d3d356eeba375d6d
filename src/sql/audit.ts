import type { AuditAction, AuditEntry, AuditValues, NewAuditEntry } from '../domain/audit.ts'
import { StoreDamaged } from '../domain/errors.ts'
import { parseInt64 } from '../domain/int64.ts'
import { ensurePermitted } from './permit.ts'
import { type ColumnType, ID, INTEGER, optional, rowReader, TEXT, TIME } from './row-reader.ts'
import { first, type Query, type Row, type Statement, type Value } from './statement.ts'
import { run, type Write } from './write.ts'

export const AUDIT_COLUMNS =
  'at, actor, token_id, origin, action, subject_id, account_id, details, before_values, after_values'

/**
 * Writes an audit entry and returns its id. Must run in the transaction of the change that it records, and after `ensurePermitted` if an
 * operator's permit is involved.
 */
export function auditStatement(entry: NewAuditEntry, subjectId?: bigint): Statement {
  const { at, actor, tokenId = null, origin, action, accountId = null, details, before, after } = entry
  return {
    sql: `INSERT INTO audit (${AUDIT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
    values: [
      ...[at, actor, tokenId, origin, action, subjectId ?? null, accountId],
      ...[formatValues(details), before ? formatValues(before) : null, after ? formatValues(after) : null],
    ],
  }
}

/** Returns the id of the entry. @throws ActionRefused */
export function* record(entry: NewAuditEntry, subjectId?: bigint): Write<bigint> {
  yield* ensurePermitted(entry)
  const [recorded] = yield auditStatement(entry, subjectId)
  return recorded?.id as bigint
}

/**
 * Makes a change with one statement, which returns the id of its subject, and records it. The change may end the operator's own permit.
 * @returns false, with nothing recorded, if the statement finds nothing to change
 * @throws ActionRefused
 */
export function* change(entry: NewAuditEntry, sql: string, ...values: readonly Value[]): Write<boolean> {
  yield* ensurePermitted(entry)
  const [subject] = yield* run<{ id: bigint }>(sql, ...values)
  if (!subject) return false
  yield auditStatement(entry, subject.id)
  return true
}

export function auditEntry(id: bigint): Query<AuditEntry | undefined> {
  return first(`SELECT id, ${AUDIT_COLUMNS} FROM audit WHERE id = ?`, [id], auditEntryOf)
}

const readEntry = rowReader('an audit entry', {
  id: ID,
  at: TIME,
  actor: TEXT,
  tokenId: optional(INTEGER),
  origin: TEXT,
  // An older version may have recorded actions that this version does not have.
  action: TEXT as ColumnType<AuditAction>,
  subjectId: optional(INTEGER),
  accountId: optional(INTEGER),
  details: TEXT,
  beforeValues: optional(TEXT),
  afterValues: optional(TEXT),
})

export function auditEntryOf(row: Row): AuditEntry {
  const { details, beforeValues, afterValues, ...entry } = readEntry(row)
  try {
    return {
      ...entry,
      details: parseValues(details),
      before: beforeValues === undefined ? undefined : parseValues(beforeValues),
      after: afterValues === undefined ? undefined : parseValues(afterValues),
    }
  } catch (error) {
    throw new StoreDamaged('The details of an audit entry are not JSON.', { cause: error })
  }
}

/** The id that an entry has in its details. */
export function idOf(value: AuditValues[string] | undefined): bigint | undefined {
  return parseInt64(String(value))
}

/** JSON has no bigint: integers are written digit by digit. */
function formatValues(values: AuditValues): string {
  return JSON.stringify(values, (_, value) => (typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value))
}

/** Integers that do not fit into a number become bigints. */
function parseValues(text: string): AuditValues {
  return JSON.parse(text, exactly)
}

function exactly(_name: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
  return typeof value === 'number' && !Number.isSafeInteger(value) ? BigInt(source) : value
}
