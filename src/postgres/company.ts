import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { Mistake } from '../domain/errors.ts'

/** Whether an instance counts calls by itself, and must be the only one, or together with others. */
export type Company = 'alone' | 'shared'

/** The server may need a moment to see that an instance has ended, and some seconds if its machine has. */
const PATIENCE_MS = 6_000
const PAUSE_MS = 100

/** "pets": what tells these locks from those of other programs in the database. */
const KEY = 0x70657473n << 32n

const TAKEN: Readonly<Record<Company, string>> = {
  alone:
    'Other instances serve on this database, and this one has no Redis: it would admit the full limits beside them. Set PETSTORE_REDIS_URL to the Redis that they use, or stop them.',
  shared:
    'An instance without Redis serves on this database: it admits the full limits beside all others. Set PETSTORE_REDIS_URL for it too, or stop it.',
}

/**
 * Makes sure that an instance which counts calls by itself is the only one that serves on a store. The connection holds the lock, so
 * it ends with it.
 * @param oid tells the stores of a database apart
 * @throws Mistake when another instance is in the way for longer than it takes to end
 */
export async function keepCompany(client: Client, oid: number, company: Company): Promise<void> {
  const take = company === 'alone' ? 'pg_try_advisory_lock' : 'pg_try_advisory_lock_shared'
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const { rows } = await client.query(`SELECT ${take}($1::int8) AS taken`, [String(KEY | BigInt(oid))])
    if (rows[0].taken) return
    if (performance.now() > deadline) throw new Mistake('conflict', TAKEN[company])
    await sleep(PAUSE_MS)
  }
}
