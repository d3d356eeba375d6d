import type { BadLine } from '../domain/bad-lines.ts'
import type { PetTransfer } from '../domain/pet-transfer.ts'
import { BYTE_ORDER_MARK, formatCsvRow } from '../schema/csv-rows.ts'
import { guard } from '../schema/formula-guard.ts'
import { type ImportRequest, importPets } from './import-pets.ts'

const HEADER = `${BYTE_ORDER_MARK}line,member,value,reason\r\n`

/**
 * Yields all bad lines of a file as CSV for a spreadsheet, with a row for each problem, as they are found. Imports nothing.
 * @throws UserError when the file as a whole cannot be read, before anything is yielded
 */
export async function* writeBadLines(transfer: PetTransfer, request: ImportRequest): AsyncGenerator<string, void> {
  let header = HEADER
  // Lines that only the last step of an import refuses are listed, too.
  for await (const lines of importPets(transfer, { ...request, dryRun: true, skipBad: true })) {
    yield header + lines.flatMap(rowsOf).join('')
    header = ''
  }
  if (header !== '') yield header
}

function rowsOf({ line, reason, problems = [] }: BadLine): string[] {
  const rows = problems.length > 0 ? problems : [{ member: '', value: undefined, reason }]
  return rows.map(one => {
    const texts = [one.member, one.value ?? '', one.reason]
    return `${formatCsvRow([String(line), ...texts.map(guardText)])}\r\n`
  })
}

/** A negative number is not a formula. */
function guardText(text: string): string {
  return /^-\d+$/.test(text) ? text : guard(text)
}
