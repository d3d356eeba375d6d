import type { BanOfKey } from '../../domain/administration/bans.ts'
import { type ApiKey, bannedUntil, type KeyState } from '../../domain/api-key.ts'
import { secretState } from '../../domain/secret.ts'
import type { Columns } from './table.ts'
import { formatMinute } from './text.ts'

export function keyColumns(now: number): Columns<ApiKey> {
  return {
    ID: one => one.id,
    ACCOUNT: one => one.accountName,
    NAME: one => one.name ?? '-',
    'ENDS IN': one => one.hint,
    STATE: one => stateOf(one, now),
    SCOPE: one => one.scope,
    NETWORKS: one => formatNetworks(one.networks),
    'LAST USED': one => formatMinute(one.lastUsedAt),
    EXPIRES: one => formatMinute(one.expiresAt),
  }
}

function stateOf(key: ApiKey, now: number): KeyState {
  const state = secretState(key, now)
  return state === 'active' && bannedUntil(key, now) !== undefined ? 'banned' : state
}

/** The first network and the number of others, such as "192.0.2.0/24 +2". */
function formatNetworks(networks: readonly string[] | undefined): string {
  if (!networks) return 'any'
  return networks.length === 1 ? String(networks[0]) : `${networks[0]} +${networks.length - 1}`
}

export const BAN_COLUMNS: Columns<BanOfKey> = {
  'KEY ID': ({ key }) => key.id,
  ACCOUNT: ({ key }) => key.accountName,
  'KEY NAME': ({ key }) => key.name ?? '-',
  SOURCE: ({ ban }) => ban.source ?? 'any',
  STARTED: ({ ban }) => formatMinute(ban.startedAt),
  ENDS: ({ ban }) => formatMinute(ban.endsAt),
  ORDINAL: ({ ban }) => ban.ordinal,
}

export function fieldsOfKey(key: ApiKey, now: number): Record<string, string> {
  return {
    Key: `${key.id} (ends in ${key.hint})`,
    Account: `${key.accountId} "${key.accountName}"`,
    Name: key.name ?? '-',
    State: secretState(key, now),
    'Banned until': formatMinute(bannedUntil(key, now)),
    Scope: key.scope,
    Networks: key.networks?.join(', ') ?? 'any',
    Created: formatMinute(key.createdAt),
    Expires: formatMinute(key.expiresAt),
    Revoked: formatMinute(key.revokedAt),
    'Last used': [formatMinute(key.lastUsedAt), key.lastUsedFrom].filter(Boolean).join(' from '),
    'Replaced by': key.replacedBy === undefined ? '-' : `key ${key.replacedBy}`,
  }
}
