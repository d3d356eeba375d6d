import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { Deployment } from '../domain/deployment.ts'
import { type LastIds, readTable, TABLE_NAMES, TABLES_WITH_IDS, type Table, type TextRow } from '../sql/tables.ts'
import { connect } from './connection.ts'
import { markMoved } from './data-folder/moved-marker.ts'
import { databaseFile } from './data-folder/store-files.ts'
import { prepareDatabase } from './prepare-database.ts'
import { lockForServing } from './serving-lock.ts'
import { toUserError } from './sqlite-errors.ts'
import { createEmptyStore } from './store-version.ts'

/** Reads the whole store of a folder. Until it is closed, no service can start on the folder and no process can write to the store. */
export class StoreSource {
  readonly tables: readonly Table[]
  readonly #file: string
  readonly #database: DatabaseSync
  readonly #opened: DisposableStack

  /** @throws UserError when a service runs on the folder, another process is writing, or the store cannot be used */
  static open(folder: string, deployment: Deployment): StoreSource {
    using opened = new DisposableStack()
    opened.defer(lockForServing(folder, 'stop it first'))
    prepareDatabase(folder, deployment)
    const file = databaseFile(folder)
    const database = opened.use(connect(file))
    try {
      database.exec('BEGIN IMMEDIATE')
    } catch (error) {
      throw toUserError(file, error)
    }
    const tables = describeTables()
    return new StoreSource(file, database, tables, opened.move())
  }

  private constructor(file: string, database: DatabaseSync, tables: readonly Table[], opened: DisposableStack) {
    this.#file = file
    this.#database = database
    this.tables = tables
    this.#opened = opened
  }

  read(table: Table, afterKey?: readonly string[]): AsyncIterable<readonly TextRow[]> {
    const query = async (sql: string, values: readonly (string | bigint)[]) => {
      try {
        const select = this.#database.prepare(sql)
        select.setReturnArrays(true)
        return select.all(...values) as unknown as TextRow[]
      } catch (error) {
        throw toUserError(this.#file, error)
      }
    }
    return readTable({ query, hexOf: column => `lower(hex(${column}))` }, table, afterKey)
  }

  countRows(): number {
    return TABLE_NAMES.map(name => this.#database.prepare(`SELECT count(*) AS rows FROM ${name}`).get())
      .map(row => Number((row as { rows: bigint }).rows))
      .reduce((sum, rows) => sum + rows, 0)
  }

  lastIds(): LastIds {
    const select = this.#database.prepare('SELECT seq FROM sqlite_sequence WHERE name = ?')
    const lastOf = (name: string) => (select.get(name) as { seq: bigint } | undefined)?.seq ?? 0n
    return Object.fromEntries(TABLES_WITH_IDS.map(name => [name, lastOf(name)])) as LastIds
  }

  /** From now on, services refuse to start on the folder until the marker is deleted. */
  markMoved(now: number): void {
    markMoved(dirname(this.#file), now)
  }

  [Symbol.dispose](): void {
    this.#opened.dispose()
  }
}

const TYPES = { INTEGER: 'integer', TEXT: 'text', BLOB: 'bytes' } as const

interface ColumnRow {
  name: string
  type: keyof typeof TYPES
  /** The position in the primary key, starting at 1; 0 for other columns. */
  pk: number
}

/** The tables as the migrations create them. PostgreSQL has its own checksums, and computes the search form of names. */
function describeTables(): Table[] {
  using database = createEmptyStore()
  const select = database.prepare(
    "SELECT name, type, pk FROM pragma_table_info(?) WHERE name NOT IN ('checksum', 'search_name')",
  )
  return TABLE_NAMES.map(name => {
    const rows = select.all(name) as unknown as ColumnRow[]
    const columns = Object.fromEntries(rows.map(column => [column.name, TYPES[column.type]]))
    const primaryKey = rows.filter(({ pk }) => pk > 0).toSorted((one, other) => one.pk - other.pk)
    // The table store has one row and no primary key.
    const key = name === 'store' ? ['deployment'] : primaryKey.map(column => column.name)
    return { name, columns, key }
  })
}
