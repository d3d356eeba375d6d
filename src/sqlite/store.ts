import { statSync } from 'node:fs'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Account, Caller } from '../domain/account.ts'
import type { ApiKey } from '../domain/api-key.ts'
import type { AuditEntry, AuditQuery, NewAuditEntry } from '../domain/audit.ts'
import type { Ban, BanTerm } from '../domain/ban.ts'
import type { Deployment } from '../domain/deployment.ts'
import { Mistake, StoreDamaged, StoreUnavailable } from '../domain/errors.ts'
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
  auditEntries,
  callerByHash,
  countsAfter,
  countsOfAccount,
  keyById,
  keyHashesBehind,
  keysBehind,
  newestBanOf,
  petById,
  petsBehind,
  type Query,
  sessionByHash,
  tokenByHash,
  tokens,
} from '../sql/queries.ts'
import { RunningRequests } from '../sql/running-requests.ts'
import { PET_WITH_CHECKSUM } from '../sql/selections.ts'
import { connect, databaseFile, prepareDatabase } from './connection.ts'
import { logFile } from './identity.ts'
import { remember, stateOf } from './known-store.ts'
import { isDamage } from './mistakes.ts'
import { Reader } from './reader.ts'
import { type OnCommit, Writer } from './writer.ts'

/** How often an idle store is written to find out whether its disk takes it. */
const PROBE_EVERY_MS = 5_000

/**
 * The embedded store: one file in one folder, no server. This thread only reads, which never waits (WAL); every write goes to the
 * writer's thread, and reads that take long to the reader's. Other processes may write at any time.
 */
export class SqliteStore implements Store {
  readonly cursorSecret: Uint8Array
  readonly #file: string
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  readonly #writer: Writer
  readonly #reader: Reader
  readonly #running = new RunningRequests()
  #revision: Revision = { callers: 0, corrections: 0, newestPetId: 0n }
  #revisionReadAt = 0
  #dataVersion: bigint | undefined

  /** @throws Mistake when the folder cannot be used, or the store is of a newer version or of the other deployment */
  static async open(folder: string, deployment: Deployment, onCommit: OnCommit = () => {}): Promise<SqliteStore> {
    prepareDatabase(folder, deployment)
    return new SqliteStore(databaseFile(folder), onCommit)
  }

  private constructor(file: string, onCommit: OnCommit) {
    this.#file = file
    this.#database = connect(file)
    // Reads first, so that the log is there.
    this.cursorSecret = this.#get<{ cursor_secret: Uint8Array }>('SELECT cursor_secret FROM store')
      ?.cursor_secret as Uint8Array
    this.#readRevision()
    this.#writer = new Writer(file, (writes, milliseconds) => {
      this.#noticeCommit()
      onCommit(writes, milliseconds)
    })
    this.#reader = new Reader(file)
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

  async listPets(query: PetQuery): Promise<PetPage> {
    return this.#read(petsBehind(query, PET_WITH_CHECKSUM))
  }

  searchPets(search: PetSearch, signal?: AbortSignal): Promise<PetPage> {
    return this.#reader.read('searchPets', [search], signal)
  }

  async findPet(id: bigint): Promise<Pet | undefined> {
    return isInt64(id) ? this.#read(petById(id, PET_WITH_CHECKSUM)) : undefined
  }

  async createPet(pet: NewPet, now: number, request?: IdempotentRequest): Promise<Creation> {
    if (request) return this.#running.carryOut(request, () => this.#writer.write('createPetOnce', pet, now, request))
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
    return this.#read(callerByHash(keyHash))
  }

  async listKeyHashes(page: Page): Promise<{ id: bigint; hash: string }[]> {
    return this.#read(keyHashesBehind(page))
  }

  async createAccount(account: { name: string; plan: Plan; limits: Limits }, entry: NewAuditEntry): Promise<Account> {
    const id = await this.#writer.write('createAccount', account, entry)
    if (id === undefined) throw nameTaken(account.name)
    return newAccount(id, account, entry.at)
  }

  listAccounts(page: Page = ALL): Promise<Account[]> {
    return this.#reader.read('listAccounts', [page])
  }

  async findAccount(id: bigint): Promise<Account | undefined> {
    return this.#read(accountById(id))
  }

  async findAccountByName(name: string): Promise<Account | undefined> {
    return this.#read(accountByName(name))
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

  async listKeys(accountId?: bigint, page: Page = ALL): Promise<ApiKey[]> {
    return this.#read(keysBehind(accountId, page))
  }

  async findKey(id: bigint): Promise<ApiKey | undefined> {
    return this.#read(keyById(id))
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

  listBans(query: BanQuery = {}): Promise<Ban[]> {
    return this.#reader.read('listBans', [query])
  }

  async findBan(keyId: bigint): Promise<Ban | undefined> {
    return this.#read(newestBanOf(keyId))
  }

  liftBan(id: bigint, entry: NewAuditEntry): Promise<boolean> {
    return this.#writer.write('liftBan', id, entry)
  }

  async listCounts(now: number): Promise<AccountCounts[]> {
    return this.#read(countsAfter(now))
  }

  async findCounts(accountId: bigint): Promise<Counts> {
    return this.#read(countsOfAccount(accountId))
  }

  async saveCounts(counts: readonly AccountCounts[]): Promise<void> {
    if (counts.length > 0) await this.#writer.write('saveCounts', counts)
  }

  async createToken({ hash, ...token }: NewToken, entry: NewAuditEntry): Promise<OperatorToken> {
    const id = await this.#writer.write('createToken', { hash, ...token }, entry)
    return { id, ...token, createdAt: entry.at, revokedAt: undefined }
  }

  async listTokens(): Promise<OperatorToken[]> {
    return this.#read(tokens())
  }

  async findToken(hash: string): Promise<OperatorToken | undefined> {
    return this.#read(tokenByHash(hash))
  }

  revokeToken(id: bigint, entry: NewAuditEntry): Promise<boolean> {
    return this.#writer.write('revokeToken', id, entry)
  }

  createSession(session: NewSession, entry: NewAuditEntry): Promise<void> {
    return this.#writer.write('createSession', session, entry)
  }

  async findSession(hash: string): Promise<Session | undefined> {
    return this.#read(sessionByHash(hash))
  }

  deleteSession(hash: string, entry: NewAuditEntry): Promise<boolean> {
    return this.#writer.write('deleteSession', hash, entry)
  }

  recordAudit(entry: NewAuditEntry): Promise<void> {
    return this.#writer.write('recordAudit', entry)
  }

  async listAudit(query: AuditQuery): Promise<AuditEntry[]> {
    return this.#read(auditEntries(query))
  }

  async addUsage(usage: readonly KeyUsage[]): Promise<void> {
    if (usage.length > 0) await this.#writer.write('addUsage', usage)
  }

  sumUsage(query: UsageQuery, signal?: AbortSignal): Promise<UsageSum[]> {
    return this.#reader.read('sumUsage', [query], signal)
  }

  async check(): Promise<void> {
    this.#get('SELECT deployment FROM store')
    if (this.revision().newestPetId === INT64_MAX)
      throw new StoreUnavailable('No animal can be added: every id is used.')
    await this.#writer.write(this.#isWrittenLately() ? 'touch' : 'probe')
  }

  /** Whether the disk has taken a write within the last seconds, of this process or another, and none has failed since. */
  #isWrittenLately(): boolean {
    const log = statSync(logFile(this.#file), { throwIfNoEntry: false })
    return !this.#writer.hasFailed && log !== undefined && Math.abs(Date.now() - log.mtimeMs) < PROBE_EVERY_MS
  }

  async forgetExpired(now: number, firstUsageDay: number): Promise<void> {
    while (await this.#writer.write('forgetExpired', now, firstUsageDay));
  }

  /** Has the folder remember how far its store has come. Only for a service: whoever has its lock knows that none is being restored. */
  remember(): void {
    remember(this.#file, () => stateOf(this.#database))
  }

  async close(): Promise<void> {
    await this.#writer.close()
    await this.#reader.close()
    this.#database.close()
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

  #get<Row>(sql: string): Row | undefined {
    return this.#run(sql, statement => statement.get()) as Row | undefined
  }

  #read<Result>({ sql, values, resultOf }: Query<Result>): Result {
    return resultOf(this.#run(sql, statement => statement.all(...values)))
  }

  /** Each statement is prepared once. */
  #run<Result>(sql: string, run: (statement: StatementSync) => Result): Result {
    try {
      let statement = this.#statements.get(sql)
      if (!statement) {
        statement = this.#database.prepare(sql)
        this.#statements.set(sql, statement)
      }
      return run(statement)
    } catch (error) {
      if (isDamage(error)) throw new StoreDamaged('The store is damaged.', { cause: error })
      throw new StoreUnavailable('The store cannot be read just now.', { cause: error })
    }
  }
}
