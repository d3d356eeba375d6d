import type { NewAuditEntry } from '../domain/audit.ts'
import { StoreUnavailable, UserError } from '../domain/errors.ts'
import type { Pet, PetStatus } from '../domain/pet.ts'
import {
  type BadLine,
  type CommitOptions,
  type ImportOutcome,
  idGivenBefore,
  idTwice,
  MAX_BAD_LINES_KEPT,
  type PetExport,
  type PetImport,
  type PetLine,
  type PetTransfer,
} from '../domain/pet-transfer.ts'
import { auditStatement } from './audit.ts'
import { petOf } from './pets.ts'
import type { Row } from './statement.ts'

const EXPORT_BATCH_SIZE = 1_000

/** A connection for one import or export: the steps of a transfer in which the databases differ. */
export interface TransferConnection {
  /** The columns of an animal besides its id. The staging tables have them too. */
  readonly columns: string
  /** Runs a statement with a question mark for each of the values, and returns its rows. */
  query<Row>(sql: string, values?: readonly unknown[]): Promise<Row[]>
  /** Begins a transaction in which all reads see the store as of the first. */
  beginSnapshot(): Promise<void>
  /**
   * Creates two tables that only this connection sees, and that vanish with it: `import_with_id` has id and line, `import_without_id` has
   * the place of an animal among those without an id, from 1; both have the columns of an animal.
   */
  createStaging(): Promise<void>
  /**
   * Adds animals to these tables, in order, except when their id is already there.
   * @returns the line in which an id is staged; at least for the ids of the exceptions
   */
  stage(pets: readonly PetLine[]): Promise<ReadonlyMap<bigint, number>>
  findHighestId(): Promise<bigint>
  /** Begins a transaction that keeps other connections from creating animals, and returns the highest id ever given. */
  beginCommit(): Promise<bigint>
  /** @param lastId the highest id given now */
  commit(lastId: bigint): Promise<void>
  /** Rolls back a transaction that was not committed. Can be repeated. */
  close(): Promise<void>
}

/** Import and export for every store that speaks SQL. */
export class SqlPetTransfer implements PetTransfer {
  readonly #connect: () => Promise<TransferConnection>

  constructor(connect: () => Promise<TransferConnection>) {
    this.#connect = connect
  }

  beginImport(): Promise<PetImport> {
    return orUnavailable('written', () =>
      this.#begin(async connection => {
        await connection.createStaging()
        return new SqlPetImport(connection, await connection.findHighestId())
      }),
    )
  }

  beginExport(status?: PetStatus): Promise<PetExport> {
    return orUnavailable('read', () => this.#begin(connection => beginExport(connection, status)))
  }

  async #begin<Result>(work: (connection: TransferConnection) => Promise<Result>): Promise<Result> {
    const connection = await this.#connect()
    try {
      return await work(connection)
    } catch (error) {
      await connection.close()
      throw error
    }
  }
}

const COUNT_STAGED = `SELECT count(*) FILTER (WHERE is_free) AS with_id, count(*) FILTER (WHERE NOT is_free) AS refused,
    min(id) FILTER (WHERE is_free) AS lowest, max(id) FILTER (WHERE is_free) AS highest,
    (SELECT count(*) FROM import_without_id) AS without_id
  FROM (SELECT id, id > ? AS is_free FROM import_with_id) AS staged`

interface StagedRow {
  with_id: bigint
  refused: bigint
  lowest: bigint | null
  highest: bigint | null
  without_id: bigint
}

class SqlPetImport implements PetImport {
  readonly #connection: TransferConnection
  /** The highest id ever given when the import began. */
  readonly #highestAtStart: bigint

  constructor(connection: TransferConnection, highestAtStart: bigint) {
    this.#connection = connection
    this.#highestAtStart = highestAtStart
  }

  stage(pets: readonly PetLine[]): Promise<BadLine[]> {
    const highest = this.#highestAtStart
    return orUnavailable('written', async () => {
      const lines = await this.#connection.stage(pets.filter(({ id }) => id === undefined || id > highest))
      return pets.flatMap(({ line, id }) => {
        if (id === undefined) return []
        if (id <= highest) return [{ line, reason: idGivenBefore(id, highest) }]
        const stagedLine = lines.get(id) ?? line
        return stagedLine === line ? [] : [{ line, reason: idTwice(id, stagedLine) }]
      })
    })
  }

  preview(options: CommitOptions): Promise<ImportOutcome> {
    return orUnavailable('read', async () => this.#outcome(await this.#connection.findHighestId(), options))
  }

  commit(entry: NewAuditEntry, options: CommitOptions): Promise<ImportOutcome> {
    return orUnavailable('written', async () => {
      try {
        const highest = await this.#connection.beginCommit()
        const outcome = await this.#outcome(highest, options)
        if (outcome.lastId !== undefined) {
          await this.#createAnimals(highest, outcome.lastId)
          await this.#writeAuditEntry(entry, outcome)
          await this.#connection.commit(outcome.lastId)
        }
        return outcome
      } finally {
        await this.#connection.close()
      }
    })
  }

  discard(): Promise<void> {
    return this.#connection.close()
  }

  /** What a commit does when `highest` is the highest id ever given. */
  async #outcome(highest: bigint, { skipRefused }: CommitOptions): Promise<ImportOutcome> {
    const [staged] = (await this.#connection.query<StagedRow>(COUNT_STAGED, [highest])) as [StagedRow]
    const refusal = { refused: Number(staged.refused), refusedLines: await this.#refusedLines(highest) }
    const imported = Number(staged.with_id + staged.without_id)
    if (imported === 0 || (refusal.refused > 0 && !skipRefused)) {
      return { imported: 0, firstId: undefined, lastId: undefined, ...refusal }
    }
    const firstId = staged.lowest ?? highest + 1n
    const lastId = (staged.highest ?? highest) + staged.without_id
    return { imported, firstId, lastId, ...refusal }
  }

  async #refusedLines(highest: bigint): Promise<BadLine[]> {
    const sql = 'SELECT line, id FROM import_with_id WHERE id <= ? ORDER BY line LIMIT ?'
    const rows = await this.#connection.query<{ line: bigint; id: bigint }>(sql, [highest, MAX_BAD_LINES_KEPT])
    return rows.map(({ line, id }) => ({ line: Number(line), reason: idGivenBefore(id, highest) }))
  }

  async #createAnimals(highest: bigint, lastId: bigint): Promise<void> {
    const { columns } = this.#connection
    await this.#connection.query(
      `INSERT INTO pet (id, ${columns}) SELECT id, ${columns} FROM import_with_id WHERE id > ? ORDER BY id`,
      [highest],
    )
    await this.#connection.query(
      `INSERT INTO pet (id, ${columns})
       SELECT ? - (SELECT count(*) FROM import_without_id) + place, ${columns} FROM import_without_id ORDER BY place`,
      [lastId],
    )
  }

  async #writeAuditEntry(entry: NewAuditEntry, { imported, firstId, lastId }: ImportOutcome): Promise<void> {
    const extent = { count: String(imported), firstId: String(firstId), lastId: String(lastId) }
    const { sql, values } = auditStatement({ ...entry, details: { ...entry.details, ...extent } })
    await this.#connection.query(sql, values)
  }
}

async function beginExport(connection: TransferConnection, status: PetStatus | undefined): Promise<PetExport> {
  await connection.beginSnapshot()
  const [filter, values] = status === undefined ? ['', []] : ['status = ? AND', [status]]
  const sql = `SELECT count(*) AS count FROM pet WHERE ${filter} id > 0`
  const [{ count }] = (await connection.query<{ count: bigint }>(sql, values)) as [{ count: bigint }]
  const page = `SELECT id, ${connection.columns} FROM pet WHERE ${filter} id > ? ORDER BY id LIMIT ${EXPORT_BATCH_SIZE}`

  async function* readBatches(): AsyncIterable<readonly Pet[]> {
    for (let afterId = 0n; ; ) {
      const rows = await orUnavailable('read', () => connection.query<Row>(page, [...values, afterId]))
      const pets = rows.map(petOf)
      const last = pets.at(-1)
      if (!last) return
      yield pets
      afterId = last.id
    }
  }

  return { count: Number(count), batches: readBatches(), close: () => connection.close() }
}

async function orUnavailable<Result>(done: 'read' | 'written', work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof UserError || error instanceof StoreUnavailable) throw error
    throw new StoreUnavailable(`The store cannot be ${done} at the moment.`, { cause: error })
  }
}
