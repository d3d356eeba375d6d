import { type Account, accountState } from '../domain/account.ts'
import type { BanOfKey } from '../domain/administration/bans.ts'
import type { IssuedKey } from '../domain/administration/keys.ts'
import type { IssuedToken } from '../domain/administration/tokens.ts'
import type { ApiKey } from '../domain/api-key.ts'
import type { AuditEntry } from '../domain/audit.ts'
import type { OperatorToken } from '../domain/operator.ts'
import { secretState } from '../domain/secret.ts'
import { isoTime, optionalIsoTime } from '../domain/time.ts'
import { formatDay, type UsageSum } from '../domain/usage.ts'
// The command line starts faster without typebox: nothing but types from here.
import type { AccountJson, AuditEntryJson, BanJson, IssuedKeyJson, KeyJson, UsageJson } from './operator-schemas.ts'

export function accountJson(account: Account): AccountJson {
  return {
    id: account.id,
    name: account.name,
    plan: account.plan,
    perMinute: account.limits.perMinute,
    perDay: account.limits.perDay,
    state: accountState(account),
    suspendedAt: optionalIsoTime(account.suspendedAt) ?? null,
    createdAt: isoTime(account.createdAt),
    deprecatedCalls: account.deprecatedCalls,
    lastDeprecatedCallAt: optionalIsoTime(account.lastDeprecatedCallAt) ?? null,
  }
}

export function keyJson(key: ApiKey, now: number): KeyJson {
  return {
    id: key.id,
    accountId: key.accountId,
    account: key.accountName,
    name: key.name ?? null,
    hint: key.hint,
    state: secretState(key, now),
    createdAt: isoTime(key.createdAt),
    expiresAt: optionalIsoTime(key.expiresAt) ?? null,
    revokedAt: optionalIsoTime(key.revokedAt) ?? null,
    lastUsedAt: optionalIsoTime(key.lastUsedAt) ?? null,
    replacedBy: key.replacedBy ?? null,
  }
}

export function issuedKeyJson(issued: IssuedKey): IssuedKeyJson {
  return { key: issued.key, ...keyJson(issued, issued.createdAt) }
}

export function banJson({ ban, key }: BanOfKey): BanJson {
  return {
    id: ban.id,
    keyId: ban.keyId,
    accountId: key.accountId,
    account: key.accountName,
    keyName: key.name ?? null,
    startedAt: isoTime(ban.startedAt),
    endsAt: isoTime(ban.endsAt),
    liftedAt: optionalIsoTime(ban.liftedAt) ?? null,
    ordinal: ban.ordinal,
  }
}

export function tokenJson(token: OperatorToken, now: number) {
  return {
    id: token.id,
    name: token.name,
    role: token.role,
    hint: token.hint,
    state: secretState(token, now),
    createdAt: isoTime(token.createdAt),
    expiresAt: optionalIsoTime(token.expiresAt) ?? null,
    revokedAt: optionalIsoTime(token.revokedAt) ?? null,
  }
}

export function issuedTokenJson(issued: IssuedToken) {
  return { token: issued.token, ...tokenJson(issued, issued.createdAt) }
}

/** Has only the members that it is grouped by, and the counts. */
export function usageJson({
  day,
  accountId,
  accountName,
  keyId,
  keyName,
  operation,
  lastAt,
  ...counts
}: UsageSum): UsageJson {
  return {
    ...(day !== undefined && { day: formatDay(day) }),
    ...(accountId !== undefined && { accountId, account: accountName ?? null }),
    ...(keyId !== undefined && { keyId, keyName: keyName ?? null }),
    ...(operation !== undefined && { operation }),
    ...counts,
    lastAt: isoTime(lastAt),
  }
}

export function auditEntryJson(entry: AuditEntry): AuditEntryJson {
  return {
    id: entry.id,
    at: isoTime(entry.at),
    actor: entry.actor,
    origin: entry.origin,
    action: entry.action,
    subjectId: entry.subjectId ?? null,
    accountId: entry.accountId ?? null,
    details: entry.details,
  }
}
