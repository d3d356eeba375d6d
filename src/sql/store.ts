import type { Account, AccountVersion, Caller, WriteTerms } from '../domain/account.ts'
import type { ApiKey } from '../domain/api-key.ts'
import type { AuditEntry, AuditQuery, NewAuditEntry } from '../domain/audit.ts'
import type { Ban, BanTerm } from '../domain/ban.ts'
import type { ClaimLink } from '../domain/claim-link.ts'
import { type StoreClock, timeOfAge } from '../domain/clock.ts'
import { StoreDamaged, UserError } from '../domain/errors.ts'
import { type DatedRequest, IDEMPOTENCY_MS, type IdempotentRequest } from '../domain/idempotency.ts'
import { isInt64 } from '../domain/int64.ts'
import type { OperatorToken } from '../domain/operator.ts'
import type { Permit, PermitFault } from '../domain/permit.ts'
import type { NewPet, Pet } from '../domain/pet.ts'
import type { PetEvent } from '../domain/pet-history.ts'
import type { PetFilter, PetPreview } from '../domain/pet-selection.ts'
import type { Limits, Plan } from '../domain/plan.ts'
import type { Counts } from '../domain/rate-limiter.ts'
import type { SealedCreation } from '../domain/repeatable-request.ts'
import { RunningRequests } from '../domain/running-requests.ts'
import type { Session } from '../domain/session.ts'
import type { SignInLink } from '../domain/sign-in-link.ts'
import type {
  AccountCounts,
  AccountName,
  AccountQuery,
  BanQuery,
  KeyChange,
  KeyQuery,
  NewAccount,
  NewKey,
  NewSecret,
} from '../domain/store/accounts.ts'
import type {
  Category,
  CategoryQuery,
  CategoryUse,
  Creation,
  PetChange,
  PetCounts,
  PetHistoryQuery,
  PetIndexing,
  PetPage,
  PetQuery,
  PetSearch,
} from '../domain/store/animals.ts'
import type { ClaimLinkQuery, NewClaimLink } from '../domain/store/claim-links.ts'
import type { NewSession, NewSignInLink, NewToken } from '../domain/store/operators.ts'
import { ALL, type Page } from '../domain/store/page.ts'
import type { Revision, Versions } from '../domain/store/revision.ts'
import type { Store } from '../domain/store.ts'
import type { KeyUsage, UsageQuery, UsageSum } from '../domain/usage.ts'
import { accountById, accountByName } from './accounts.ts'
import { banById, lastBanOf } from './bans.ts'
import { callerByHash } from './callers.ts'
import { categoriesByIds } from './categories.ts'
import { claimLinkByHash, claimLinkById } from './claim-links.ts'
import { storeClock } from './clock.ts'
import { countsOfAccount } from './counts.ts'
import { sessionByHash, signInLinkByHash, tokenByHash, tokenById, tokens } from './credentials.ts'
import type { Dialect } from './dialect.ts'
import { keyById } from './keys.ts'
import type { LongReads, LongResult } from './long-reads.ts'
import { operatorCreation } from './operator-creations.ts'
import { faultOfPermit } from './permit.ts'
import { petBacklog } from './pet-progress.ts'
import { petById, petsAfter } from './pets.ts'
import type { Query } from './statement.ts'
import { currentVersions } from './versions.ts'
import type { WriteResult } from './write.ts'
import type { Writes } from './writes.ts'

/** A store in an SQL database. Reads and writes are the same for all databases; subclasses know how to run them. */
export abstract class SqlStore implements Store {
  abstract readonly cursorSecret: Uint8Array
  readonly #dialect: Dialect
  readonly #requests = new RunningRequests()
  /** As last read or written: until then, nothing of a store is old. */
  #clockConfirmedAt: number | undefined

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

  /** Creates an animal, unless the same request has already done so. The request is not in progress elsewhere in this process. */
  protected abstract create(
    pet: NewPet,
    now: number,
    request: DatedRequest | undefined,
    terms: WriteTerms | undefined,
  ): Promise<Creation>

  abstract revision(): Revision
  abstract saveCounts(counts: readonly AccountCounts[]): Promise<void>
  abstract addUsage(usage: readonly KeyUsage[]): Promise<void>
  abstract check(): Promise<void>
  abstract deleteExpired(now: number, firstUsageDay: number): Promise<void>
  abstract close(): Promise<void>

  listPets(query: PetQuery): Promise<PetPage> {
    return this.read(petsAfter(query, this.#dialect.selectPet))
  }

  searchPets(search: PetSearch, signal?: AbortSignal): Promise<PetPage> {
    return this.readLong('searchPets', [search], signal)
  }

  countPets(filter: PetFilter, signal?: AbortSignal): Promise<PetCounts> {
    return this.readLong('countPets', [filter], signal)
  }

  previewPets(filter: PetFilter, signal?: AbortSignal): Promise<PetPreview> {
    return this.readLong('previewPets', [filter], signal)
  }

  async findPet(id: bigint): Promise<Pet | undefined> {
    return isInt64(id) ? this.read(petById(id, this.#dialect.selectPet)) : undefined
  }

  createPet(pet: NewPet, now: number, request?: IdempotentRequest, terms?: WriteTerms): Promise<Creation> {
    if (!request) return this.create(pet, now, undefined, terms)
    const dated = { ...request, since: this.#idempotentSince(now) }
    return this.#requests.carryOut(request, () => this.create(pet, now, dated, terms))
  }

  async readClock(): Promise<StoreClock> {
    const clock = await this.read(storeClock(this.#dialect))
    if (!clock) throw new StoreDamaged('The table store is empty.')
    this.#clockConfirmedAt = clock.confirmedAt
    return clock
  }

  async confirmClock(at: number, entry?: NewAuditEntry): Promise<void> {
    await this.write('confirmClock', at, entry)
    this.#clockConfirmedAt = at
  }

  addPet(pet: NewPet, entry: NewAuditEntry): Promise<Pet> {
    return this.write('addPet', pet, entry)
  }

  correctPet(expected: Pet, corrected: Pet, entry: NewAuditEntry): Promise<boolean> {
    return this.write('correctPet', expected, corrected, entry)
  }

  deletePet(expected: Pet, entry: NewAuditEntry): Promise<boolean> {
    return this.write('deletePet', expected, entry)
  }

  correctPets(
    filter: PetFilter,
    change: PetChange,
    version: string,
    entry: NewAuditEntry,
  ): Promise<number | undefined> {
    return this.write('correctPets', filter, change, version, entry)
  }

  deletePets(filter: PetFilter, version: string, entry: NewAuditEntry): Promise<number | undefined> {
    return this.write('deletePets', filter, version, entry)
  }

  async indexPets({ minAnimals, maxMs }: PetIndexing): Promise<void> {
    const backlog = await this.read(petBacklog(minAnimals))
    if (!backlog) return
    if (backlog.uncounted >= minAnimals) await repeatFor(maxMs, () => this.write('countNextPets'))
    if (backlog.unindexed >= minAnimals) await repeatFor(maxMs, () => this.write('indexNextPets'))
  }

  async listPetHistory(query: PetHistoryQuery, signal?: AbortSignal): Promise<PetEvent[]> {
    return this.readLong('listPetHistory', [query], signal)
  }

  listCategories(query: CategoryQuery, signal?: AbortSignal): Promise<CategoryUse[]> {
    return this.readLong('listCategories', [query], signal)
  }

  findCategories(ids: readonly bigint[]): Promise<Category[]> {
    return this.read(categoriesByIds(ids, this.#dialect))
  }

  labelCategory(id: bigint, label: string, entry: NewAuditEntry): Promise<void> {
    return this.write('labelCategory', id, label, entry)
  }

  unlabelCategory(id: bigint, entry: NewAuditEntry): Promise<boolean> {
    return this.write('unlabelCategory', id, entry)
  }

  findCaller(keyHash: string): Promise<Caller | undefined> {
    return this.read(callerByHash(keyHash))
  }

  async createAccount(account: NewAccount, entry: NewAuditEntry): Promise<Account> {
    const created = await this.write('createAccount', account, entry)
    if (!created) throw await this.#nameTaken(account.name)
    return created
  }

  listAccounts(query: AccountQuery = {}): Promise<Account[]> {
    return this.readLong('listAccounts', [{ ...ALL, ...query }])
  }

  listAccountNames(page: Page): Promise<AccountName[]> {
    return this.readLong('listAccountNames', [page])
  }

  findAccount(id: bigint): Promise<Account | undefined> {
    return this.read(accountById(id))
  }

  findAccountByName(name: string): Promise<Account | undefined> {
    return this.read(accountByName(name))
  }

  async renameAccount(
    accountId: bigint,
    name: string,
    entry: NewAuditEntry,
    expected?: AccountVersion,
  ): Promise<boolean> {
    const outcome = await this.write('renameAccount', accountId, name, entry, expected)
    if (outcome === 'taken') throw await this.#nameTaken(name)
    return unlessChanged(outcome)
  }

  async setPlan(
    accountId: bigint,
    plan: Plan,
    limits: Limits,
    entry: NewAuditEntry,
    expected?: AccountVersion,
  ): Promise<boolean> {
    return unlessChanged(await this.write('setPlan', accountId, plan, limits, entry, expected))
  }

  async setSuspended(
    accountId: bigint,
    suspendedAt: number | undefined,
    entry: NewAuditEntry,
    expected?: AccountVersion,
  ): Promise<boolean> {
    return unlessChanged(await this.write('setSuspended', accountId, suspendedAt, entry, expected))
  }

  async deleteAccount(accountId: bigint, entry: NewAuditEntry, expected?: AccountVersion): Promise<boolean> {
    return unlessChanged(await this.write('deleteAccount', accountId, entry, expected))
  }

  async createKey(key: NewKey, entry: NewAuditEntry): Promise<ApiKey> {
    const created = await this.write('createKey', key, entry)
    if (!created) throw accountGone(key.accountId)
    return created
  }

  listKeys(query: KeyQuery = {}): Promise<ApiKey[]> {
    return this.readLong('listKeys', [{ ...ALL, ...query }])
  }

  findKey(id: bigint): Promise<ApiKey | undefined> {
    return this.read(keyById(id))
  }

  changeKey(id: bigint, change: KeyChange, entry: NewAuditEntry): Promise<ApiKey | undefined> {
    return this.write('changeKey', id, change, entry)
  }

  replaceKey(id: bigint, expiresAt: number, successor: NewSecret, entry: NewAuditEntry): Promise<ApiKey | undefined> {
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

  findBan(id: bigint): Promise<Ban | undefined> {
    return this.read(banById(id))
  }

  findLastBan(keyId: bigint, source: string): Promise<Ban | undefined> {
    return this.read(lastBanOf(keyId, source))
  }

  liftBan(id: bigint, entry: NewAuditEntry): Promise<boolean> {
    return this.write('liftBan', id, entry)
  }

  async createClaimLink(link: NewClaimLink, entry: NewAuditEntry): Promise<ClaimLink> {
    const created = await this.write('createClaimLink', link, entry)
    if (!created) throw accountGone(link.accountId)
    return created
  }

  listClaimLinks(query: ClaimLinkQuery = {}): Promise<ClaimLink[]> {
    return this.readLong('listClaimLinks', [query])
  }

  findClaimLink(id: bigint): Promise<ClaimLink | undefined> {
    return this.read(claimLinkById(id))
  }

  findClaimLinkByHash(hash: string): Promise<ClaimLink | undefined> {
    return this.read(claimLinkByHash(hash))
  }

  claimKey(linkId: bigint, key: NewSecret, entry: NewAuditEntry): Promise<ApiKey | undefined> {
    return this.write('claimKey', linkId, key, entry)
  }

  revokeClaimLink(id: bigint, entry: NewAuditEntry): Promise<boolean> {
    return this.write('revokeClaimLink', id, entry)
  }

  listCounts(now: number): Promise<AccountCounts[]> {
    return this.readLong('listCounts', [now])
  }

  findCounts(accountId: bigint): Promise<Counts> {
    return this.read(countsOfAccount(accountId))
  }

  createToken(token: NewToken, entry: NewAuditEntry): Promise<OperatorToken> {
    return this.write('createToken', token, entry)
  }

  listTokens(page: Page = ALL): Promise<OperatorToken[]> {
    return this.read(tokens(page))
  }

  async findToken(id: bigint): Promise<OperatorToken | undefined> {
    return this.read(tokenById(id))
  }

  findTokenByHash(hash: string): Promise<OperatorToken | undefined> {
    return this.read(tokenByHash(hash))
  }

  findPermitFault(permit: Permit, now: number): Promise<PermitFault | undefined> {
    return this.read(faultOfPermit(permit, now))
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

  createSignInLink(link: NewSignInLink, entry: NewAuditEntry): Promise<void> {
    return this.write('createSignInLink', link, entry)
  }

  findSignInLink(hash: string): Promise<SignInLink | undefined> {
    return this.read(signInLinkByHash(hash))
  }

  redeemSignInLink(hash: string, session: NewSession, entry: NewAuditEntry): Promise<boolean> {
    return this.write('redeemSignInLink', hash, session, entry)
  }

  findCreation(key: string, now: number): Promise<SealedCreation | undefined> {
    return this.read(operatorCreation(key, this.#idempotentSince(now)))
  }

  /** Requests that were first sent later than this may be repeated. */
  #idempotentSince(now: number): number {
    return timeOfAge(now, this.#clockConfirmedAt) - IDEMPOTENCY_MS
  }

  recordAudit(entry: NewAuditEntry): Promise<void> {
    return this.write('recordAudit', entry)
  }

  async readVersions(): Promise<Versions> {
    const versions = await this.read(currentVersions())
    if (!versions) throw new StoreDamaged('The table revision is empty.')
    return versions
  }

  listAudit(query: AuditQuery): Promise<AuditEntry[]> {
    return this.readLong('listAudit', [query])
  }

  sumUsage(query: UsageQuery, signal?: AbortSignal): Promise<UsageSum[]> {
    return this.readLong('sumUsage', [query], signal)
  }

  async #nameTaken(name: string): Promise<UserError> {
    const other = await this.findAccountByName(name)
    const reason = other && other.name !== name ? '; names are not case-sensitive' : ''
    return new UserError('conflict', `An account named "${other?.name ?? name}" already exists${reason}.`, 'name')
  }
}

/** @throws UserError when an account is not as expected */
function unlessChanged(outcome: boolean | 'changed'): boolean {
  if (outcome !== 'changed') return outcome
  throw new UserError('changed', 'The account has changed since you read it; read it again.')
}

function accountGone(id: bigint): UserError {
  return new UserError('not_found', `The account with id ${id} no longer exists.`)
}

/** Repeats the work until it returns false or the time is up. */
async function repeatFor(milliseconds: number, work: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + milliseconds
  while ((await work()) && performance.now() < deadline);
}
