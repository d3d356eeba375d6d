import { StoreDamaged } from '../domain/errors.ts'

/** What a column may hold. */
export type Check = (value: unknown) => boolean

/** For each column of a row, what it may hold. */
export type Checks<Row> = { readonly [Column in keyof Row]-?: Check }

export const isInteger: Check = value => typeof value === 'bigint'
export const isPositive: Check = value => typeof value === 'bigint' && value > 0n
export const isCount: Check = value => typeof value === 'bigint' && value >= 0n
export const isText: Check = value => typeof value === 'string'

export function isOneOf(values: readonly string[]): Check {
  return value => values.includes(value as string)
}

export function orNull(check: Check): Check {
  return value => value === null || check(value)
}

/** For a column that not every query reads. */
export function ifRead(check: Check): Check {
  return value => value === undefined || check(value)
}

/**
 * Makes sure that rows are as their table allows them: a database does not look at its constraints when it reads, and a bit that
 * has flipped on the disk would be served as the truth.
 * @param what a row is, for the log
 * @throws StoreDamaged
 */
export function checkRows<Row>(what: string, checks: Checks<Row>): (row: Row) => void {
  const columns = Object.entries(checks) as [keyof Row & string, Check][]
  return row => {
    for (const [column, check] of columns) {
      if (!check(row[column])) throw new StoreDamaged(`The ${column} of ${what} cannot be what was stored.`)
    }
  }
}
