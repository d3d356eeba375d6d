import { DatabaseError } from 'pg'
import type { NewAuditEntry } from '../domain/audit.ts'
import type { Deployment } from '../domain/deployment.ts'
import { Mistake } from '../domain/errors.ts'
import { formatTime } from '../domain/time.ts'
import {
  type Extent,
  type Extents,
  isSame,
  type LastIds,
  lastKeyOf,
  STORE,
  TABLES,
  TABLES_WITH_IDS,
  type Table,
  type TextRow,
} from '../sql/tables.ts'
import { writeAuditEntry } from './audit-entry.ts'
import { keepCompany } from './company.ts'
import { type Connection, nameOf } from './connection.ts'
import { connectForLong } from './long-connection.ts'
import { MOVE_TABLE, mistakeOf, prepareDatabase } from './migrate.ts'

const READ_AT_ONCE = 1_000

/** How far a table has been written. */
export interface Written {
  rows: number
  /** Undefined where nothing has been written. */
  lastKey: string[] | undefined
}

/**
 * A database that a store is moved into. What has been written, and how far, is committed together, in a table that is there for as
 * long as the move is not finished: a move that was broken off is gone on with, and until it is finished nobody else opens the store.
 */
export class StoreTarget {
  readonly #client: Connection
  readonly #name: string

  /**
   * @param signal breaks off what is under way
   * @throws Mistake when the database cannot be used, is in use, or holds something else than the beginning of a move
   */
  static async open(url: string, deployment: Deployment, signal: AbortSignal): Promise<StoreTarget> {
    const name = nameOf(url)
    try {
      const client = await connectForLong(url, signal)
      try {
        const target = new StoreTarget(client, name)
        if (!(await target.#isMoving())) await prepareDatabase(url, deployment)
        await target.#holdAlone()
        // A move whose end was under way when it was killed has ended by now.
        if (!(await target.#isMoving())) await target.#ensureUnused()
        return target
      } catch (error) {
        await client.close()
        throw error
      }
    } catch (error) {
      throw mistakeOf(error, name)
    }
  }

  private constructor(client: Connection, name: string) {
    this.#client = client
    this.#name = name
  }

  /**
   * Begins a move, or goes on with the one that was broken off.
   * @param sent what is to be moved
   * @returns what has been written already
   * @throws Mistake when something else was to be moved then
   */
  async begin(sent: Extents): Promise<ReadonlyMap<string, Written>> {
    return this.#orBrokenOff(async () => {
      if (await this.#isMoving()) await this.#ensureSameMove(sent)
      else await this.#beginAnew(sent)
      const { rows } = await this.#client.query(`SELECT name, written, last_key FROM ${MOVE_TABLE}`)
      return new Map(rows.map(row => [row.name, { rows: Number(row.written), lastKey: row.last_key ?? undefined }]))
    })
  }

  /** Adds the next rows of a table, in the order of their keys. */
  async write(table: Table, rows: readonly TextRow[]): Promise<void> {
    const columns = Object.keys(table.columns)
    const values = columns.map((_, index) => rows.map(row => row[index]))
    const text = writeStatement(table)
    await this.#orBrokenOff(
      () => this.#client.query({ text, values: [...values, table.name, rows.length, lastKeyOf(table, rows)] }),
      table,
    )
  }

  /** A table's rows in the order of their keys, a batch at a time, as of one moment. */
  async *read(table: Table): AsyncIterable<readonly TextRow[]> {
    await this.#ask('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    await this.#ask(`DECLARE moved NO SCROLL CURSOR FOR ${readStatement(table)}`)
    for (;;) {
      const text = `FETCH ${READ_AT_ONCE} FROM moved`
      const { rows } = await this.#orBrokenOff(() => this.#client.query<string[]>({ text, rowMode: 'array' }))
      if (rows.length === 0) break
      yield rows
    }
    await this.#ask('COMMIT')
  }

  /** Makes what was moved a store that can be opened. New ids go on from these; the entry gets the first. */
  async finish(lastIds: LastIds, entry: NewAuditEntry): Promise<void> {
    await this.#ask(`ANALYZE ${TABLES.map(({ name }) => name).join(', ')}`)
    await this.#ask('BEGIN')
    await this.#ensureNoCreations(lastIds.pet)
    for (const table of TABLES_WITH_IDS) await this.#setLastId(table, lastIds[table])
    await this.#orBrokenOff(() => writeAuditEntry(this.#client, entry))
    await this.#ask(`DROP TABLE ${MOVE_TABLE}`)
    await this.#ask('COMMIT')
  }

  async close(): Promise<void> {
    await this.#client.close()
  }

  async #isMoving(): Promise<boolean> {
    const text = 'SELECT FROM pg_tables WHERE schemaname = current_schema() AND tablename = $1'
    return (await this.#client.query(text, [MOVE_TABLE])).rows.length > 0
  }

  /** Against services, and against another move. */
  async #holdAlone(): Promise<void> {
    const { rows } = await this.#client.query("SELECT 'revision'::regclass::oid AS oid")
    try {
      await keepCompany(this.#client, rows[0].oid, 'alone')
    } catch (error) {
      if (!(error instanceof Mistake)) throw error
      throw new Mistake('conflict', `A service, or another move, is at work in ${this.#name}; stop it first.`)
    }
  }

  /** A store that has just been made is as good as none. */
  async #ensureUnused(): Promise<void> {
    const filled = TABLES.filter(table => table !== STORE).map(({ name }) => `EXISTS (SELECT FROM ${name})`)
    const { rows } = await this.#client.query(
      `SELECT ${filled.join(' OR ')} OR EXISTS (SELECT FROM pet_id WHERE last_value > 0) AS is_used,
         (SELECT max(at) FROM audit WHERE action = 'store.move') AS moved_at`,
    )
    const { is_used, moved_at } = rows[0]
    if (!is_used) return
    const origin = moved_at === null ? '' : `, which was moved there at ${formatTime(Number(moved_at))}`
    throw new Mistake(
      'conflict',
      `The database ${this.#name} holds a store already${origin}; name an empty one, or a schema of its own.`,
    )
  }

  async #ensureSameMove(sent: Extents): Promise<void> {
    const { rows } = await this.#client.query(`SELECT name, rows, checksum FROM ${MOVE_TABLE}`)
    const begun = new Map<string, Extent>(rows.map(row => [row.name, { ...row, rows: Number(row.rows) }]))
    const other = TABLES.map(({ name }) => name).filter(name => !isSame(begun.get(name), sent.get(name)))
    if (other.length === 0) return
    throw new Mistake(
      'conflict',
      `The move into ${this.#name} was begun with another store, or this one has changed since (${other.join(', ')}). Empty the database, and move again.`,
    )
  }

  async #beginAnew(sent: Extents): Promise<void> {
    await this.#client.query('BEGIN')
    await this.#client.query(
      `CREATE TABLE ${MOVE_TABLE} (
         name TEXT PRIMARY KEY, rows BIGINT NOT NULL, checksum TEXT NOT NULL,
         written BIGINT NOT NULL DEFAULT 0, last_key TEXT[]
       )`,
    )
    // From here on nobody opens the store, but somebody may have since it was looked at.
    await this.#ensureUnused()
    for (const [name, { rows, checksum }] of sent) {
      const text = `INSERT INTO ${MOVE_TABLE} (name, rows, checksum) VALUES ($1, $2, $3)`
      await this.#client.query(text, [name, rows, checksum])
    }
    await this.#client.query('COMMIT')
  }

  /**
   * By a program that had opened the store before the move began. Nobody creates animals from here to the end of the transaction.
   * @param last where an earlier attempt may have put the newest id, which no transaction takes back
   */
  async #ensureNoCreations(last: bigint): Promise<void> {
    const { rows } = await this.#orBrokenOff(() => this.#client.query('SELECT lock_pet_ids() AS newest'))
    if ([0n, last].includes(rows[0].newest)) return
    throw new Mistake(
      'conflict',
      `Animals were created in ${this.#name} during the move: somebody has changed it. Empty it, and move again.`,
    )
  }

  /** @param last 0 where none was given */
  #setLastId(table: (typeof TABLES_WITH_IDS)[number], last: bigint): Promise<void> {
    if (table === 'pet') return this.#ask("SELECT setval('pet_id', $1)", [last])
    const first = last === 0n
    return this.#ask(`SELECT setval(pg_get_serial_sequence($1, 'id'), $2, $3)`, [table, first ? 1n : last, !first])
  }

  async #ask(text: string, values: unknown[] = []): Promise<void> {
    await this.#orBrokenOff(() => this.#client.query(text, values))
  }

  async #orBrokenOff<Result>(work: () => Promise<Result>, table?: Table): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof Mistake) throw error
      const { message } = error as Error
      if (table && error instanceof DatabaseError && UNFIT.test(error.code ?? '')) {
        throw new Mistake('conflict', `A row of the table ${table.name} cannot be moved: ${message}.`)
      }
      throw new Mistake(
        'conflict',
        `The move into ${this.#name} broke off (${message}); the same command goes on from here.`,
      )
    }
  }
}

/** Data exceptions and integrity constraint violations (postgresql.org/docs/current/errcodes-appendix.html). */
const UNFIT = /^2[23]/

/** One statement, so that the rows and how far they go are committed together. */
function writeStatement(table: Table): string {
  const columns = Object.keys(table.columns)
  const texts = columns.map((_, index) => `$${index + 1}::text[]`).join(', ')
  const [name, count, lastKey] = [1, 2, 3].map(place => `$${columns.length + place}`)
  return `WITH sent AS (SELECT ${columns.map(column => typedColumn(table, column)).join(', ')}
      FROM unnest(${texts}) AS sent (${columns.join(', ')})),
    put AS (${put(table, columns)})
    UPDATE ${MOVE_TABLE} SET written = written + ${count}, last_key = ${lastKey}::text[] WHERE name = ${name}`
}

/** The row that says which store it is has been made with the tables. */
function put(table: Table, columns: readonly string[]): string {
  return table === STORE
    ? 'UPDATE store SET cursor_secret = sent.cursor_secret FROM sent WHERE store.deployment = sent.deployment'
    : `INSERT INTO ${table.name} (${columns.join(', ')}) SELECT * FROM sent`
}

function typedColumn({ columns }: Table, column: string): string {
  const expressions = {
    integer: `${column}::bigint AS ${column}`,
    text: column,
    bytes: `decode(${column}, 'hex') AS ${column}`,
  }
  return expressions[columns[column] as keyof typeof expressions]
}

function readStatement({ name, columns, key, isDescending }: Table): string {
  const texts = Object.entries(columns).map(([column, type]) =>
    type === 'bytes' ? `encode(${column}, 'hex')` : `${column}::text`,
  )
  // By bytes, as everywhere, whatever the server's language.
  const order = key.map(column =>
    columns[column] === 'text' ? `${column} COLLATE "C"` : `${name}.${column}${isDescending ? ' DESC' : ''}`,
  )
  return `SELECT ${texts.join(', ')} FROM ${name} ORDER BY ${order.join(', ')}`
}
