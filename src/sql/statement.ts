import { StoreDamaged } from '../domain/errors.ts'

/** One SQL statement in a syntax that every database supports, with a question mark for each value. */
export interface Statement {
  sql: string
  values: readonly Value[]
  /** The rows that it reads stay as they are until its transaction ends. */
  holdsRows?: boolean
}

export type Value = string | number | bigint | null

/** Integers are bigints, and absent values are null. */
export type Row = Readonly<Record<string, unknown>>

/** A statement that only reads, with the function that reads its rows. */
export interface Query<Result> extends Statement {
  resultOf(rows: readonly Row[]): Result
}

/** Queries at most one row. */
export function first<Result>(
  sql: string,
  values: readonly Value[],
  read: (row: Row) => Result,
): Query<Result | undefined> {
  return { sql, values, resultOf: ([row]) => (row === undefined ? undefined : read(row)) }
}

/** @throws StoreDamaged when the table is empty */
export function only<Result>(table: string, sql: string, read: (row: Row) => Result): Query<Result> {
  const resultOf = ([row]: readonly Row[]) => {
    if (!row) throw new StoreDamaged(`The table ${table} is empty.`)
    return read(row)
  }
  return { sql, values: [], resultOf }
}

export function all<Result>(sql: string, values: readonly Value[], read: (row: Row) => Result): Query<Result[]> {
  return { sql, values, resultOf: rows => rows.map(read) }
}

/** A condition of a WHERE clause, with a question mark for each value. */
export type Condition = readonly [condition: string, ...values: (Value | undefined)[]]

/** A WHERE clause of the conditions whose values are all defined, and these values. */
export function where(conditions: readonly Condition[]): {
  sql: string
  values: Value[]
} {
  const given = conditions.filter((one): one is [string, ...Value[]] => !one.includes(undefined))
  const sql = given.map(([condition]) => condition).join(' AND ')
  return { sql: sql && `WHERE ${sql}`, values: given.flatMap(([, ...values]) => values) }
}
