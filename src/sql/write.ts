import type { Query, Row, Statement, Value } from './statement.ts'

/**
 * A write that works with every database: it yields its statements one by one and receives the rows of each. All statements run in one
 * transaction.
 */
export type Write<Result> = Generator<Statement, Result, readonly Row[]>

/** A read of several statements, in the same form. Each statement may see a later state of the store than the previous one. */
export type Read<Result> = Generator<Statement, Result, readonly Row[]>

/** Functions that return writes. Their names and arguments can be sent to another thread; writes cannot. */
type WriteTable = Readonly<Record<string, (...args: never[]) => Write<unknown>>>

/** The result of a write. */
export type WriteResult<Table extends WriteTable, Name extends keyof Table> =
  ReturnType<Table[Name]> extends Write<infer Result> ? Result : never

/** Runs one statement. */
export function* run<Columns extends Row>(sql: string, ...values: readonly Value[]): Write<readonly Columns[]> {
  return (yield { sql, values }) as readonly Columns[]
}

/** A read as a step of a write's transaction or of a longer read. */
export function* read<Result>(query: Query<Result>): Write<Result> {
  return query.resultOf(yield query)
}
