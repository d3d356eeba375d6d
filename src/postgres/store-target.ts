import { DatabaseError } from 'pg'
import type { NewAuditEntry } from '../domain/audit.ts'
import type { Deployment } from '../domain/deployment.ts'
import { conflict, UserError } from '../domain/errors.ts'
import { formatTime } from '../domain/time.ts'
import { auditStatement } from '../sql/audit.ts'
import {
  type Extent,
  type Extents,
  isSame,
  type LastIds,
  lastKeyOf,
  readTable,
  TABLE_NAMES,
  TABLES_WITH_IDS,
  type Table,
  type TableName,
  type TextRow,
} from '../sql/tables.ts'
import { nameOf } from './address.ts'
import { type Connection, connectForLong, statementOf } from './connection.ts'
import { Lease } from './lease.ts'
import { MOVE_TABLE, prepareDatabase, toUserError } from './migrate.ts'

export interface Written {
  rows: number
  /** Undefined when no row has been written. */
  lastKey: string[] | undefined
}

/**
 * The database that a store is moved into. Each batch of rows is committed together with the progress of the move, which is in a table that
 * exists until the move is complete. So an interrupted move can be resumed, and no service opens an incomplete store.
 */
export class StoreTarget {
  readonly #client: Connection
  readonly #name: string
  /** Keeps services and other moves out. */
  #lease: Lease | undefined

  /**
   * @param signal aborts the statement that is running
   * @throws UserError when the database cannot be used, is in use, or holds anything but an interrupted move
   */
  static async open(url: string, deployment: Deployment, signal: AbortSignal): Promise<StoreTarget> {
    const name = nameOf(url)
    try {
      const target = new StoreTarget(await connectForLong(url, signal), name)
      try {
        if (!(await target.#isMoving())) await prepareDatabase(url, deployment)
        await target.#takeLease(url)
        // A move that was killed while it finished has finished by now.
        if (!(await target.#isMoving())) await target.#ensureUnused()
        return target
      } catch (error) {
        await target[Symbol.asyncDispose]()
        throw error
      }
    } catch (error) {
      throw toUserError(error, name)
    }
  }

  private constructor(client: Connection, name: string) {
    this.#client = client
    this.#name = name
  }

  /**
   * Begins a move, or resumes an interrupted one.
   * @param sent the store to be moved
   * @returns what has already been written
   * @throws UserError when the interrupted move was of another store, or this one has changed since
   */
  async begin(sent: Extents): Promise<ReadonlyMap<TableName, Written>> {
    return this.#orInterrupted(async () => {
      if (await this.#isMoving()) await this.#ensureSameMove(sent)
      else await this.#beginMove(sent)
      const { rows } = await this.#client.query(`SELECT name, written, last_key FROM ${MOVE_TABLE}`)
      return new Map(rows.map(row => [row.name, { rows: Number(row.written), lastKey: row.last_key ?? undefined }]))
    })
  }

  async write(table: Table, rows: readonly TextRow[]): Promise<void> {
    const columns = Object.keys(table.columns).map((_, index) => rows.map(row => row[index]))
    const values = [...columns, rows.length, lastKeyOf(table, rows), table.name]
    await this.#orInterrupted(() => this.#client.ask({ text: statementOf(writeStatement(table)).text, values }), table)
  }

  /** The rows of a table in the order of their keys, in batches, as of one moment. */
  async *read(table: Table): AsyncIterable<readonly TextRow[]> {
    const query = (sql: string, values: readonly unknown[]) =>
      this.#orInterrupted(async () => {
        const request = { text: statementOf(sql).text, values: [...values], rowMode: 'array' as const }
        return (await this.#client.query<string[]>(request)).rows
      })
    await this.#orInterrupted(() => this.#client.begin('', 'REPEATABLE READ READ ONLY'))
    yield* readTable({ query, hexOf: column => `encode(${column}, 'hex')` }, table)
    await this.#commit()
  }

  /** Turns the moved data into a store that can be opened. New ids follow the last ones; the audit entry gets the first new id. */
  async finish(lastIds: LastIds, entry: NewAuditEntry): Promise<void> {
    await this.#run(`ANALYZE ${TABLE_NAMES.join(', ')}`)
    await this.#orInterrupted(() => this.#client.begin())
    await this.#ensureNoCreations(lastIds.pet)
    for (const table of TABLES_WITH_IDS) await this.#setLastId(table, lastIds[table])
    await this.#orInterrupted(() => this.#client.run(auditStatement(entry)))
    await this.#run(`DROP TABLE ${MOVE_TABLE}`)
    await this.#commit()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lease?.close()
    await this.#client.close()
  }

  async #isMoving(): Promise<boolean> {
    const text = 'SELECT FROM pg_tables WHERE schemaname = current_schema() AND tablename = $1'
    return (await this.#client.query(text, [MOVE_TABLE])).rows.length > 0
  }

  async #takeLease(url: string): Promise<void> {
    const watch = { leaseLost() {}, leaseRestored() {} }
    try {
      this.#lease = await Lease.open(url, { instances: 'single', watch, settled: async () => {}, leave() {} })
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      throw conflict(`A service or another move is running on ${this.#name}; stop it first.`)
    }
  }

  /** A newly created store counts as unused. */
  async #ensureUnused(): Promise<void> {
    const filled = TABLE_NAMES.filter(name => name !== 'store').map(name => `EXISTS (SELECT FROM ${name})`)
    const { rows } = await this.#client.query(
      `SELECT ${filled.join(' OR ')} OR EXISTS (SELECT FROM pet_id WHERE last_value > 0) AS is_used,
         (SELECT max(at) FROM audit WHERE action = 'store.move') AS moved_at`,
    )
    const { is_used, moved_at } = rows[0]
    if (!is_used) return
    const origin = moved_at === null ? '' : `, which was moved there at ${formatTime(Number(moved_at))}`
    throw conflict(
      `The database ${this.#name} already holds a store${origin}; choose an empty database or a separate schema.`,
    )
  }

  async #ensureSameMove(sent: Extents): Promise<void> {
    const { rows } = await this.#client.query(`SELECT name, rows, checksum FROM ${MOVE_TABLE}`)
    const begun = new Map<string, Extent>(rows.map(row => [row.name, { ...row, rows: Number(row.rows) }]))
    const changed = TABLE_NAMES.filter(name => !isSame(begun.get(name), sent.get(name)))
    if (changed.length === 0) return
    throw conflict(
      `The interrupted move into ${this.#name} was of another store, or this store has changed since (${changed.join(', ')}). Empty the database and start over.`,
    )
  }

  async #beginMove(sent: Extents): Promise<void> {
    await this.#client.begin()
    await this.#client.query(
      `CREATE TABLE ${MOVE_TABLE} (
         name TEXT PRIMARY KEY, rows BIGINT NOT NULL, checksum TEXT NOT NULL,
         written BIGINT NOT NULL DEFAULT 0, last_key TEXT[]
       )`,
    )
    // From here on, no other program opens the store, but one may have opened it since the last check.
    await this.#ensureUnused()
    for (const [name, { rows, checksum }] of sent) {
      const text = `INSERT INTO ${MOVE_TABLE} (name, rows, checksum) VALUES ($1, $2, $3)`
      await this.#client.query(text, [name, rows, checksum])
    }
    await this.#client.finish('COMMIT')
  }

  /**
   * A program that opened the store before the move began may have created animals. From here to the end of the transaction, none can.
   * @param last the highest id; an earlier attempt to finish may already have set it, which a rollback does not undo
   */
  async #ensureNoCreations(last: bigint): Promise<void> {
    const { rows } = await this.#orInterrupted(() => this.#client.query('SELECT lock_pet_ids() AS highest'))
    if ([0n, last].includes(rows[0].highest)) return
    throw conflict(
      `Another program created animals in ${this.#name} during the move. Empty the database and start over.`,
    )
  }

  /** @param last 0 when no id was given */
  #setLastId(table: (typeof TABLES_WITH_IDS)[number], last: bigint): Promise<void> {
    if (table === 'pet') return this.#run("SELECT setval('pet_id', $1)", [last])
    const isUnused = last === 0n
    const values = [table, isUnused ? 1n : last, !isUnused]
    return this.#run(`SELECT setval(pg_get_serial_sequence($1, 'id'), $2, $3)`, values)
  }

  async #run(text: string, values: unknown[] = []): Promise<void> {
    await this.#orInterrupted(() => this.#client.ask({ text, values }))
  }

  #commit(): Promise<void> {
    return this.#orInterrupted(() => this.#client.finish('COMMIT'))
  }

  async #orInterrupted<Result>(work: () => Promise<Result>, table?: Table): Promise<Result> {
    try {
      const result = await work()
      this.#client.ensureReplicated()
      return result
    } catch (error) {
      if (error instanceof UserError) throw error
      const { message } = error as Error
      if (table && error instanceof DatabaseError && INVALID_ROW.test(error.code ?? '')) {
        throw conflict(`A row of the table ${table.name} cannot be moved: ${message}.`)
      }
      throw conflict(`The move into ${this.#name} was interrupted (${message}); run the same command again to resume.`)
    }
  }
}

/** Data exceptions and integrity constraint violations (postgresql.org/docs/current/errcodes-appendix.html). */
const INVALID_ROW = /^2[23]/

/**
 * One statement, so that rows and progress are committed together. Its parameters are the values of each column, the number of rows, the last
 * key, and the name of the table.
 */
function writeStatement({ name, columns }: Table): string {
  const all = Object.keys(columns)
  const names = all.join(', ')
  const typed = Object.entries(columns).map(([column, type]) => TYPED[type](column))
  // The only row of the table `store` was created together with the tables.
  const put =
    name === 'store'
      ? `UPDATE store SET ${all.map(column => `${column} = sent.${column}`).join(', ')} FROM sent WHERE store.deployment = sent.deployment`
      : `INSERT INTO ${name} (${names}) SELECT * FROM sent`
  return `WITH
    sent AS (SELECT ${typed.join(', ')} FROM unnest(${typed.map(() => '?::text[]').join(', ')}) AS sent (${names})),
    put AS (${put})
    UPDATE ${MOVE_TABLE} SET written = written + ?, last_key = ?::text[] WHERE name = ?`
}

const TYPED = {
  integer: (column: string) => `${column}::bigint AS ${column}`,
  text: (column: string) => column,
  bytes: (column: string) => `decode(${column}, 'hex') AS ${column}`,
}
