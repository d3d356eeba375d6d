import type { DatabaseSync } from 'node:sqlite'
import type { Deployment } from '../domain/deployment.ts'
import { UserError } from '../domain/errors.ts'
import type { PetLine, PetTransfer } from '../domain/pet-transfer.ts'
import { SqlPetTransfer, type TransferConnection } from '../sql/pet-transfer.ts'
import { petChecksum } from '../sql/pets.ts'
import type { Statement, Value } from '../sql/statement.ts'
import { connect } from './connection.ts'
import { ensureFilesInPlace, identifyFiles, type OpenFiles } from './data-folder/file-identity.ts'
import { databaseFile } from './data-folder/store-files.ts'
import { prepareDatabase } from './prepare-database.ts'
import { Statements } from './statements.ts'

/** A long file was read before the commit: a writer that is busy for some seconds must not make the import fail. */
const COMMIT_WAIT_MS = 60_000

/** @throws UserError when the folder cannot be used, or its store is of a newer version or the other deployment */
export async function openSqliteTransfer(folder: string, deployment: Deployment): Promise<PetTransfer> {
  prepareDatabase(folder, deployment)
  return new SqlPetTransfer(async () => new SqliteTransferConnection(databaseFile(folder)))
}

/**
 * A database without a name is a temporary file of this connection, which the system removes when the process ends, however it ends. It
 * needs no journal: a failed import uses nothing of it. The animals wait there in the order in which they will be written, with their
 * checksums, so that the store itself is locked for two short statements.
 */
const STAGING = `
  ATTACH '' AS staging;
  PRAGMA staging.journal_mode = OFF;
  PRAGMA staging.synchronous = OFF;
  CREATE TABLE staging.import_with_id (
    id INTEGER PRIMARY KEY, line INTEGER NOT NULL,
    name TEXT NOT NULL, category_id INTEGER NOT NULL, status TEXT NOT NULL, checksum INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE staging.import_without_id (
    place INTEGER PRIMARY KEY,
    name TEXT NOT NULL, category_id INTEGER NOT NULL, status TEXT NOT NULL, checksum INTEGER NOT NULL
  ) STRICT`

const STAGE_WITH_ID = `INSERT INTO import_with_id (id, line, name, category_id, status, checksum)
  VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`
const STAGE_WITHOUT_ID = 'INSERT INTO import_without_id (name, category_id, status, checksum) VALUES (?, ?, ?, ?)'

class SqliteTransferConnection implements TransferConnection {
  readonly columns = 'name, category_id, status, checksum'
  readonly #database: DatabaseSync
  readonly #files: OpenFiles
  readonly #statements: Statements

  constructor(file: string) {
    this.#database = connect(file)
    this.#statements = new Statements(this.#database)
    // The first read creates the log.
    this.#database.exec('SELECT deployment FROM store')
    this.#files = identifyFiles(file)
  }

  async query<Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.#statements.run({ sql, values: values as Value[] }) as Row[]
  }

  async beginSnapshot(): Promise<void> {
    this.#database.exec('BEGIN')
  }

  async createStaging(): Promise<void> {
    this.#database.exec(`PRAGMA busy_timeout = ${COMMIT_WAIT_MS}`)
    orNoRoom(() => this.#database.exec(STAGING))
  }

  async stage(pets: readonly PetLine[]): Promise<ReadonlyMap<bigint, number>> {
    let staged = 0
    orNoRoom(() => {
      this.#database.exec('BEGIN')
      for (const pet of pets) staged += Number(this.#statements.run(stageStatement(pet))[0]?.changes)
      this.#database.exec('COMMIT')
    })
    if (staged === pets.length) return new Map()
    return new Map(pets.flatMap(({ id }) => (id === undefined ? [] : [[id, this.#stagedLineOf(id)]])))
  }

  async findHighestId(): Promise<bigint> {
    const [row] = await this.query<{ seq: bigint }>("SELECT seq FROM sqlite_sequence WHERE name = 'pet'")
    return row?.seq ?? 0n
  }

  async beginCommit(): Promise<bigint> {
    ensureFilesInPlace(this.#files)
    this.#database.exec('BEGIN IMMEDIATE')
    return this.findHighestId()
  }

  async commit(): Promise<void> {
    this.#database.exec('COMMIT')
    ensureFilesInPlace(this.#files)
  }

  async close(): Promise<void> {
    if (this.#database.isOpen) this.#database.close()
  }

  #stagedLineOf(id: bigint): number {
    const [row] = this.#statements.run({ sql: 'SELECT line FROM import_with_id WHERE id = ?', values: [id] })
    return Number(row?.line)
  }
}

function stageStatement({ line, id, name, categoryId, status }: PetLine): Statement {
  const columns = [name, categoryId, status, petChecksum(name, categoryId, status)]
  if (id === undefined) return { sql: STAGE_WITHOUT_ID, values: columns }
  return { sql: STAGE_WITH_ID, values: [id, line, ...columns] }
}

/** The temporary file is not on the disk of the store. */
function orNoRoom(work: () => void): void {
  try {
    work()
  } catch (error) {
    const { message } = error as Error
    throw new UserError(
      'conflict',
      `The temporary file of the import cannot be written (${message}); set TMPDIR to a folder with enough room.`,
    )
  }
}
