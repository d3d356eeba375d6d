import type { Deployment } from '../domain/deployment.ts'
import { StoreFull, StoreUnavailable } from '../domain/errors.ts'
import type { PetTransfer } from '../domain/pet-transfer.ts'
import { SqlPetTransfer } from '../sql/pet-transfer.ts'
import type { Value } from '../sql/statement.ts'
import { defineColumns, type StagingTable, type TransferConnection } from '../sql/transfer-connection.ts'
import { type Connection, connectForLong, statementOf } from './connection.ts'
import { HOLD_ROWS, POSTGRES, TAKE_TURN_OF_ANIMALS } from './dialect.ts'
import { prepareDatabase, SIDE_BY_SIDE } from './migrate.ts'
import { isFull } from './pool.ts'
import { waitForInstances } from './wait-for-instances.ts'

/** The server disconnects a stalled process after this time, because it blocks other writes. */
const SILENT_MS = 5_000
/** The same for the connection that keeps others from creating animals, and waits while the lines are counted. */
const SILENT_WITH_IDS_MS = 10_000

/** @throws UserError when the database cannot be used, or its store is of a newer version or the other deployment */
export async function openPostgresTransfer(url: string, deployment: Deployment): Promise<PetTransfer> {
  await prepareDatabase(url, deployment)
  return new SqlPetTransfer(async () => new PostgresTransferConnection(url, await connectForLong(url)))
}

const TYPES = { key: 'BIGINT PRIMARY KEY', integer: 'BIGINT', text: 'TEXT COLLATE "C"' }

/** Temporary tables are not written to the server's log. They end with the transaction, after which a pooler may give the session to others. */
function createTable(table: StagingTable): string {
  const { name, index } = table
  const created = `CREATE TEMP TABLE ${name} (${defineColumns(table, TYPES)}) ON COMMIT DROP`
  return index === undefined ? created : `${created}; CREATE INDEX ON ${name} (${index})`
}

/** @param width how many of its first columns are given, as arrays */
function insertInto({ name, columns }: StagingTable, width: number): string {
  const names = Object.keys(columns).slice(0, width).join(', ')
  const arrays = Object.values(columns).map(type => `?::${type === 'text' ? 'text' : 'bigint'}[]`)
  return `INSERT INTO ${name} (${names})
    SELECT ${names} FROM unnest(${arrays.slice(0, width).join(', ')}) WITH ORDINALITY AS given (${names}, ordinal)
    ORDER BY ordinal ON CONFLICT DO NOTHING`
}

class PostgresTransferConnection implements TransferConnection {
  readonly dialect = POSTGRES
  readonly holdRows = HOLD_ROWS
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
    await this.#client.begin('', 'REPEATABLE READ READ ONLY')
  }

  async createStaging(tables: readonly StagingTable[]): Promise<void> {
    await orStoreFull(this.#client.begin(tables.map(createTable).join(';')))
  }

  async stage(table: StagingTable, rows: readonly (readonly Value[])[]): Promise<number> {
    const [first] = rows
    if (!first) return 0
    const arrays = first.map((_, index) => rows.map(values => values[index]))
    return (await this.#ask(insertInto(table, first.length), arrays)).rowCount ?? 0
  }

  async restage(sql: string, values: readonly unknown[] = []): Promise<void> {
    await this.query(sql, values)
  }

  async beginChange(): Promise<void> {
    await this.#client.query(`${endIfSilent(SILENT_MS)}; ${TAKE_TURN_OF_ANIMALS}`)
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
    await waitForInstances(async (sql, values) => (await this.#ask(sql, values)).rows)
  }

  async close(): Promise<void> {
    await Promise.all([this.#client.close(), this.#idsClient?.close()])
  }

  #ask(sql: string, values: readonly unknown[]) {
    return orStoreFull(this.#client.ask({ text: statementOf(sql).text, values }))
  }
}

async function orStoreFull<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    throw isFull(error) ? new StoreFull(error) : error
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
