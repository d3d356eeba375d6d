import type { KeyFilter } from '../../data/keys.ts'

/** What the address says: filters, and the key that is open. */
export interface KeysSearch {
  account?: string | undefined
  search?: string | undefined
  state?: string | undefined
  /** `never`, or for how many days a key has not called. */
  unused?: string | undefined
  /** Within how many days a key expires. */
  expires?: string | undefined
  key?: string | undefined
}

/** The filter, for the service. */
export function filterOf({ account, search, state, unused, expires }: KeysSearch): KeyFilter {
  return {
    account,
    search,
    state,
    ...(unused === 'never' ? { used: 'false' } : unused && { unusedSince: startOfDay(-Number(unused)) }),
    ...(expires && { expiresBefore: startOfDay(Number(expires) + 1) }),
  }
}

const DAY_MS = 86_400_000

/** The beginning of a UTC day: the query stays the same all day, so that what is known need not be fetched again. */
function startOfDay(daysFromNow: number): string {
  return new Date(Math.floor(Date.now() / DAY_MS + daysFromNow) * DAY_MS).toISOString()
}
