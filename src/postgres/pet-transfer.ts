import type { Deployment } from '../domain/deployment.ts'
import { StoreUnavailable } from '../domain/errors.ts'
import type { PetLine, PetTransfer } from '../domain/pet-transfer.ts'
import { SqlPetTransfer, type TransferConnection } from '../sql/pet-transfer.ts'
import { type Connection, connectForLong, statementOf } from './connection.ts'
import { prepareDatabase } from './migrate.ts'

/** The server disconnects a stopped process that keeps others from creating animals after this time. */
const SILENT_MS = 5_000

/** @throws UserError when the database cannot be used, or its store is of a newer version or the other deployment */
export async function openPostgresTransfer(url: string, deployment: Deployment): Promise<PetTransfer> {
  await prepareDatabase(url, deployment)
  return new SqlPetTransfer(async () => new PostgresTransferConnection(await connectForLong(url)))
}

/** Temporary tables are not written to the server's log. */
const STAGING = `
  CREATE TEMP TABLE import_with_id (
    id BIGINT PRIMARY KEY, line BIGINT NOT NULL, name TEXT NOT NULL, category_id BIGINT NOT NULL, status TEXT NOT NULL
  );
  CREATE TEMP TABLE import_without_id (
    place BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name TEXT NOT NULL, category_id BIGINT NOT NULL, status TEXT NOT NULL
  )`

const STAGE_WITH_ID = `INSERT INTO import_with_id (id, line, name, category_id, status)
  SELECT id, line, name, category_id, status
    FROM unnest(?::bigint[], ?::bigint[], ?::text[], ?::bigint[], ?::text[]) WITH ORDINALITY
      AS given (id, line, name, category_id, status, place)
    ORDER BY place
  ON CONFLICT DO NOTHING`

const STAGE_WITHOUT_ID = `INSERT INTO import_without_id (name, category_id, status)
  SELECT name, category_id, status
    FROM unnest(?::text[], ?::bigint[], ?::text[]) WITH ORDINALITY AS given (name, category_id, status, place)
    ORDER BY place`

class PostgresTransferConnection implements TransferConnection {
  readonly columns = 'name, category_id, status'
  readonly #client: Connection

  constructor(client: Connection) {
    this.#client = client
  }

  async query<Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.#client.query({ ...statementOf(sql), values: [...values] })).rows
  }

  async beginSnapshot(): Promise<void> {
    await this.#client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  }

  async createStaging(): Promise<void> {
    await this.#client.query(STAGING)
  }

  async stage(pets: readonly PetLine[]): Promise<ReadonlyMap<bigint, number>> {
    const [withId, withoutId] = [pets.filter(({ id }) => id !== undefined), pets.filter(({ id }) => id === undefined)]
    if (withoutId.length > 0) await this.query(STAGE_WITHOUT_ID, columnsOf(withoutId))
    if (withId.length === 0) return new Map()
    const ids = withId.map(({ id }) => id)
    const values = [ids, withId.map(({ line }) => line), ...columnsOf(withId)]
    const { rowCount } = await this.#client.query({ ...statementOf(STAGE_WITH_ID), values })
    if (rowCount === withId.length) return new Map()
    const sql = 'SELECT id, line FROM import_with_id WHERE id = ANY (?)'
    const rows = await this.query<{ id: bigint; line: bigint }>(sql, [ids])
    return new Map(rows.map(({ id, line }) => [id, Number(line)]))
  }

  findHighestId(): Promise<bigint> {
    return this.#readHighestId('SELECT last_value AS highest FROM pet_id')
  }

  /** Operators can still write, so their audit entries may become visible before that of the import, although they have higher ids. */
  async beginCommit(): Promise<bigint> {
    await this.#client.query(`BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${SILENT_MS}`)
    return this.#readHighestId('SELECT lock_pet_ids() AS highest')
  }

  async commit(lastId: bigint): Promise<void> {
    await this.query("SELECT setval('pet_id', ?)", [lastId])
    try {
      await this.#client.query('COMMIT')
    } catch (error) {
      throw new StoreUnavailable('It is unknown whether the import was committed; see petstore audit.', {
        cause: error,
      })
    }
  }

  async close(): Promise<void> {
    await this.#client.close()
  }

  async #readHighestId(sql: string): Promise<bigint> {
    return (await this.query<{ highest: bigint }>(sql))[0]?.highest as bigint
  }
}

function columnsOf(pets: readonly PetLine[]): unknown[] {
  return [pets.map(({ name }) => name), pets.map(({ categoryId }) => categoryId), pets.map(({ status }) => status)]
}
