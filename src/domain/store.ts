import type { Account, Caller } from './account.ts'
import type { ApiKey } from './api-key.ts'
import type { AuditEntry, AuditQuery, NewAuditEntry } from './audit.ts'
import type { Ban, BanTerm } from './ban.ts'
import type { IdempotentRequest } from './idempotency.ts'
import type { OperatorToken, Role } from './operator.ts'
import type { NewPet, Pet, PetStatus } from './pet.ts'
import type { Limits, Plan } from './plan.ts'
import type { Counts } from './rate-limiter.ts'
import type { Session } from './session.ts'
import type { KeyUsage, UsageQuery, UsageSum } from './usage.ts'

/**
 * Port: what must be remembered. A promise that resolves after a write means that the write is on disk.
 * A write that takes an audit entry writes both or neither; one that tells by `false` or `undefined` that it found nothing to
 * change writes neither. What only the write itself can know (an account's name or plan before it, a successor's id), it adds to the
 * details. What a store promises is tested by store.contract.ts. Every method throws `StoreUnavailable` when the store cannot work just
 * now.
 */
export interface Store extends Catalogue, Accounts, Operators, Usage {
  /** Signs this deployment's cursors; made once, with the store. */
  readonly cursorSecret: Uint8Array
  /** What has changed so far. Cheap enough to be asked on every call. */
  revision(): Revision
  /** Resolves when the store can be read and written. */
  check(): Promise<void>
  /**
   * Forgets what is only kept for a time: creations older than their idempotency keys' 24 hours, sessions that are over, usage
   * of the days before `firstUsageDay`.
   */
  forgetExpired(now: number, firstUsageDay: number): Promise<void>
  close(): Promise<void>
}

/** The animals. */
interface Catalogue {
  /** Up to `limit` animals behind `afterId`, by ascending id, and whether more follow. */
  listPets(query: PetQuery): Promise<PetPage>
  /**
   * The same, of those that all of the query is true of. May take its time, and holds nobody up meanwhile. A search that waits for its turn
   * is not begun once the signal is aborted: it rejects with the signal's reason.
   */
  searchPets(query: PetSearch, signal?: AbortSignal): Promise<PetPage>
  findPet(id: bigint): Promise<Pet | undefined>
  /** Creates an animal, or finds that the same request has already made one. Ids rise from 1 and are never used again. */
  createPet(pet: NewPet, now: number, request?: IdempotentRequest): Promise<Creation>
  /** Creates an animal for an operator. */
  addPet(pet: NewPet, entry: NewAuditEntry): Promise<Pet>
  /** Replaces `expected` by `corrected`, which has the same id; false if the animal is not, or no more, as expected. */
  correctPet(expected: Pet, corrected: Pet, entry: NewAuditEntry): Promise<boolean>
  /** False if the animal is not, or no more, as expected. */
  deletePet(expected: Pet, entry: NewAuditEntry): Promise<boolean>
}

/** Who may call, and what they have used. */
interface Accounts {
  /** The caller whose key has this SHA-256, expired, revoked and suspended ones too. */
  findCaller(keyHash: string): Promise<Caller | undefined>
  /** The SHA-256 of every key, by ascending id. */
  listKeyHashes(page: Page): Promise<{ id: bigint; hash: string }[]>
  /** @throws Mistake when the name is taken */
  createAccount(account: { name: string; plan: Plan; limits: Limits }, entry: NewAuditEntry): Promise<Account>
  /** May take its time, and holds nobody up meanwhile. */
  listAccounts(page?: Page): Promise<Account[]>
  findAccount(id: bigint): Promise<Account | undefined>
  findAccountByName(name: string): Promise<Account | undefined>
  /** @throws Mistake when the name is taken */
  renameAccount(accountId: bigint, name: string, entry: NewAuditEntry): Promise<boolean>
  setPlan(accountId: bigint, plan: Plan, limits: Limits, entry: NewAuditEntry): Promise<boolean>
  /** False if the account is suspended already, or not, or not there. */
  setSuspended(accountId: bigint, suspendedAt: number | undefined, entry: NewAuditEntry): Promise<boolean>
  /** Deletes the account with its keys, their bans, its counts and its idempotency keys. Its usage is kept. */
  deleteAccount(accountId: bigint, entry: NewAuditEntry): Promise<boolean>

  /** @throws Mistake when the account is not there any more */
  createKey(key: NewKey, entry: NewAuditEntry): Promise<ApiKey>
  listKeys(accountId?: bigint, page?: Page): Promise<ApiKey[]>
  findKey(id: bigint): Promise<ApiKey | undefined>
  /** Creates a successor and lets the old key expire, both or neither; undefined if it is revoked or has a successor already. */
  replaceKey(id: bigint, expiresAt: number, successor: NewKey, entry: NewAuditEntry): Promise<ApiKey | undefined>
  /** False if the key is revoked already, or not there. */
  revokeKey(id: bigint, entry: NewAuditEntry): Promise<boolean>

  createBan(keyId: bigint, term: BanTerm): Promise<Ban>
  /** Of the newest ban of each key those that are asked for, newest first. May take its time, and holds nobody up meanwhile. */
  listBans(query?: BanQuery): Promise<Ban[]>
  /** The newest ban of the key. */
  findBan(keyId: bigint): Promise<Ban | undefined>
  /** False if the ban is lifted already, or not there. */
  liftBan(id: bigint, entry: NewAuditEntry): Promise<boolean>

  /** What the accounts have used, as last saved: those with a window that is not over at `now`. */
  listCounts(now: number): Promise<AccountCounts[]>
  /** What one account has used, as last saved, its windows over or not. */
  findCounts(accountId: bigint): Promise<Counts>
  /** Counts of an account that is not there any more are dropped. */
  saveCounts(counts: readonly AccountCounts[]): Promise<void>
}

/** Who works on the operators' side, and what they did. */
interface Operators {
  createToken(token: NewToken, entry: NewAuditEntry): Promise<OperatorToken>
  listTokens(): Promise<OperatorToken[]>
  /** Revoked and expired ones too. */
  findToken(hash: string): Promise<OperatorToken | undefined>
  /** False if the token is revoked already, or not there. */
  revokeToken(id: bigint, entry: NewAuditEntry): Promise<boolean>

  /** Ends the sessions that it replaces, and those that are too many for one token. */
  createSession(session: NewSession, entry: NewAuditEntry): Promise<void>
  /** Sessions that are over, or whose token is, too. */
  findSession(hash: string): Promise<Session | undefined>
  deleteSession(hash: string, entry: NewAuditEntry): Promise<boolean>

  /** Writes down what changes nothing in the store. */
  recordAudit(entry: NewAuditEntry): Promise<void>
  listAudit(query: AuditQuery): Promise<AuditEntry[]>
}

/** How the service is used. */
interface Usage {
  addUsage(usage: readonly KeyUsage[]): Promise<void>
  /** By the dimensions in their order, ascending. As long, and with such a signal, as a search. */
  sumUsage(query: UsageQuery, signal?: AbortSignal): Promise<UsageSum[]>
}

/** A part of a list that goes by ascending id. */
export interface Page {
  afterId: bigint
  limit: number
}

/** Which bans are wanted; what is left out does not matter. */
export interface BanQuery {
  /** Only bans that hold at this time. */
  inForceAt?: number
  /** Only bans older than this one. */
  beforeId?: bigint | undefined
  limit?: number
}

/** The whole list. */
export const ALL: Page = { afterId: 0n, limit: Number.MAX_SAFE_INTEGER }

/**
 * Two equal numbers promise equal answers, so that answers may be kept until the number changes. A write of this process
 * shows at once, that of another process within a millisecond; where several instances share a store, a write that changes one of
 * these numbers ends only when all of them know.
 */
export interface Revision {
  /** Changes with every account, key and ban. */
  callers: number
  /** Changes when an animal that exists is changed or deleted. */
  corrections: number
  /** Rises with every creation. Undefined where others may create animals at any time: then a new one may be there already. */
  newestPetId: bigint | undefined
}

export interface PetQuery {
  status: PetStatus | undefined
  /** 0 for the first page. */
  afterId: bigint
  limit: number
}

/** What is undefined does not matter. */
export interface PetSearch {
  /** A part of the name, in whatever case. */
  name: string | undefined
  status: PetStatus | undefined
  categoryId: bigint | undefined
  id: bigint | undefined
  afterId: bigint
  limit: number
}

export interface PetPage {
  pets: Pet[]
  hasMore: boolean
}

export type Creation =
  | { outcome: 'created'; pet: Pet }
  /** The same request has already been carried out; `pet` is as it was then. */
  | { outcome: 'replayed'; pet: Pet }
  /** The key was used for another body. */
  | { outcome: 'mismatch' }
  /** The same request is being carried out right now. */
  | { outcome: 'in_progress' }

export interface NewKey {
  accountId: bigint
  hash: string
  hint: string
  name: string | undefined
  expiresAt: number | undefined
}

export interface AccountCounts {
  accountId: bigint
  counts: Counts
}

export interface NewToken {
  hash: string
  hint: string
  name: string
  role: Role
  expiresAt: number | undefined
}

export interface NewSession {
  hash: string
  tokenId: bigint
  expiresAt: number
  /** The hashes of the sessions that end with its beginning. */
  replaces?: readonly string[]
}
