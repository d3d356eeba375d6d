import type { KeyUsage, UsageBatch, UsageQuery, UsageSum } from '../usage.ts'

/** Port: how the service is used. */
export interface UsageStore {
  /**
   * Adds everything or nothing.
   * @param batch if the outcome of an addition is unknown, the same usage can be added again as the same batch, and counts once
   */
  addUsage(usage: readonly KeyUsage[], batch?: UsageBatch): Promise<void>
  /**
   * Moves a batch of usage to where it is summed up faster, if there is enough for that. Call it regularly; sums are the same without it.
   * @param all also if there is little, before an earlier release is started again, which only looks there
   */
  foldUsage(options?: { all?: boolean }): Promise<void>
  /** Ordered by the dimensions, ascending, unless the query says otherwise. May take long; the signal works as in `searchPets`. */
  sumUsage(query: UsageQuery, signal?: AbortSignal): Promise<UsageSum[]>
}
