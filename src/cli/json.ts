import type { Account } from '../domain/account.ts'
import { type IssuedKey, keyState } from '../domain/administration.ts'
import type { ApiKey } from '../domain/api-key.ts'
import type { Ban } from '../domain/ban.ts'

/** What `--json` prints: exactly one document. Ids are numbers; times are ISO 8601; what is absent is null. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`)
}

export function accountJson(account: Account) {
  return {
    id: Number(account.id),
    name: account.name,
    plan: account.plan,
    perMinute: account.limits.perMinute,
    perDay: account.limits.perDay,
    createdAt: isoTime(account.createdAt),
    deprecatedCalls: account.deprecatedCalls,
    lastDeprecatedCallAt: isoTime(account.lastDeprecatedCallAt),
  }
}

export function keyJson(key: ApiKey, now: number) {
  return {
    id: Number(key.id),
    accountId: Number(key.accountId),
    account: key.accountName,
    name: key.name ?? null,
    hint: key.hint,
    createdAt: isoTime(key.createdAt),
    expiresAt: isoTime(key.expiresAt),
    revokedAt: isoTime(key.revokedAt),
    state: keyState(key, now),
  }
}

export function issuedKeyJson(issued: IssuedKey, now: number) {
  const { id, revokedAt: _, ...rest } = keyJson(issued, now)
  return { id, key: issued.key, ...rest }
}

/** A ban, told with the key it is about. */
export function banJson(ban: Ban, key: ApiKey) {
  return {
    id: Number(ban.id),
    keyId: Number(ban.keyId),
    account: key.accountName,
    keyName: key.name ?? null,
    startedAt: isoTime(ban.startedAt),
    endsAt: isoTime(ban.endsAt),
    ordinal: ban.ordinal,
  }
}

export function isoTime(time: number | undefined): string | null {
  return time === undefined ? null : new Date(time).toISOString()
}
