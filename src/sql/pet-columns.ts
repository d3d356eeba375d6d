import { MEMBER_NAMES, MEMBERS, type MemberName, type NewPet } from '../domain/pet.ts'
import { columnOf } from './row-reader.ts'
import type { Value } from './statement.ts'

/** The columns of an animal, without its id: one for each member, in the same order. */
export const PET_COLUMNS = MEMBER_NAMES.map(columnOf)

export const COLUMNS = PET_COLUMNS.join(', ')

/** A list of what is made for each column, such as `old_name, old_status`. */
export function eachColumn(make: (column: string, index: number) => string, separator = ', '): string {
  return PET_COLUMNS.map(make).join(separator)
}

/** The columns of a change of an animal: its values before and after. */
export const OLD = eachColumn(column => `old_${column}`)
export const NEW = eachColumn(column => `new_${column}`)

/** The values for the columns; null for members that are undefined. */
export function columnValues(members: { readonly [Name in MemberName]?: NewPet[Name] | undefined }): Value[] {
  return MEMBER_NAMES.map(name => members[name] ?? null)
}

/** The animal with these values in its columns, unchecked. */
export function fromColumns(values: readonly unknown[]): NewPet {
  const pet: Record<string, unknown> = {}
  for (const [index, name] of MEMBER_NAMES.entries()) pet[name] = values[index] ?? undefined
  return pet as NewPet
}

export type ColumnType = 'integer' | 'text'

/** The type of each column, in the same order. */
export const COLUMN_TYPES = MEMBER_NAMES.map(
  (name): ColumnType => (MEMBERS[name].kind === 'int64' ? 'integer' : 'text'),
)

/** The columns with their types, for a table that has them under names with this prefix. */
export function typedColumns(prefix = ''): Record<string, ColumnType> {
  return Object.fromEntries(PET_COLUMNS.map((column, index) => [prefix + column, COLUMN_TYPES[index] as ColumnType]))
}
