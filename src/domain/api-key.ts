import type { AuditValue, AuditValues } from './audit.ts'
import { SECRET_STATES, secretsOf } from './secret.ts'
import { optionalIsoTime } from './time.ts'

/** A `read` key only lists and reads animals; a `read-write` key also adds them. */
export const KEY_SCOPES = ['read', 'read-write'] as const

export type KeyScope = (typeof KEY_SCOPES)[number]

/** What operators decide about a key. */
export interface KeyTerms {
  name: string | undefined
  scope: KeyScope
  /** The CIDR ranges that it may call from; undefined for anywhere. */
  networks: readonly string[] | undefined
  /** Unix milliseconds. */
  expiresAt: number | undefined
}

/** An API key as the store keeps it: only the SHA-256 of the key itself. Times are Unix milliseconds. */
export interface ApiKey extends KeyTerms {
  id: bigint
  accountId: bigint
  accountName: string
  /** The last characters of the key, which help people recognize it. */
  hint: string
  createdAt: number
  revokedAt: number | undefined
  /** When it last called, as far back as usage is kept. */
  lastUsedAt: number | undefined
  /** Where that call came from: an IPv4 address, or the /64 network of an IPv6 address. */
  lastUsedFrom: string | undefined
  /** Its successor, if it was rotated. */
  replacedBy: bigint | undefined
  /** When the last of its bans ends that were not lifted, possibly in the past. */
  banEndsAt: number | undefined
}

/** A banned key is also active. */
export const KEY_STATES = [...SECRET_STATES, 'banned'] as const

export type KeyState = (typeof KEY_STATES)[number]

/** When the last of the bans in force ends; undefined if there is none. Each ban applies to one source. */
export function bannedUntil({ banEndsAt }: Pick<ApiKey, 'banEndsAt'>, now: number): number | undefined {
  return banEndsAt !== undefined && now < banEndsAt ? banEndsAt : undefined
}

/** In the form shown in the audit log. */
export function describeTerms({ name, scope, networks, expiresAt }: KeyTerms) {
  return {
    name: name ?? null,
    scope,
    networks: networks?.join(', ') ?? null,
    expiresAt: optionalIsoTime(expiresAt) ?? null,
  } satisfies Record<keyof KeyTerms, AuditValue>
}

/** The differences between two terms, in the form shown in the audit log; undefined if there are none. */
export function changedTerms(old: KeyTerms, now: KeyTerms): { before: AuditValues; after: AuditValues } | undefined {
  const before: AuditValues = describeTerms(old)
  const after: AuditValues = describeTerms(now)
  const names = Object.keys(after).filter(name => before[name] !== after[name])
  const pick = (values: AuditValues) => Object.fromEntries(names.map(name => [name, values[name] ?? null]))
  return names.length === 0 ? undefined : { before: pick(before), after: pick(after) }
}

export const { generate: generateKey, isWellFormed: isWellFormedKey } = secretsOf('petstore_')
