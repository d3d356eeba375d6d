import { setImmediate as nextTurn } from 'node:timers/promises'
import { DatabaseError } from 'pg'
import { StoreUnavailable } from '../domain/errors.ts'
import type { DatedRequest } from '../domain/idempotency.ts'
import { MEMBER_NAMES, type NewPet } from '../domain/pet.ts'
import { afterSilence } from '../domain/silence.ts'
import type { Creation } from '../domain/store/animals.ts'
import type { OnCommit } from '../domain/store/watch.ts'
import { type TermValues, termValues, WRITER } from '../sql/callers.ts'
import { COLUMNS, eachColumn } from '../sql/pet-columns.ts'
import { petOf } from '../sql/pets.ts'
import type { Row } from '../sql/statement.ts'
import type { Wish } from '../sql/store.ts'
import { SILENT } from './connection.ts'
import { ARRAYS } from './dialect.ts'
import type { Pool } from './pool.ts'

interface Waiting {
  pet: NewPet
  now: number
  request: DatedRequest | undefined
  terms: TermValues | undefined
  resolve(creation: Creation): void
  reject(error: unknown): void
}

const MAX_BATCH = 1_000

/**
 * Creates animals, many with one statement: creations that arrive while a batch is running go into the next batch. Only one batch runs at a
 * time, so batches grow with the load, and all creations in a batch share one commit.
 */
export class Creations {
  readonly #pool: Pool
  readonly #callMs: number
  readonly #onCommit: OnCommit
  readonly #waiting = new Set<Waiting>()
  #isClosed = false
  /** The last batch. */
  #running: Promise<void> = Promise.resolve()
  /** Undefined while no creation is waiting. */
  #sending: Promise<void> | undefined

  /** @param callMs timeout of a whole creation */
  constructor(pool: Pool, callMs: number, onCommit: OnCommit) {
    this.#pool = pool
    this.#callMs = callMs
    this.#onCommit = onCommit
  }

  create(...[pet, now, request, terms]: Wish): Promise<Creation> {
    if (this.#isClosed) return Promise.reject(unavailable('The store is closed.'))
    const { promise, resolve, reject } = Promise.withResolvers<Creation>()
    const creation = { pet, now, request, terms: terms && termValues(terms), resolve, reject }
    const settled = afterSilence(this.#callMs, () => {
      this.#waiting.delete(creation)
      reject(unavailable(SILENT))
    })
    this.#waiting.add(creation)
    this.#sending ??= this.#sendAll()
    return promise.finally(settled)
  }

  /** Resolves when the batch that is running now has ended. Later ones see everything that is committed now. */
  settled(): Promise<void> {
    return this.#running
  }

  /** Carries out the pending creations. Further ones are refused. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#sending
  }

  async #sendAll(): Promise<void> {
    try {
      while (this.#waiting.size > 0) {
        // Callers that have just received a response call again within the first of these turns, and join the batch.
        await nextTurn()
        await nextTurn()
        const batch = [...this.#waiting].slice(0, MAX_BATCH)
        for (const creation of batch) this.#waiting.delete(creation)
        if (batch.length === 0) continue
        this.#running = this.#send(batch)
        await this.#running
      }
    } finally {
      this.#sending = undefined
    }
  }

  async #send(batch: readonly Waiting[]): Promise<void> {
    const sentAt = performance.now()
    try {
      const rows = await this.#pool.query<CreationRow>(CREATE_PETS, parametersOf(batch))
      const milliseconds = performance.now() - sentAt
      for (const row of rows) settle(batch[Number(row.place) - 1] as Waiting, row)
      // Those whose callers may not write are left; for the others, this does nothing.
      for (const { resolve } of batch) resolve({ outcome: 'not_permitted' })
      this.#onCommit(batch.length, milliseconds)
    } catch (error) {
      await this.#fail(batch, error)
    }
  }

  /** Creations share a statement only for speed: if the database refuses one of them, the batch is halved until that one is found. */
  async #fail(batch: readonly Waiting[], error: unknown): Promise<void> {
    if (batch.length > 1 && isCausedByRow(error)) {
      const middle = Math.ceil(batch.length / 2)
      await this.#send(batch.slice(0, middle))
      await this.#send(batch.slice(middle))
    } else {
      for (const { reject } of batch) reject(error)
    }
  }
}

/** Creates the animals of the callers that may write. The others have no row. */
const CREATE_PETS = `WITH wish AS MATERIALIZED (
    SELECT * FROM unnest(${ARRAYS}, ?::int8[], ?::text[], ?::text[], ?::int8[], ?::int8[],
        ?::int8[], ?::text[], ?::int8[]) WITH ORDINALITY
      AS one (${COLUMNS}, account_id, key, fingerprint, created_at, since, key_id, networks, expires_at, place)
  ), permitted AS MATERIALIZED (
    SELECT array_agg(place ORDER BY place) AS places,
      ${eachColumn(column => `array_agg(${column} ORDER BY place) AS each_${column}`)},
      array_agg(account_id ORDER BY place) AS account_ids, array_agg(key ORDER BY place) AS keys,
      array_agg(fingerprint ORDER BY place) AS fingerprints, array_agg(created_at ORDER BY place) AS created_ats,
      array_agg(since ORDER BY place) AS sinces
    FROM wish
    WHERE key_id IS NULL OR EXISTS (SELECT ${WRITER} AND api_key.id = wish.key_id
      AND api_key.networks IS NOT DISTINCT FROM wish.networks AND api_key.expires_at IS NOT DISTINCT FROM wish.expires_at)
    HAVING count(*) > 0
  )
  SELECT places[made.place] AS place, made.fingerprint, made.id, ${eachColumn(column => `made.${column}`)} FROM permitted,
    create_pets(${eachColumn(column => `each_${column}`)}, account_ids, keys, fingerprints, created_ats, sinces) AS made`

/** A new animal has only its id. A repeated request has its fingerprint and the animal that it created the first time. */
type CreationRow = { place: bigint } & (({ fingerprint: string } & Row) | { fingerprint: null; id: bigint })

function parametersOf(batch: readonly Waiting[]): unknown[][] {
  return [
    ...MEMBER_NAMES.map(name => batch.map(({ pet }) => pet[name])),
    batch.map(({ request }) => request?.accountId),
    batch.map(({ request }) => request?.key),
    batch.map(({ request }) => request?.fingerprint),
    batch.map(({ now }) => now),
    batch.map(({ request }) => request?.since),
    batch.map(({ terms }) => terms?.[0]),
    batch.map(({ terms }) => terms?.[1]),
    batch.map(({ terms }) => terms?.[2]),
  ]
}

/** A creation that finds damaged data must not make the others fail: they have been carried out. */
function settle(waiting: Waiting, row: CreationRow): void {
  try {
    waiting.resolve(creationOf(row, waiting))
  } catch (error) {
    waiting.reject(error)
  }
}

function creationOf(row: CreationRow, { pet, request }: Waiting): Creation {
  if (row.fingerprint === null) return { outcome: 'created', pet: { ...pet, id: row.id } }
  return row.fingerprint === request?.fingerprint ? { outcome: 'replayed', pet: petOf(row) } : { outcome: 'mismatch' }
}

/** Whether the database refuses a value, or a row that violates a constraint. */
function isCausedByRow(error: unknown): boolean {
  const { cause } = error as Error
  return cause instanceof DatabaseError && /^2[23]/.test(cause.code ?? '')
}

function unavailable(why: string): StoreUnavailable {
  return new StoreUnavailable('The store cannot be written right now.', { cause: new Error(why) })
}
