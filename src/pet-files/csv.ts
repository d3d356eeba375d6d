import type { BadLine, LineProblem } from '../domain/bad-lines.ts'
import { PROBLEM_COLUMN } from '../domain/describe-columns.ts'
import { conflict } from '../domain/errors.ts'
import { formatCount } from '../domain/format-number.ts'
import { unguard } from '../domain/formula-guard.ts'
import { type CsvDelimiter, type CsvReading, kindOf, PET_MEMBERS, type PetMember } from '../domain/pet-files.ts'
import { WORD_MEMBERS } from '../domain/value-meaning.ts'
import { InvalidInput } from '../schema/invalid-input.ts'
import { type Columns, isColumnName, readHeader, withoutTitles } from './columns.ts'
import { type CsvRecord, fillRows, readCsvRecords, type Table } from './csv-records.ts'
import { recogniseDelimiter } from './delimiter.ts'
import { isWord, isWordOrCode } from './explain-number.ts'
import { findLeftover, findLostId } from './leftovers.ts'
import type { Line } from './lines.ts'
import { badLine, type Interpretation, interpret, isBad, type Result } from './pet-line.ts'
import type { Words } from './words.ts'

/** With the chosen delimiter or, without one, the delimiter recognised in the header. */
export function readCsvTable(
  lines: AsyncIterable<Line[]>,
  { delimiter, columns = {} }: CsvReading,
): AsyncIterable<Table> {
  return readCsvRecords(lines, first => delimiter ?? recogniseDelimiter(first, name => isColumnName(name, columns)))
}

/**
 * Reads one animal from each record below a header that names the columns in any order. An empty value counts as absent.
 * @throws UserError when the header is invalid
 */
export async function* readTable<Good>(
  tables: AsyncIterable<Table>,
  reading: CsvReading,
  interpretation: Interpretation<Good>,
  words: Words,
): AsyncIterable<Result<Good>[]> {
  for await (const { columns, records } of readRows(tables, reading, interpretation)) {
    words.addMeanings(columns.meanings)
    words.columns = columns.names
    yield records.map(record => readRecord(record, columns, reading, interpretation, words))
  }
}

/**
 * The records below the header.
 * @throws UserError when the header is invalid
 */
export async function* readRows(
  tables: AsyncIterable<Table>,
  reading: CsvReading,
  interpretation: Pick<Interpretation<never>, 'required' | 'isFeed'>,
): AsyncIterable<{ columns: Columns; delimiter: CsvDelimiter | undefined; records: readonly CsvRecord[] }> {
  const defaults = { ...reading.defaults }
  const required = interpretation.required.filter(member => member === 'id' || defaults[member] === undefined)
  let columns: Columns | undefined
  let problemAt = -1
  for await (const table of tables) {
    const isFirst = columns === undefined
    const own = isFirst ? withoutTitles(table.records, reading.columns) : table.records
    const [first] = own
    if (!first) continue
    columns ??= readHeader(first, { ...table, records: own }, reading, { ...interpretation, required })
    if (isFirst) problemAt = columns.names.indexOf(PROBLEM_COLUMN)
    const rows = isFirst ? own.slice(1) : own
    const { delimiter } = table
    if (table.sheets) fillRows(rows, columns.names.length)
    yield { columns, delimiter, records: problemAt === -1 ? rows : rows.map(row => withoutProblem(row, problemAt)) }
  }
  if (!columns) throw conflict(`The file is empty; it must start with the header ${PET_MEMBERS.join(',')}`)
}

const NO_VALUES = 'it has a problem, but no values; fill them in, or remove the line.'

/** A file of lines to correct is guarded against formulas in all columns. */
function withoutProblem(record: CsvRecord, problemAt: number): CsvRecord {
  if ('reason' in record) return record
  const values = record.values.map((value, at) => (at === problemAt ? '' : unguard(value)))
  const { line } = record
  return values.some(isFilled) ? { line, values } : { line, reason: NO_VALUES }
}

function readRecord<Good>(
  record: CsvRecord,
  columns: Columns,
  reading: CsvReading,
  interpretation: Interpretation<Good>,
  words: Words,
): Result<Good> {
  if ('reason' in record) return record
  const { line, values } = record
  const { isFeed } = interpretation
  const checked = interpret(line, interpretation, () => membersOf(values, columns, reading, words, isFeed))
  const result = isBad(checked) ? explainWords(checked, words) : checked
  const name = values[columns.members.indexOf('name')]
  const leftover = name && findLeftover(name.trim())
  const id = values[columns.members.indexOf('id')]?.trim()
  const externalId = isFeed && id && findLostId(id) === undefined ? id : undefined
  const problems = isBad(result) ? result.problems : []
  if (!leftover || !problems) return isBad(result) && externalId ? { ...result, externalId } : result
  const reason = `name must not be ${JSON.stringify(name)}, which ${leftover}; NDJSON and the console accept it as a name.`
  const bad = { ...badLine(line, [{ member: 'name', value: name, reason }, ...problems]), externalId }
  return isBad(result) ? bad : interpretation.doubt(result, bad)
}

/** @throws InvalidInput when the values do not match the columns */
function membersOf(
  values: readonly string[],
  { names, members, labelAt }: Columns,
  { defaults = {}, safeForSpreadsheets = false, ignoreOtherColumns = false }: CsvReading,
  words: Words,
  isFeed = false,
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
  const text = values[labelAt] ?? ''
  const label = safeForSpreadsheets ? unguard(text) : text
  if (!isFilled(given.categoryId ?? '')) given.categoryId = label
  const parsed = Object.fromEntries(
    PET_MEMBERS.map(member => {
      const text = given[member] ?? ''
      if (isFeed && member === 'id') return [member, text.trim() || undefined]
      const value = parseValue(member, text, words, safeForSpreadsheets)
      return [member, value ?? (member === 'id' ? undefined : defaults[member])]
    }),
  )
  if (isFilled(label)) words.ensureLabel(parsed.categoryId, label)
  return parsed
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
  throw refusal(`it has ${formatCount(count, 'value')}, but the header has ${formatCount(needed, 'column')}.${cause}`)
}

function isFilled(value: string): boolean {
  return value.trim() !== ''
}

function refusal(reason: string): InvalidInput {
  return new InvalidInput('invalid_body', reason)
}

/** Undefined if the value counts as absent. Blanks around a free text in quotes belong to it. */
function parseValue(member: PetMember, value: string, words: Words, safeForSpreadsheets: boolean): unknown {
  if (!isFilled(value)) return undefined
  if (kindOf(member) === 'text') return safeForSpreadsheets ? unguard(value) : value
  return words.read(member, value.trim())
}

/** Marks the words of a bad line that could be given a meaning. */
function explainWords({ line, reason, problems }: BadLine, words: Words): BadLine {
  if (!problems?.some(isUnknownWord)) return { line, reason, ...(problems && { problems }) }
  return badLine(
    line,
    problems.map(problem => (isUnknownWord(problem) ? { ...problem, ...explainWord(problem, words) } : problem)),
  )
}

function isUnknownWord({ member, value }: LineProblem): boolean {
  const known = WORD_MEMBERS.find(name => name === member)
  if (value === undefined || known === undefined) return false
  return kindOf(known) === 'word' ? isWordOrCode(value) : isWord(value)
}

function explainWord({ member, value = '', reason }: LineProblem, words: Words) {
  if (member !== 'categoryId') return { reason, isUnknown: true }
  const shown = JSON.stringify(value)
  return {
    reason: words.isAmbiguous(value)
      ? `${member} must be the number of a category; ${shown} is the label of several.`
      : `${member} must be the number or the label of a category; ${shown} is neither.`,
    isUnknown: true,
    couldBeNew: words.couldBeNew(value),
  }
}
