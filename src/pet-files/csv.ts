import { stringify } from 'csv-stringify/sync'
import { Mistake, Refusal } from '../domain/errors.ts'
import { parseInt64 } from '../domain/int64.ts'
import type { Pet } from '../domain/pet.ts'
import { type CsvRecord, readCsvRecords } from './csv-records.ts'
import type { Line } from './lines.ts'
import { type ReadLine, readPet } from './pet-line.ts'

/**
 * A name that a spreadsheet would take for a formula, and one that looks like such a name made safe. The apostrophe before it is for the
 * spreadsheet, and is taken off again by who reads the file with the same option.
 */
const FORMULA = /^'*[=+@\uff0b\uff0d\uff1d\uff20-]/

function guard(name: string): string {
  return FORMULA.test(name) ? `'${name}` : name
}

function unguard(name: string): string {
  return name.startsWith("'") && FORMULA.test(name) ? name.slice(1) : name
}

export interface CsvOptions {
  /** Whether names are such that no spreadsheet takes one for a formula. */
  safeForSpreadsheets?: boolean
}

const REQUIRED = ['name', 'categoryId'] as const
const COLUMNS = ['id', 'name', 'categoryId', 'status'] as const

type Column = (typeof COLUMNS)[number]

/**
 * One animal a record, below a header that names the columns in any order. An empty id or status is as one left out.
 * @throws Mistake when the header is not as it must be
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
  if (!columns)
    throw new Mistake('invalid', `The file is empty; it must begin with a header line: ${COLUMNS.join(',')}`)
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
    throw new Mistake('invalid', `The header (line ${record.line}) cannot be read: ${record.reason}`)
  const { values } = record
  const rule = `the header (line ${record.line}) must name ${REQUIRED.join(', ')} and may name id, status, separated by commas.`
  const unknown = values.find(value => !isColumn(value))
  if (unknown !== undefined) throw new Mistake('invalid', `There is no column "${unknown.slice(0, 100)}"; ${rule}`)
  const twice = values.find((value, index) => values.indexOf(value) < index)
  if (twice !== undefined) throw new Mistake('invalid', `The column "${twice}" is named twice; ${rule}`)
  const missing = REQUIRED.find(column => !values.includes(column))
  if (missing !== undefined) throw new Mistake('invalid', `The column "${missing}" is missing; ${rule}`)
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
    throw new Refusal(
      'invalid_body',
      `it has ${values.length} ${values.length === 1 ? 'value' : 'values'}, but the header names ${columns.length} columns.`,
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

/** What is no int64 in plain decimal stays a text, which is then told to be none. */
function integer(text: string | undefined): bigint | string | undefined {
  return text ? (parseInt64(text) ?? text) : undefined
}
