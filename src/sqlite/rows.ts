import type { Account, Caller } from '../domain/account.ts'
import type { ApiKey } from '../domain/api-key.ts'
import type { Ban } from '../domain/ban.ts'
import type { Pet, PetStatus } from '../domain/pet.ts'
import type { Plan } from '../domain/plan.ts'
import type { AccountCounts } from '../domain/store.ts'

/** Rows as SQLite gives them (every integer a bigint, what is absent null), and the domain's shapes made from them. */

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

export interface CallerRow {
  key_id: bigint
  account_id: bigint
  per_minute: bigint
  per_day: bigint
  expires_at: bigint | null
  revoked_at: bigint | null
}

export function callerOf(row: CallerRow, lastBan: BanRow | undefined): Caller {
  return {
    keyId: row.key_id,
    accountId: row.account_id,
    limits: { perMinute: Number(row.per_minute), perDay: Number(row.per_day) },
    expiresAt: time(row.expires_at),
    revokedAt: time(row.revoked_at),
    lastBan: lastBan && banOf(lastBan),
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

function time(column: bigint | null): number | undefined {
  return column === null ? undefined : Number(column)
}
