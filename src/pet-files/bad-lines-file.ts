import { stringify } from 'csv-stringify/sync'
import type { BadLine } from '../domain/bad-lines.ts'
import type { PetTransfer } from '../domain/pet-transfer.ts'
import { type ImportRequest, importPets } from './import-pets.ts'

/** The byte order mark makes spreadsheets read the file as UTF-8. */
const HEADER = '\ufeffline,member,value,reason\r\n'

/**
 * Yields all bad lines of a file as CSV for a spreadsheet, with a row for each problem, as they are found. Imports nothing.
 * @throws UserError when the file as a whole cannot be read, before anything is yielded
 */
export async function* writeBadLines(transfer: PetTransfer, request: ImportRequest): AsyncGenerator<string, void> {
  let header = HEADER
  // Lines that only the last step of an import refuses are listed, too.
  for await (const lines of importPets(transfer, { ...request, dryRun: true, skipBad: true })) {
    yield header + stringify(lines.flatMap(rowsOf), { record_delimiter: 'windows' })
    header = ''
  }
  if (header !== '') yield header
}

function rowsOf({ line, reason, problems = [] }: BadLine): string[][] {
  const rows = problems.length > 0 ? problems : [{ member: '', value: undefined, reason }]
  return rows.map(one => [String(line), ...[one.member, one.value ?? '', one.reason].map(guard)])
}

/** Matches text that a spreadsheet would read as a formula. A negative number is not a formula. */
const FORMULA = /^[=+@\t\r\uff0b\uff0d\uff1d\uff20]|^-(?!\d+$)/

function guard(value: string): string {
  return FORMULA.test(value) ? `'${value}` : value
}
