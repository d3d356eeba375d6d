import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { Account, Caller } from '../domain/account.ts'
import type { ApiKey } from '../domain/api-key.ts'
import type { AuditEntry, AuditQuery, NewAuditEntry } from '../domain/audit.ts'
import type { Ban, BanTerm } from '../domain/ban.ts'
import type { Deployment } from '../domain/deployment.ts'
import { Mistake, StoreUnavailable } from '../domain/errors.ts'
import type { IdempotentRequest } from '../domain/idempotency.ts'
import { isInt64 } from '../domain/int64.ts'
import type { OperatorToken } from '../domain/operator.ts'
import type { NewPet, Pet } from '../domain/pet.ts'
import type { Limits, Plan } from '../domain/plan.ts'
import type { Counts } from '../domain/rate-limiter.ts'
import type { Session } from '../domain/session.ts'
import {
  type AccountCounts,
  ALL,
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
import {
  type AccountRow,
  type AuditRow,
  accountOf,
  auditEntryOf,
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
  type TokenRow,
  tokenOf,
  usageSumOf,
} from '../sql/rows.ts'
import { ACCOUNT, AUDIT, BAN, COUNTS, KEY, PET, TOKEN } from '../sql/selections.ts'
import { conditions } from './conditions.ts'
import { connect, databaseFile, prepareDatabase } from './connection.ts'
import { Reader } from './reader.ts'
import { type OnCommit, Writer } from './writer.ts'

/**
 * The embedded store: one file in one folder, no server. This thread only reads, which never waits (WAL); every write goes to the
 * writer's thread, and reads that take long to the reader's. Other processes may write at any time.
 */
export class SqliteStore implements Store {
  readonly cursorSecret: Uint8Array
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  readonly #writer: Writer
  readonly #reader: Reader
  /** Creations with an idempotency key that are being carried out, by account and key. */
  readonly #running = new Map<string, string>()
  #revision: Revision = { callers: 0, corrections: 0, newestPetId: 0n }
  #revisionReadAt = 0
  #dataVersion: bigint | undefined

  /** @throws Mistake when the folder cannot be used, or the store is of a newer version or of the other deployment */
  static async open(folder: string, deployment: Deployment, onCommit: OnCommit = () => {}): Promise<SqliteStore> {
    prepareDatabase(folder, deployment)
    return new SqliteStore(databaseFile(folder), onCommit)
  }

  private constructor(file: string, onCommit: OnCommit) {
    this.#database = connect(file)
    this.#writer = new Writer(file, (writes, milliseconds) => {
      this.#noticeCommit()
      onCommit(writes, milliseconds)
    })
    this.#reader = new Reader(file)
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

  async searchPets(search: PetSearch): Promise<PetPage> {
    const rows = await this.#reader.read('searchPets', search)
    return { pets: rows.slice(0, search.limit).map(petOf), hasMore: rows.length > search.limit }
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

  async addPet(pet: NewPet, entry: NewAuditEntry): Promise<Pet> {
    return { id: await this.#writer.write('addPet', pet, entry), ...pet }
  }

  correctPet(expected: Pet, corrected: Pet, entry: NewAuditEntry): Promise<boolean> {
    return this.#writer.write('correctPet', expected, corrected, entry)
  }

  deletePet(expected: Pet, entry: NewAuditEntry): Promise<boolean> {
    return this.#writer.write('deletePet', expected, entry)
  }

  async findCaller(keyHash: string): Promise<Caller | undefined> {
    const row = this.#get<CallerRow>(
      `SELECT api_key.id AS key_id, account_id, plan, per_minute, per_day, suspended_at, expires_at, revoked_at
       FROM api_key JOIN account ON account.id = account_id WHERE hash = ?`,
      keyHash,
    )
    return row && callerOf(row, this.#get<BanRow>(`${BAN} WHERE key_id = ? ORDER BY id DESC LIMIT 1`, row.key_id))
  }

  async createAccount(account: { name: string; plan: Plan; limits: Limits }, entry: NewAuditEntry): Promise<Account> {
    const id = await this.#writer.write('createAccount', account, entry)
    if (id === undefined) throw nameTaken(account.name)
    const rest = { suspendedAt: undefined, deprecatedCalls: 0, lastDeprecatedCallAt: undefined }
    return { id, ...account, createdAt: entry.at, ...rest }
  }

  async listAccounts(page: Page = ALL): Promise<Account[]> {
    return (await this.#reader.read('listAccounts', page)).map(accountOf)
  }

  async findAccount(id: bigint): Promise<Account | undefined> {
    const row = this.#get<AccountRow>(`${ACCOUNT} WHERE account.id = ?`, id)
    return row && accountOf(row)
  }

  async findAccountByName(name: string): Promise<Account | undefined> {
    const row = this.#get<AccountRow>(`${ACCOUNT} WHERE account.name = ?`, name)
    return row && accountOf(row)
  }

  async renameAccount(accountId: bigint, name: string, entry: NewAuditEntry): Promise<boolean> {
    const outcome = await this.#writer.write('renameAccount', accountId, name, entry)
    if (outcome === 'taken') throw nameTaken(name)
    return outcome
  }

  setPlan(accountId: bigint, plan: Plan, limits: Limits, entry: NewAuditEntry): Promise<boolean> {
    return this.#writer.write('setPlan', accountId, plan, limits, entry)
  }

  setSuspended(accountId: bigint, suspendedAt: number | undefined, entry: NewAuditEntry): Promise<boolean> {
    return this.#writer.write('setSuspended', accountId, suspendedAt, entry)
  }

  deleteAccount(accountId: bigint, entry: NewAuditEntry): Promise<boolean> {
    return this.#writer.write('deleteAccount', accountId, entry)
  }

  async createKey(key: NewKey, entry: NewAuditEntry): Promise<ApiKey> {
    const id = await this.#writer.write('createKey', key, entry)
    const created = id === undefined ? undefined : await this.findKey(id)
    if (!created) throw new Mistake('not_found', `There is no account with id ${key.accountId} any more.`)
    return created
  }

  async listKeys(accountId?: bigint, { afterId, limit }: Page = ALL): Promise<ApiKey[]> {
    const rows =
      accountId === undefined
        ? this.#all<KeyRow>(`${KEY} WHERE api_key.id > ? ORDER BY api_key.id LIMIT ?`, afterId, limit)
        : this.#all<KeyRow>(
            `${KEY} WHERE account_id = ? AND api_key.id > ? ORDER BY api_key.id LIMIT ?`,
            accountId,
            afterId,
            limit,
          )
    return rows.map(keyOf)
  }

  async findKey(id: bigint): Promise<ApiKey | undefined> {
    const row = this.#get<KeyRow>(`${KEY} WHERE api_key.id = ?`, id)
    return row && keyOf(row)
  }

  async replaceKey(
    id: bigint,
    expiresAt: number,
    successor: NewKey,
    entry: NewAuditEntry,
  ): Promise<ApiKey | undefined> {
    const replacedBy = await this.#writer.write('replaceKey', id, expiresAt, successor, entry)
    return replacedBy === undefined ? undefined : this.findKey(replacedBy)
  }

  revokeKey(id: bigint, entry: NewAuditEntry): Promise<boolean> {
    return this.#writer.write('revokeKey', id, entry)
  }

  async createBan(keyId: bigint, term: BanTerm): Promise<Ban> {
    return { id: await this.#writer.write('createBan', keyId, term), keyId, ...term, liftedAt: undefined }
  }

  async listBans(): Promise<Ban[]> {
    return this.#all<BanRow>(`${BAN} WHERE id IN (SELECT max(id) FROM ban GROUP BY key_id) ORDER BY id DESC`).map(banOf)
  }

  async findBan(keyId: bigint): Promise<Ban | undefined> {
    const row = this.#get<BanRow>(`${BAN} WHERE key_id = ? ORDER BY id DESC LIMIT 1`, keyId)
    return row && banOf(row)
  }

  liftBan(id: bigint, entry: NewAuditEntry): Promise<boolean> {
    return this.#writer.write('liftBan', id, entry)
  }

  async listCounts(now: number): Promise<AccountCounts[]> {
    return this.#all<CountsRow>(`${COUNTS} WHERE minute_resets_at > ? OR day_resets_at > ?`, now, now).map(countsOf)
  }

  async findCounts(accountId: bigint): Promise<Counts> {
    const row = this.#get<CountsRow>(`${COUNTS} WHERE account_id = ?`, accountId)
    return row ? countsOf(row).counts : {}
  }

  async saveCounts(counts: readonly AccountCounts[]): Promise<void> {
    if (counts.length > 0) await this.#writer.write('saveCounts', counts)
  }

  async createToken({ hash, ...token }: NewToken, entry: NewAuditEntry): Promise<OperatorToken> {
    const id = await this.#writer.write('createToken', { hash, ...token }, entry)
    return { id, ...token, createdAt: entry.at, revokedAt: undefined }
  }

  async listTokens(): Promise<OperatorToken[]> {
    return this.#all<TokenRow>(`${TOKEN} ORDER BY id`).map(tokenOf)
  }

  async findToken(hash: string): Promise<OperatorToken | undefined> {
    const row = this.#get<TokenRow>(`${TOKEN} WHERE hash = ?`, hash)
    return row && tokenOf(row)
  }

  revokeToken(id: bigint, entry: NewAuditEntry): Promise<boolean> {
    return this.#writer.write('revokeToken', id, entry)
  }

  createSession(session: NewSession, entry: NewAuditEntry): Promise<void> {
    return this.#writer.write('createSession', session, entry)
  }

  async findSession(hash: string): Promise<Session | undefined> {
    const row = this.#get<{ token_id: bigint; expires_at: bigint }>(
      'SELECT token_id, expires_at FROM session WHERE hash = ?',
      hash,
    )
    const token = row && this.#get<TokenRow>(`${TOKEN} WHERE id = ?`, row.token_id)
    return token && { token: tokenOf(token), expiresAt: Number(row.expires_at) }
  }

  deleteSession(hash: string, entry: NewAuditEntry): Promise<boolean> {
    return this.#writer.write('deleteSession', hash, entry)
  }

  async listAudit({ accountId, action, beforeId, limit }: AuditQuery): Promise<AuditEntry[]> {
    const { where, values } = conditions([
      ['account_id = ?', accountId],
      ['action = ?', action],
      ['id < ?', beforeId],
    ])
    return this.#all<AuditRow>(`${AUDIT} ${where} ORDER BY id DESC LIMIT ?`, ...values, limit).map(auditEntryOf)
  }

  async addUsage(usage: readonly KeyUsage[]): Promise<void> {
    if (usage.length > 0) await this.#writer.write('addUsage', usage)
  }

  async sumUsage(query: UsageQuery): Promise<UsageSum[]> {
    return (await this.#reader.read('sumUsage', query)).map(usageSumOf)
  }

  async check(): Promise<void> {
    this.#get('SELECT deployment FROM store')
    await this.#writer.write('touch')
  }

  async forgetExpired(now: number, firstUsageDay: number): Promise<void> {
    while (await this.#writer.write('forgetExpired', now, firstUsageDay));
  }

  async close(): Promise<void> {
    await this.#writer.close()
    await this.#reader.close()
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

function nameTaken(name: string): Mistake {
  return new Mistake('conflict', `There is an account named "${name}" already.`)
}
