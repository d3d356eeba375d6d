import type { BanOfKey } from '../../domain/administration/bans.ts'
import type { ApiKey } from '../../domain/api-key.ts'
import { secretState } from '../../domain/secret.ts'
import type { Columns } from './table.ts'
import { formatMinute } from './text.ts'

/** How keys are listed. */
export function keyColumns(now: number): Columns<ApiKey> {
  return {
    ID: one => one.id,
    ACCOUNT: one => one.accountName,
    NAME: one => one.name ?? '-',
    'ENDS IN': one => one.hint,
    STATE: one => secretState(one, now),
    'LAST USED': one => formatMinute(one.lastUsedAt),
    EXPIRES: one => formatMinute(one.expiresAt),
  }
}

/** How bans are listed. */
export const BAN_COLUMNS: Columns<BanOfKey> = {
  'KEY ID': ({ key }) => key.id,
  ACCOUNT: ({ key }) => key.accountName,
  'KEY NAME': ({ key }) => key.name ?? '-',
  STARTED: ({ ban }) => formatMinute(ban.startedAt),
  ENDS: ({ ban }) => formatMinute(ban.endsAt),
  ORDINAL: ({ ban }) => ban.ordinal,
}
