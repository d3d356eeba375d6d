import { randomUUID } from 'node:crypto'
import type { Caller } from '../domain/account.ts'
import type { Deployment } from '../domain/deployment.ts'
import { StoreUnavailable } from '../domain/errors.ts'
import { INT64_MAX } from '../domain/int64.ts'
import type { RefusedCall } from '../domain/refusals.ts'
import type { AccountCounts } from '../domain/store/accounts.ts'
import type { Creation } from '../domain/store/animals.ts'
import type { CallerIds, Revision, Versions } from '../domain/store/revision.ts'
import type { StoreWatch } from '../domain/store/watch.ts'
import type { KeyUsage, UsageBatch } from '../domain/usage.ts'
import type { LongRead, WriteOperation } from '../sql/operation.ts'
import { type LongReadName, operationsOf, type WriteName } from '../sql/operations.ts'
import type { Query, Row, Statement } from '../sql/statement.ts'
import { SqlStore, type Wish, type WriteArgs, type WriteResult } from '../sql/store.ts'
import { carryOut } from '../sql/write.ts'
import { addUsage, foldAllUsage, foldUsage } from './added-usage.ts'
import { nameOf } from './address.ts'
import { COMMAND_CONNECT_MS, SERVING_CONNECT_MS } from './connection.ts'
import { Creations } from './creations.ts'
import { deleteExpired, forgetCreationsOf } from './delete-expired.ts'
import { HOLD_ROWS, POSTGRES, TAKE_TURN_OF_ANIMALS, TAKE_TURN_OF_OTHERS } from './dialect.ts'
import { Lease } from './lease.ts'
import { prepareDatabase, toUserError } from './migrate.ts'
import { type Ask, Pool } from './pool.ts'
import { addRefusals } from './refusals.ts'
import type { Instances } from './register.ts'
import { saveCounts } from './sums.ts'
import { waitForInstances } from './wait-for-instances.ts'

export interface PostgresStoreOptions {
  /** For a serving instance. Without it, the store keeps nothing. */
  instances?: Instances
  watch?: StoreWatch
  /** See `Lease`. */
  finishAfterMs?: number
}

/**
 * Callers get a response within two seconds, even if the database does not respond. The database ends a statement before that, so that it does
 * not work for callers that are gone.
 */
const QUICK = { callMs: 1_800, statementMs: 1_500, connectMs: SERVING_CONNECT_MS }
const LONG = { callMs: 12_000, statementMs: 10_000, connectMs: SERVING_CONNECT_MS, probeMs: 700 }
/** Commands have the same statement timeout, because of the locks that statements hold, but wait longer for a connection. */
const QUICK_COMMAND = { ...QUICK, callMs: COMMAND_CONNECT_MS + QUICK.callMs, connectMs: COMMAND_CONNECT_MS }
const LONG_COMMAND = { ...LONG, callMs: COMMAND_CONNECT_MS + LONG.callMs, connectMs: COMMAND_CONNECT_MS }

/** The timeout of an operator's write that changes any number of animals. */
const LONG_WRITE_MS = 60_000

const CONNECTIONS = 10
/** Operators' writes wait for their turn. For each turn, there is a connection of its own, so that neither delays the other, or calls. */
const CONNECTIONS_FOR_TURN = 1
const LONG_CONNECTIONS = 3
/** Each long read may take seconds: the callers of more reads would disconnect before their turn. */
const MAX_WAITING = 16

/** How often a caller is read that keeps changing. */
const MAX_READS = 5

/** Fewer rows of usage are summed up as quickly where they are. */
const MIN_FOLDED = 1_000

interface Parts {
  cursorSecret: Uint8Array
  name: string
  pool: Pool
  /** For operators' writes about animals, and for all others. */
  animalsPool: Pool
  operatorsPool: Pool
  longPool: Pool
  creations: Creations
  changed(): void
  /** Of a serving instance. */
  lease: Lease | undefined
  /** Timeout of a whole call. */
  callMs: number
}

const SILENT: StoreWatch = { committed() {}, leaseLost() {}, leaseRestored() {} }

/** A store in a schema of a PostgreSQL database, which any number of instances can share. Long reads have separate connections. */
export class PostgresStore extends SqlStore {
  readonly #parts: Parts
  #revision = 0
  #closed: Promise<void> | undefined

  /** @throws UserError when the database cannot be used, holds something else, or other instances conflict with this one */
  static async open(
    url: string,
    deployment: Deployment,
    { instances, watch = SILENT, finishAfterMs }: PostgresStoreOptions = {},
  ): Promise<PostgresStore> {
    await prepareDatabase(url, deployment)
    const [quick, long] = instances ? [QUICK, LONG] : [QUICK_COMMAND, LONG_COMMAND]
    const pool = new Pool(url, { ...quick, connections: CONNECTIONS })
    const pools = {
      pool,
      animalsPool: new Pool(url, { ...quick, connections: CONNECTIONS_FOR_TURN }),
      operatorsPool: new Pool(url, { ...quick, connections: CONNECTIONS_FOR_TURN }),
      longPool: new Pool(url, { ...long, connections: LONG_CONNECTIONS }),
    }
    const leave = () => {
      for (const one of Object.values(pools)) one.replaceConnections()
    }
    try {
      const [row] = await pool.read<{ cursor_secret: Uint8Array }>('SELECT cursor_secret FROM store')
      const creations = new Creations(pool, quick.callMs, watch.committed)
      const settled = () => creations.settled()
      return new PostgresStore({
        cursorSecret: row?.cursor_secret as Uint8Array,
        name: nameOf(url),
        lease: instances && (await Lease.open(url, { instances, watch, settled, leave, finishAfterMs })),
        ...pools,
        creations,
        changed: () => watch.changed?.(),
        callMs: quick.callMs,
      })
    } catch (error) {
      await pool.close()
      throw toUserError(error instanceof StoreUnavailable ? error.cause : error, nameOf(url))
    }
  }

  private constructor(parts: Parts) {
    super(OPERATIONS)
    this.#parts = parts
  }

  get cursorSecret(): Uint8Array {
    return this.#parts.cursorSecret
  }

  /** The address of the database, without the secrets of its URL. */
  get name(): string {
    return this.#parts.name
  }

  get instances(): number {
    return this.#parts.lease?.instances ?? 1
  }

  renew(): void {
    this.#parts.lease?.renew()
  }

  /** Without a lease, any caller may have changed. */
  lastChangeOf(caller: CallerIds): number {
    return this.#parts.lease?.lastChangeOf(caller) ?? this.revision().callers
  }

  /** Without a lease, it is not known of any id. */
  settledPetId(): bigint {
    return this.#parts.lease?.settledPetId ?? 0n
  }

  /** Without a lease, anything may have changed. */
  revision(): Revision {
    if (this.#parts.lease) return this.#parts.lease.revision()
    this.#revision += 1
    return { callers: this.#revision, corrections: this.#revision, newestPetId: undefined }
  }

  /** A caller that has changed while the answer was on its way is read again: others may no longer wait for what the answer says. */
  override async findCaller(hash: string): Promise<Caller | undefined> {
    const { lease } = this.#parts
    for (let attempt = 1; attempt <= MAX_READS; attempt += 1) {
      const sentAt = lease?.revision().callers ?? 0
      const caller = await this.read(OPERATIONS.findCaller.query(hash))
      if (!caller || !lease || lease.lastKnownChangeOf(caller) <= sentAt) return caller
    }
    throw new StoreUnavailable('The caller changes faster than it can be read.')
  }

  /** An animal may become visible after one with a higher id: then the newest id stays the same, but the highest settled one changes. */
  override async readVersions(): Promise<Versions> {
    const versions = await this.read(OPERATIONS.readVersions.query())
    return { ...versions, animals: `${versions.animals}.${this.settledPetId()}` }
  }

  override async deleteAccount(...args: WriteArgs<'deleteAccount'>): Promise<boolean> {
    const isDeleted = await this.write('deleteAccount', ...args)
    // Remaining creations match no account, because ids are never reused, and expire.
    if (isDeleted) await forgetCreationsOf(this.#parts.pool, args[0]).catch(() => {})
    return isDeleted
  }

  saveCounts(counts: readonly AccountCounts[]): Promise<void> {
    return saveCounts(this.#parts.pool, counts)
  }

  async addUsage(usage: readonly KeyUsage[], batch: UsageBatch = { writer: randomUUID(), number: 1 }): Promise<void> {
    if (usage.length > 0) await addUsage(this.#parts.pool, usage, batch)
  }

  async foldUsage({ all = false } = {}): Promise<void> {
    if (all) await foldAllUsage(this.#parts.pool)
    else await foldUsage(this.#parts.pool, MIN_FOLDED)
  }

  async addRefusals(calls: readonly RefusedCall[]): Promise<void> {
    if (calls.length > 0) await addRefusals(this.#parts.pool, calls)
  }

  /** Writes to the disk, but changes nothing. On a full disk, it would not notice: rows take the place of their former versions. */
  async check(): Promise<void> {
    const { pool, animalsPool, operatorsPool, longPool } = this.#parts
    for (const { lastingFailure } of [pool, animalsPool, operatorsPool, longPool]) lastingFailure.ensureNone()
    const [row] = await pool.query<{ last: bigint }>(CHECK)
    if (row?.last === INT64_MAX) throw new StoreUnavailable('No animal can be added: every id is used.')
  }

  deleteExpired(now: number, firstUsageDay: number): Promise<void> {
    return deleteExpired(this.#parts.pool, now, firstUsageDay)
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    const { longPool, animalsPool, operatorsPool, creations, pool, lease } = this.#parts
    const closing = [longPool.close({ abort: true }), animalsPool.close(), operatorsPool.close(), creations.close()]
    await Promise.all(closing)
    // Changes wait for other instances through it.
    await pool.close()
    await lease?.close()
  }

  protected async read<Result>(query: Query<Result>): Promise<Result> {
    const rows = await read(this.#parts.pool, query)
    this.#parts.lease?.ensureSure()
    return query.resultOf(rows)
  }

  /** If the signal is aborted while the read is running, it keeps running until the statement timeout at most. */
  protected async readLong(name: LongReadName, question: unknown, signal?: AbortSignal): Promise<unknown> {
    const { longPool } = this.#parts
    if (longPool.waiting >= MAX_WAITING) throw new StoreUnavailable('Too many long reads are waiting.')
    const { steps } = OPERATIONS[name] as LongRead<unknown, unknown>
    const result = await carryOut(steps(question), statement => read(longPool, statement, signal))
    this.#parts.lease?.ensureSure()
    return result
  }

  /** A write that changes the revision ends when no instance acts on the state before it, unless it found nothing to change. */
  protected async write<Name extends WriteName>(name: Name, ...args: WriteArgs<Name>): Promise<WriteResult<Name>> {
    const { animalsPool, operatorsPool, callMs } = this.#parts
    const deadline = performance.now() + callMs
    const operation = OPERATIONS[name] as WriteOperation<unknown[], unknown>
    const { steps, changes, isOfAnimals, isLong, isInCall, isInBackground } = operation
    const [pool, turn] = isOfAnimals ? [animalsPool, TAKE_TURN_OF_ANIMALS] : [operatorsPool, TAKE_TURN_OF_OTHERS]
    const result = await pool.transaction(
      ask =>
        carryOut(steps(...args), ({ sql, values, holdsRows }) => ask<Row>(holdsRows ? sql + HOLD_ROWS : sql, values)),
      isInBackground ? '' : turn,
      isLong ? LONG_WRITE_MS : undefined,
    )
    const hasChanged = result !== undefined && result !== false
    if (changes !== 'no revision' && hasChanged) {
      await this.settleChanges(isInCall ? deadline - performance.now() : undefined)
    }
    return result as WriteResult<Name>
  }

  protected async create(...wish: Wish): Promise<Creation> {
    this.#parts.lease?.ensureSure()
    return this.#parts.creations.create(...wish)
  }

  async settleChanges(maxMs?: number): Promise<void> {
    const { pool, changed } = this.#parts
    this.renew()
    changed()
    const ask: Ask = (sql, values) => pool.read(sql, values)
    await waitForInstances(ask, maxMs)
  }
}

/** Takes the locks on tables that calls need, in one short transaction: a lock that blocks all calls also blocks this. */
const CHECK = `WITH animal AS (INSERT INTO pet (id, name, category_id, status) SELECT 0, '', 0, 'available' WHERE false),
    creation AS (INSERT INTO idempotent_creation (account_id) SELECT 0 WHERE false)
  UPDATE store SET deployment = deployment
  RETURNING (SELECT last_value FROM pet_id) AS last,
    EXISTS (SELECT FROM api_key, account, ban WHERE api_key.id = 0 AND account.id = 0 AND ban.id = 0) AS callers`

const OPERATIONS = operationsOf(POSTGRES)

async function read(pool: Pool, { sql, values }: Statement, signal?: AbortSignal): Promise<Row[]> {
  // PostgreSQL can neither store nor accept text with this character.
  if (values.some(value => typeof value === 'string' && value.includes('\0'))) return []
  return pool.read<Row>(sql, values, signal)
}
