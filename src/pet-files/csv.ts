import { stringify } from 'csv-stringify/sync'
import { UserError } from '../domain/errors.ts'
import { parseInt64 } from '../domain/int64.ts'
import type { Pet } from '../domain/pet.ts'
import { InvalidInput } from '../schema/invalid-input.ts'
import { type CsvRecord, readCsvRecords } from './csv-records.ts'
import type { Line } from './lines.ts'
import { type ReadLine, readPet } from './pet-line.ts'

/**
 * Names that a spreadsheet would read as a formula, and names that look like a guarded one. An apostrophe in front guards them; an import
 * with the same option removes it.
 */
const FORMULA = /^'*[=+@\uff0b\uff0d\uff1d\uff20-]/

function guard(name: string): string {
  return FORMULA.test(name) ? `'${name}` : name
}

function unguard(name: string): string {
  return name.startsWith("'") && FORMULA.test(name) ? name.slice(1) : name
}

export interface CsvOptions {
  /** Whether names that a spreadsheet would read as a formula are guarded. */
  safeForSpreadsheets?: boolean
}

const REQUIRED = ['name', 'categoryId'] as const
const COLUMNS = ['id', 'name', 'categoryId', 'status'] as const

type Column = (typeof COLUMNS)[number]

/**
 * Reads one animal from each record below a header that names the columns in any order. An empty id or status counts as absent.
 * @throws UserError when the header is invalid
 */
export async function* readCsv(
  lines: AsyncIterable<Line[]>,
  { safeForSpreadsheets = false }: CsvOptions = {},
): AsyncIterable<ReadLine[]> {
  const nameOf = safeForSpreadsheets ? unguard : (name: string) => name
  let columns: Column[] | undefined
  for await (const records of readCsvRecords(lines)) {
    const [first] = records
    if (!first) continue
    const header = columns ?? readHeader(first)
    const animals = columns ? records : records.slice(1)
    columns = header
    yield animals.map(record => readRecord(record, header, nameOf))
  }
  if (!columns) throw new UserError('conflict', `The file is empty; it must start with the header ${COLUMNS.join(',')}`)
}

export const CSV_HEADER = `${COLUMNS.join(',')}\n`

export function formatCsv(pets: readonly Pet[], { safeForSpreadsheets = false }: CsvOptions = {}): string {
  const nameOf = safeForSpreadsheets ? guard : (name: string) => name
  return stringify(
    pets.map(({ id, name, categoryId, status }) => [String(id), nameOf(name), String(categoryId), status]),
  )
}

function readHeader(record: CsvRecord): Column[] {
  if ('reason' in record)
    throw new UserError('conflict', `The header (line ${record.line}) cannot be read: ${record.reason}`)
  const { values } = record
  const rule = `the header (line ${record.line}) must have the columns ${REQUIRED.join(', ')} and may have id, status, separated by commas.`
  const unknown = values.find(value => !isColumn(value))
  if (unknown !== undefined) throw new UserError('conflict', `Unknown column "${unknown.slice(0, 100)}"; ${rule}`)
  const twice = values.find((value, index) => values.indexOf(value) < index)
  if (twice !== undefined) throw new UserError('conflict', `The column "${twice}" appears twice; ${rule}`)
  const missing = REQUIRED.find(column => !values.includes(column))
  if (missing !== undefined) throw new UserError('conflict', `The column "${missing}" is missing; ${rule}`)
  return values as Column[]
}

function isColumn(name: string): name is Column {
  return COLUMNS.some(column => column === name)
}

function readRecord(record: CsvRecord, columns: readonly Column[], nameOf: (name: string) => string): ReadLine {
  if ('reason' in record) return record
  return readPet(record.line, () => membersOf(record.values, columns, nameOf))
}

function membersOf(
  values: readonly string[],
  columns: readonly Column[],
  nameOf: (name: string) => string,
): Record<string, unknown> {
  if (values.length !== columns.length) {
    throw new InvalidInput(
      'invalid_body',
      `it has ${values.length} ${values.length === 1 ? 'value' : 'values'}, but the header has ${columns.length} columns.`,
    )
  }
  const {
    id,
    name = '',
    categoryId,
    status,
  } = Object.fromEntries(columns.map((column, at) => [column, values[at] ?? '']))
  return { id: integer(id), name: nameOf(name), categoryId: integer(categoryId), status: status || undefined }
}

/** Text that is not a plain decimal int64 stays as it is, and fails the check of its member. */
function integer(text: string | undefined): bigint | string | undefined {
  return text ? (parseInt64(text) ?? text) : undefined
}
