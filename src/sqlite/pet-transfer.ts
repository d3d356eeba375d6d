import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { NewAuditEntry } from '../domain/audit.ts'
import type { Deployment } from '../domain/deployment.ts'
import { Mistake, StoreUnavailable } from '../domain/errors.ts'
import type { Pet, PetStatus } from '../domain/pet.ts'
import {
  BAD_LINES_KEPT,
  type BadLine,
  type CommitOptions,
  type ImportOutcome,
  idGivenBefore,
  idTwice,
  type PetExport,
  type PetImport,
  type PetLine,
  type PetTransfer,
} from '../domain/pet-transfer.ts'
import { type PetRow, petOf } from '../sql/rows.ts'
import { PET_WITH_CHECKSUM } from '../sql/selections.ts'
import { buildAudit } from './audit.ts'
import { connect, databaseFile, prepareDatabase } from './connection.ts'
import { ensureUnchanged, type KnownFiles, knownFiles } from './identity.ts'

/** What has been read from a long file must not be lost to writers that are busy for some seconds. */
const COMMIT_WAIT_MS = 60_000
const EXPORTED_AT_ONCE = 1_000

/** Each import and each export has a connection of its own. */
export class SqlitePetTransfer implements PetTransfer {
  readonly #file: string

  /** @throws Mistake when the folder cannot be used, or the store is of a newer version or of the other deployment */
  static async open(folder: string, deployment: Deployment): Promise<SqlitePetTransfer> {
    prepareDatabase(folder, deployment)
    return new SqlitePetTransfer(databaseFile(folder))
  }

  private constructor(file: string) {
    this.#file = file
  }

  async beginImport(): Promise<PetImport> {
    return orUnavailable('written', () => new SqlitePetImport(connect(this.#file), this.#file))
  }

  async beginExport(status?: PetStatus): Promise<PetExport> {
    return orUnavailable('read', () => new SqlitePetExport(connect(this.#file), status))
  }
}

/**
 * A database without a name is a file of this connection alone, which the system takes away with the process, however it ends. The
 * animals wait there, those with an id already in the order in which they will be written, so that the store itself is locked
 * for one statement or two. What is staged needs no journal: it is all used, or nothing of it.
 */
const STAGING = `
  ATTACH '' AS staging;
  PRAGMA staging.journal_mode = OFF;
  PRAGMA staging.synchronous = OFF;
  CREATE TABLE staging.with_id (
    id INTEGER PRIMARY KEY, line INTEGER NOT NULL, name TEXT NOT NULL, category_id INTEGER NOT NULL, status TEXT NOT NULL
  ) STRICT;
  CREATE TABLE staging.without_id (
    line INTEGER PRIMARY KEY, name TEXT NOT NULL, category_id INTEGER NOT NULL, status TEXT NOT NULL
  ) STRICT`

const COUNT = `SELECT
  (SELECT count(*) FROM staging.with_id WHERE id > :highest) AS with_id,
  (SELECT min(id) FROM staging.with_id WHERE id > :highest) AS lowest_staged,
  (SELECT max(id) FROM staging.with_id WHERE id > :highest) AS highest_staged,
  (SELECT count(*) FROM staging.without_id) AS without_id,
  (SELECT count(*) FROM staging.with_id WHERE id <= :highest) AS refused`

interface CountRow {
  with_id: bigint
  lowest_staged: bigint | null
  highest_staged: bigint | null
  without_id: bigint
  refused: bigint
}

class SqlitePetImport implements PetImport {
  readonly #database: DatabaseSync
  readonly #files: KnownFiles
  readonly #stageWithId: StatementSync
  readonly #stageWithoutId: StatementSync
  readonly #findLine: StatementSync
  /** The highest id ever given, when the import began. */
  readonly #highestAtStart: bigint

  constructor(database: DatabaseSync, file: string) {
    database.exec(`PRAGMA busy_timeout = ${COMMIT_WAIT_MS}`)
    orNoRoom(() => database.exec(STAGING))
    this.#database = database
    this.#stageWithId = database.prepare(
      'INSERT INTO staging.with_id (id, line, name, category_id, status) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
    )
    this.#stageWithoutId = database.prepare(
      'INSERT INTO staging.without_id (line, name, category_id, status) VALUES (?, ?, ?, ?)',
    )
    this.#findLine = database.prepare('SELECT line FROM staging.with_id WHERE id = ?')
    this.#highestAtStart = this.#highestGiven()
    this.#files = knownFiles(file)
  }

  async stage(pets: readonly PetLine[]): Promise<BadLine[]> {
    return orNoRoom(() => {
      this.#database.exec('BEGIN')
      const refused = pets.flatMap(pet => {
        const reason = this.#stageOne(pet)
        return reason === undefined ? [] : [{ line: pet.line, reason }]
      })
      this.#database.exec('COMMIT')
      return refused
    })
  }

  async preview(options: CommitOptions): Promise<ImportOutcome> {
    return orUnavailable('read', () => this.#outcome(this.#highestGiven(), options))
  }

  async commit(entry: NewAuditEntry, options: CommitOptions): Promise<ImportOutcome> {
    return orUnavailable('written', () => {
      ensureUnchanged(this.#files)
      this.#database.exec('BEGIN IMMEDIATE')
      try {
        const highest = this.#highestGiven()
        const outcome = this.#outcome(highest, options)
        if (outcome.imported > 0) this.#makeAnimals(highest, outcome, entry)
        this.#database.exec('COMMIT')
        ensureUnchanged(this.#files)
        return outcome
      } finally {
        this.#database.close()
      }
    })
  }

  async discard(): Promise<void> {
    if (this.#database.isOpen) this.#database.close()
  }

  /** Why it is not laid aside. */
  #stageOne({ line, id, name, categoryId, status }: PetLine): string | undefined {
    if (id === undefined) {
      this.#stageWithoutId.run(line, name, categoryId, status)
      return undefined
    }
    if (id <= this.#highestAtStart) return idGivenBefore(id, this.#highestAtStart)
    if (this.#stageWithId.run(id, line, name, categoryId, status).changes > 0n) return undefined
    return idTwice(id, Number((this.#findLine.get(id) as { line: bigint }).line))
  }

  #makeAnimals(highest: bigint, { imported, firstId, lastId }: ImportOutcome, entry: NewAuditEntry): void {
    this.#database
      .prepare(
        `INSERT INTO main.pet (id, name, category_id, status, checksum)
         SELECT id, name, category_id, status, pet_checksum(name, category_id, status) FROM staging.with_id WHERE id > ? ORDER BY id`,
      )
      .run(highest)
    this.#database.exec(
      `INSERT INTO main.pet (name, category_id, status, checksum)
       SELECT name, category_id, status, pet_checksum(name, category_id, status) FROM staging.without_id ORDER BY line`,
    )
    const extent = { count: String(imported), firstId: String(firstId), lastId: String(lastId) }
    buildAudit(this.#database)({ ...entry, details: { ...entry.details, ...extent } })
  }

  /** What can be imported when `highest` is the highest id ever given. */
  #outcome(highest: bigint, { skipRefused }: CommitOptions): ImportOutcome {
    const row = this.#database.prepare(COUNT).get({ highest }) as unknown as CountRow
    const refusal = { refused: Number(row.refused), refusedLines: this.#refusedLines(highest) }
    const imported = Number(row.with_id + row.without_id)
    if (imported === 0 || (refusal.refused > 0 && !skipRefused)) {
      return { imported: 0, firstId: undefined, lastId: undefined, ...refusal }
    }
    const firstId = row.lowest_staged ?? highest + 1n
    const lastId = (row.highest_staged ?? highest) + row.without_id
    return { imported, firstId, lastId, ...refusal }
  }

  #refusedLines(highest: bigint): BadLine[] {
    const rows = this.#database
      .prepare('SELECT line, id FROM staging.with_id WHERE id <= ? ORDER BY line LIMIT ?')
      .all(highest, BAD_LINES_KEPT) as unknown as { line: bigint; id: bigint }[]
    return rows.map(({ line, id }) => ({ line: Number(line), reason: idGivenBefore(id, highest) }))
  }

  #highestGiven(): bigint {
    const row = this.#database.prepare("SELECT seq FROM main.sqlite_sequence WHERE name = 'pet'").get()
    return (row as { seq: bigint } | undefined)?.seq ?? 0n
  }
}

class SqlitePetExport implements PetExport {
  readonly count: number
  readonly batches: AsyncIterable<readonly Pet[]>
  readonly #database: DatabaseSync

  constructor(database: DatabaseSync, status: PetStatus | undefined) {
    this.#database = database
    // The first read of a transaction decides what all its reads see.
    database.exec('BEGIN')
    const where = status === undefined ? '' : 'status = :status AND '
    const row = database.prepare(`SELECT count(*) AS count FROM pet WHERE ${where} id > :afterId`)
    const page = database.prepare(
      `${PET_WITH_CHECKSUM} WHERE ${where} id > :afterId ORDER BY id LIMIT ${EXPORTED_AT_ONCE}`,
    )
    const filter = status === undefined ? {} : { status }
    this.count = Number((row.get({ ...filter, afterId: 0n }) as { count: bigint }).count)
    this.batches = readBatches(
      afterId => orUnavailable('read', () => page.all({ ...filter, afterId })) as unknown as PetRow[],
    )
  }

  async close(): Promise<void> {
    if (this.#database.isOpen) this.#database.close()
  }
}

async function* readBatches(readAfter: (id: bigint) => PetRow[]): AsyncIterable<Pet[]> {
  let afterId = 0n
  for (;;) {
    const pets = readAfter(afterId).map(petOf)
    const last = pets.at(-1)
    if (!last) return
    yield pets
    afterId = last.id
  }
}

function orUnavailable<Result>(done: 'read' | 'written', work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (error instanceof Mistake) throw error
    throw new StoreUnavailable(`The store cannot be ${done} just now.`, { cause: error })
  }
}

/** The staged animals are in no file of the store. */
function orNoRoom<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    const why = (error as Error).message
    throw new Mistake(
      'conflict',
      `The temporary file of the import cannot be written (${why}); set TMPDIR to a place with room.`,
    )
  }
}
