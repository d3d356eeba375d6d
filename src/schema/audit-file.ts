import type { ListedEntry } from '../domain/audit.ts'
import { guard, guardJson } from '../domain/formula-guard.ts'
import { escapeUnseen, spellOut } from '../domain/untrusted-text.ts'
import { BYTE_ORDER_MARK, formatCsvRow } from './csv-rows.ts'
import { formatJson } from './exact-json.ts'
import { AuditEntryJson, auditEntryJson } from './responses/audit.ts'

/** The audit log as a file: NDJSON, or CSV for spreadsheets. Control characters are escaped, so a terminal can show it safely. */

export const AUDIT_FILE_FORMATS = ['ndjson', 'csv'] as const

export type AuditFileFormat = (typeof AUDIT_FILE_FORMATS)[number]

export async function* formatAuditFile(
  batches: AsyncIterable<readonly ListedEntry[]>,
  format: AuditFileFormat,
): AsyncIterable<string> {
  if (format === 'csv') yield `${BYTE_ORDER_MARK}${formatCsvRow(COLUMNS)}\n`
  const formatLine = format === 'csv' ? formatRow : formatObject
  for await (const entries of batches) yield entries.map(entry => `${formatLine(entry)}\n`).join('')
}

const COLUMNS = Object.keys(AuditEntryJson.properties) as (keyof typeof AuditEntryJson.properties)[]

function formatObject(entry: ListedEntry): string {
  return escapeUnseen(formatJson(auditEntryJson(entry)))
}

function formatRow(entry: ListedEntry): string {
  const json = auditEntryJson(entry)
  return formatCsvRow(COLUMNS.map(column => formatCell(json[column])))
}

/** Many texts come from strangers, so a spreadsheet must not read any of them as a formula. */
function formatCell(value: string | bigint | object | null): string {
  if (value === null) return ''
  return typeof value === 'object' ? guardJson(escapeUnseen(formatJson(value))) : guard(spellOut(String(value)))
}
