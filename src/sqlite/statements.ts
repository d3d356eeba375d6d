import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Row, Statement } from '../sql/statement.ts'
import type { Read, Write } from '../sql/write.ts'

interface Prepared {
  statement: StatementSync
  /** The names of its columns; none if it returns no rows. */
  columns: readonly string[]
}

/** Prepares each statement of a connection once, and runs it. */
export class Statements {
  readonly #database: DatabaseSync
  readonly #prepared = new Map<string, Prepared>()

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  /** Runs a statement and returns its rows. A statement without columns returns one row, with `changes` and `lastInsertRowid`. */
  run({ sql, values }: Statement): Row[] {
    const { statement, columns } = this.#prepared.get(sql) ?? this.#prepare(sql)
    if (columns.length === 0) return [statement.run(...values) as object as Row]
    return (statement.all(...values) as unknown as unknown[][]).map(row => rowOf(columns, row))
  }

  carryOut<Result>(steps: Read<Result> | Write<Result>, run = (statement: Statement) => this.run(statement)): Result {
    let step = steps.next([])
    while (!step.done) step = steps.next(run(step.value))
    return step.value
  }

  #prepare(sql: string): Prepared {
    const statement = this.#database.prepare(sql)
    // Rows that Node creates as objects take a quarter longer.
    statement.setReturnArrays(true)
    const prepared = { statement, columns: statement.columns().map(({ name }) => name) }
    this.#prepared.set(sql, prepared)
    return prepared
  }
}

function rowOf(columns: readonly string[], values: readonly unknown[]): Row {
  const row: Record<string, unknown> = {}
  for (let index = 0; index < columns.length; index++) row[columns[index] as string] = values[index]
  return row
}
