import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { Account, Caller } from '../domain/account.ts'
import type { ApiKey } from '../domain/api-key.ts'
import type { Ban, BanTerm } from '../domain/ban.ts'
import type { Deployment } from '../domain/deployment.ts'
import { Mistake, StoreUnavailable } from '../domain/errors.ts'
import type { IdempotentRequest } from '../domain/idempotency.ts'
import { isInt64 } from '../domain/int64.ts'
import type { NewPet, Pet } from '../domain/pet.ts'
import type { Limits, Plan } from '../domain/plan.ts'
import type {
  AccountCounts,
  Creation,
  DeprecatedCalls,
  NewKey,
  PetPage,
  PetQuery,
  Revision,
  Store,
} from '../domain/store.ts'
import { connect, databaseFile, prepareDatabase } from './connection.ts'
import {
  type AccountRow,
  accountOf,
  type BanRow,
  banOf,
  type CallerRow,
  type CountsRow,
  callerOf,
  countsOf,
  type KeyRow,
  keyOf,
  type PetRow,
  petOf,
} from './rows.ts'
import { Writer } from './writer.ts'

const PET = 'SELECT id, name, category_id, status FROM pet'
const ACCOUNT = `SELECT account.id, account.name, plan, per_minute, per_day, created_at,
    coalesce(calls, 0) AS deprecated_calls, last_at AS last_deprecated_call_at
  FROM account LEFT JOIN deprecated_use ON account_id = account.id`
const KEY = `SELECT api_key.id, account_id, account.name AS account_name, api_key.name, hint, api_key.created_at, expires_at,
    revoked_at, replaced_by
  FROM api_key JOIN account ON account.id = account_id`
const BAN = 'SELECT id, key_id, started_at, ends_at, ordinal, lifted_at FROM ban'

/**
 * The embedded store: one file in one folder, no server. This thread only reads, which never waits (WAL); every write goes to the
 * writer's thread. Other processes may write at any time.
 */
export class SqliteStore implements Store {
  readonly cursorSecret: Uint8Array
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  readonly #writer: Writer
  /** Creations with an idempotency key that are being carried out, by account and key. */
  readonly #running = new Map<string, string>()
  #revision: Revision = { callers: 0, corrections: 0, newestPetId: 0n }
  #revisionReadAt = 0
  #dataVersion: bigint | undefined

  /** @throws Mistake when the folder cannot be used, or the store is of a newer version or of the other deployment */
  static async open(folder: string, deployment: Deployment): Promise<SqliteStore> {
    prepareDatabase(folder, deployment)
    return new SqliteStore(databaseFile(folder))
  }

  private constructor(file: string) {
    this.#database = connect(file)
    this.#writer = new Writer(file, () => this.#noticeCommit())
    this.cursorSecret = this.#get<{ cursor_secret: Uint8Array }>('SELECT cursor_secret FROM store')
      ?.cursor_secret as Uint8Array
    this.#readRevision()
  }

  /** Asks SQLite at most once a millisecond whether anyone has written: a call costs a comparison. */
  revision(): Revision {
    const now = performance.now()
    if (now - this.#revisionReadAt >= 1) {
      this.#revisionReadAt = now
      const { data_version } = this.#get<{ data_version: bigint }>('PRAGMA data_version') as { data_version: bigint }
      if (data_version !== this.#dataVersion) {
        this.#readRevision()
        this.#dataVersion = data_version
      }
    }
    return this.#revision
  }

  async listPets({ status, afterId, limit }: PetQuery): Promise<PetPage> {
    const rows = status
      ? this.#all<PetRow>(`${PET} WHERE status = ? AND id > ? ORDER BY id LIMIT ?`, status, afterId, limit + 1)
      : this.#all<PetRow>(`${PET} WHERE id > ? ORDER BY id LIMIT ?`, afterId, limit + 1)
    return { pets: rows.slice(0, limit).map(petOf), hasMore: rows.length > limit }
  }

  async findPet(id: bigint): Promise<Pet | undefined> {
    const row = isInt64(id) ? this.#get<PetRow>(`${PET} WHERE id = ?`, id) : undefined
    return row && petOf(row)
  }

  async createPet(pet: NewPet, now: number, request?: IdempotentRequest): Promise<Creation> {
    if (request) return this.#createPetOnce(pet, now, request)
    const { name, categoryId, status } = pet
    const id = await this.#writer.write('createPet', name, categoryId, status)
    return { outcome: 'created', pet: { id, name, categoryId, status } }
  }

  async findCaller(keyHash: string): Promise<Caller | undefined> {
    const row = this.#get<CallerRow>(
      `SELECT api_key.id AS key_id, account_id, per_minute, per_day, expires_at, revoked_at
       FROM api_key JOIN account ON account.id = account_id WHERE hash = ?`,
      keyHash,
    )
    return row && callerOf(row, this.#get<BanRow>(`${BAN} WHERE key_id = ? ORDER BY id DESC LIMIT 1`, row.key_id))
  }

  async createAccount(account: { name: string; plan: Plan; limits: Limits }, now: number): Promise<Account> {
    const id = await this.#writer.write('createAccount', account, now)
    if (id === undefined) throw new Mistake(`There is an account named "${account.name}" already.`)
    return { id, ...account, createdAt: now, deprecatedCalls: 0, lastDeprecatedCallAt: undefined }
  }

  async listAccounts(): Promise<Account[]> {
    return this.#all<AccountRow>(`${ACCOUNT} ORDER BY account.id`).map(accountOf)
  }

  async findAccount(id: bigint): Promise<Account | undefined> {
    const row = this.#get<AccountRow>(`${ACCOUNT} WHERE account.id = ?`, id)
    return row && accountOf(row)
  }

  async findAccountByName(name: string): Promise<Account | undefined> {
    const row = this.#get<AccountRow>(`${ACCOUNT} WHERE account.name = ?`, name)
    return row && accountOf(row)
  }

  async setPlan(accountId: bigint, plan: Plan, limits: Limits): Promise<void> {
    await this.#writer.write('setPlan', accountId, plan, limits)
  }

  async createKey(key: NewKey, now: number): Promise<ApiKey> {
    const id = await this.#writer.write('createKey', key, now)
    return (await this.findKey(id)) as ApiKey
  }

  async listKeys(accountId?: bigint): Promise<ApiKey[]> {
    const rows =
      accountId === undefined
        ? this.#all<KeyRow>(`${KEY} ORDER BY api_key.id`)
        : this.#all<KeyRow>(`${KEY} WHERE account_id = ? ORDER BY api_key.id`, accountId)
    return rows.map(keyOf)
  }

  async findKey(id: bigint): Promise<ApiKey | undefined> {
    const row = this.#get<KeyRow>(`${KEY} WHERE api_key.id = ?`, id)
    return row && keyOf(row)
  }

  async replaceKey(id: bigint, expiresAt: number, successor: NewKey, now: number): Promise<ApiKey> {
    const replacedBy = await this.#writer.write('replaceKey', id, expiresAt, successor, now)
    return (await this.findKey(replacedBy)) as ApiKey
  }

  async revokeKey(id: bigint, now: number): Promise<void> {
    await this.#writer.write('revokeKey', id, now)
  }

  async createBan(keyId: bigint, term: BanTerm): Promise<Ban> {
    return { id: await this.#writer.write('createBan', keyId, term), keyId, ...term, liftedAt: undefined }
  }

  async listBans(): Promise<Ban[]> {
    return this.#all<BanRow>(`${BAN} WHERE id IN (SELECT max(id) FROM ban GROUP BY key_id) ORDER BY id DESC`).map(banOf)
  }

  async liftBan(id: bigint, now: number): Promise<void> {
    await this.#writer.write('liftBan', id, now)
  }

  async listCounts(now: number): Promise<AccountCounts[]> {
    return this.#all<CountsRow>(
      `SELECT account_id, minute_used, minute_resets_at, day_used, day_resets_at FROM account_count
       WHERE minute_resets_at > ? OR day_resets_at > ?`,
      now,
      now,
    ).map(countsOf)
  }

  async saveCounts(counts: readonly AccountCounts[]): Promise<void> {
    if (counts.length > 0) await this.#writer.write('saveCounts', counts)
  }

  async addDeprecatedCalls(calls: readonly DeprecatedCalls[]): Promise<void> {
    if (calls.length > 0) await this.#writer.write('addDeprecatedCalls', calls)
  }

  async forgetExpired(now: number): Promise<void> {
    await this.#writer.write('forgetExpired', now)
  }

  async close(): Promise<void> {
    await this.#writer.close()
    this.#database.close()
  }

  async #createPetOnce(pet: NewPet, now: number, request: IdempotentRequest): Promise<Creation> {
    const slot = `${request.accountId} ${request.key}`
    const running = this.#running.get(slot)
    if (running !== undefined) return { outcome: running === request.fingerprint ? 'in_progress' : 'mismatch' }
    this.#running.set(slot, request.fingerprint)
    try {
      return await this.#writer.write('createPetOnce', pet, now, request)
    } finally {
      this.#running.delete(slot)
    }
  }

  /** Where the numbers cannot be read just now, the next call asks for them: those who wait for their commit go on all the same. */
  #noticeCommit(): void {
    try {
      this.#readRevision()
    } catch {
      this.#dataVersion = undefined
      this.#revisionReadAt = 0
    }
  }

  #readRevision(): void {
    const row = this.#get<{ callers: bigint; corrections: bigint; newest: bigint | null }>(
      "SELECT callers, corrections, (SELECT seq FROM sqlite_sequence WHERE name = 'pet') AS newest FROM revision",
    )
    if (!row) throw new Error('The table revision is empty.')
    this.#revision = {
      callers: Number(row.callers),
      corrections: Number(row.corrections),
      newestPetId: row.newest ?? 0n,
    }
  }

  #get<Row>(sql: string, ...parameters: SQLInputValue[]): Row | undefined {
    return this.#read(sql, statement => statement.get(...parameters)) as Row | undefined
  }

  #all<Row>(sql: string, ...parameters: SQLInputValue[]): Row[] {
    return this.#read(sql, statement => statement.all(...parameters)) as Row[]
  }

  /** Each statement is prepared once. */
  #read<Result>(sql: string, read: (statement: StatementSync) => Result): Result {
    try {
      let statement = this.#statements.get(sql)
      if (!statement) {
        statement = this.#database.prepare(sql)
        this.#statements.set(sql, statement)
      }
      return read(statement)
    } catch (error) {
      throw new StoreUnavailable('The store cannot be read just now.', { cause: error })
    }
  }
}
