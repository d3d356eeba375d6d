import type { Client } from 'pg'
import { MIGRATIONS } from './migrate.ts'
import { isDenied } from './pool.ts'

/** Something that the service does and this user may not do. */
export interface DeniedRight {
  /** In the words of the server. */
  reason: string
  /** The statement with which the owner grants it, such as `GRANT INSERT ON pet TO clerk`. */
  remedy: string
}

/**
 * Tries all that the service does with the tables, in a transaction that is rolled back. PostgreSQL checks the rights of a statement also when it
 * only explains it. The owner of the tables has all of them.
 */
export async function findDeniedRight(client: Client): Promise<DeniedRight | undefined> {
  await client.query('BEGIN')
  try {
    const { user, database } = (await client.query(NAMES)).rows[0]
    for (const { right, sql } of [...TRIALS, temporaryTable(database)]) {
      const reason = await reasonDenied(client, sql)
      if (reason !== undefined) return { reason, remedy: `GRANT ${right} TO ${user}` }
    }
    return undefined
  } finally {
    await client.query('ROLLBACK')
  }
}

const NAMES = 'SELECT quote_ident(current_user) AS user, quote_ident(current_database()) AS database'

const TABLES = MIGRATIONS.flatMap(sql => [...sql.matchAll(/\bCREATE TABLE (\w+)/g)].map(([, table = '']) => table))

/** Its entries are neither changed nor deleted. */
const APPEND_ONLY = 'audit'

interface Trial {
  right: string
  sql: string
}

const TRIALS: readonly Trial[] = [
  ...TABLES.flatMap(table => [
    { right: `SELECT ON ${table}`, sql: `EXPLAIN SELECT * FROM ${table}` },
    { right: `INSERT ON ${table}`, sql: `EXPLAIN INSERT INTO ${table} DEFAULT VALUES` },
  ]),
  ...TABLES.filter(table => table !== APPEND_ONLY).flatMap(table => [
    // A row can be locked only by those who may update it.
    { right: `UPDATE ON ${table}`, sql: `EXPLAIN SELECT * FROM ${table} FOR UPDATE` },
    { right: `DELETE ON ${table}`, sql: `EXPLAIN DELETE FROM ${table}` },
  ]),
  {
    right: 'UPDATE ON SEQUENCE pet_id',
    // Without the right, the call fails before it changes anything. With it, there is no call.
    sql: "SELECT setval('pet_id', last_value) FROM pet_id WHERE NOT has_sequence_privilege('pet_id', 'UPDATE')",
  },
]

/** Imports use temporary tables. */
function temporaryTable(database: string): Trial {
  return { right: `TEMPORARY ON DATABASE ${database}`, sql: 'CREATE TEMP TABLE petstore_doctor ()' }
}

async function reasonDenied(client: Client, sql: string): Promise<string | undefined> {
  try {
    await client.query(sql)
    return undefined
  } catch (error) {
    if (isDenied(error)) return error.message
    throw error
  }
}
