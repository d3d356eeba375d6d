import type { DatabaseSync } from 'node:sqlite'

/** The tables that Litestream creates in each database that it replicates, with their columns (litestream.io, db.go). */
const TABLES: Readonly<Record<string, string>> = {
  _litestream_seq: 'id INTEGER, seq INTEGER',
  _litestream_lock: 'id INTEGER',
}

/** Whether a table of the database is one of Litestream's. It has no meaning in a store, and does no harm. */
export function isLitestreamTable(database: DatabaseSync, table: string): boolean {
  const columns = database.prepare('SELECT name, type FROM pragma_table_info(?) ORDER BY cid').all(table)
  return TABLES[table] === columns.map(({ name, type }) => `${name} ${type}`).join(', ')
}
