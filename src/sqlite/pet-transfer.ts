import type { DatabaseSync } from 'node:sqlite'
import type { Deployment } from '../domain/deployment.ts'
import { StoreFull, UserError } from '../domain/errors.ts'
import { fold } from '../domain/fold.ts'
import type { PetChangeLine, PetLine, PetTransfer, SyncLine } from '../domain/pet-transfer.ts'
import { COLUMNS, columnValues, defineColumns, eachColumn, PET_COLUMNS } from '../sql/pet-columns.ts'
import { definePlan } from '../sql/pet-sync.ts'
import { SqlPetTransfer } from '../sql/pet-transfer.ts'
import { petChecksum } from '../sql/pets.ts'
import type { Statement, Value } from '../sql/statement.ts'
import type { TransferConnection } from '../sql/transfer-connection.ts'
import { connect, shrinkLog } from './connection.ts'
import { ensureFilesInPlace, identifyFiles, type OpenFiles } from './data-folder/file-identity.ts'
import { databaseFile } from './data-folder/store-files.ts'
import { derivedValues, SQLITE } from './dialect.ts'
import { prepareDatabase } from './prepare-database.ts'
import { isDiskFailure, isFull, orStoreFull } from './sqlite-errors.ts'
import { Statements } from './statements.ts'

/** By the time of the commit, a long file has been read: a writer that is busy for some seconds must not make the import fail. */
const COMMIT_WAIT_MS = 60_000

/** @throws UserError when the folder cannot be used, or its store is of a newer version or the other deployment */
export async function openSqliteTransfer(folder: string, deployment: Deployment): Promise<PetTransfer> {
  prepareDatabase(folder, deployment)
  return new SqlPetTransfer(async () => new SqliteTransferConnection(databaseFile(folder)))
}

const TYPES = { integer: 'INTEGER', text: 'TEXT' }
const DERIVED = 'checksum INTEGER, search_name TEXT'

/**
 * A database without a name is a temporary file of this connection. The system removes it when the process ends, however it ends. It needs no
 * journal, because a failed import discards it. The animals are staged there in the order in which they will be written, with their checksums,
 * so the store itself is locked only for two short statements.
 */
const STAGING = `
  ATTACH '' AS staging;
  PRAGMA staging.journal_mode = OFF;
  PRAGMA staging.synchronous = OFF;
  CREATE TABLE staging.import_with_id (id INTEGER PRIMARY KEY, line INTEGER NOT NULL, ${defineColumns(TYPES)}, ${DERIVED}) STRICT;
  CREATE TABLE staging.import_without_id (place INTEGER PRIMARY KEY, ${defineColumns(TYPES)}, ${DERIVED}) STRICT`

const UPDATE_STAGING = `
  ATTACH '' AS staging;
  PRAGMA staging.journal_mode = OFF;
  PRAGMA staging.synchronous = OFF;
  CREATE TABLE staging.update_line (
    id INTEGER PRIMARY KEY, line INTEGER NOT NULL, ${defineColumns(TYPES, 'given_')}, ${defineColumns(TYPES, 'old_')}, ${DERIVED}
  ) STRICT`

const SYNC_STAGING = `
  ATTACH '' AS staging;
  PRAGMA staging.journal_mode = OFF;
  PRAGMA staging.synchronous = OFF;
  CREATE TABLE staging.sync_line (line INTEGER PRIMARY KEY, external_id TEXT NOT NULL, ${defineColumns(TYPES, 'given_')}) STRICT;
  CREATE INDEX staging.sync_line_by_id ON sync_line (external_id);
  CREATE TABLE staging.sync_plan (${definePlan(TYPES)}) STRICT`

const UNKNOWN = eachColumn(() => '?')
const STAGE_CHANGE = `INSERT INTO update_line (id, line, ${eachColumn(column => `given_${column}`)})
  VALUES (?, ?, ${UNKNOWN}) ON CONFLICT DO NOTHING`

const STAGE_SYNC = `INSERT INTO sync_line (line, external_id, ${eachColumn(column => `given_${column}`)}) VALUES (?, ?, ${UNKNOWN})`

const ALL_COLUMNS = `${COLUMNS}, checksum, search_name`
const STAGE_WITH_ID = `INSERT INTO import_with_id (id, line, ${ALL_COLUMNS})
  VALUES (?, ?, ${UNKNOWN}, ?, ?) ON CONFLICT DO NOTHING`
const STAGE_WITHOUT_ID = `INSERT INTO import_without_id (${ALL_COLUMNS}) VALUES (${UNKNOWN}, ?, ?)`

const RESOLVED = derivedValues(PET_COLUMNS.map(column => `coalesce(given_${column}, pet.${column})`))

class SqliteTransferConnection implements TransferConnection {
  readonly columns = ALL_COLUMNS
  readonly dialect = SQLITE
  /** No other connection can write. */
  readonly holdRows = ''
  readonly resolved = `, (checksum, search_name) = (${RESOLVED})`
  readonly applied = ', checksum = line.checksum, search_name = line.search_name'
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

  async createStaging(): Promise<void> {
    this.#createStaging(STAGING)
  }

  async createUpdateStaging(): Promise<void> {
    this.#createStaging(UPDATE_STAGING)
  }

  async stage(pets: readonly PetLine[]): Promise<ReadonlyMap<bigint, number>> {
    return this.#stage(pets, stageStatement, 'SELECT line FROM import_with_id WHERE id = ?')
  }

  async findMissing(ids: readonly bigint[]): Promise<ReadonlySet<bigint>> {
    const sql = 'SELECT value AS id FROM json_each(?) WHERE NOT EXISTS (SELECT 1 FROM pet WHERE pet.id = value)'
    const rows = await this.query<{ id: bigint }>(sql, [`[${ids.join()}]`])
    return new Set(rows.map(({ id }) => id))
  }

  async stageChanges(changes: readonly PetChangeLine[]): Promise<ReadonlyMap<bigint, number>> {
    return this.#stage(changes, stageChangeStatement, 'SELECT line FROM update_line WHERE id = ?')
  }

  async createSyncStaging(): Promise<void> {
    this.#createStaging(SYNC_STAGING)
  }

  async stageSync(lines: readonly SyncLine[]): Promise<void> {
    orNoRoom(() => {
      this.#database.exec('BEGIN')
      for (const { line, externalId, change } of lines) {
        this.#statements.run({ sql: STAGE_SYNC, values: [line, externalId, ...columnValues(change)] })
      }
      this.#database.exec('COMMIT')
    })
  }

  async restage(sql: string, values: readonly unknown[] = []): Promise<void> {
    try {
      this.#statements.run({ sql, values: values as Value[] })
    } catch (error) {
      throw isFull(error) || isDiskFailure(error) ? noRoom(error) : error
    }
  }

  async beginUpdate(): Promise<void> {
    ensureFilesInPlace(this.#files)
    this.#onStore(() => this.#database.exec('BEGIN IMMEDIATE'))
  }

  beginSync(): Promise<void> {
    return this.beginUpdate()
  }

  async findHighestId(): Promise<bigint> {
    const [row] = await this.query<{ seq: bigint }>("SELECT seq FROM sqlite_sequence WHERE name = 'pet'")
    return row?.seq ?? 0n
  }

  async beginCommit(): Promise<bigint> {
    ensureFilesInPlace(this.#files)
    this.#onStore(() => this.#database.exec('BEGIN IMMEDIATE'))
    return this.findHighestId()
  }

  lockIds(): Promise<bigint> {
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

  #createStaging(sql: string): void {
    this.#database.exec(`PRAGMA busy_timeout = ${COMMIT_WAIT_MS}`)
    orNoRoom(() => this.#database.exec(sql))
  }

  #stage<Staged extends { id: bigint | undefined }>(
    all: readonly Staged[],
    statementOf: (one: Staged) => Statement,
    findLine: string,
  ): ReadonlyMap<bigint, number> {
    let staged = 0
    orNoRoom(() => {
      this.#database.exec('BEGIN')
      for (const one of all) staged += Number(this.#statements.run(statementOf(one))[0]?.changes)
      this.#database.exec('COMMIT')
    })
    if (staged === all.length) return new Map()
    return new Map(
      all.flatMap(({ id }) => {
        if (id === undefined) return []
        const [row] = this.#statements.run({ sql: findLine, values: [id] })
        return [[id, Number(row?.line)] as const]
      }),
    )
  }
}

function stageStatement({ line, id, ...pet }: PetLine): Statement {
  const columns = [...columnValues(pet), petChecksum(pet), fold(pet.name)]
  if (id === undefined) return { sql: STAGE_WITHOUT_ID, values: columns }
  return { sql: STAGE_WITH_ID, values: [id, line, ...columns] }
}

function stageChangeStatement({ line, id, change }: PetChangeLine): Statement {
  return { sql: STAGE_CHANGE, values: [id, line, ...columnValues(change)] }
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
  return new UserError(
    'conflict',
    `The temporary file of the import cannot be written (${(error as Error).message}); set TMPDIR to a folder with enough room.`,
  )
}
