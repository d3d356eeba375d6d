import type { Account, Caller } from '../domain/account.ts'
import type { ApiKey } from '../domain/api-key.ts'
import type { AuditEntry, AuditQuery, NewAuditEntry } from '../domain/audit.ts'
import type { Ban, BanTerm } from '../domain/ban.ts'
import type { Deployment } from '../domain/deployment.ts'
import { Mistake, StoreUnavailable } from '../domain/errors.ts'
import type { IdempotentRequest } from '../domain/idempotency.ts'
import { INT64_MAX, isInt64 } from '../domain/int64.ts'
import type { OperatorToken } from '../domain/operator.ts'
import type { NewPet, Pet } from '../domain/pet.ts'
import type { Limits, Plan } from '../domain/plan.ts'
import type { Counts } from '../domain/rate-limiter.ts'
import type { Session } from '../domain/session.ts'
import {
  type AccountCounts,
  ALL,
  type BanQuery,
  type Creation,
  type NewKey,
  type NewSession,
  type NewToken,
  type Page,
  type PetPage,
  type PetQuery,
  type PetSearch,
  type Revision,
  type Store,
} from '../domain/store.ts'
import type { KeyUsage, UsageQuery, UsageSum } from '../domain/usage.ts'
import { nameTaken, newAccount } from '../sql/account-outcomes.ts'
import {
  accountById,
  accountByName,
  accountsBehind,
  auditEntries,
  callerByHash,
  countsAfter,
  countsOfAccount,
  keyById,
  keyHashesBehind,
  keysBehind,
  newestBanOf,
  newestBans,
  petById,
  petsBehind,
  petsFound,
  type Query,
  sessionByHash,
  tokenByHash,
  tokens,
  usageSums,
} from '../sql/queries.ts'
import type { Company } from './company.ts'
import { COMMAND_CONNECT_MS, nameOf, SERVING_CONNECT_MS } from './connection.ts'
import { Creations, type OnCommit } from './creations.ts'
import { forgetCreationsOf, forgetExpired } from './forget.ts'
import { Link, type LinkWatch } from './link.ts'
import { mistakeOf, prepareDatabase } from './migrate.ts'
import { type Ask, Pool } from './pool.ts'
import { addUsage, saveCounts } from './sums.ts'
import { untilKnown } from './until-known.ts'
import * as writes from './writes.ts'

export interface PostgresStoreOptions {
  /** For an instance that serves: whether it counts calls with others. Without it, the store hears nothing of what others change. */
  company?: Company
  watch?: LinkWatch & { committed: OnCommit }
}

/**
 * Whoever calls is to have an answer within two seconds, also when the database gives none; it breaks a statement off by itself before
 * nobody waits for it any more.
 */
const QUICK = { callMs: 1_800, statementMs: 1_500, connectMs: SERVING_CONNECT_MS }
const LONG = { callMs: 12_000, statementMs: 10_000, connectMs: SERVING_CONNECT_MS, probeMs: 700 }
/** A command's statements are as short, for what they lock; but it waits longer until it is connected. */
const QUICK_COMMAND = { ...QUICK, callMs: COMMAND_CONNECT_MS + QUICK.callMs, connectMs: COMMAND_CONNECT_MS }
const LONG_COMMAND = { ...LONG, callMs: COMMAND_CONNECT_MS + LONG.callMs, connectMs: COMMAND_CONNECT_MS }

const CONNECTIONS = 10
/** Operators' writes go one after another: those that wait for their turn must not take the connections of all others. */
const OPERATORS_CONNECTIONS = 2
const LONG_CONNECTIONS = 3
/** More than this many do not wait: each may take seconds, and whoever asked has long gone when the last is done. */
const MOST_WAITING = 16

interface Parts {
  name: string
  pool: Pool
  operatorsPool: Pool
  longPool: Pool
  creations: Creations
  link: Link | undefined
  /** The longest that a call may take as a whole. */
  callMs: number
}

const SILENT: LinkWatch & { committed: OnCommit } = { committed() {}, pushLost() {}, pushReturned() {} }

/**
 * A store in a schema of a PostgreSQL database, which any number of instances share. Reads that take long have connections of their
 * own.
 */
export class PostgresStore implements Store {
  readonly cursorSecret: Uint8Array
  /** Where it is, without what is secret in its URL. */
  readonly name: string
  readonly #pool: Pool
  readonly #operatorsPool: Pool
  readonly #longPool: Pool
  readonly #creations: Creations
  readonly #link: Link | undefined
  readonly #callMs: number
  #asked = 0
  #closed: Promise<void> | undefined

  /** @throws Mistake when the database cannot be used, holds something else, or other instances are in the way */
  static async open(
    url: string,
    deployment: Deployment,
    { company, watch = SILENT }: PostgresStoreOptions = {},
  ): Promise<PostgresStore> {
    await prepareDatabase(url, deployment)
    const [quick, long] = company ? [QUICK, LONG] : [QUICK_COMMAND, LONG_COMMAND]
    const pool = new Pool(url, { ...quick, connections: CONNECTIONS })
    try {
      const [row] = await pool.read<{ cursor_secret: Uint8Array }>('SELECT cursor_secret FROM store')
      const link = company && (await Link.open(url, { company, watch }))
      const operatorsPool = new Pool(url, { ...quick, connections: OPERATORS_CONNECTIONS })
      const longPool = new Pool(url, { ...long, connections: LONG_CONNECTIONS })
      const creations = new Creations(pool, quick.callMs, watch.committed)
      const parts = { name: nameOf(url), pool, operatorsPool, longPool, creations, link, callMs: quick.callMs }
      return new PostgresStore(row?.cursor_secret as Uint8Array, parts)
    } catch (error) {
      await pool.close()
      throw mistakeOf(error instanceof StoreUnavailable ? error.cause : error, nameOf(url))
    }
  }

  private constructor(cursorSecret: Uint8Array, parts: Parts) {
    this.cursorSecret = cursorSecret
    this.name = parts.name
    this.#pool = parts.pool
    this.#operatorsPool = parts.operatorsPool
    this.#longPool = parts.longPool
    this.#creations = parts.creations
    this.#link = parts.link
    this.#callMs = parts.callMs
  }

  /** How many instances serve on this store. */
  get instances(): number {
    return this.#link?.instances ?? 1
  }

  /** Whoever is told nothing may keep nothing. */
  revision(): Revision {
    if (this.#link) return this.#link.revision()
    this.#asked += 1
    return { callers: this.#asked, corrections: this.#asked, newestPetId: undefined }
  }

  listPets(query: PetQuery): Promise<PetPage> {
    return this.#read(petsBehind(query))
  }

  searchPets(search: PetSearch, signal?: AbortSignal): Promise<PetPage> {
    return this.#readLong(petsFound(search), signal)
  }

  async findPet(id: bigint): Promise<Pet | undefined> {
    return isInt64(id) ? this.#read(petById(id)) : undefined
  }

  createPet(pet: NewPet, now: number, request?: IdempotentRequest): Promise<Creation> {
    return this.#creations.create(pet, now, request)
  }

  async addPet(pet: NewPet, entry: NewAuditEntry): Promise<Pet> {
    return { id: await this.#write(ask => writes.addPet(ask, pet, entry)), ...pet }
  }

  correctPet(expected: Pet, corrected: Pet, entry: NewAuditEntry): Promise<boolean> {
    return this.#change(ask => writes.correctPet(ask, expected, corrected, entry))
  }

  deletePet(expected: Pet, entry: NewAuditEntry): Promise<boolean> {
    return this.#change(ask => writes.deletePet(ask, expected, entry))
  }

  findCaller(keyHash: string): Promise<Caller | undefined> {
    return this.#read(callerByHash(keyHash))
  }

  listKeyHashes(page: Page): Promise<{ id: bigint; hash: string }[]> {
    return this.#read(keyHashesBehind(page))
  }

  async createAccount(account: { name: string; plan: Plan; limits: Limits }, entry: NewAuditEntry): Promise<Account> {
    const id = await this.#change(ask => writes.createAccount(ask, account, entry))
    if (id === undefined) throw nameTaken(account.name)
    return newAccount(id, account, entry.at)
  }

  listAccounts(page: Page = ALL): Promise<Account[]> {
    return this.#readLong(accountsBehind(page))
  }

  findAccount(id: bigint): Promise<Account | undefined> {
    return this.#read(accountById(id))
  }

  findAccountByName(name: string): Promise<Account | undefined> {
    return this.#read(accountByName(name))
  }

  async renameAccount(accountId: bigint, name: string, entry: NewAuditEntry): Promise<boolean> {
    const outcome = await this.#change(ask => writes.renameAccount(ask, accountId, name, entry))
    if (outcome === 'taken') throw nameTaken(name)
    return outcome
  }

  setPlan(accountId: bigint, plan: Plan, limits: Limits, entry: NewAuditEntry): Promise<boolean> {
    return this.#change(ask => writes.setPlan(ask, accountId, plan, limits, entry))
  }

  setSuspended(accountId: bigint, suspendedAt: number | undefined, entry: NewAuditEntry): Promise<boolean> {
    return this.#change(ask => writes.setSuspended(ask, accountId, suspendedAt, entry))
  }

  async deleteAccount(accountId: bigint, entry: NewAuditEntry): Promise<boolean> {
    const isDeleted = await this.#change(ask => writes.deleteAccount(ask, accountId, entry))
    // What is left of them finds nobody any more, as no account gets this id again, and is forgotten in time.
    if (isDeleted) await forgetCreationsOf(this.#pool, accountId).catch(() => {})
    return isDeleted
  }

  async createKey(key: NewKey, entry: NewAuditEntry): Promise<ApiKey> {
    const created = await this.#change(ask => writes.createKey(ask, key, entry))
    if (!created) throw new Mistake('not_found', `There is no account with id ${key.accountId} any more.`)
    return created
  }

  listKeys(accountId?: bigint, page: Page = ALL): Promise<ApiKey[]> {
    return this.#readLong(keysBehind(accountId, page))
  }

  findKey(id: bigint): Promise<ApiKey | undefined> {
    return this.#read(keyById(id))
  }

  replaceKey(id: bigint, expiresAt: number, successor: NewKey, entry: NewAuditEntry): Promise<ApiKey | undefined> {
    return this.#change(ask => writes.replaceKey(ask, id, expiresAt, successor, entry))
  }

  revokeKey(id: bigint, entry: NewAuditEntry): Promise<boolean> {
    return this.#change(ask => writes.revokeKey(ask, id, entry))
  }

  async createBan(keyId: bigint, term: BanTerm): Promise<Ban> {
    return { id: await this.#change(ask => writes.createBan(ask, keyId, term)), keyId, ...term, liftedAt: undefined }
  }

  listBans(query: BanQuery = {}): Promise<Ban[]> {
    return this.#readLong(newestBans(query))
  }

  findBan(keyId: bigint): Promise<Ban | undefined> {
    return this.#read(newestBanOf(keyId))
  }

  liftBan(id: bigint, entry: NewAuditEntry): Promise<boolean> {
    return this.#change(ask => writes.liftBan(ask, id, entry))
  }

  listCounts(now: number): Promise<AccountCounts[]> {
    return this.#readLong(countsAfter(now))
  }

  findCounts(accountId: bigint): Promise<Counts> {
    return this.#read(countsOfAccount(accountId))
  }

  saveCounts(counts: readonly AccountCounts[]): Promise<void> {
    return saveCounts(this.#pool, counts)
  }

  async createToken({ hash, ...token }: NewToken, entry: NewAuditEntry): Promise<OperatorToken> {
    const id = await this.#write(ask => writes.createToken(ask, { hash, ...token }, entry))
    return { id, ...token, createdAt: entry.at, revokedAt: undefined }
  }

  listTokens(): Promise<OperatorToken[]> {
    return this.#read(tokens())
  }

  findToken(hash: string): Promise<OperatorToken | undefined> {
    return this.#read(tokenByHash(hash))
  }

  revokeToken(id: bigint, entry: NewAuditEntry): Promise<boolean> {
    return this.#write(ask => writes.revokeToken(ask, id, entry))
  }

  createSession(session: NewSession, entry: NewAuditEntry): Promise<void> {
    return this.#write(ask => writes.createSession(ask, session, entry))
  }

  findSession(hash: string): Promise<Session | undefined> {
    return this.#read(sessionByHash(hash))
  }

  deleteSession(hash: string, entry: NewAuditEntry): Promise<boolean> {
    return this.#write(ask => writes.deleteSession(ask, hash, entry))
  }

  recordAudit(entry: NewAuditEntry): Promise<void> {
    return this.#write(ask => writes.recordAudit(ask, entry))
  }

  listAudit(query: AuditQuery): Promise<AuditEntry[]> {
    return this.#read(auditEntries(query))
  }

  async addUsage(usage: readonly KeyUsage[]): Promise<void> {
    if (usage.length > 0) await addUsage(this.#pool, usage)
  }

  sumUsage(query: UsageQuery, signal?: AbortSignal): Promise<UsageSum[]> {
    return this.#readLong(usageSums(query), signal)
  }

  /** Changes nothing, and is written to the disk all the same. */
  async check(): Promise<void> {
    const [row] = await this.#pool.query<{ last: bigint }>(
      'UPDATE store SET deployment = deployment RETURNING (SELECT last_value FROM pet_id) AS last',
    )
    if (row?.last === INT64_MAX) throw new StoreUnavailable('No animal can be added: every id is used.')
  }

  forgetExpired(now: number, firstUsageDay: number): Promise<void> {
    return forgetExpired(this.#pool, now, firstUsageDay)
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    await this.#longPool.close({ breakOff: true })
    await this.#operatorsPool.close()
    await this.#creations.close()
    await this.#pool.close()
    await this.#link?.close()
  }

  #read<Result>(query: Query<Result>): Promise<Result> {
    return read(this.#pool, query)
  }

  /** One that is under way when its signal is aborted goes on, for as long as a statement may take. */
  #readLong<Result>(query: Query<Result>, signal?: AbortSignal): Promise<Result> {
    if (this.#longPool.waiting < MOST_WAITING) return read(this.#longPool, query, signal)
    return Promise.reject(new StoreUnavailable('Too many long reads are waiting.'))
  }

  /** A write of an operator's. */
  #write<Result>(work: (ask: Ask) => Promise<Result>): Promise<Result> {
    return this.#operatorsPool.transaction(work, writes.OPERATORS_TURN)
  }

  /** One that changes the revision, too: it ends when all instances know, unless it found nothing to change. */
  async #change<Result>(work: (ask: Ask) => Promise<Result>): Promise<Result> {
    const deadline = performance.now() + this.#callMs
    const result = await this.#write(work)
    if (result === undefined || result === false || result === 'taken') return result
    const ask = (sql: string, values: unknown[]) => this.#pool.read<Record<string, unknown>>(sql, values)
    const restMs = deadline - performance.now()
    if (this.#link) await this.#link.settle(ask, restMs)
    else await untilKnown(ask, restMs)
    return result
  }
}

async function read<Result>(
  pool: Pool,
  { sql, values, resultOf }: Query<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  // PostgreSQL can hold no text with this character, and takes none.
  if (values.some(value => typeof value === 'string' && value.includes('\0'))) return resultOf([])
  return resultOf(await pool.read(sql, values, signal))
}
