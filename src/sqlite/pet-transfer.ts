import type { DatabaseSync } from 'node:sqlite'
import type { Deployment } from '../domain/deployment.ts'
import { conflict, StoreFull, type UserError } from '../domain/errors.ts'
import type { PetTransfer } from '../domain/pet-transfer.ts'
import { SqlPetTransfer } from '../sql/pet-transfer.ts'
import type { Value } from '../sql/statement.ts'
import { defineColumns, type StagingTable, type TransferConnection } from '../sql/transfer-connection.ts'
import { connect, shrinkLog } from './connection.ts'
import { ensureFilesInPlace, identifyFiles, type OpenFiles } from './data-folder/file-identity.ts'
import { databaseFile } from './data-folder/store-files.ts'
import { DERIVED_COLUMNS, SQLITE } from './dialect.ts'
import { prepareDatabase } from './prepare-database.ts'
import { isDiskFailure, isFull, orReadFailure, orStoreFull } from './sqlite-errors.ts'
import { Statements } from './statements.ts'

/** By the time of the commit, a long file has been read: a writer that is busy for some seconds must not make the import fail. */
const COMMIT_WAIT_MS = 60_000

/**
 * @param files of the store that a service has open in the folder: if they are gone, no store is created, and no other one opened
 * @throws UserError when the folder cannot be used, or its store is of a newer version or the other deployment
 */
export async function openSqliteTransfer(
  folder: string,
  deployment: Deployment,
  files?: OpenFiles,
): Promise<PetTransfer> {
  if (files) orReadFailure(() => ensureFilesInPlace(files))
  prepareDatabase(folder, deployment)
  return new SqlPetTransfer(async () => new SqliteTransferConnection(databaseFile(folder)))
}

const TYPES = { key: 'INTEGER PRIMARY KEY', integer: 'INTEGER', text: 'TEXT' }

/**
 * A database without a name is a temporary file of this connection. The system removes it when the process ends, however it ends. It needs no
 * journal, because a failed import discards it. The animals are staged there in the order in which they will be written, with their checksums,
 * so the store itself is locked only for two short statements.
 */
const ATTACH_STAGING = `
  ATTACH '' AS staging;
  PRAGMA staging.journal_mode = OFF;
  PRAGMA staging.synchronous = OFF`

function createTable(table: StagingTable): string {
  const { name, index, columns } = table
  const derived = 'name' in columns ? `, ${DERIVED_COLUMNS}` : ''
  const created = `CREATE TABLE staging.${name} (${defineColumns(table, TYPES)}${derived}) STRICT`
  return index === undefined ? created : `${created}; CREATE INDEX staging.${name}_by_${index} ON ${name} (${index})`
}

class SqliteTransferConnection implements TransferConnection {
  readonly dialect = SQLITE
  /** No other connection can write. */
  readonly holdRows = ''
  readonly #database: DatabaseSync
  readonly #files: OpenFiles
  readonly #statements: Statements
  /** Whether a write has filled the disk of the store. */
  #hasFilledDisk = false

  constructor(file: string) {
    this.#database = orStoreFull(() => connect(file))
    this.#statements = new Statements(this.#database)
    // The first read creates the log.
    this.#onStore(() => this.#database.exec('SELECT deployment FROM store'))
    this.#files = identifyFiles(file)
  }

  async query<Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.#onStore(() => this.#statements.run({ sql, values: values as Value[] })) as Row[]
  }

  async beginSnapshot(): Promise<void> {
    this.#database.exec('BEGIN')
  }

  async createStaging(tables: readonly StagingTable[]): Promise<void> {
    this.#database.exec(`PRAGMA busy_timeout = ${COMMIT_WAIT_MS}`)
    orNoRoom(() => this.#database.exec([ATTACH_STAGING, ...tables.map(createTable)].join(';')))
  }

  async stage({ name, columns }: StagingTable, rows: readonly (readonly Value[])[]): Promise<number> {
    const names = Object.keys(columns).slice(0, rows[0]?.length)
    const sql = `INSERT INTO ${name} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')}) ON CONFLICT DO NOTHING`
    let staged = 0
    orNoRoom(() => {
      this.#database.exec('BEGIN')
      for (const values of rows) staged += Number(this.#statements.run({ sql, values })[0]?.changes)
      this.#database.exec('COMMIT')
    })
    return staged
  }

  async restage(sql: string, values: readonly unknown[] = []): Promise<void> {
    try {
      this.#statements.run({ sql, values: values as Value[] })
    } catch (error) {
      throw isFull(error) || isDiskFailure(error) ? noRoom(error) : error
    }
  }

  async beginChange(): Promise<void> {
    ensureFilesInPlace(this.#files)
    this.#onStore(() => this.#database.exec('BEGIN IMMEDIATE'))
  }

  async findHighestId(): Promise<bigint> {
    const [row] = await this.query<{ seq: bigint }>("SELECT seq FROM sqlite_sequence WHERE name = 'pet'")
    return row?.seq ?? 0n
  }

  async lockIds(): Promise<bigint> {
    if (!this.#database.isTransaction) await this.beginChange()
    return this.findHighestId()
  }

  /** The table counts its ids itself. */
  async giveIds(): Promise<void> {}

  async commit(): Promise<void> {
    this.#onStore(() => this.#database.exec('COMMIT'))
    ensureFilesInPlace(this.#files)
  }

  async close(): Promise<void> {
    if (!this.#database.isOpen) return
    if (this.#hasFilledDisk) shrinkLog(this.#database)
    this.#database.close()
  }

  #onStore<Result>(work: () => Result): Result {
    try {
      return orStoreFull(work)
    } catch (error) {
      this.#hasFilledDisk ||= error instanceof StoreFull
      throw error
    }
  }
}

/** The temporary file is not on the disk of the store. */
function orNoRoom(work: () => void): void {
  try {
    work()
  } catch (error) {
    throw noRoom(error)
  }
}

function noRoom(error: unknown): UserError {
  return conflict(
    `The temporary file of the import cannot be written (${(error as Error).message}); set TMPDIR to a folder with enough room.`,
  )
}
