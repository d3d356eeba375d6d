import type { KeyUsage, UsageQuery, UsageSum } from '../usage.ts'

/** Port: how the service is used. */
export interface UsageStore {
  /** Adds everything or nothing. */
  addUsage(usage: readonly KeyUsage[]): Promise<void>
  /** Ordered by the dimensions, ascending, unless the query says otherwise. May take long; the signal works as in `searchPets`. */
  sumUsage(query: UsageQuery, signal?: AbortSignal): Promise<UsageSum[]>
}
