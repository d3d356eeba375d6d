import type { KeyUsage, UsageQuery, UsageSum } from '../usage.ts'

/** Port: how the service is used. */
export interface UsageStore {
  /** Everything or nothing. */
  addUsage(usage: readonly KeyUsage[]): Promise<void>
  /** By the dimensions in their order, ascending, unless the query says otherwise. May take long; the signal works as in `searchPets`. */
  sumUsage(query: UsageQuery, signal?: AbortSignal): Promise<UsageSum[]>
}
