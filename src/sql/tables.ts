import { createHash } from 'node:crypto'

/** One row: its columns in their order, each as text (integers in decimal, bytes in hexadecimal), null where there is nothing. */
export type TextRow = readonly (string | null)[]

type ColumnType = 'integer' | 'text' | 'bytes'

/** A table that every store of SQL has, with the same columns. */
export interface Table {
  name: string
  columns: Readonly<Record<string, ColumnType>>
  /** The columns that tell its rows apart, and by which they are ordered. */
  key: readonly string[]
  /** Rows may refer to others with a higher key. */
  isDescending?: true
}

/** Which store it is; one row. */
export const STORE: Table = {
  name: 'store',
  columns: { deployment: 'text', cursor_secret: 'bytes' },
  key: ['deployment'],
}

/**
 * All that a store remembers, each table behind those that it refers to. Not among them: the sessions of operators, who sign in
 * again, and the revision, which means something only to services that run.
 */
export const TABLES: readonly Table[] = [
  STORE,
  {
    name: 'account',
    columns: {
      id: 'integer',
      name: 'text',
      plan: 'text',
      per_minute: 'integer',
      per_day: 'integer',
      created_at: 'integer',
      suspended_at: 'integer',
    },
    key: ['id'],
  },
  {
    name: 'api_key',
    columns: {
      id: 'integer',
      account_id: 'integer',
      hash: 'text',
      hint: 'text',
      name: 'text',
      created_at: 'integer',
      expires_at: 'integer',
      revoked_at: 'integer',
      replaced_by: 'integer',
    },
    key: ['id'],
    // A successor is always newer than the key that it replaces.
    isDescending: true,
  },
  {
    name: 'ban',
    columns: {
      id: 'integer',
      key_id: 'integer',
      started_at: 'integer',
      ends_at: 'integer',
      ordinal: 'integer',
      lifted_at: 'integer',
    },
    key: ['id'],
  },
  {
    name: 'account_count',
    columns: {
      account_id: 'integer',
      minute_used: 'integer',
      minute_resets_at: 'integer',
      day_used: 'integer',
      day_resets_at: 'integer',
    },
    key: ['account_id'],
  },
  {
    name: 'operator_token',
    columns: {
      id: 'integer',
      hash: 'text',
      hint: 'text',
      name: 'text',
      role: 'text',
      created_at: 'integer',
      expires_at: 'integer',
      revoked_at: 'integer',
    },
    key: ['id'],
  },
  {
    name: 'pet',
    columns: { id: 'integer', name: 'text', category_id: 'integer', status: 'text' },
    key: ['id'],
  },
  {
    name: 'idempotent_creation',
    columns: {
      account_id: 'integer',
      key: 'text',
      fingerprint: 'text',
      created_at: 'integer',
      pet_id: 'integer',
      name: 'text',
      category_id: 'integer',
      status: 'text',
    },
    key: ['account_id', 'key'],
  },
  {
    name: 'usage',
    columns: {
      day: 'integer',
      account_id: 'integer',
      key_id: 'integer',
      operation: 'text',
      admitted: 'integer',
      refused: 'integer',
      banned: 'integer',
      status_2xx: 'integer',
      status_3xx: 'integer',
      status_4xx: 'integer',
      status_5xx: 'integer',
      last_at: 'integer',
    },
    key: ['day', 'account_id', 'key_id', 'operation'],
  },
  {
    name: 'audit',
    columns: {
      id: 'integer',
      at: 'integer',
      actor: 'text',
      origin: 'text',
      action: 'text',
      subject_id: 'integer',
      account_id: 'integer',
      details: 'text',
    },
    key: ['id'],
  },
]

/** The tables whose rows are given ids by the store; an id is never used again. */
export const TABLES_WITH_IDS = ['account', 'api_key', 'ban', 'operator_token', 'pet', 'audit'] as const

/** The highest id that each of them ever gave, 0 where it gave none. */
export type LastIds = Record<(typeof TABLES_WITH_IDS)[number], bigint>

/** How many rows a table has, and a checksum of all of them: two tables with the same contents have the same. */
export interface Extent {
  rows: number
  /** SHA-256, in hexadecimal, of the rows in the order of their keys, each as JSON in a line of its own. */
  checksum: string
}

/** By the tables' names. */
export type Extents = ReadonlyMap<string, Extent>

export function isSame(one: Extent | undefined, other: Extent | undefined): boolean {
  return one?.rows === other?.rows && one?.checksum === other?.checksum
}

/** @param batches the table's rows in the order of their keys */
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

/** The key of the last of some rows; undefined where there are none. */
export function lastKeyOf({ columns, key }: Table, rows: readonly TextRow[]): string[] | undefined {
  const names = Object.keys(columns)
  const last = rows.at(-1)
  return last && key.map(name => last[names.indexOf(name)] as string)
}
