import type { KeyUsage, UsageQuery, UsageSum } from '../usage.ts'

/** Port: how the service is used. */
export interface UsageStore {
  addUsage(usage: readonly KeyUsage[]): Promise<void>
  /** By the dimensions in their order, ascending. May take long; the signal works as in `searchPets`. */
  sumUsage(query: UsageQuery, signal?: AbortSignal): Promise<UsageSum[]>
}
