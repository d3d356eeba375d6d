import type { Deployment } from '../domain/deployment.ts'
import { StoreFull, StoreUnavailable } from '../domain/errors.ts'
import { MEMBER_NAMES } from '../domain/pet.ts'
import type { PetChangeLine, PetLine, PetTransfer, SyncLine } from '../domain/pet-transfer.ts'
import { COLUMNS, defineColumns, eachColumn } from '../sql/pet-columns.ts'
import { definePlan } from '../sql/pet-sync.ts'
import { SqlPetTransfer } from '../sql/pet-transfer.ts'
import type { TransferConnection } from '../sql/transfer-connection.ts'
import { type Connection, connectForLong, statementOf } from './connection.ts'
import { ARRAYS, HOLD_ROWS, POSTGRES, TAKE_TURN_OF_ANIMALS } from './dialect.ts'
import { prepareDatabase, SIDE_BY_SIDE } from './migrate.ts'
import { isFull } from './pool.ts'

/** The server disconnects a stalled process after this time, because it blocks other writes. */
const SILENT_MS = 5_000
/** The same for the connection that keeps others from creating animals, and waits while the lines are counted. */
const SILENT_WITH_IDS_MS = 10_000

/** @throws UserError when the database cannot be used, or its store is of a newer version or the other deployment */
export async function openPostgresTransfer(url: string, deployment: Deployment): Promise<PetTransfer> {
  await prepareDatabase(url, deployment)
  return new SqlPetTransfer(async () => new PostgresTransferConnection(url, await connectForLong(url)))
}

const TYPES = { integer: 'BIGINT', text: 'TEXT COLLATE "C"' }

/** Temporary tables are not written to the server's log. They end with the transaction, after which a pooler may give the session to others. */
const stagingTable = (name: string, columns: string) => `CREATE TEMP TABLE ${name} (${columns}) ON COMMIT DROP`

const STAGING = `
  ${stagingTable('import_with_id', `id BIGINT PRIMARY KEY, line BIGINT NOT NULL, ${defineColumns(TYPES)}`)};
  ${stagingTable('import_without_id', `place BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, ${defineColumns(TYPES)}`)}`

/** Adds rows with an id and a line, which must be new. */
const stageLines = (table: string, columns: string) => `INSERT INTO ${table} (id, line, ${columns})
  SELECT id, line, ${COLUMNS}
    FROM unnest(?::bigint[], ?::bigint[], ${ARRAYS}) WITH ORDINALITY AS given (id, line, ${COLUMNS}, place)
    ORDER BY place
  ON CONFLICT DO NOTHING`

const STAGE_WITH_ID = stageLines('import_with_id', COLUMNS)

const STAGE_WITHOUT_ID = `INSERT INTO import_without_id (${COLUMNS})
  SELECT ${COLUMNS} FROM unnest(${ARRAYS}) WITH ORDINALITY AS given (${COLUMNS}, place) ORDER BY place`

const UPDATE_STAGING = stagingTable(
  'update_line',
  `id BIGINT PRIMARY KEY, line BIGINT NOT NULL, ${defineColumns(TYPES, 'given_')}, ${defineColumns(TYPES, 'old_')}`,
)

const SYNC_STAGING = `
  ${stagingTable('sync_line', `line BIGINT PRIMARY KEY, external_id TEXT COLLATE "C" NOT NULL, ${defineColumns(TYPES, 'given_')}`)};
  CREATE INDEX ON sync_line (external_id);
  ${stagingTable('sync_plan', definePlan(TYPES))}`

const STAGE_SYNC = `INSERT INTO sync_line (line, external_id, ${eachColumn(column => `given_${column}`)})
  SELECT * FROM unnest(?::bigint[], ?::text[], ${ARRAYS})`

const STAGE_CHANGES = stageLines(
  'update_line',
  eachColumn(column => `given_${column}`),
)

/** In order of ids, so that two updates cannot deadlock. */
const LOCK_STAGED = `SELECT count(*) FROM (
  SELECT FROM pet WHERE id IN (SELECT id FROM update_line) ORDER BY id FOR UPDATE
) AS locked`

class PostgresTransferConnection implements TransferConnection {
  readonly columns = COLUMNS
  readonly dialect = POSTGRES
  readonly holdRows = HOLD_ROWS
  readonly resolved = ''
  readonly applied = ''
  readonly #url: string
  readonly #client: Connection
  #idsClient: Connection | undefined

  constructor(url: string, client: Connection) {
    this.#url = url
    this.#client = client
  }

  async query<Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.#ask(sql, values)).rows as Row[]
  }

  async beginSnapshot(): Promise<void> {
    await this.#client.begin('', { isolation: 'REPEATABLE READ READ ONLY' })
  }

  async createStaging(): Promise<void> {
    await this.#client.begin(STAGING)
  }

  async stage(pets: readonly PetLine[]): Promise<ReadonlyMap<bigint, number>> {
    const [withId, withoutId] = [pets.filter(({ id }) => id !== undefined), pets.filter(({ id }) => id === undefined)]
    if (withoutId.length > 0) await this.query(STAGE_WITHOUT_ID, columnsOf(withoutId))
    if (withId.length === 0) return new Map()
    const values = [withId.map(({ id }) => id), withId.map(({ line }) => line), ...columnsOf(withId)]
    return this.#stage(STAGE_WITH_ID, values, 'SELECT id, line FROM import_with_id WHERE id = ANY (?)')
  }

  async createUpdateStaging(): Promise<void> {
    await this.#client.begin(UPDATE_STAGING)
  }

  async findMissing(ids: readonly bigint[]): Promise<ReadonlySet<bigint>> {
    const sql = `SELECT id FROM unnest(?::bigint[]) AS given (id)
      WHERE NOT EXISTS (SELECT FROM pet WHERE pet.id = given.id)`
    const rows = await this.query<{ id: bigint }>(sql, [ids])
    return new Set(rows.map(({ id }) => id))
  }

  async stageChanges(changes: readonly PetChangeLine[]): Promise<ReadonlyMap<bigint, number>> {
    if (changes.length === 0) return new Map()
    const given = columnsOf(changes.map(({ change }) => change))
    const values = [changes.map(({ id }) => id), changes.map(({ line }) => line), ...given]
    return this.#stage(STAGE_CHANGES, values, 'SELECT id, line FROM update_line WHERE id = ANY (?)')
  }

  async createSyncStaging(): Promise<void> {
    await this.#client.begin(SYNC_STAGING)
  }

  async stageSync(lines: readonly SyncLine[]): Promise<void> {
    if (lines.length === 0) return
    const given = columnsOf(lines.map(({ change }) => change))
    await this.query(STAGE_SYNC, [lines.map(({ line }) => line), lines.map(({ externalId }) => externalId), ...given])
  }

  async restage(sql: string, values: readonly unknown[] = []): Promise<void> {
    await this.query(sql, values)
  }

  async beginSync(): Promise<void> {
    await this.#client.query(`${endIfSilent(SILENT_MS)}; ${TAKE_TURN_OF_ANIMALS}`)
  }

  async beginUpdate(): Promise<void> {
    await this.#client.query(`${endIfSilent(SILENT_MS)}; ${TAKE_TURN_OF_ANIMALS}; ${LOCK_STAGED}`)
  }

  findHighestId(): Promise<bigint> {
    return readHighestId(this.#client, 'SELECT last_value AS highest FROM pet_id')
  }

  /**
   * A second connection has the lock of the ids, so that creations do not wait until the animals are written. Instances of 1.1.0 need ids in the order
   * of the commits, so beside them, the transaction itself has the lock.
   *
   * Operators can still write. So their audit entries may become visible before that of the import, although their ids are higher.
   */
  beginCommit(): Promise<bigint> {
    return this.lockIds()
  }

  async lockIds(): Promise<bigint> {
    const [store] = await this.query<{ is_side_by_side: boolean }>(IS_SIDE_BY_SIDE)
    if (store?.is_side_by_side) {
      this.#idsClient = await connectForLong(this.#url)
      await this.#idsClient.begin(endIfSilent(SILENT_WITH_IDS_MS))
    }
    const highest = await readHighestId(this.#idsClient ?? this.#client, LOCK_IDS)
    await this.#client.query(endIfSilent(SILENT_MS))
    return highest
  }

  /** Moves the sequence, whatever becomes of either transaction. A commit would wait for the standby. */
  async giveIds(lastId: bigint): Promise<void> {
    const client = this.#idsClient ?? this.#client
    await client.query("SELECT setval('pet_id', $1)", [lastId])
    await this.#idsClient?.finish('ROLLBACK')
  }

  async commit(): Promise<void> {
    try {
      await this.#client.finish('COMMIT')
      this.#client.ensureReplicated()
    } catch (error) {
      if (isFull(error)) throw new StoreFull(error)
      throw new StoreUnavailable('It is unknown whether the import was committed; see petstore audit.', {
        cause: error,
      })
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#client.close(), this.#idsClient?.close()])
  }

  /** @param values starting with the ids */
  async #stage(
    sql: string,
    values: readonly (readonly unknown[])[],
    findLines: string,
  ): Promise<ReadonlyMap<bigint, number>> {
    const { rowCount } = await this.#ask(sql, values)
    if (rowCount === values[0]?.length) return new Map()
    const rows = await this.query<{ id: bigint; line: bigint }>(findLines, [values[0]])
    return new Map(rows.map(({ id, line }) => [id, Number(line)]))
  }

  async #ask(sql: string, values: readonly unknown[]) {
    try {
      return await this.#client.ask({ text: statementOf(sql).text, values })
    } catch (error) {
      throw isFull(error) ? new StoreFull(error) : error
    }
  }
}

const IS_SIDE_BY_SIDE = `SELECT version >= ${SIDE_BY_SIDE} AS is_side_by_side FROM store`
const LOCK_IDS = 'SELECT lock_pet_ids() AS highest'

function endIfSilent(forMs: number): string {
  return `SET LOCAL idle_in_transaction_session_timeout = ${forMs}`
}

async function readHighestId(client: Connection, sql: string): Promise<bigint> {
  return (await client.query<{ highest: bigint }>(sql)).rows[0]?.highest as bigint
}

function columnsOf(pets: readonly PetChangeLine['change'][]): unknown[][] {
  return MEMBER_NAMES.map(name => pets.map(pet => pet[name]))
}
