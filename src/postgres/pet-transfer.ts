import type { NewAuditEntry } from '../domain/audit.ts'
import type { Deployment } from '../domain/deployment.ts'
import { StoreUnavailable } from '../domain/errors.ts'
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
import { PET } from '../sql/selections.ts'
import { writeAuditEntry } from './audit-entry.ts'
import type { Connection } from './connection.ts'
import { connectForLong } from './long-connection.ts'
import { prepareDatabase } from './migrate.ts'

const EXPORTED_AT_ONCE = 1_000
/** A process that is stopped while nobody else may create animals is cut off by the server after this long. */
const SILENT_MS = 5_000

/** Each import and each export has a connection of its own. */
export class PostgresPetTransfer implements PetTransfer {
  readonly #url: string

  /** @throws Mistake when the database cannot be used, or the store is of a newer version or of the other deployment */
  static async open(url: string, deployment: Deployment): Promise<PostgresPetTransfer> {
    await prepareDatabase(url, deployment)
    return new PostgresPetTransfer(url)
  }

  private constructor(url: string) {
    this.#url = url
  }

  async beginImport(): Promise<PetImport> {
    return orUnavailable('written', async () => PostgresPetImport.begin(await connectForLong(this.#url)))
  }

  async beginExport(status?: PetStatus): Promise<PetExport> {
    return orUnavailable('read', async () => PostgresPetExport.begin(await connectForLong(this.#url), status))
  }
}

/**
 * Temporary tables are this connection's alone, are not written to the server's log, and end with the connection, however that ends.
 * The animals wait there, so that creations wait for the commit alone.
 */
const STAGING = `
  CREATE TEMP TABLE with_id (
    id BIGINT PRIMARY KEY, line BIGINT NOT NULL, name TEXT NOT NULL, category_id BIGINT NOT NULL, status TEXT NOT NULL
  );
  CREATE TEMP TABLE without_id (
    line BIGINT PRIMARY KEY, name TEXT NOT NULL, category_id BIGINT NOT NULL, status TEXT NOT NULL
  )`

const STAGE_WITH_ID = `INSERT INTO pg_temp.with_id (id, line, name, category_id, status)
  SELECT id, line, name, category_id, status
    FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::text[]) WITH ORDINALITY
      AS given (id, line, name, category_id, status, place)
    ORDER BY place
  ON CONFLICT DO NOTHING`

const STAGE_WITHOUT_ID = `INSERT INTO pg_temp.without_id (line, name, category_id, status)
  SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[])`

const COUNT = `SELECT
  (SELECT count(*) FROM pg_temp.with_id WHERE id > $1) AS with_id,
  (SELECT min(id) FROM pg_temp.with_id WHERE id > $1) AS lowest_staged,
  (SELECT max(id) FROM pg_temp.with_id WHERE id > $1) AS highest_staged,
  (SELECT count(*) FROM pg_temp.without_id) AS without_id,
  (SELECT count(*) FROM pg_temp.with_id WHERE id <= $1) AS refused`

interface CountRow {
  with_id: bigint
  lowest_staged: bigint | null
  highest_staged: bigint | null
  without_id: bigint
  refused: bigint
}

class PostgresPetImport implements PetImport {
  readonly #client: Connection
  /** The highest id ever given, when the import began. */
  readonly #highestAtStart: bigint

  static async begin(client: Connection): Promise<PostgresPetImport> {
    try {
      await client.query(STAGING)
      return new PostgresPetImport(client, await highestGiven(client))
    } catch (error) {
      await client.close()
      throw error
    }
  }

  private constructor(client: Connection, highestAtStart: bigint) {
    this.#client = client
    this.#highestAtStart = highestAtStart
  }

  async stage(pets: readonly PetLine[]): Promise<BadLine[]> {
    return orUnavailable('written', async () => {
      await this.#stageWithoutId(pets.filter(({ id }) => id === undefined))
      const staged = await this.#stageWithId(pets.filter(pet => this.#isNew(pet.id)))
      return pets.flatMap(({ line, id }) => {
        if (id === undefined) return []
        if (!this.#isNew(id)) return [{ line, reason: idGivenBefore(id, this.#highestAtStart) }]
        const earlier = staged.get(id)
        return earlier === undefined || earlier === line ? [] : [{ line, reason: idTwice(id, earlier) }]
      })
    })
  }

  async preview(options: CommitOptions): Promise<ImportOutcome> {
    return orUnavailable('read', async () => this.#outcome(await highestGiven(this.#client), options))
  }

  async commit(entry: NewAuditEntry, options: CommitOptions): Promise<ImportOutcome> {
    return orUnavailable('written', async () => {
      try {
        await this.#client.query(`BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${SILENT_MS}`)
        // Nobody creates an animal from here to the commit. Operators' other writes go on, so that their entries of the audit log may
        // be seen before this one, though their ids are higher.
        const highest = await highestGiven(this.#client, LOCK_HIGHEST)
        const outcome = await this.#outcome(highest, options)
        if (outcome.imported > 0) {
          await this.#makeAnimals(highest, outcome, entry)
          await this.#end()
        }
        return outcome
      } finally {
        await this.#client.close()
      }
    })
  }

  async discard(): Promise<void> {
    await this.#client.close()
  }

  #isNew(id: bigint | undefined): boolean {
    return id !== undefined && id > this.#highestAtStart
  }

  async #stageWithoutId(pets: readonly PetLine[]): Promise<void> {
    if (pets.length === 0) return
    await this.#client.query({ name: 'stage without id', text: STAGE_WITHOUT_ID, values: columnsOf(pets) })
  }

  /** @returns in which line each id stands that some of them share with another */
  async #stageWithId(pets: readonly PetLine[]): Promise<ReadonlyMap<bigint, number>> {
    if (pets.length === 0) return new Map()
    const ids = pets.map(({ id }) => id)
    const values = [ids, ...columnsOf(pets)]
    const { rowCount } = await this.#client.query({ name: 'stage with id', text: STAGE_WITH_ID, values })
    if (rowCount === pets.length) return new Map()
    const { rows } = await this.#client.query<{ id: bigint; line: bigint }>(
      'SELECT id, line FROM pg_temp.with_id WHERE id = ANY ($1)',
      [ids],
    )
    return new Map(rows.map(({ id, line }) => [id, Number(line)]))
  }

  async #makeAnimals(highest: bigint, { imported, firstId, lastId }: ImportOutcome, entry: NewAuditEntry) {
    await this.#client.query(
      `INSERT INTO pet (id, name, category_id, status)
       SELECT id, name, category_id, status FROM pg_temp.with_id WHERE id > $1 ORDER BY id`,
      [highest],
    )
    await this.#client.query(
      `INSERT INTO pet (id, name, category_id, status)
       SELECT $1::bigint - (SELECT count(*) FROM pg_temp.without_id) + row_number() OVER (ORDER BY line), name, category_id, status
       FROM pg_temp.without_id ORDER BY line`,
      [lastId],
    )
    await this.#client.query("SELECT setval('pet_id', $1)", [lastId])
    const extent = { count: String(imported), firstId: String(firstId), lastId: String(lastId) }
    await writeAuditEntry(this.#client, { ...entry, details: { ...entry.details, ...extent } })
  }

  async #end(): Promise<void> {
    try {
      await this.#client.query('COMMIT')
    } catch (error) {
      throw new StoreUnavailable('Whether it was imported is not known; see petstore audit.', { cause: error })
    }
  }

  /** What can be imported when `highest` is the highest id ever given. */
  async #outcome(highest: bigint, { skipRefused }: CommitOptions): Promise<ImportOutcome> {
    const row = (await this.#client.query<CountRow>(COUNT, [highest])).rows[0] as CountRow
    const refusal = { refused: Number(row.refused), refusedLines: await this.#refusedLines(highest) }
    const imported = Number(row.with_id + row.without_id)
    if (imported === 0 || (refusal.refused > 0 && !skipRefused)) {
      return { imported: 0, firstId: undefined, lastId: undefined, ...refusal }
    }
    const firstId = row.lowest_staged ?? highest + 1n
    const lastId = (row.highest_staged ?? highest) + row.without_id
    return { imported, firstId, lastId, ...refusal }
  }

  async #refusedLines(highest: bigint): Promise<BadLine[]> {
    const { rows } = await this.#client.query<{ line: bigint; id: bigint }>(
      'SELECT line, id FROM pg_temp.with_id WHERE id <= $1 ORDER BY line LIMIT $2',
      [highest, BAD_LINES_KEPT],
    )
    return rows.map(({ line, id }) => ({ line: Number(line), reason: idGivenBefore(id, highest) }))
  }
}

class PostgresPetExport implements PetExport {
  readonly count: number
  readonly batches: AsyncIterable<readonly Pet[]>
  readonly #client: Connection

  static async begin(client: Connection, status: PetStatus | undefined): Promise<PostgresPetExport> {
    try {
      // Its first read decides what all its reads see.
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
      const { rows } = await client.query(`SELECT count(*) AS count FROM pet ${status ? 'WHERE status = $1' : ''}`, [
        ...(status ? [status] : []),
      ])
      return new PostgresPetExport(client, Number(rows[0].count), status)
    } catch (error) {
      await client.close()
      throw error
    }
  }

  private constructor(client: Connection, count: number, status: PetStatus | undefined) {
    this.#client = client
    this.count = count
    this.batches = readBatches(client, status)
  }

  async close(): Promise<void> {
    await this.#client.close()
  }
}

async function* readBatches(client: Connection, status: PetStatus | undefined): AsyncIterable<Pet[]> {
  const text = `${PET} WHERE id > $1 ${status ? 'AND status = $2' : ''} ORDER BY id LIMIT ${EXPORTED_AT_ONCE}`
  let afterId = 0n
  for (;;) {
    const values = status ? [afterId, status] : [afterId]
    const { rows } = await orUnavailable('read', () => client.query<PetRow>({ name: 'page', text, values }))
    const last = rows.at(-1)
    if (!last) return
    yield rows.map(petOf)
    afterId = last.id
  }
}

/** @param text also keeps it as it is until the transaction ends, if it is the one that locks */
async function highestGiven(client: Connection, text = 'SELECT last_value AS newest FROM pet_id'): Promise<bigint> {
  return (await client.query<{ newest: bigint }>(text)).rows[0]?.newest as bigint
}

const LOCK_HIGHEST = 'SELECT lock_pet_ids() AS newest'

/** All but their ids. */
function columnsOf(pets: readonly PetLine[]): unknown[] {
  return [
    pets.map(({ line }) => line),
    pets.map(({ name }) => name),
    pets.map(({ categoryId }) => categoryId),
    pets.map(({ status }) => status),
  ]
}

async function orUnavailable<Result>(done: 'read' | 'written', work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error
    throw new StoreUnavailable(`The store cannot be ${done} just now.`, { cause: error })
  }
}
