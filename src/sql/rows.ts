import type { Account, Caller } from '../domain/account.ts'
import type { ApiKey } from '../domain/api-key.ts'
import type { AuditAction, AuditEntry } from '../domain/audit.ts'
import type { Ban } from '../domain/ban.ts'
import { StoreDamaged } from '../domain/errors.ts'
import { type OperatorToken, ROLES, type Role } from '../domain/operator.ts'
import { PET_STATUSES, type Pet, type PetStatus } from '../domain/pet.ts'
import { PLANS, type Plan } from '../domain/plan.ts'
import type { AccountCounts } from '../domain/store.ts'
import type { UsageSum } from '../domain/usage.ts'
import { type Check, checkRows, ifRead, isCount, isInteger, isOneOf, isPositive, isText, orNull } from './columns.ts'
import { petChecksum } from './pet-checksum.ts'

/** Rows as every store of SQL gives them (each integer a bigint, what is absent null), and the domain's shapes made from them. */

export interface PetRow {
  id: bigint
  name: string
  category_id: bigint
  status: PetStatus
  /** Not every store has one, nor every row. */
  checksum?: bigint | null
}

/** As a new animal's name is, but for what only letters can tell. */
const isName: Check = value => typeof value === 'string' && /^\P{Cc}{1,255}$/u.test(value)

const checkPet = checkRows<PetRow>('an animal', {
  id: isPositive,
  name: isName,
  category_id: isInteger,
  status: isOneOf(PET_STATUSES),
  checksum: ifRead(orNull(isCount)),
})

export function petOf(row: PetRow): Pet {
  checkPet(row)
  const { id, name, category_id: categoryId, status, checksum = null } = row
  if (checksum !== null && Number(checksum) !== petChecksum(name, categoryId, status)) {
    throw new StoreDamaged(`Animal ${id} is not as it was stored.`)
  }
  return { id, name, categoryId, status }
}

export interface AccountRow {
  id: bigint
  name: string
  plan: Plan
  per_minute: bigint
  per_day: bigint
  created_at: bigint
  suspended_at: bigint | null
  deprecated_calls: bigint
  last_deprecated_call_at: bigint | null
}

const checkAccount = checkRows<AccountRow>('an account', {
  id: isPositive,
  name: isText,
  plan: isOneOf(PLANS),
  per_minute: isPositive,
  per_day: isPositive,
  created_at: isInteger,
  suspended_at: orNull(isInteger),
  deprecated_calls: isCount,
  last_deprecated_call_at: orNull(isInteger),
})

export function accountOf(row: AccountRow): Account {
  checkAccount(row)
  return {
    id: row.id,
    name: row.name,
    plan: row.plan,
    limits: { perMinute: Number(row.per_minute), perDay: Number(row.per_day) },
    createdAt: Number(row.created_at),
    suspendedAt: time(row.suspended_at),
    deprecatedCalls: Number(row.deprecated_calls),
    lastDeprecatedCallAt: time(row.last_deprecated_call_at),
  }
}

export interface KeyRow {
  id: bigint
  account_id: bigint
  account_name: string
  name: string | null
  hint: string
  created_at: bigint
  expires_at: bigint | null
  revoked_at: bigint | null
  last_used_at: bigint | null
  replaced_by: bigint | null
}

const checkKey = checkRows<KeyRow>('a key', {
  id: isPositive,
  account_id: isPositive,
  account_name: isText,
  name: orNull(isText),
  hint: isText,
  created_at: isInteger,
  expires_at: orNull(isInteger),
  revoked_at: orNull(isInteger),
  last_used_at: orNull(isInteger),
  replaced_by: orNull(isPositive),
})

export function keyOf(row: KeyRow): ApiKey {
  checkKey(row)
  return {
    id: row.id,
    accountId: row.account_id,
    accountName: row.account_name,
    name: row.name ?? undefined,
    hint: row.hint,
    createdAt: Number(row.created_at),
    expiresAt: time(row.expires_at),
    revokedAt: time(row.revoked_at),
    lastUsedAt: time(row.last_used_at),
    replacedBy: row.replaced_by ?? undefined,
  }
}

export interface BanRow {
  id: bigint
  key_id: bigint
  started_at: bigint
  ends_at: bigint
  ordinal: bigint
  lifted_at: bigint | null
}

const checkBan = checkRows<BanRow>('a ban', {
  id: isPositive,
  key_id: isPositive,
  started_at: isInteger,
  ends_at: isInteger,
  ordinal: isPositive,
  lifted_at: orNull(isInteger),
})

export function banOf(row: BanRow): Ban {
  checkBan(row)
  return {
    id: row.id,
    keyId: row.key_id,
    startedAt: Number(row.started_at),
    endsAt: Number(row.ends_at),
    ordinal: Number(row.ordinal),
    liftedAt: time(row.lifted_at),
  }
}

/** A key with its account, and the newest of its bans. */
export interface CallerRow {
  hash: string
  key_id: bigint
  account_id: bigint
  plan: Plan
  per_minute: bigint
  per_day: bigint
  suspended_at: bigint | null
  expires_at: bigint | null
  revoked_at: bigint | null
  ban_id: bigint | null
  started_at: bigint | null
  ends_at: bigint | null
  ordinal: bigint | null
  lifted_at: bigint | null
}

const checkCaller = checkRows<CallerRow>('a caller', {
  hash: isText,
  key_id: isPositive,
  account_id: isPositive,
  plan: isOneOf(PLANS),
  per_minute: isPositive,
  per_day: isPositive,
  suspended_at: orNull(isInteger),
  expires_at: orNull(isInteger),
  revoked_at: orNull(isInteger),
  ban_id: orNull(isPositive),
  started_at: orNull(isInteger),
  ends_at: orNull(isInteger),
  ordinal: orNull(isPositive),
  lifted_at: orNull(isInteger),
})

export function callerOf(row: CallerRow): Caller {
  checkCaller(row)
  return {
    keyId: row.key_id,
    accountId: row.account_id,
    plan: row.plan,
    limits: { perMinute: Number(row.per_minute), perDay: Number(row.per_day) },
    suspendedAt: time(row.suspended_at),
    expiresAt: time(row.expires_at),
    revokedAt: time(row.revoked_at),
    lastBan: row.ban_id === null ? undefined : banOf({ ...row, id: row.ban_id } as BanRow),
  }
}

export interface CountsRow {
  account_id: bigint
  minute_used: bigint | null
  minute_resets_at: bigint | null
  day_used: bigint | null
  day_resets_at: bigint | null
}

const checkCounts = checkRows<CountsRow>('the counts of an account', {
  account_id: isPositive,
  minute_used: orNull(isCount),
  minute_resets_at: orNull(isInteger),
  day_used: orNull(isCount),
  day_resets_at: orNull(isInteger),
})

export function countsOf(row: CountsRow): AccountCounts {
  checkCounts(row)
  const count = (used: bigint | null, resetsAt: bigint | null) =>
    used === null || resetsAt === null ? undefined : { used: Number(used), resetsAt: Number(resetsAt) }
  const minute = count(row.minute_used, row.minute_resets_at)
  const day = count(row.day_used, row.day_resets_at)
  return { accountId: row.account_id, counts: { ...(minute && { minute }), ...(day && { day }) } }
}

export interface TokenRow {
  id: bigint
  name: string
  role: Role
  hint: string
  created_at: bigint
  expires_at: bigint | null
  revoked_at: bigint | null
}

const checkToken = checkRows<TokenRow>('a token', {
  id: isPositive,
  name: isText,
  role: isOneOf(ROLES),
  hint: isText,
  created_at: isInteger,
  expires_at: orNull(isInteger),
  revoked_at: orNull(isInteger),
})

export function tokenOf(row: TokenRow): OperatorToken {
  checkToken(row)
  return {
    id: row.id,
    name: row.name,
    role: row.role,
    hint: row.hint,
    createdAt: Number(row.created_at),
    expiresAt: time(row.expires_at),
    revokedAt: time(row.revoked_at),
  }
}

export interface AuditRow {
  id: bigint
  at: bigint
  actor: string
  origin: string
  action: AuditAction
  subject_id: bigint | null
  account_id: bigint | null
  details: string
}

const checkAudit = checkRows<AuditRow>('an audit entry', {
  id: isPositive,
  at: isInteger,
  actor: isText,
  origin: isText,
  action: isText,
  subject_id: orNull(isInteger),
  account_id: orNull(isInteger),
  details: isText,
})

export function auditEntryOf(row: AuditRow): AuditEntry {
  checkAudit(row)
  return {
    id: row.id,
    at: Number(row.at),
    actor: row.actor,
    origin: row.origin,
    action: row.action,
    subjectId: row.subject_id ?? undefined,
    accountId: row.account_id ?? undefined,
    details: detailsOf(row.details),
  }
}

export interface UsageRow {
  day?: bigint
  account_id?: bigint
  account_name?: string | null
  key_id?: bigint
  key_name?: string | null
  operation?: string
  admitted: bigint
  refused: bigint
  banned: bigint
  status_2xx: bigint
  status_3xx: bigint
  status_4xx: bigint
  status_5xx: bigint
  last_at: bigint
}

const checkUsage = checkRows<UsageRow>('a sum of usage', {
  day: ifRead(isInteger),
  account_id: ifRead(isInteger),
  account_name: ifRead(orNull(isText)),
  key_id: ifRead(isInteger),
  key_name: ifRead(orNull(isText)),
  operation: ifRead(isText),
  admitted: isCount,
  refused: isCount,
  banned: isCount,
  status_2xx: isCount,
  status_3xx: isCount,
  status_4xx: isCount,
  status_5xx: isCount,
  last_at: isInteger,
})

export function usageSumOf(row: UsageRow): UsageSum {
  checkUsage(row)
  return {
    ...(row.day !== undefined && { day: Number(row.day) }),
    ...(row.account_id !== undefined && { accountId: row.account_id }),
    ...(row.account_name && { accountName: row.account_name }),
    ...(row.key_id !== undefined && { keyId: row.key_id }),
    ...(row.key_name && { keyName: row.key_name }),
    ...(row.operation !== undefined && { operation: row.operation }),
    admitted: Number(row.admitted),
    refused: Number(row.refused),
    banned: Number(row.banned),
    status2xx: Number(row.status_2xx),
    status3xx: Number(row.status_3xx),
    status4xx: Number(row.status_4xx),
    status5xx: Number(row.status_5xx),
    lastAt: Number(row.last_at),
  }
}

function detailsOf(text: string): AuditEntry['details'] {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new StoreDamaged('The details of an audit entry are not JSON.', { cause: error })
  }
}

function time(column: bigint | null): number | undefined {
  return column === null ? undefined : Number(column)
}
