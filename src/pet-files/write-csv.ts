import { guard } from '../domain/formula-guard.ts'
import type { ExportOptions } from '../domain/pet-files.ts'
import type { ExportedPet } from '../domain/pet-transfer.ts'
import { BYTE_ORDER_MARK, formatCsvRow } from '../schema/csv-rows.ts'
import { DELIMITERS } from './delimiter.ts'
import { type ExportColumn, exportColumns } from './export-columns.ts'

export type CsvWriting = Pick<ExportOptions, 'delimiter' | 'safeForSpreadsheets'>

export function formatCsvHeader({ delimiter = 'comma' }: CsvWriting = {}, columns = exportColumns()): string {
  return `${BYTE_ORDER_MARK}${formatCsvRow(
    columns.map(({ name }) => name),
    DELIMITERS[delimiter],
  )}\n`
}

export function formatCsv(
  pets: readonly ExportedPet[],
  { safeForSpreadsheets = false, delimiter = 'comma' }: CsvWriting = {},
  columns: readonly ExportColumn[] = exportColumns(),
): string {
  const formatText = safeForSpreadsheets ? guard : String
  const formats = columns.map(({ kind, format }) =>
    kind === 'text' ? (pet: ExportedPet) => formatText(format(pet)) : format,
  )
  const rows = pets.map(pet =>
    formatCsvRow(
      formats.map(format => format(pet)),
      DELIMITERS[delimiter],
    ),
  )
  return rows.map(row => `${row}\n`).join('')
}
