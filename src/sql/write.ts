import type { Query, Row, Statement, Value } from './statement.ts'

/**
 * A write, the same for every database: it yields its statements one by one, and receives the rows of each. All of them run in one
 * transaction.
 */
export type Write<Result> = Generator<Statement, Result, readonly Row[]>

/** A read of several statements, in the same way. Each of them may see a later state of the store than the one before. */
export type Read<Result> = Generator<Statement, Result, readonly Row[]>

/** Functions that return writes. Names and arguments can be sent to another thread, as writes cannot. */
type WriteTable = Readonly<Record<string, (...args: never[]) => Write<unknown>>>

/** The result of a write. */
export type WriteResult<Table extends WriteTable, Name extends keyof Table> =
  ReturnType<Table[Name]> extends Write<infer Result> ? Result : never

/** Runs one statement. */
export function* run<Columns extends Row>(sql: string, ...values: readonly Value[]): Write<readonly Columns[]> {
  return (yield { sql, values }) as readonly Columns[]
}

/** A step that reads: within the transaction of a write, or of a longer read. */
export function* read<Result>(query: Query<Result>): Write<Result> {
  return query.resultOf(yield query)
}
