import type { Account } from './domain/account.ts'
import type { BanOfKey } from './domain/administration/bans.ts'
import { type IssuedKey, keyState } from './domain/administration/keys.ts'
import type { IssuedToken } from './domain/administration/tokens.ts'
import type { ApiKey } from './domain/api-key.ts'
import type { AuditEntry } from './domain/audit.ts'
import { isUsable, type OperatorToken } from './domain/operator.ts'
import { isoTime } from './domain/time.ts'
import { formatDay, type UsageSum } from './domain/usage.ts'

/**
 * What operators see of things as JSON, the same on the command line and in the admin API. Ids are exact integers (a bigint, to be
 * written with formatJson); times are ISO 8601 in UTC; what is absent is null.
 */

export function accountView(account: Account) {
  return {
    id: account.id,
    name: account.name,
    plan: account.plan,
    perMinute: account.limits.perMinute,
    perDay: account.limits.perDay,
    state: accountState(account),
    suspendedAt: optionalTime(account.suspendedAt),
    createdAt: isoTime(account.createdAt),
    deprecatedCalls: account.deprecatedCalls,
    lastDeprecatedCallAt: optionalTime(account.lastDeprecatedCallAt),
  }
}

export function accountState({ suspendedAt }: Account): 'active' | 'suspended' {
  return suspendedAt === undefined ? 'active' : 'suspended'
}

export function keyView(key: ApiKey, now: number) {
  return {
    id: key.id,
    accountId: key.accountId,
    account: key.accountName,
    name: key.name ?? null,
    hint: key.hint,
    state: keyState(key, now),
    createdAt: isoTime(key.createdAt),
    expiresAt: optionalTime(key.expiresAt),
    revokedAt: optionalTime(key.revokedAt),
    lastUsedAt: optionalTime(key.lastUsedAt),
    replacedBy: key.replacedBy ?? null,
  }
}

/** The only sight of the key itself. */
export function issuedKeyView(issued: IssuedKey) {
  return { key: issued.key, ...keyView(issued, issued.createdAt) }
}

export function banView({ ban, key }: BanOfKey) {
  return {
    id: ban.id,
    keyId: ban.keyId,
    accountId: key.accountId,
    account: key.accountName,
    keyName: key.name ?? null,
    startedAt: isoTime(ban.startedAt),
    endsAt: isoTime(ban.endsAt),
    liftedAt: optionalTime(ban.liftedAt),
    ordinal: ban.ordinal,
  }
}

export function tokenView(token: OperatorToken, now: number) {
  return {
    id: token.id,
    name: token.name,
    role: token.role,
    hint: token.hint,
    state: tokenState(token, now),
    createdAt: isoTime(token.createdAt),
    expiresAt: optionalTime(token.expiresAt),
    revokedAt: optionalTime(token.revokedAt),
  }
}

export function tokenState(token: OperatorToken, now: number): 'active' | 'expired' | 'revoked' {
  if (token.revokedAt !== undefined) return 'revoked'
  return isUsable(token, now) ? 'active' : 'expired'
}

/** The only sight of the token itself. */
export function issuedTokenView(issued: IssuedToken) {
  return { token: issued.token, ...tokenView(issued, issued.createdAt) }
}

/** Only what it was added up by, and the counts. */
export function usageView({ day, accountId, accountName, keyId, keyName, operation, lastAt, ...counts }: UsageSum) {
  return {
    ...(day !== undefined && { day: formatDay(day) }),
    ...(accountId !== undefined && { accountId, account: accountName ?? null }),
    ...(keyId !== undefined && { keyId, keyName: keyName ?? null }),
    ...(operation !== undefined && { operation }),
    ...counts,
    lastAt: isoTime(lastAt),
  }
}

export function auditView(entry: AuditEntry) {
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

export function optionalTime(time: number | undefined): string | null {
  return time === undefined ? null : isoTime(time)
}
