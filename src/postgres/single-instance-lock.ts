import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { UserError } from '../domain/errors.ts'

/** `single`: the instance counts calls on its own, and must be the only one. `many`: it counts them together with the others. */
export type Instances = 'single' | 'many'

/** The server may need a moment to notice that an instance has ended, and some seconds if its whole machine is gone. */
const TIMEOUT_MS = 6_000
const RETRY_AFTER_MS = 100

/** "pets" in ASCII: distinguishes these locks from those of other programs in the database. */
const KEY = 0x70657473n << 32n

const TAKEN: Readonly<Record<Instances, string>> = {
  single:
    'Other instances are serving on this database, and this one has no Redis: together they would admit more calls than the limits allow. Set PETSTORE_REDIS_URL to the Redis of the others, or stop them.',
  many: 'An instance without Redis is serving on this database: together they would admit more calls than the limits allow. Set PETSTORE_REDIS_URL for that instance too, or stop it.',
}

/**
 * Makes sure that an instance that counts calls on its own is the only instance on a store. The lock belongs to the connection and ends
 * with it.
 * @param oid distinguishes the stores of a database
 * @throws UserError when another instance holds a conflicting lock for longer than a stopping instance would
 */
export async function ensureInstances(client: Client, oid: number, instances: Instances): Promise<void> {
  const take = instances === 'single' ? 'pg_try_advisory_lock' : 'pg_try_advisory_lock_shared'
  const deadline = performance.now() + TIMEOUT_MS
  for (;;) {
    const { rows } = await client.query(`SELECT ${take}($1::int8) AS taken`, [String(KEY | BigInt(oid))])
    if (rows[0].taken) return
    if (performance.now() > deadline) throw new UserError('conflict', TAKEN[instances])
    await sleep(RETRY_AFTER_MS)
  }
}
