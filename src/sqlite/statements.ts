import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Row, Statement } from '../sql/statement.ts'

/** The statements of one connection, each prepared once. */
export class Statements {
  readonly #database: DatabaseSync
  readonly #prepared = new Map<string, StatementSync>()

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  /** Runs a statement, and returns its rows. */
  run({ sql, values }: Statement): Row[] {
    let statement = this.#prepared.get(sql)
    if (!statement) {
      statement = this.#database.prepare(sql)
      this.#prepared.set(sql, statement)
    }
    return statement.all(...values)
  }
}
