import type { Account, Caller } from '../domain/account.ts'
import type { ApiKey } from '../domain/api-key.ts'
import type { AuditEntry, AuditQuery, NewAuditEntry } from '../domain/audit.ts'
import type { Ban, BanTerm } from '../domain/ban.ts'
import { UserError } from '../domain/errors.ts'
import type { IdempotentRequest } from '../domain/idempotency.ts'
import { isInt64 } from '../domain/int64.ts'
import type { OperatorToken } from '../domain/operator.ts'
import type { NewPet, Pet } from '../domain/pet.ts'
import type { Limits, Plan } from '../domain/plan.ts'
import type { Counts } from '../domain/rate-limiter.ts'
import type { Session } from '../domain/session.ts'
import type {
  AccountCounts,
  AccountQuery,
  BanQuery,
  KeyHash,
  KeyQuery,
  NewAccount,
  NewKey,
} from '../domain/store/accounts.ts'
import type { Creation, PetPage, PetQuery, PetSearch } from '../domain/store/animals.ts'
import type { NewSession, NewToken } from '../domain/store/operators.ts'
import { ALL, type Page } from '../domain/store/page.ts'
import type { Revision } from '../domain/store/revision.ts'
import type { Store } from '../domain/store.ts'
import type { KeyUsage, UsageQuery, UsageSum } from '../domain/usage.ts'
import { accountById, accountByName } from './accounts.ts'
import { auditEntries } from './audit.ts'
import { newestBanOf } from './bans.ts'
import { callerByHash } from './callers.ts'
import { countsOfAccount } from './counts.ts'
import type { Dialect } from './dialect.ts'
import { keyById, keyHashesAfter } from './keys.ts'
import type { LongReads, LongResult } from './long-reads.ts'
import { sessionByHash, tokenByHash, tokens } from './operators.ts'
import { petById, petsAfter } from './pets.ts'
import { RunningRequests } from './running-requests.ts'
import type { Query } from './statement.ts'
import type { WriteResult } from './write.ts'
import type { Writes } from './writes.ts'

/** A store in a database of SQL. What it reads and writes is the same in all of them; how they run it, each of them knows. */
export abstract class SqlStore implements Store {
  abstract readonly cursorSecret: Uint8Array
  readonly #dialect: Dialect
  readonly #requests = new RunningRequests()

  constructor(dialect: Dialect) {
    this.#dialect = dialect
  }

  protected abstract read<Result>(query: Query<Result>): Promise<Result>

  /** Runs a read that may take long, without delaying other calls. */
  protected abstract readLong<Name extends keyof LongReads>(
    name: Name,
    args: Parameters<LongReads[Name]>,
    signal?: AbortSignal,
  ): Promise<LongResult<Name>>

  /** Runs a write in a transaction. */
  protected abstract write<Name extends keyof Writes>(
    name: Name,
    ...args: Parameters<Writes[Name]>
  ): Promise<WriteResult<Writes, Name>>

  /** Creates an animal, unless the same request has done so earlier; it is not being carried out by this process right now. */
  protected abstract create(pet: NewPet, now: number, request?: IdempotentRequest): Promise<Creation>

  abstract revision(): Revision
  abstract saveCounts(counts: readonly AccountCounts[]): Promise<void>
  abstract addUsage(usage: readonly KeyUsage[]): Promise<void>
  abstract check(): Promise<void>
  abstract forgetExpired(now: number, firstUsageDay: number): Promise<void>
  abstract close(): Promise<void>

  listPets(query: PetQuery): Promise<PetPage> {
    return this.read(petsAfter(query, this.#dialect.selectPet))
  }

  searchPets(search: PetSearch, signal?: AbortSignal): Promise<PetPage> {
    return this.readLong('searchPets', [search], signal)
  }

  async findPet(id: bigint): Promise<Pet | undefined> {
    return isInt64(id) ? this.read(petById(id, this.#dialect.selectPet)) : undefined
  }

  createPet(pet: NewPet, now: number, request?: IdempotentRequest): Promise<Creation> {
    if (!request) return this.create(pet, now)
    return this.#requests.carryOut(request, () => this.create(pet, now, request))
  }

  async addPet(pet: NewPet, entry: NewAuditEntry): Promise<Pet> {
    return { id: await this.write('addPet', pet, entry), ...pet }
  }

  correctPet(expected: Pet, corrected: Pet, entry: NewAuditEntry): Promise<boolean> {
    return this.write('correctPet', expected, corrected, entry)
  }

  deletePet(expected: Pet, entry: NewAuditEntry): Promise<boolean> {
    return this.write('deletePet', expected, entry)
  }

  findCaller(keyHash: string): Promise<Caller | undefined> {
    return this.read(callerByHash(keyHash))
  }

  listKeyHashes(page: Page): Promise<KeyHash[]> {
    return this.read(keyHashesAfter(page))
  }

  async createAccount(account: NewAccount, entry: NewAuditEntry): Promise<Account> {
    const id = await this.write('createAccount', account, entry)
    if (id === undefined) throw nameTaken(account.name)
    const unused = { suspendedAt: undefined, deprecatedCalls: 0, lastDeprecatedCallAt: undefined }
    return { id, ...account, createdAt: entry.at, ...unused }
  }

  listAccounts(query: AccountQuery = {}): Promise<Account[]> {
    return this.readLong('listAccounts', [{ ...ALL, ...query }])
  }

  findAccount(id: bigint): Promise<Account | undefined> {
    return this.read(accountById(id))
  }

  findAccountByName(name: string): Promise<Account | undefined> {
    return this.read(accountByName(name))
  }

  async renameAccount(accountId: bigint, name: string, entry: NewAuditEntry): Promise<boolean> {
    const outcome = await this.write('renameAccount', accountId, name, entry)
    if (outcome === 'taken') throw nameTaken(name)
    return outcome
  }

  setPlan(accountId: bigint, plan: Plan, limits: Limits, entry: NewAuditEntry): Promise<boolean> {
    return this.write('setPlan', accountId, plan, limits, entry)
  }

  setSuspended(accountId: bigint, suspendedAt: number | undefined, entry: NewAuditEntry): Promise<boolean> {
    return this.write('setSuspended', accountId, suspendedAt, entry)
  }

  deleteAccount(accountId: bigint, entry: NewAuditEntry): Promise<boolean> {
    return this.write('deleteAccount', accountId, entry)
  }

  async createKey(key: NewKey, entry: NewAuditEntry): Promise<ApiKey> {
    const created = await this.write('createKey', key, entry)
    if (!created) throw new UserError('not_found', `The account with id ${key.accountId} no longer exists.`)
    return created
  }

  listKeys(query: KeyQuery = {}): Promise<ApiKey[]> {
    return this.readLong('listKeys', [{ ...ALL, ...query }])
  }

  findKey(id: bigint): Promise<ApiKey | undefined> {
    return this.read(keyById(id))
  }

  replaceKey(id: bigint, expiresAt: number, successor: NewKey, entry: NewAuditEntry): Promise<ApiKey | undefined> {
    return this.write('replaceKey', id, expiresAt, successor, entry)
  }

  revokeKey(id: bigint, entry: NewAuditEntry): Promise<boolean> {
    return this.write('revokeKey', id, entry)
  }

  async createBan(keyId: bigint, term: BanTerm): Promise<Ban> {
    return { id: await this.write('createBan', keyId, term), keyId, ...term, liftedAt: undefined }
  }

  listBans(query: BanQuery = {}): Promise<Ban[]> {
    return this.readLong('listBans', [query])
  }

  findBan(keyId: bigint): Promise<Ban | undefined> {
    return this.read(newestBanOf(keyId))
  }

  liftBan(id: bigint, entry: NewAuditEntry): Promise<boolean> {
    return this.write('liftBan', id, entry)
  }

  listCounts(now: number): Promise<AccountCounts[]> {
    return this.readLong('listCounts', [now])
  }

  findCounts(accountId: bigint): Promise<Counts> {
    return this.read(countsOfAccount(accountId))
  }

  async createToken({ hash, ...token }: NewToken, entry: NewAuditEntry): Promise<OperatorToken> {
    const id = await this.write('createToken', { hash, ...token }, entry)
    return { id, ...token, createdAt: entry.at, revokedAt: undefined }
  }

  listTokens(): Promise<OperatorToken[]> {
    return this.read(tokens())
  }

  findToken(hash: string): Promise<OperatorToken | undefined> {
    return this.read(tokenByHash(hash))
  }

  revokeToken(id: bigint, entry: NewAuditEntry): Promise<boolean> {
    return this.write('revokeToken', id, entry)
  }

  createSession(session: NewSession, entry: NewAuditEntry): Promise<void> {
    return this.write('createSession', session, entry)
  }

  findSession(hash: string): Promise<Session | undefined> {
    return this.read(sessionByHash(hash))
  }

  deleteSession(hash: string, entry: NewAuditEntry): Promise<boolean> {
    return this.write('deleteSession', hash, entry)
  }

  recordAudit(entry: NewAuditEntry): Promise<void> {
    return this.write('recordAudit', entry)
  }

  listAudit(query: AuditQuery): Promise<AuditEntry[]> {
    return this.read(auditEntries(query))
  }

  sumUsage(query: UsageQuery, signal?: AbortSignal): Promise<UsageSum[]> {
    return this.readLong('sumUsage', [query], signal)
  }
}

function nameTaken(name: string): UserError {
  return new UserError('conflict', `An account named "${name}" already exists.`)
}
