import { columnOf } from './row-reader.ts'
import type { Query, Row, Statement, Value } from './statement.ts'

/**
 * A write that works with every database: it yields its statements one by one and receives the rows of each. All statements run in one
 * transaction. If it throws an `ActionRefused` or a `UserError`, nothing is written, and its caller gets that error.
 */
export type Write<Result> = Generator<Statement, Result, readonly Row[]>

/** A read of several statements, in the same form. Each statement may see a later state of the store than the previous one. */
export type Read<Result> = Generator<Statement, Result, readonly Row[]>

export function* run<Columns extends Row>(sql: string, ...values: readonly Value[]): Write<readonly Columns[]> {
  return (yield { sql, values }) as readonly Columns[]
}

/** Inserts a row with these members in the columns of their names, and returns its id. */
export function* insert(table: string, members: Readonly<Record<string, Value | undefined>>): Write<bigint> {
  const columns = Object.keys(members).map(columnOf)
  const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')}) RETURNING id`
  const [inserted] = yield* run<{ id: bigint }>(sql, ...Object.values(members).map(value => value ?? null))
  return (inserted as { id: bigint }).id
}

/** Changes these members of a row, at least one; undefined ones stay. False if there is no such row. */
export function* update(
  table: string,
  id: bigint,
  members: Readonly<Record<string, Value | undefined>>,
): Write<boolean> {
  const given = Object.entries(members).filter((member): member is [string, Value] => member[1] !== undefined)
  const assignments = given.map(([name]) => `${columnOf(name)} = ?`).join(', ')
  const sql = `UPDATE ${table} SET ${assignments} WHERE id = ? RETURNING id`
  return (yield* run(sql, ...given.map(([, value]) => value), id)).length > 0
}

/** A read as a step of a write's transaction or of a longer read. */
export function* read<Result>(query: Query<Result>): Write<Result> {
  return query.resultOf(yield query)
}

/** Runs the statements of a read or a write, one after another. */
export async function carryOut<Result>(
  steps: Read<Result> | Write<Result>,
  run: (statement: Statement) => Promise<readonly Row[]>,
): Promise<Result> {
  let step = steps.next([])
  while (!step.done) step = steps.next(await run(step.value))
  return step.value
}
