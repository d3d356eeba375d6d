import { UserError } from '../domain/errors.ts'
import { parseInt64 } from '../domain/int64.ts'
import { type CsvDelimiter, type CsvReading, PET_MEMBERS, type PetMember } from '../domain/pet-files.ts'
import { unguard } from '../schema/formula-guard.ts'
import { InvalidInput } from '../schema/invalid-input.ts'
import { type Columns, isUsual, memberOf, readHeader } from './columns.ts'
import { type CsvRecord, readCsvRecords } from './csv-records.ts'
import { recogniseDelimiter } from './delimiter.ts'
import type { Line } from './lines.ts'
import { type Interpretation, NEW_PETS, type Result } from './pet-line.ts'

/**
 * Reads one animal from each record below a header that names the columns in any order. An empty value counts as absent.
 * @throws UserError when the header is invalid
 */
export async function* readCsv<Good>(
  lines: AsyncIterable<Line[]>,
  reading: CsvReading = {},
  interpretation: Interpretation<Good> = NEW_PETS as Interpretation<Good>,
): AsyncIterable<Result<Good>[]> {
  const { read, required } = interpretation
  const defaults = { ...reading.defaults }
  const needed = required.filter(member => member !== 'categoryId' || defaults.categoryId === undefined)
  let columns: Columns | undefined
  for await (const records of readCsvRecords(lines, header => delimiterOf(header, reading))) {
    const [first] = records
    if (!first) continue
    const header = columns ?? readHeader(first, reading, needed)
    const animals = columns ? records : records.slice(1)
    columns = header
    yield animals.map(record =>
      'reason' in record ? record : read(record.line, () => membersOf(record, header, reading)),
    )
  }
  if (!columns) {
    throw new UserError('conflict', `The file is empty; it must start with the header ${PET_MEMBERS.join(',')}`)
  }
}

/** The chosen delimiter or, without one, the delimiter recognised in the header. */
export function delimiterOf(header: string, { delimiter, columns = {} }: CsvReading): CsvDelimiter {
  return delimiter ?? recogniseDelimiter(header, name => memberOf(name, columns) !== undefined || isUsual(name))
}

function membersOf(
  { values }: Extract<CsvRecord, { values: string[] }>,
  columns: Columns,
  { defaults = {}, safeForSpreadsheets = false }: CsvReading,
): Record<string, unknown> {
  if (values.length !== columns.length) {
    throw new InvalidInput(
      'invalid_body',
      `it has ${values.length} ${values.length === 1 ? 'value' : 'values'}, but the header has ${columns.length} columns.`,
    )
  }
  const given: { [Member in PetMember]?: string } = {}
  for (const [at, member] of columns.entries()) if (member) given[member] = values[at] as string
  const { id, name, categoryId, status } = given
  return {
    id: integer(id),
    name: name ? (safeForSpreadsheets ? unguard(name) : name) : undefined,
    categoryId: integer(categoryId) ?? defaults.categoryId,
    status: status || defaults.status,
  }
}

/** Returns text that is not a plain decimal int64 unchanged; it later fails the check of its member. */
function integer(text: string | undefined): bigint | string | undefined {
  return text ? (parseInt64(text) ?? text) : undefined
}
