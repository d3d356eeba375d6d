import { UserError } from '../domain/errors.ts'
import { PET_STATUSES } from '../domain/pet.ts'
import { type CsvReading, PET_MEMBERS, type PetMember } from '../domain/pet-files.ts'
import type { CsvRecord } from './csv-records.ts'

export interface Columns {
  /** Without blanks around them. */
  names: readonly string[]
  /** The member that each column stands for; undefined for other columns. */
  members: readonly (PetMember | undefined)[]
}

type Names = { [Member in PetMember]?: string | undefined }

/**
 * Reads the header of a CSV file.
 * @param delimiter the character that separates its values
 * @param required the members that need a column
 * @throws UserError
 */
export function readHeader(
  record: CsvRecord,
  delimiter: string,
  { columns: chosen = {}, ignoreOtherColumns = false }: CsvReading,
  required: readonly PetMember[],
): Columns {
  const names = readNames(record, delimiter, chosen)
  const nameOf = (member: PetMember) => chosen[member] ?? member
  const others = PET_MEMBERS.filter(member => !required.includes(member))
  const rule = `the header (line ${record.line}) must have the columns ${required.map(nameOf).join(', ')} and may have ${others.map(nameOf).join(', ')}, separated by commas, semicolons, tabs or vertical bars.`
  const members = names.map(name => memberOf(name, chosen))
  const unknown = names.find((name, index) => name !== '' && members[index] === undefined)
  if (unknown !== undefined && !ignoreOtherColumns) {
    throw new UserError('conflict', `Unknown column "${unknown.slice(0, 100)}"; ${rule}`)
  }
  const twice = names.find((_, index) => members[index] && members.indexOf(members[index]) < index)
  if (twice !== undefined) throw new UserError('conflict', `The column "${twice.slice(0, 100)}" appears twice; ${rule}`)
  const named = PET_MEMBERS.filter(member => chosen[member] !== undefined)
  const missing = [...required, ...named].find(member => !members.includes(member))
  if (missing !== undefined) throw new UserError('conflict', `The column "${nameOf(missing)}" is missing; ${rule}`)
  return { names, members }
}

/**
 * The names in the header of a CSV file, without blanks around them.
 * @param chosen the names that were chosen for members
 * @throws UserError when the record cannot be read, or looks like an animal
 */
export function readNames(record: CsvRecord, delimiter: string, chosen: Names = {}): string[] {
  const { line } = record
  if ('reason' in record) throw new UserError('conflict', `The header (line ${line}) cannot be read: ${record.reason}`)
  const names = record.values.map(value => value.trim())
  const curly = names.find(name => /^[“”„‟«»]/.test(name))
  if (curly !== undefined) {
    throw new UserError(
      'conflict',
      `The header (line ${line}) has curly quotes around ${curly.slice(0, 100)}; replace them in the whole file with straight ones ("), or remove them.`,
    )
  }
  const header = headerFor(names, name => memberOf(name, chosen) !== undefined || isUsual(name))
  if (header) {
    // A terminal does not show tabs.
    const shown = delimiter === '\t' ? `${header.join(' ')} (separated by tabs)` : header.join(delimiter)
    throw new UserError(
      'conflict',
      `Line ${line} looks like an animal, not like names of columns; add this line before it: ${shown}`,
    )
  }
  return names
}

/** The member that a column stands for. A column with the name of a member does not count if another column was chosen for that member. */
export function memberOf(column: string, names: Names): PetMember | undefined {
  const named = PET_MEMBERS.find(member => names[member]?.trim() === column)
  return named ?? PET_MEMBERS.find(member => member === column && names[member] === undefined)
}

/** Common names of these columns, in lower case and without spaces or punctuation. They are suggested, never taken unasked. */
const USUAL_NAMES: Readonly<Record<PetMember, readonly string[]>> = {
  id: ['id', 'petid', 'animalid', 'number', 'no', 'nr'],
  name: ['name', 'petname', 'animalname', 'animal', 'pet'],
  categoryId: ['categoryid', 'category', 'categorynumber', 'kind', 'species'],
  status: ['status', 'state', 'availability'],
}

export function suggestColumns(header: readonly string[], names: Names = {}): { [Member in PetMember]?: string } {
  const found = PET_MEMBERS.flatMap(member => {
    const chosen = header.find(column => memberOf(column, names) === member)
    const column = chosen ?? header.find(name => USUAL_NAMES[member].includes(plain(name)))
    return column === undefined ? [] : [[member, column] as const]
  })
  return Object.fromEntries(found)
}

export function isUsual(name: string): boolean {
  return Object.values(USUAL_NAMES).some(names => names.includes(plain(name)))
}

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
