import type { Query, Row, Statement, Value } from './statement.ts'

/**
 * A write that works with every database: it yields its statements one by one and receives the rows of each. All statements run in one
 * transaction. If it throws an `ActionRefused` or a `UserError`, nothing is written, and its caller gets that error.
 */
export type Write<Result> = Generator<Statement, Result, readonly Row[]>

/** A read of several statements, in the same form. Each statement may see a later state of the store than the previous one. */
export type Read<Result> = Generator<Statement, Result, readonly Row[]>

/** Runs one statement. */
export function* run<Columns extends Row>(sql: string, ...values: readonly Value[]): Write<readonly Columns[]> {
  return (yield { sql, values }) as readonly Columns[]
}

/** A read as a step of a write's transaction or of a longer read. */
export function* read<Result>(query: Query<Result>): Write<Result> {
  return query.resultOf(yield query)
}
