import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import type { Deployment } from '../domain/deployment.ts'
import { type LastIds, lastKeyOf, TABLES, TABLES_WITH_IDS, type Table, type TextRow } from '../sql/tables.ts'
import { connect, databaseFile, prepareDatabase } from './connection.ts'
import { mistakeOf } from './mistakes.ts'
import { markMoved } from './moved.ts'
import { lockForServing } from './serving-lock.ts'

/** Of the largest rows that there are, this many fit into a small heap several times over. */
const READ_AT_ONCE = 1_000

/** The store of a folder, to be read as a whole. Until it is closed, no service starts on it and nobody writes it. */
export class StoreSource {
  readonly #file: string
  readonly #database: DatabaseSync
  readonly #release: () => void

  /** @throws Mistake when a service is running on the folder, somebody is writing, or its store cannot be used */
  static open(folder: string, deployment: Deployment): StoreSource {
    const release = lockForServing(
      folder,
      `A service, or petstore migrate-store, is running on the folder ${folder}; stop it first.`,
    )
    try {
      prepareDatabase(folder, deployment)
      const source = new StoreSource(databaseFile(folder), release)
      source.#hold()
      return source
    } catch (error) {
      release()
      throw error
    }
  }

  private constructor(file: string, release: () => void) {
    this.#file = file
    this.#database = connect(file)
    this.#release = release
  }

  /**
   * A table's rows in the order of their keys, a batch at a time.
   * @param afterKey where to go on
   */
  async *read(table: Table, afterKey?: readonly string[]): AsyncIterable<readonly TextRow[]> {
    const isKeyInteger = table.key.map(name => table.columns[name] === 'integer')
    const select = this.#prepareRead(table, false)
    const selectAfter = this.#prepareRead(table, true)
    for (let after = afterKey; ; ) {
      const values = after?.map((value, index) => (isKeyInteger[index] ? BigInt(value) : value))
      const rows = this.#orMistake(() => (values ? selectAfter.all(...values) : select.all())) as unknown as TextRow[]
      if (rows.length === 0) return
      yield rows
      after = lastKeyOf(table, rows)
      // Whoever wants to break it off is heard.
      await setImmediate()
    }
  }

  countRows(): number {
    return TABLES.map(({ name }) => this.#database.prepare(`SELECT count(*) AS rows FROM ${name}`).get())
      .map(row => Number((row as { rows: bigint }).rows))
      .reduce((sum, rows) => sum + rows, 0)
  }

  lastIds(): LastIds {
    const select = this.#database.prepare('SELECT seq FROM sqlite_sequence WHERE name = ?')
    const lastOf = (name: string) => (select.get(name) as { seq: bigint } | undefined)?.seq ?? 0n
    return Object.fromEntries(TABLES_WITH_IDS.map(name => [name, lastOf(name)])) as LastIds
  }

  /** From now on the folder is refused, until somebody deletes the mark. */
  markMoved(now: number): void {
    markMoved(dirname(this.#file), now)
  }

  close(): void {
    this.#database.close()
    this.#release()
  }

  #hold(): void {
    try {
      this.#database.exec('BEGIN IMMEDIATE')
    } catch (error) {
      this.#database.close()
      throw mistakeOf(this.#file, error)
    }
  }

  #prepareRead({ name, columns, key, isDescending }: Table, isAfter: boolean) {
    const texts = Object.entries(columns).map(([column, type]) =>
      type === 'bytes' ? `lower(hex(${column}))` : `CAST(${column} AS TEXT)`,
    )
    const marks = key.map(() => '?').join(', ')
    const where = isAfter ? `WHERE (${key.join(', ')}) ${isDescending ? '<' : '>'} (${marks})` : ''
    const order = key.map(column => `${column} ${isDescending ? 'DESC' : 'ASC'}`).join(', ')
    const select = this.#database.prepare(
      `SELECT ${texts.join(', ')} FROM ${name} ${where} ORDER BY ${order} LIMIT ${READ_AT_ONCE}`,
    )
    select.setReturnArrays(true)
    return select
  }

  #orMistake<Result>(work: () => Result): Result {
    try {
      return work()
    } catch (error) {
      throw mistakeOf(this.#file, error)
    }
  }
}
