import { PROBLEM_COLUMN } from '../domain/describe-columns.ts'
import { conflict } from '../domain/errors.ts'
import { PET_STATUSES } from '../domain/pet.ts'
import { type CsvReading, PET_MEMBERS, type PetMember } from '../domain/pet-files.ts'
import type { ValueMeaning } from '../domain/value-meaning.ts'
import type { CsvRecord, Table } from './csv-records.ts'
import { DELIMITERS } from './delimiter.ts'
import { meaningsOfFeed } from './feeds.ts'
import type { Interpretation } from './pet-line.ts'
import { UnknownColumns } from './unknown-columns.ts'

/** The column of an export with the label of the category, beside its number. */
export const LABEL_COLUMN = 'categoryLabel'

/** The columns of an export with the source of an animal and its id there. An import skips them beside our own ids: only a sync sets them. */
export const ORIGIN_COLUMNS = ['source', 'externalId'] as const

export interface Columns {
  /** Without blanks around them. */
  names: readonly string[]
  /** The member that each column stands for; undefined for other columns. */
  members: readonly (PetMember | undefined)[]
  /** Where the label is, if the number of the category has a column of its own; otherwise -1. */
  labelAt: number
  /** What words mean in the format of a feed. */
  meanings: readonly ValueMeaning[]
}

/** How many unknown columns an error names. */
const SHOWN = 5

type Names = { [Member in PetMember]?: string | undefined }

/**
 * Reads the header of a table.
 * @param required the members that need a column
 * @throws UserError
 */
export function readHeader(
  record: CsvRecord,
  table: Table,
  { columns: chosen = {}, ignoreOtherColumns = false, sheet }: CsvReading,
  { required, isFeed = false }: Pick<Interpretation<never>, 'required' | 'isFeed'>,
): Columns {
  const names = readNames(record, table, chosen)
  const { delimiter, sheets = [] } = table
  const nameOf = (member: PetMember) => chosen[member] ?? member
  const others = PET_MEMBERS.filter(member => !required.includes(member))
  const hasOtherSheets = sheet === undefined && sheets.length > 1
  const separated = delimiter === undefined ? '' : ', separated by commas, semicolons, tabs or vertical bars'
  const rule = `the header (line ${record.line}) must have the columns ${required.map(nameOf).join(', ')} and may have ${others.map(nameOf).join(', ')}${separated}.${hasOtherSheets ? otherSheets(sheets) : ''}`
  const ids = isFeed ? 'external' : required.includes('id') ? 'any' : 'own'
  const members = findMembers(names, chosen, ids)
  const meanings = isFeed ? meaningsOfFeed(names.map(plain)) : undefined
  const labelAt = members.includes('categoryId')
    ? names.findIndex((name, index) => members[index] === undefined && isSame(name, plain(LABEL_COLUMN)))
    : -1
  const named = PET_MEMBERS.filter(member => chosen[member] !== undefined)
  const missing = [...required, ...named].find(member => !members.includes(member))
  if (missing !== undefined && members.every(member => member === undefined)) refuseTitles(table, chosen)
  const found = { missing, hasOtherSheets, isFeed }
  const skipped = ['', PROBLEM_COLUMN, ...(members.includes('id') && !isFeed ? ORIGIN_COLUMNS : [])]
  const unknown = names.filter((name, at) => !skipped.includes(name) && at !== labelAt && members[at] === undefined)
  if (unknown.length > 0 && !ignoreOtherColumns && !meanings) {
    const mayBeIds = ids === 'own' && unknown.some(name => USUAL_NAMES.id.includes(plain(name)))
    const hint = mayBeIds ? 'ids that the animals keep must be in a column named exactly "id"; ' : ''
    throw new UnknownColumns(
      `Unknown ${listed('column', unknown)}; ${hint}${rule} Other columns can be ignored.`,
      found,
    )
  }
  const twice = names.find((_, index) => members[index] && members.indexOf(members[index]) < index)
  if (twice !== undefined) {
    throw conflict(
      `The column "${twice.slice(0, 100)}" appears twice in the header (line ${record.line}); rename or remove one of them.`,
    )
  }
  if (missing !== undefined) throw new UnknownColumns(`The column "${nameOf(missing)}" is missing; ${rule}`, found)
  return { names, members, labelAt, meanings: meanings ?? [] }
}

function otherSheets([read, ...others]: readonly string[]): string {
  return ` This is the sheet "${read}"; the workbook also has the ${listed('sheet', others)}.`
}

function listed(what: string, names: readonly string[]): string {
  const shown = names.slice(0, SHOWN).map(name => `"${name.slice(0, 100)}"`)
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : ''
  return `${what}${names.length > 1 ? 's' : ''} ${shown.join(', ')}${more}`
}

/** The records of a table without titles above its header: rows with a single value that is not the name of a column. */
export function withoutTitles(records: readonly CsvRecord[], chosen: Names = {}): readonly CsvRecord[] {
  const filledOf = (record: CsvRecord) => ('values' in record ? record.values.filter(value => value.trim() !== '') : [])
  const at = records.findIndex(record => filledOf(record).some(value => isColumnName(value, chosen)))
  return records.slice(0, at).every(record => filledOf(record).length === 1) ? records.slice(Math.max(at, 0)) : records
}

/**
 * The names in the header of a table, without blanks around them.
 * @param chosen the names that were chosen for members
 * @throws UserError when the record cannot be read, or looks like an animal
 */
export function readNames(record: CsvRecord, table: Table, chosen: Names = {}): string[] {
  const { line } = record
  if ('reason' in record) throw conflict(`The header (line ${line}) cannot be read: ${record.reason}`)
  const names = record.values.map(value => value.trim())
  const curly = names.find(name => /^[“”„‟«»]/.test(name))
  if (curly !== undefined) {
    throw conflict(
      `The header (line ${line}) has curly quotes around ${curly.slice(0, 100)}; replace them in the whole file with straight ones ("), or remove them.`,
    )
  }
  const header = headerFor(names, name => isColumnName(name, chosen))
  if (header) {
    refuseTitles(table, chosen)
    const { delimiter } = table
    // A terminal does not show tabs.
    const shown =
      delimiter === 'tab'
        ? `${header.join(' ')} (separated by tabs)`
        : header.join(delimiter ? DELIMITERS[delimiter] : ', ')
    throw conflict(`Line ${line} looks like an animal, not like names of columns; add this line before it: ${shown}`)
  }
  return names
}

/**
 * A title with several values is not skipped: it could be an animal.
 * @throws UserError when a lower record has the names of several columns
 */
function refuseTitles({ records }: Table, chosen: Names): void {
  const header = records.find(
    record => 'values' in record && Object.keys(suggestColumns(record.values, chosen)).length > 1,
  )
  if (header) throw conflict(`Line ${header.line} looks like the names of the columns; make it the first line.`)
}

/** Common names of these columns, in the form of `plain`, the most common first. */
const USUAL_NAMES: Readonly<Record<PetMember, readonly string[]>> = {
  id: ['id', 'petid', 'animalid', 'number', 'no', 'nr'],
  name: ['name', 'petname', 'animalname', 'animal', 'pet'],
  categoryId: [
    ...['categoryid', 'category', 'categorynumber', 'species', 'type', 'animaltype', 'pettype', 'kind'],
    plain(LABEL_COLUMN),
  ],
  status: ['status', 'state', 'availability'],
}

/** The ids of other software. Some files have another column with ids of the portal. */
const EXTERNAL_IDS = ['externalid', 'animalid', ...USUAL_NAMES.id]

/** Which columns have ids: one with exactly the name `id`, because files from other systems have ids of their own; any usual one; or those of others. */
type Ids = 'own' | 'any' | 'external'

/**
 * The member that each column stands for: by its chosen name, by the name of the member, or by a usual name of it. Of several columns that fit, the
 * best one counts, or all that fit equally well.
 */
function findMembers(names: readonly string[], chosen: Names, ids: Ids): (PetMember | undefined)[] {
  const members: (PetMember | undefined)[] = names.map(() => undefined)
  const isChosen = (member: PetMember) => chosen[member] !== undefined
  for (const member of PET_MEMBERS.toSorted((one, other) => Number(isChosen(other)) - Number(isChosen(one)))) {
    for (const fits of waysToFit(member, chosen[member], ids)) {
      const found = names
        .keys()
        .filter(at => members[at] === undefined && fits(names[at] as string))
        .toArray()
      for (const at of found) members[at] = member
      if (found.length > 0) break
    }
  }
  return members
}

/** From the best one to the weakest one. */
function waysToFit(member: PetMember, chosen: string | undefined, ids: Ids): ((name: string) => boolean)[] {
  if (chosen !== undefined) return [name => name === chosen.trim(), name => isSame(name, plain(chosen))]
  if (member === 'id' && ids === 'own') return [name => name === 'id']
  if (member === 'id' && ids === 'external') return EXTERNAL_IDS.map(usual => (name: string) => isSame(name, usual))
  return [name => name === member, ...USUAL_NAMES[member].map(usual => (name: string) => isSame(name, usual))]
}

function isSame(name: string, plainName: string): boolean {
  return plainName !== '' && plain(name) === plainName
}

export function suggestColumns(header: readonly string[], names: Names = {}, ids: Ids = 'any') {
  const members = findMembers(header, names, ids)
  const found = PET_MEMBERS.map(member => [member, header[members.indexOf(member)]] as const)
  return Object.fromEntries(found.filter(([, column]) => column !== undefined)) as { [Member in PetMember]?: string }
}

export function isColumnName(text: string, chosen: Names): boolean {
  const name = plain(text)
  return (
    Object.values(chosen).some(column => column !== undefined && column.trim() === text.trim()) ||
    Object.values(USUAL_NAMES).some(names => names.includes(name))
  )
}

/** In lower case, without blanks and punctuation. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
}

const NUMBER = /^-?\d+(?:[.,]\d+)?$/

/**
 * A header for a first line that looks like an animal: no value is the name of a column, and one is a number or a status. Undefined for other
 * lines.
 * @param isName whether a value is a common name of a column
 */
function headerFor(values: readonly string[], isName: (value: string) => boolean): string[] | undefined {
  if (values.some(isName)) return undefined
  const kinds = values.map(kindOf)
  if (!kinds.some(kind => kind !== 'name')) return undefined
  // The only number in a line is more likely a category, which each animal needs.
  if (kinds[0] === 'categoryId' && kinds.indexOf('categoryId', 1) > 0) kinds[0] = 'id'
  return kinds.map((kind, at) => (kinds.indexOf(kind) === at ? kind : 'other'))
}

function kindOf(value: string): PetMember {
  if (NUMBER.test(value)) return 'categoryId'
  return (PET_STATUSES as readonly string[]).includes(value.toLowerCase()) ? 'status' : 'name'
}
