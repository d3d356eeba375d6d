import type { AuditEntry, AuditValues } from '../domain/audit.ts'
import { escapeUnseen, spellOut } from '../domain/untrusted-text.ts'
import { formatJson } from './exact-json.ts'
import { auditEntryJson } from './operator-json.ts'

/** The audit log as a file: NDJSON, or CSV for spreadsheets. Control characters are escaped, so a terminal can show it safely. */

export const AUDIT_FILE_FORMATS = ['ndjson', 'csv'] as const

export type AuditFileFormat = (typeof AUDIT_FILE_FORMATS)[number]

export async function* formatAuditFile(
  batches: AsyncIterable<readonly AuditEntry[]>,
  format: AuditFileFormat,
): AsyncIterable<string> {
  if (format === 'csv') yield `${COLUMNS.join(',')}\n`
  const formatLine = format === 'csv' ? formatRow : formatObject
  for await (const entries of batches) yield entries.map(entry => `${formatLine(entry)}\n`).join('')
}

const COLUMNS = [
  'id',
  'at',
  'actor',
  'tokenId',
  'origin',
  'action',
  'subjectKind',
  'subjectId',
  'accountId',
  'before',
  'after',
  'details',
] as const

function formatObject(entry: AuditEntry): string {
  return escapeUnseen(formatJson(auditEntryJson(entry)))
}

function formatRow(entry: AuditEntry): string {
  const json = auditEntryJson(entry)
  return COLUMNS.map(column => formatCell(json[column])).join(',')
}

function formatCell(value: string | bigint | AuditValues | null): string {
  if (value === null) return ''
  const text = typeof value === 'object' ? escapeUnseen(formatJson(value)) : guard(spellOut(String(value)))
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A spreadsheet would read such a name as a formula. */
function guard(text: string): string {
  return /^[=+@-]/.test(text) ? `'${text}` : text
}
