import { setTimeout as sleep } from 'node:timers/promises'
import { conflict } from '../domain/errors.ts'
import type { Connection } from './connection.ts'
import { currentMoment, type Moment } from './elapsed-time.ts'
import { DELETE_SILENT, type RenewalCounts, Renewals } from './renewals.ts'

/** `single`: the instance counts calls on its own, and must be the only one. `many`: it counts them together with the others. */
export type Instances = 'single' | 'many'

interface Registration {
  id: bigint
  /** The numbers of changes that it need not learn: it knows nothing yet. */
  callers: bigint
  corrections: bigint
  /** Before the database was asked. */
  sentAt: Moment
}

/** Longer than the lease of an instance that was killed, and than an instance takes to stop. */
const TIMEOUT_MS = 6_000
const RETRY_AFTER_MS = 100

/** "pets" in ASCII, above the oid of the table `revision`: instances of 1.1.0 hold this lock. */
const KEY = `${0x70657473n << 32n} + 'revision'::regclass::oid::int8`

const TAKEN: Readonly<Record<Instances, string>> = {
  single:
    'Other instances are serving on this database, and this one has no Redis: together they would admit more calls than the limits allow. Set PETSTORE_REDIS_URL to the Redis of the others, or stop them.',
  many: 'An instance without Redis is serving on this database: together they would admit more calls than the limits allow. Set PETSTORE_REDIS_URL for that instance too, or stop it.',
}

/**
 * Adds the row of an instance. From then on, every change waits for it. An instance that counts calls on its own must be the only one.
 * @param former the row that it had before, if any
 * @throws UserError when a conflicting instance renews its lease for longer than a stopping one would
 */
export async function register(client: Connection, instances: Instances, former?: bigint): Promise<Registration> {
  const renewals = new Renewals()
  const deadline = performance.now() + TIMEOUT_MS
  for (;;) {
    const sentAt = currentMoment()
    const { row, conflicting } = await tryToRegister(client, instances, former)
    if (row) return { ...row, sentAt }
    for (const silent of renewals.findSilent(conflicting)) await client.ask({ text: DELETE_SILENT, values: silent })
    if (performance.now() > deadline) throw conflict(TAKEN[instances])
    await sleep(RETRY_AFTER_MS)
  }
}

/** One after another, if one of them counts calls on its own. */
async function tryToRegister(client: Connection, instances: Instances, former: bigint | undefined) {
  const isSingle = instances === 'single'
  await client.begin()
  const lock = isSingle ? 'pg_try_advisory_xact_lock' : 'pg_try_advisory_xact_lock_shared'
  const [turn] = (await client.query(`SELECT ${lock}(${KEY}) AS is_taken`)).rows
  const conflicting: RenewalCounts = (await client.query(FIND_CONFLICTING, [isSingle, former])).rows[0].counts
  const isFree = turn.is_taken && Object.keys(conflicting).length === 0
  const row = isFree
    ? (await client.query<Omit<Registration, 'sentAt'>>(REGISTER, [isSingle, former])).rows[0]
    : undefined
  await client.finish('COMMIT')
  client.ensureReplicated()
  return { row, conflicting }
}

const FIND_CONFLICTING = `SELECT coalesce(json_object_agg(id, renewals), '{}') AS counts FROM instance
  WHERE ($1 OR counts_alone) AND id IS DISTINCT FROM $2`

const REGISTER = `WITH former AS (DELETE FROM instance WHERE id = $2)
  INSERT INTO instance (seen, counts_alone) SELECT callers + corrections, $1 FROM revision
  RETURNING id, (SELECT callers FROM revision) AS callers, (SELECT corrections FROM revision) AS corrections`
