import type { Account, AccountState, Caller } from '../account.ts'
import type { ApiKey } from '../api-key.ts'
import type { NewAuditEntry } from '../audit.ts'
import type { Ban, BanTerm } from '../ban.ts'
import type { Limits, Plan } from '../plan.ts'
import type { Counts } from '../rate-limiter.ts'
import type { SecretState } from '../secret.ts'
import type { Page } from './page.ts'
import type { Revisions } from './revision.ts'

/** Port: who may call, and how much of their limits they have used. */
export interface AccountStore extends Revisions {
  /** The caller whose key has this SHA-256, also if the key has expired or is revoked, or the account is suspended. */
  findCaller(keyHash: string): Promise<Caller | undefined>
  /** The SHA-256 of every key, by ascending id. */
  listKeyHashes(page: Page): Promise<KeyHash[]>
  /** @throws UserError when the name is taken */
  createAccount(account: NewAccount, entry: NewAuditEntry): Promise<Account>
  /** By ascending id. May take long, without delaying other calls. */
  listAccounts(query?: AccountQuery): Promise<Account[]>
  findAccount(id: bigint): Promise<Account | undefined>
  findAccountByName(name: string): Promise<Account | undefined>
  /** @throws UserError when the name is taken */
  renameAccount(accountId: bigint, name: string, entry: NewAuditEntry): Promise<boolean>
  setPlan(accountId: bigint, plan: Plan, limits: Limits, entry: NewAuditEntry): Promise<boolean>
  /** False if there is no such account, or it is already suspended (or already not suspended). */
  setSuspended(accountId: bigint, suspendedAt: number | undefined, entry: NewAuditEntry): Promise<boolean>
  /** Deletes the account with its keys, their bans, its counts and its idempotency keys. Its usage is kept. */
  deleteAccount(accountId: bigint, entry: NewAuditEntry): Promise<boolean>

  /** @throws UserError when the account no longer exists */
  createKey(key: NewKey, entry: NewAuditEntry): Promise<ApiKey>
  /** By ascending id. May take long, without delaying other calls. */
  listKeys(query?: KeyQuery): Promise<ApiKey[]>
  findKey(id: bigint): Promise<ApiKey | undefined>
  /** Creates a successor and lets the old key expire, both or neither; undefined if the key is revoked or already has a successor. */
  replaceKey(id: bigint, expiresAt: number, successor: NewKey, entry: NewAuditEntry): Promise<ApiKey | undefined>
  /** False if the key does not exist, or is already revoked. */
  revokeKey(id: bigint, entry: NewAuditEntry): Promise<boolean>

  createBan(keyId: bigint, term: BanTerm): Promise<Ban>
  /** The newest ban of each key, as far as it matches the query, newest first. May take long, without delaying other calls. */
  listBans(query?: BanQuery): Promise<Ban[]>
  /** The newest ban of the key. */
  findBan(keyId: bigint): Promise<Ban | undefined>
  /** False if the ban does not exist, or is already lifted. */
  liftBan(id: bigint, entry: NewAuditEntry): Promise<boolean>

  /** The counts of all accounts with a window that is not over at `now`, as last saved. */
  listCounts(now: number): Promise<AccountCounts[]>
  /** The counts of one account, as last saved, whether or not its windows are over. */
  findCounts(accountId: bigint): Promise<Counts>
  /** Drops the counts of accounts that no longer exist. */
  saveCounts(counts: readonly AccountCounts[]): Promise<void>
}

export interface NewAccount {
  name: string
  plan: Plan
  limits: Limits
}

export interface NewKey {
  accountId: bigint
  hash: string
  hint: string
  name: string | undefined
  expiresAt: number | undefined
}

export interface KeyHash {
  id: bigint
  hash: string
}

/** What is left out does not matter. */
export interface AccountQuery extends Partial<Page> {
  /** A part of the name, in any case. */
  name?: string | undefined
  plan?: Plan | undefined
  state?: AccountState | undefined
}

/** What is left out does not matter. */
export interface KeyQuery extends Partial<Page> {
  accountId?: bigint | undefined
  /** Only keys that are in this state at this time. */
  state?: { is: SecretState; at: number } | undefined
}

/** What is left out does not matter. */
export interface BanQuery {
  accountId?: bigint | undefined
  /** Only bans in force at this time. */
  inForceAt?: number
  /** Only bans older than this one. */
  beforeId?: bigint | undefined
  limit?: number
}

export interface AccountCounts {
  accountId: bigint
  counts: Counts
}
