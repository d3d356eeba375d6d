import type { Account, AccountState, AccountVersion, AccountWithUsage, Caller } from '../account.ts'
import type { ApiKey, KeyScope, KeyState, KeyTerms } from '../api-key.ts'
import type { NewAuditEntry } from '../audit.ts'
import type { Ban, BanTerm } from '../ban.ts'
import type { Limits, Plan } from '../plan.ts'
import type { Counts } from '../rate-limiter.ts'
import type { NewestPage, Page } from './page.ts'
import type { Revisions } from './revision.ts'

/** Port: the callers, and how many calls they have used. */
export interface AccountStore extends Revisions {
  /** The caller whose key has this SHA-256, even if the key has expired or is revoked, or the account is suspended. */
  findCaller(keyHash: string): Promise<Caller | undefined>
  /** @throws UserError when the name is taken */
  createAccount(account: NewAccount, entry: NewAuditEntry): Promise<Account>
  /** With the calls of one day, oldest first by default. May take long, without delaying other calls. */
  listAccounts(query: AccountQuery): Promise<AccountWithUsage[]>
  /** The names of all accounts, by ascending id. Does not delay other calls. */
  listAccountNames(page: Page): Promise<AccountName[]>
  findAccount(id: bigint): Promise<Account | undefined>
  /**
   * Finds an account by name, ignoring case. If the names of older accounts differ only in case, only the exact name finds one of them.
   */
  findAccountByName(name: string): Promise<Account | undefined>
  /**
   * Returns the account as this change leaves it; undefined if it does not exist. So do the next two.
   * @throws UserError when the name is taken, or the account is not as expected
   */
  renameAccount(
    accountId: bigint,
    name: string,
    entry: NewAuditEntry,
    expected?: AccountVersion,
  ): Promise<Account | undefined>
  /** @throws UserError when the account is not as expected */
  setPlan(
    accountId: bigint,
    plan: Plan,
    limits: Limits,
    entry: NewAuditEntry,
    expected?: AccountVersion,
  ): Promise<Account | undefined>
  /**
   * Undefined also if it is already suspended (or already not suspended).
   * @throws UserError when the account is not as expected
   */
  setSuspended(
    accountId: bigint,
    suspendedAt: number | undefined,
    entry: NewAuditEntry,
    expected?: AccountVersion,
  ): Promise<Account | undefined>
  /**
   * Deletes the account with its keys, their bans, its counts and its idempotency keys. Its usage is kept.
   * @throws UserError when the account is not as expected
   */
  deleteAccount(accountId: bigint, entry: NewAuditEntry, expected?: AccountVersion): Promise<boolean>

  /** @throws UserError when the account no longer exists */
  createKey(key: NewKey, entry: NewAuditEntry): Promise<ApiKey>
  /** By ascending id. May take long, without delaying other calls. */
  listKeys(query?: KeyQuery): Promise<ApiKey[]>
  findKey(id: bigint): Promise<ApiKey | undefined>
  /** Returns the changed key; undefined if it does not exist or is revoked. Writes nothing if it already has these values. */
  changeKey(id: bigint, change: KeyChange, entry: NewAuditEntry): Promise<ApiKey | undefined>
  /**
   * Creates a successor on the same terms and sets the expiry of the old key, both or neither. Undefined if the key is revoked or already
   * has a successor.
   */
  replaceKey(id: bigint, expiresAt: number, successor: NewSecret, entry: NewAuditEntry): Promise<ApiKey | undefined>
  /** False if the key does not exist, or is already revoked. */
  revokeKey(id: bigint, entry: NewAuditEntry): Promise<boolean>

  createBan(keyId: bigint, term: BanTerm): Promise<Ban>
  /** Newest first. May take long, without delaying other calls. */
  listBans(query?: BanQuery): Promise<Ban[]>
  findBan(id: bigint): Promise<Ban | undefined>
  /** The newest ban of the key that applied to this source and lengthens its next one: not one that was earned in an exhausted day. */
  findLastBan(keyId: bigint, source: string): Promise<Ban | undefined>
  /** False if the ban does not exist, or is already lifted. */
  liftBan(id: bigint, entry: NewAuditEntry): Promise<boolean>

  /** The counts of all accounts with a window that is not over at `now`, as last saved. */
  listCounts(now: number): Promise<AccountCounts[]>
  /** The counts of one account, as last saved, even if its windows are over. */
  findCounts(accountId: bigint): Promise<Counts>
  /** Drops the counts of accounts that no longer exist. */
  saveCounts(counts: readonly AccountCounts[]): Promise<void>
}

export type NewAccount = Pick<Account, 'name' | 'plan' | 'limits'>

export interface NewKey extends KeyTerms, NewSecret {
  accountId: bigint
}

/** What is stored of a newly generated key. */
export interface NewSecret {
  hash: string
  hint: string
}

/** Omitted members do not change; null removes a value. */
export interface KeyChange {
  name?: string | null | undefined
  scope?: KeyScope | undefined
  networks?: readonly string[] | null | undefined
}

/** Omitted conditions are ignored. */
export interface AccountQuery extends Partial<Page> {
  /** A time in the day of the calls, and in the bans that are in force; in Unix milliseconds. */
  at: number
  /** Part of the name; case and accents are ignored. */
  name?: string | undefined
  plan?: Plan | undefined
  state?: AccountState | undefined
  /**
   * A page starts after the account `afterId` in this order. Calls between two pages can move accounts: by usage, one may be on both pages, or on
   * neither.
   */
  sort?: AccountOrder | undefined
}

/** The last two by the share of today's limit that is used, and by today's calls that were not admitted; both descending. */
export const ACCOUNT_ORDERS = ['oldest', 'newest', 'name', 'usage', 'refused'] as const

export type AccountOrder = (typeof ACCOUNT_ORDERS)[number]

export type AccountName = Pick<Account, 'id' | 'name'>

/** Omitted conditions are ignored. */
export interface KeyQuery extends Partial<Page> {
  accountId?: bigint | undefined
  /** Only keys that are in this state at this time. */
  state?: { is: KeyState; at: number } | undefined
  /** Part of the name (case and accents are ignored), or the exact last characters of the key. */
  search?: string | undefined
  /** Only keys issued before this time that have not called since; as far back as usage is kept. */
  unusedSince?: number | undefined
  /** Whether they have ever called. */
  used?: boolean | undefined
  /** Only keys that expire before this time or have already expired. */
  expiresBefore?: number | undefined
}

/** Omitted conditions are ignored. */
export interface BanQuery extends Partial<NewestPage> {
  accountId?: bigint | undefined
  keyId?: bigint | undefined
  /** Only bans in force at this time. */
  inForceAt?: number | undefined
}

export interface AccountCounts {
  accountId: bigint
  counts: Counts
}
