import { setImmediate as nextTurn } from 'node:timers/promises'
import { DatabaseError } from 'pg'
import { StoreUnavailable } from '../domain/errors.ts'
import { IDEMPOTENCY_MS, type IdempotentRequest } from '../domain/idempotency.ts'
import type { NewPet, Pet } from '../domain/pet.ts'
import type { Creation } from '../domain/store.ts'
import { type PetRow, petOf } from '../sql/rows.ts'
import { RunningRequests } from '../sql/running-requests.ts'
import type { Pool } from './pool.ts'

/** Is told of every batch: how many creations it had, and how long it took from its sending to its commit. */
export type OnCommit = (writes: number, milliseconds: number) => void

interface Wish {
  pet: NewPet
  now: number
  request: IdempotentRequest | undefined
  resolve(creation: Creation): void
  reject(error: unknown): void
}

const MOST_AT_ONCE = 1_000

/**
 * Creates animals, many with one statement: what is asked while a batch is on its way goes into the next. There is one at a time, so
 * a batch grows with the load, and so does what one commit is good for.
 */
export class Creations {
  readonly #pool: Pool
  readonly #callMs: number
  readonly #onCommit: OnCommit
  readonly #waiting = new Set<Wish>()
  readonly #running = new RunningRequests()
  #isClosed = false
  /** Undefined while nobody waits. */
  #sending: Promise<void> | undefined

  /** @param callMs the longest that a creation may take as a whole */
  constructor(pool: Pool, callMs: number, onCommit: OnCommit) {
    this.#pool = pool
    this.#callMs = callMs
    this.#onCommit = onCommit
  }

  create(pet: NewPet, now: number, request?: IdempotentRequest): Promise<Creation> {
    const create = () => this.#wish(pet, now, request)
    return request ? this.#running.carryOut(request, create) : create()
  }

  /** Carries out what has been asked; more is refused. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#sending
  }

  #wish(pet: NewPet, now: number, request: IdempotentRequest | undefined): Promise<Creation> {
    if (this.#isClosed) return Promise.reject(unavailable('The store is closed.'))
    const { promise, resolve, reject } = Promise.withResolvers<Creation>()
    const wish = { pet, now, request, resolve, reject }
    const timer = setTimeout(() => {
      this.#waiting.delete(wish)
      reject(unavailable('The database has taken too long.'))
    }, this.#callMs)
    this.#waiting.add(wish)
    this.#sending ??= this.#sendAll()
    return promise.finally(() => clearTimeout(timer))
  }

  async #sendAll(): Promise<void> {
    try {
      while (this.#waiting.size > 0) {
        // Those who have just been answered ask again in the first of these turns, and are then in the batch.
        await nextTurn()
        await nextTurn()
        const batch = [...this.#waiting].slice(0, MOST_AT_ONCE)
        for (const wish of batch) this.#waiting.delete(wish)
        if (batch.length > 0) await this.#send(batch)
      }
    } finally {
      this.#sending = undefined
    }
  }

  async #send(batch: readonly Wish[]): Promise<void> {
    const sentAt = performance.now()
    try {
      const rows = await this.#pool.query<CreationRow>(CREATE_PETS, parametersOf(batch))
      const milliseconds = performance.now() - sentAt
      for (const row of rows) {
        settle(batch[Number(row.place) - 1] as Wish, row)
      }
      this.#onCommit(batch.length, milliseconds)
    } catch (error) {
      await this.#failed(batch, error)
    }
  }

  /** Wishes share a statement for speed alone: where one of them cannot be fulfilled, it is looked for by halves. */
  async #failed(batch: readonly Wish[], error: unknown): Promise<void> {
    if (batch.length > 1 && isOfTheRows(error)) {
      const middle = Math.ceil(batch.length / 2)
      await this.#send(batch.slice(0, middle))
      await this.#send(batch.slice(middle))
    } else {
      for (const { reject } of batch) reject(error)
    }
  }
}

const CREATE_PETS = 'SELECT place, fingerprint, id, name, category_id, status FROM create_pets(?, ?, ?, ?, ?, ?, ?, ?)'

/** Of a new animal its id alone; of a request that has been carried out before, what it was and what was created then. */
type CreationRow = { place: bigint } & (({ fingerprint: string } & PetRow) | { fingerprint: null; id: bigint })

function parametersOf(batch: readonly Wish[]): unknown[][] {
  return [
    batch.map(({ pet }) => pet.name),
    batch.map(({ pet }) => pet.categoryId),
    batch.map(({ pet }) => pet.status),
    batch.map(({ request }) => request?.accountId),
    batch.map(({ request }) => request?.key),
    batch.map(({ request }) => request?.fingerprint),
    batch.map(({ now }) => now),
    batch.map(({ now }) => now - IDEMPOTENCY_MS),
  ]
}

/** One that meets damaged data takes none of the others along, which have been carried out. */
function settle(wish: Wish, row: CreationRow): void {
  try {
    wish.resolve(creationOf(row, wish))
  } catch (error) {
    wish.reject(error)
  }
}

function creationOf(row: CreationRow, { pet, request }: Wish): Creation {
  if (row.fingerprint === null) {
    const { name, categoryId, status } = pet
    const created: Pet = { id: row.id, name, categoryId, status }
    return { outcome: 'created', pet: created }
  }
  return row.fingerprint === request?.fingerprint ? { outcome: 'replayed', pet: petOf(row) } : { outcome: 'mismatch' }
}

/** Whether the database refuses what it was given: a value, or a row that breaks a rule. */
function isOfTheRows(error: unknown): boolean {
  const { cause } = error as Error
  return cause instanceof DatabaseError && /^2[23]/.test(cause.code ?? '')
}

function unavailable(why: string): StoreUnavailable {
  return new StoreUnavailable('The store cannot be written just now.', { cause: new Error(why) })
}
