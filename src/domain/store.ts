import type { Account, Caller } from './account.ts'
import type { ApiKey } from './api-key.ts'
import type { Ban, BanTerm } from './ban.ts'
import type { IdempotentRequest } from './idempotency.ts'
import type { NewPet, Pet, PetStatus } from './pet.ts'
import type { Limits, Plan } from './plan.ts'
import type { Counts } from './rate-limiter.ts'

/**
 * Port: what must be remembered. A promise that resolves after a write means that the write is on disk.
 * What it promises is tested by store.contract.ts. Every method throws `StoreUnavailable` when the store cannot work just now.
 */
export interface Store {
  /** Signs this deployment's cursors; made once, with the store. */
  readonly cursorSecret: Uint8Array
  /** What has changed so far. Cheap enough to be asked on every call. */
  revision(): Revision

  /** Up to `limit` animals behind `afterId`, by ascending id, and whether more follow. */
  listPets(query: PetQuery): Promise<PetPage>
  findPet(id: bigint): Promise<Pet | undefined>
  /** Creates an animal, or finds that the same request has already made one. Ids rise from 1 and are never used again. */
  createPet(pet: NewPet, now: number, request?: IdempotentRequest): Promise<Creation>

  /** The caller whose key has this SHA-256, expired and revoked ones too. */
  findCaller(keyHash: string): Promise<Caller | undefined>
  /** @throws Mistake when the name is taken */
  createAccount(account: { name: string; plan: Plan; limits: Limits }, now: number): Promise<Account>
  listAccounts(): Promise<Account[]>
  findAccount(id: bigint): Promise<Account | undefined>
  findAccountByName(name: string): Promise<Account | undefined>
  setPlan(accountId: bigint, plan: Plan, limits: Limits): Promise<void>

  createKey(key: NewKey, now: number): Promise<ApiKey>
  listKeys(accountId?: bigint): Promise<ApiKey[]>
  findKey(id: bigint): Promise<ApiKey | undefined>
  /** Creates a successor and lets the old key expire, both or neither. */
  replaceKey(id: bigint, expiresAt: number, successor: NewKey, now: number): Promise<ApiKey>
  revokeKey(id: bigint, now: number): Promise<void>

  createBan(keyId: bigint, term: BanTerm): Promise<Ban>
  /** The newest ban of each key, newest first. */
  listBans(): Promise<Ban[]>
  liftBan(id: bigint, now: number): Promise<void>

  /** What the accounts have used, as last saved: those with a window that is not over at `now`. */
  listCounts(now: number): Promise<AccountCounts[]>
  saveCounts(counts: readonly AccountCounts[]): Promise<void>
  /** Adds to the number of calls of the deprecated operation. */
  addDeprecatedCalls(calls: readonly DeprecatedCalls[]): Promise<void>
  /** Forgets what is only kept for a time: creations older than their idempotency keys' 24 hours. */
  forgetExpired(now: number): Promise<void>

  close(): Promise<void>
}

/**
 * Two equal numbers promise equal answers, so that answers may be kept until the number changes. A write of this process
 * shows at once, that of another process within a millisecond.
 */
export interface Revision {
  /** Changes with every account, key and ban. */
  callers: number
  /** Changes when an animal that exists is changed or deleted. */
  corrections: number
  /** Rises with every creation. */
  newestPetId: bigint
}

export interface PetQuery {
  status: PetStatus | undefined
  /** 0 for the first page. */
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

export interface DeprecatedCalls {
  accountId: bigint
  calls: number
  lastAt: number
}
