import { UserError } from '../domain/errors.ts'
import { parseInt64 } from '../domain/int64.ts'
import { type CsvDelimiter, type CsvReading, kindOf, PET_MEMBERS, type PetMember } from '../domain/pet-files.ts'
import { unguard } from '../schema/formula-guard.ts'
import { InvalidInput } from '../schema/invalid-input.ts'
import { type Columns, isUsual, memberOf, readHeader } from './columns.ts'
import { type CsvRecord, readCsvRecords } from './csv-records.ts'
import { DELIMITERS, recogniseDelimiter } from './delimiter.ts'
import { findLeftover } from './leftovers.ts'
import type { Line } from './lines.ts'
import { badLine, type Interpretation, isBad, NEW_PETS, type Result } from './pet-line.ts'

/**
 * Reads one animal from each record below a header that names the columns in any order. An empty value counts as absent.
 * @throws UserError when the header is invalid
 */
export async function* readCsv<Good>(
  lines: AsyncIterable<Line[]>,
  reading: CsvReading = {},
  interpretation: Interpretation<Good> = NEW_PETS as Interpretation<Good>,
): AsyncIterable<Result<Good>[]> {
  const { required } = interpretation
  const defaults = { ...reading.defaults }
  const needed = required.filter(member => member === 'id' || defaults[member] === undefined)
  let columns: Columns | undefined
  for await (const { delimiter, records } of readCsvRecords(lines, header => delimiterOf(header, reading))) {
    const [first] = records
    if (!first) continue
    const header = columns ?? readHeader(first, DELIMITERS[delimiter], reading, needed)
    const animals = columns ? records : records.slice(1)
    columns = header
    yield animals.map(record => readRecord(record, header, reading, interpretation))
  }
  if (!columns) {
    throw new UserError('conflict', `The file is empty; it must start with the header ${PET_MEMBERS.join(',')}`)
  }
}

/** The chosen delimiter or, without one, the delimiter recognised in the header. */
export function delimiterOf(header: string, { delimiter, columns = {} }: CsvReading): CsvDelimiter {
  return delimiter ?? recogniseDelimiter(header, name => memberOf(name, columns) !== undefined || isUsual(name))
}

function readRecord<Good>(
  record: CsvRecord,
  columns: Columns,
  reading: CsvReading,
  { read }: Interpretation<Good>,
): Result<Good> {
  if ('reason' in record) return record
  const { line, values } = record
  const result = read(line, () => membersOf(values, columns, reading))
  const name = values[columns.members.indexOf('name')]
  const leftover = name && findLeftover(name.trim())
  const problems = isBad(result) ? result.problems : []
  if (!leftover || !problems) return result
  const reason = `name must not be ${JSON.stringify(name)}, which ${leftover}; NDJSON and the console accept it as a name.`
  return badLine(line, [{ member: 'name', value: name, reason }, ...problems])
}

/** @throws InvalidInput when the values do not match the columns */
function membersOf(
  values: readonly string[],
  { names, members }: Columns,
  { defaults = {}, safeForSpreadsheets = false, ignoreOtherColumns = false }: CsvReading,
): Record<string, unknown> {
  if (values.length !== names.length) ensureFit(values, names)
  const given: { [Member in PetMember]?: string } = {}
  for (const [at, member] of members.entries()) {
    const value = values[at] ?? ''
    if (member) given[member] = value
    else if (names[at] === '' && !ignoreOtherColumns && isFilled(value)) {
      throw refusal(
        `it has the value ${JSON.stringify(value.slice(0, MAX_SHOWN))} in column ${at + 1}, which has no name.`,
      )
    }
  }
  if (values.every((value, at) => value === names[at])) {
    throw refusal('it has the names of the columns again; remove it.')
  }
  return Object.fromEntries(
    PET_MEMBERS.map(member => {
      const value = parseValue(given[member], kindOf(member), safeForSpreadsheets)
      return [member, value ?? (member === 'id' ? undefined : defaults[member])]
    }),
  )
}

const MAX_SHOWN = 100

/** Values outside the named columns may be left out, or empty. */
function ensureFit(values: readonly string[], names: readonly string[]): void {
  const needed = names.findLastIndex(isFilled) + 1
  const last = values.findLastIndex(isFilled) + 1
  if (values.length >= needed && last <= names.length) return
  const count = values.length < needed ? values.length : last
  const cause = values.some(value => /[“”„]/.test(value))
    ? ' Curly quotes do not enclose a value; use straight ones (").'
    : ''
  throw refusal(`it has ${count} ${count === 1 ? 'value' : 'values'}, but the header has ${needed} columns.${cause}`)
}

function isFilled(value: string): boolean {
  return value.trim() !== ''
}

function refusal(reason: string): InvalidInput {
  return new InvalidInput('invalid_body', reason)
}

/** Undefined if the value counts as absent. Blanks around a free text belong to it. */
function parseValue(value: string | undefined, kind: ReturnType<typeof kindOf>, safeForSpreadsheets: boolean): unknown {
  if (kind === 'int64') return integer(value)
  if (kind === 'word') return value?.trim() || undefined
  return value && safeForSpreadsheets ? unguard(value) : value || undefined
}

/** Returns text that is not a plain decimal int64 unchanged; it later fails the check of its member. */
function integer(value: string | undefined): bigint | string | undefined {
  const text = value?.trim()
  return text ? (parseInt64(text) ?? text) : undefined
}
