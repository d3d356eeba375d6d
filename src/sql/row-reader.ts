import { StoreDamaged } from '../domain/errors.ts'
import { isNetwork } from '../domain/networks.ts'
import type { Row } from './statement.ts'

/** What a column may contain, and how it is read. */
export interface ColumnType<Type> {
  isValid(stored: unknown): boolean
  read(stored: unknown): Type
}

/** The type of each column, by field name: the column `created_at` is read into `createdAt`. */
type Columns<Result> = { readonly [Field in keyof Result]-?: ColumnType<Result[Field]> }

/**
 * Builds a reader of rows. It checks what their table allows: a database does not check constraints on reads, so a flipped bit on the disk
 * would go unnoticed.
 * @param what the rows describe, for the log
 * @returns a function that throws StoreDamaged for any other row
 */
export function rowReader<Result extends object>(what: string, columns: Columns<Result>): RowReader<Result> {
  const types = Object.entries<ColumnType<unknown>>(columns)
  const fields = types.map(([field, type]) => ({ field, column: columnOf(field), type }))
  function read(row: Row): Result {
    const result: Record<string, unknown> = {}
    for (const { field, column, type } of fields) {
      const stored = row[column]
      if (!type.isValid(stored)) throw columnDamaged(column, what)
      result[field] = type.read(stored)
    }
    return result as Result
  }
  return Object.assign(read, { columns: fields.map(({ column }) => column).join(', ') })
}

interface RowReader<Result> {
  (row: Row): Result
  /** The columns that it reads, for a SELECT. */
  readonly columns: string
}

export function columnDamaged(column: string, what: string): StoreDamaged {
  return new StoreDamaged(`The ${column} of ${what} cannot be what was stored.`)
}

/** Returns `created_at` for `createdAt`, and `status_2xx` for `status2xx`. */
export function columnOf(field: string): string {
  return field.replace(/[A-Z]|\d+/g, part => `_${part.toLowerCase()}`)
}

export const INTEGER: ColumnType<bigint> = {
  isValid: stored => typeof stored === 'bigint',
  read: stored => stored as bigint,
}
export const ID: ColumnType<bigint> = { ...INTEGER, isValid: stored => typeof stored === 'bigint' && stored > 0n }

/** Unix milliseconds, or days since 1970. */
export const TIME: ColumnType<number> = { ...INTEGER, read: Number }
export const COUNT: ColumnType<number> = {
  isValid: stored => typeof stored === 'bigint' && stored >= 0n,
  read: Number,
}
export const POSITIVE: ColumnType<number> = { ...ID, read: Number }

/** 0 or 1. */
export const FLAG: ColumnType<boolean> = {
  isValid: stored => stored === 0n || stored === 1n,
  read: stored => stored === 1n,
}

export const TEXT: ColumnType<string> = {
  isValid: stored => typeof stored === 'string',
  read: stored => stored as string,
}

/** CIDR ranges, separated by spaces. */
export const NETWORKS: ColumnType<readonly string[]> = {
  isValid: stored => typeof stored === 'string' && stored.split(' ').every(isNetwork),
  read: stored => (stored as string).split(' '),
}

export function oneOf<Type extends string>(values: readonly Type[]): ColumnType<Type> {
  return { isValid: stored => values.includes(stored as Type), read: stored => stored as Type }
}

/** For a column that may be null. */
export function optional<Type>(type: ColumnType<Type>): ColumnType<Type | undefined> {
  return orAbsent(null, type)
}

/** For a column that not every query selects. */
export function ifSelected<Type>(type: ColumnType<Type>): ColumnType<Type | undefined> {
  return orAbsent(undefined, type)
}

function orAbsent<Type>(absent: null | undefined, type: ColumnType<Type>): ColumnType<Type | undefined> {
  return {
    isValid: stored => stored === absent || type.isValid(stored),
    read: stored => (stored === absent ? undefined : type.read(stored)),
  }
}

/** Omits undefined fields. */
export function present<Type extends object>(fields: { [Field in keyof Type]: Type[Field] | undefined }): Type {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Type
}
