import type { KeyFilter } from '../../data/keys.ts'

/** The search of the URL: filters, and the open key. */
export interface KeysSearch {
  account?: string | undefined
  search?: string | undefined
  state?: string | undefined
  /** `never`, or the days since the key last called. */
  unused?: string | undefined
  /** The days within which a key expires. */
  expires?: string | undefined
  key?: string | undefined
}

/** The filter, as query parameters for the service. */
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

/** The start of a UTC day: the query stays the same all day, so cached results can be used. */
function startOfDay(daysFromNow: number): string {
  return new Date(Math.floor(Date.now() / DAY_MS + daysFromNow) * DAY_MS).toISOString()
}
