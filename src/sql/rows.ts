import type { Account, Caller } from '../domain/account.ts'
import type { ApiKey } from '../domain/api-key.ts'
import type { AuditAction, AuditEntry } from '../domain/audit.ts'
import type { Ban } from '../domain/ban.ts'
import type { OperatorToken, Role } from '../domain/operator.ts'
import type { Pet, PetStatus } from '../domain/pet.ts'
import type { Plan } from '../domain/plan.ts'
import type { AccountCounts } from '../domain/store.ts'
import type { UsageSum } from '../domain/usage.ts'

/** Rows as every store of SQL gives them (each integer a bigint, what is absent null), and the domain's shapes made from them. */

export interface PetRow {
  id: bigint
  name: string
  category_id: bigint
  status: PetStatus
}

export function petOf(row: PetRow): Pet {
  return { id: row.id, name: row.name, categoryId: row.category_id, status: row.status }
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

export function accountOf(row: AccountRow): Account {
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

export function keyOf(row: KeyRow): ApiKey {
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

export function banOf(row: BanRow): Ban {
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
  key_id: bigint
  account_id: bigint
  plan: Plan
  per_minute: bigint
  per_day: bigint
  suspended_at: bigint | null
  expires_at: bigint | null
  revoked_at: bigint | null
  ban_id: bigint | null
  started_at: bigint
  ends_at: bigint
  ordinal: bigint
  lifted_at: bigint | null
}

export function callerOf(row: CallerRow): Caller {
  return {
    keyId: row.key_id,
    accountId: row.account_id,
    plan: row.plan,
    limits: { perMinute: Number(row.per_minute), perDay: Number(row.per_day) },
    suspendedAt: time(row.suspended_at),
    expiresAt: time(row.expires_at),
    revokedAt: time(row.revoked_at),
    lastBan: row.ban_id === null ? undefined : banOf({ ...row, id: row.ban_id }),
  }
}

export interface CountsRow {
  account_id: bigint
  minute_used: bigint | null
  minute_resets_at: bigint | null
  day_used: bigint | null
  day_resets_at: bigint | null
}

export function countsOf(row: CountsRow): AccountCounts {
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

export function tokenOf(row: TokenRow): OperatorToken {
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

export function auditEntryOf(row: AuditRow): AuditEntry {
  return {
    id: row.id,
    at: Number(row.at),
    actor: row.actor,
    origin: row.origin,
    action: row.action,
    subjectId: row.subject_id ?? undefined,
    accountId: row.account_id ?? undefined,
    details: JSON.parse(row.details),
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

export function usageSumOf(row: UsageRow): UsageSum {
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

function time(column: bigint | null): number | undefined {
  return column === null ? undefined : Number(column)
}
