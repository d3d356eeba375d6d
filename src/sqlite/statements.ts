import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Row, Statement } from '../sql/statement.ts'

interface Prepared {
  statement: StatementSync
  returnsRows: boolean
}

/** The statements of one connection, each prepared once. */
export class Statements {
  readonly #database: DatabaseSync
  readonly #prepared = new Map<string, Prepared>()

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  /** Runs a statement, and returns its rows. One that returns none gets a row with its `changes` and its `lastInsertRowid`. */
  run({ sql, values }: Statement): Row[] {
    const { statement, returnsRows } = this.#prepared.get(sql) ?? this.#prepare(sql)
    return returnsRows ? statement.all(...values) : [statement.run(...values) as object as Row]
  }

  #prepare(sql: string): Prepared {
    const statement = this.#database.prepare(sql)
    const prepared = { statement, returnsRows: statement.columns().length > 0 }
    this.#prepared.set(sql, prepared)
    return prepared
  }
}
