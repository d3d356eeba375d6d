import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'

/**
 * The tables with all data of a store, each after the tables that it refers to. Not included are sessions and sign-in links, because operators
 * sign in again; the revision, which matters only to running services; and the counts and the index of animals, which a service derives from
 * the animals.
 */
export const TABLE_NAMES = [
  'store',
  'account',
  'api_key',
  'ban',
  'claim_link',
  'account_count',
  'operator_token',
  'pet',
  'category',
  'source',
  'source_pet',
  'source_run',
  'idempotent_creation',
  'operator_creation',
  'usage',
  'hourly_usage',
  'account_usage',
  'hourly_account_usage',
  'operation_usage',
  'hourly_operation_usage',
  'key_use',
  'key_origin',
  'refusal',
  'audit',
  'pet_change',
  'deleted_pet',
] as const

export type TableName = (typeof TABLE_NAMES)[number]

/** The tables whose ids the store assigns; ids are never reused. */
export const TABLES_WITH_IDS = [
  'account',
  'api_key',
  'ban',
  'claim_link',
  'operator_token',
  'pet',
  'source',
  'source_run',
  'audit',
] as const

/** The highest id ever assigned in each table; 0 before the first. */
export type LastIds = Record<(typeof TABLES_WITH_IDS)[number], bigint>

/** A table that every SQL store has, with the same columns. */
export interface Table {
  name: TableName
  columns: Readonly<Record<string, 'integer' | 'text' | 'bytes'>>
  /** The columns that identify rows and define their order. */
  key: readonly string[]
}

/** The columns of a row in order, each as text (integers in decimal, bytes in hexadecimal) or null. */
export type TextRow = readonly (string | null)[]

/** In rows. Several batches of the largest rows fit into a small heap. */
const BATCH_SIZE = 1_000

interface TableReader {
  /** Runs a statement with a question mark for each value. */
  query(sql: string, values: readonly (string | bigint)[]): Promise<readonly TextRow[]>
  /** The SQL expression that converts a column of bytes to hexadecimal. */
  hexOf(column: string): string
}

/**
 * Reads a table in the order of its key, in batches.
 * @param afterKey the key of the last row to skip
 */
export async function* readTable(
  { query, hexOf }: TableReader,
  table: Table,
  afterKey?: readonly string[],
): AsyncIterable<readonly TextRow[]> {
  const { name, columns, key } = table
  const texts = Object.entries(columns).map(([column, type]) =>
    type === 'bytes' ? hexOf(column) : `CAST(${column} AS TEXT)`,
  )
  // A key may refer to its successor, which always has a higher id.
  const isDescending = name === 'api_key'
  // Qualified with the table name: otherwise PostgreSQL would sort by the output column of the same name, which is text.
  // Texts sort by their bytes in both databases: PostgreSQL's columns have COLLATE "C".
  const order = key.map(column => `${name}.${column}${isDescending ? ' DESC' : ''}`).join(', ')
  const isAfter = `(${key.join(', ')}) ${isDescending ? '<' : '>'} (${key.map(() => '?').join(', ')})`
  for (let after = afterKey; ; ) {
    const values = after?.map((value, index) => (columns[key[index] as string] === 'integer' ? BigInt(value) : value))
    const where = values ? `WHERE ${isAfter}` : ''
    const sql = `SELECT ${texts.join(', ')} FROM ${name} ${where} ORDER BY ${order} LIMIT ${BATCH_SIZE}`
    const rows = await query(sql, values ?? [])
    if (rows.length === 0) return
    yield rows
    after = lastKeyOf(table, rows)
    // SQLite returns synchronously: this gives signals a chance to be handled in between.
    await setImmediate()
  }
}

export function lastKeyOf({ columns, key }: Table, rows: readonly TextRow[]): string[] | undefined {
  const names = Object.keys(columns)
  const last = rows.at(-1)
  return last && key.map(name => last[names.indexOf(name)] as string)
}

/** The size of a table and a checksum of its contents. */
export interface Extent {
  rows: number
  /** SHA-256, in hexadecimal, of the rows in the order of their keys, each as a line of JSON. */
  checksum: string
}

export type Extents = ReadonlyMap<TableName, Extent>

export function isSame(one: Extent | undefined, other: Extent | undefined): boolean {
  return one?.rows === other?.rows && one?.checksum === other?.checksum
}

/** @param batches the rows of a table in the order of their keys */
export async function measure(
  batches: AsyncIterable<readonly TextRow[]>,
  onBatch: (batch: readonly TextRow[]) => void,
): Promise<Extent> {
  const hash = createHash('sha256')
  let rows = 0
  for await (const batch of batches) {
    rows += batch.length
    for (const row of batch) hash.update(`${JSON.stringify(row)}\n`)
    onBatch(batch)
  }
  return { rows, checksum: hash.digest('hex') }
}
