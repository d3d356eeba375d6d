import { type Account, accountState } from '../domain/account.ts'
import type { BanOfKey } from '../domain/administration/bans.ts'
import type { LabelledPet } from '../domain/administration/categories.ts'
import type { IssuedClaimLink } from '../domain/administration/claim-links.ts'
import type { DeprecatedUsage } from '../domain/administration/deprecated-usage.ts'
import type { IssuedKey } from '../domain/administration/keys.ts'
import type { SelectionPreview } from '../domain/administration/selected-pets.ts'
import type { UsageRow } from '../domain/administration/sum-usage.ts'
import type { IssuedToken } from '../domain/administration/tokens.ts'
import type { AccountWindows, WindowUse } from '../domain/administration/windows.ts'
import { type ApiKey, bannedUntil } from '../domain/api-key.ts'
import { type AuditEntry, subjectKindOf } from '../domain/audit.ts'
import { banState } from '../domain/ban.ts'
import { type ClaimLink, claimLinkState } from '../domain/claim-link.ts'
import type { OperatorToken } from '../domain/operator.ts'
import { MEMBER_NAMES, type NewPet, type Pet } from '../domain/pet.ts'
import type { PetEvent } from '../domain/pet-history.ts'
import { secretState } from '../domain/secret.ts'
import type { CategoryUse, PetCounts } from '../domain/store/animals.ts'
import { isoTime, optionalIsoTime } from '../domain/time.ts'
import { formatDay, formatHour } from '../domain/usage.ts'
import { API_VERSION } from './api-version.ts'
import { claimAddress } from './claim-address.ts'
import { DEPRECATED_AT, SUNSET_AT } from './deprecation.ts'
import { etagOf } from './etag.ts'
import { formatJson } from './exact-json.ts'
import { formatPet } from './format-pet.ts'
// Types only: the command line starts faster if it does not load the schemas.
import type {
  AccountJson,
  AuditEntryJson,
  BanJson,
  CategoryUseJson,
  ClaimLinkJson,
  DeprecatedUsageJson,
  IssuedClaimLinkJson,
  IssuedKeyJson,
  IssuedTokenJson,
  KeyJson,
  PetEventJson,
  PetJson,
  PetPreviewJson,
  PetTotalsJson,
  TokenJson,
  UsageJson,
  VersionsJson,
  WindowsJson,
} from './operator-schemas.ts'

/** In the form that the command line prints. */
export function petJson({ id, categoryLabel, ...members }: LabelledPet): Omit<PetJson, 'etag'> {
  return { id, ...membersJson(members), categoryLabel: categoryLabel ?? null }
}

export function taggedPetJson(pet: LabelledPet): PetJson {
  return { ...petJson(pet), etag: petEtag(pet) }
}

/** The version of an animal, for `If-Match`. */
export function petEtag(pet: Pet): string {
  return etagOf(formatPet(pet))
}

/** The members of an animal in their order, whatever the order of the object. */
function membersJson(pet: NewPet): NewPet {
  return Object.fromEntries(MEMBER_NAMES.map(name => [name, pet[name] ?? null])) as NewPet
}

export function petTotalsJson(counts: PetCounts): PetTotalsJson {
  return { total: counts.available + counts.pending + counts.sold, ...counts }
}

export function petPreviewJson({ count, version, sample, missingIds }: SelectionPreview): PetPreviewJson {
  return { count, version: version ?? null, sample: sample.map(taggedPetJson), missingIds }
}

export function categoryUseJson({ id, label, animals }: CategoryUse): CategoryUseJson {
  return { id, label: label ?? null, animals }
}

export function petEventJson(event: PetEvent): PetEventJson {
  return {
    id: event.id,
    at: isoTime(event.at),
    actor: event.actor,
    tokenId: event.tokenId ?? null,
    origin: event.origin,
    action: event.action,
    before: event.before ?? null,
    after: event.after ?? null,
    details: event.details,
  }
}

/** In the form that the command line prints. */
export function accountJson(account: Account): Omit<AccountJson, 'etag'> {
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

export function taggedAccountJson(account: Account): AccountJson {
  return { ...accountJson(account), etag: accountEtag(account) }
}

/** The version of everything that operators can change; calls do not change it. */
export function accountEtag({ id, name, plan, limits, suspendedAt }: Account): string {
  return etagOf(formatJson([id, name, plan, limits.perMinute, limits.perDay, suspendedAt ?? null]))
}

export function windowsJson({ readAt, isComplete, minute, day }: AccountWindows): WindowsJson {
  return { at: isoTime(readAt), complete: isComplete, minute: windowJson(minute), day: windowJson(day) }
}

function windowJson({ limit, used, remaining, resetsAt }: WindowUse): WindowsJson['minute'] {
  return { limit, used, remaining, resetsAt: optionalIsoTime(resetsAt) ?? null }
}

export function keyJson(key: ApiKey, now: number): KeyJson {
  return {
    id: key.id,
    accountId: key.accountId,
    account: key.accountName,
    name: key.name ?? null,
    scope: key.scope,
    networks: key.networks === undefined ? null : [...key.networks],
    hint: key.hint,
    state: secretState(key, now),
    createdAt: isoTime(key.createdAt),
    expiresAt: optionalIsoTime(key.expiresAt) ?? null,
    revokedAt: optionalIsoTime(key.revokedAt) ?? null,
    lastUsedAt: optionalIsoTime(key.lastUsedAt) ?? null,
    replacedBy: key.replacedBy ?? null,
    bannedUntil: optionalIsoTime(bannedUntil(key, now)) ?? null,
  }
}

export function issuedKeyJson(issued: IssuedKey): IssuedKeyJson {
  return { key: issued.key, ...keyJson(issued, issued.createdAt) }
}

export function claimLinkJson({ terms, ...link }: ClaimLink, now: number): ClaimLinkJson {
  return {
    id: link.id,
    accountId: link.accountId,
    account: link.accountName,
    name: terms.name ?? null,
    scope: terms.scope,
    networks: terms.networks === undefined ? null : [...terms.networks],
    keyExpiresAt: optionalIsoTime(terms.expiresAt) ?? null,
    state: claimLinkState(link, now),
    createdAt: isoTime(link.createdAt),
    expiresAt: isoTime(link.expiresAt),
    claimedAt: optionalIsoTime(link.claimedAt) ?? null,
    claimedFrom: link.claimedFrom ?? null,
    keyId: link.keyId ?? null,
    revokedAt: optionalIsoTime(link.revokedAt) ?? null,
  }
}

/** @param baseUrl the public base address, with /v1 */
export function issuedClaimLinkJson(issued: IssuedClaimLink, baseUrl: string): IssuedClaimLinkJson {
  return { link: claimAddress(baseUrl, issued.secret), ...claimLinkJson(issued, issued.createdAt) }
}

export function banJson({ ban, key }: BanOfKey, now: number): BanJson {
  return {
    id: ban.id,
    keyId: ban.keyId,
    accountId: key.accountId,
    account: key.accountName,
    keyName: key.name ?? null,
    source: ban.source ?? null,
    state: banState(ban, now),
    startedAt: isoTime(ban.startedAt),
    endsAt: isoTime(ban.endsAt),
    liftedAt: optionalIsoTime(ban.liftedAt) ?? null,
    ordinal: ban.ordinal,
  }
}

export function tokenJson(token: OperatorToken, now: number): TokenJson {
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

export function issuedTokenJson(issued: IssuedToken): IssuedTokenJson {
  return { token: issued.token, ...tokenJson(issued, issued.createdAt) }
}

/** Has only the members that the usage is grouped by, and the counts. */
export function usageJson({
  day,
  hour,
  accountId,
  accountName,
  keyId,
  keyName,
  operation,
  status,
  lastAt,
  ...counts
}: UsageRow): UsageJson {
  return {
    ...(day !== undefined && { day: formatDay(day) }),
    ...(hour !== undefined && { hour: formatHour(hour) }),
    ...(accountId !== undefined && { accountId, account: accountName ?? null }),
    ...(keyId !== undefined && { keyId, keyName: keyName ?? null }),
    ...(operation !== undefined && { operation }),
    ...(status !== undefined && { status }),
    ...counts,
    lastAt: optionalIsoTime(lastAt) ?? null,
  }
}

export function deprecatedUsageJson({
  operation,
  range,
  accounts,
  calls,
  lastAt,
  callers,
}: DeprecatedUsage): DeprecatedUsageJson {
  return {
    operation,
    deprecatedAt: isoTime(DEPRECATED_AT),
    removedAt: isoTime(SUNSET_AT),
    from: formatDay(range.first),
    to: formatDay(range.last),
    accounts,
    calls,
    lastAt: optionalIsoTime(lastAt) ?? null,
    callers: callers.map(caller => ({
      accountId: caller.accountId,
      account: caller.accountName,
      calls: caller.calls,
      lastAt: isoTime(caller.lastAt),
    })),
  }
}

export function auditEntryJson(entry: AuditEntry): AuditEntryJson {
  return {
    id: entry.id,
    at: isoTime(entry.at),
    actor: entry.actor,
    tokenId: entry.tokenId ?? null,
    origin: entry.origin,
    action: entry.action,
    subjectKind: (entry.subjectId !== undefined && subjectKindOf(entry.action)) || null,
    subjectId: entry.subjectId ?? null,
    accountId: entry.accountId ?? null,
    before: entry.before ?? null,
    after: entry.after ?? null,
    details: entry.details,
  }
}

/** @param version of the program */
export function versionsJson(version: string): VersionsJson {
  return {
    version,
    api: API_VERSION,
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
  }
}
