import type { ListedRefusal, RefusalQuery, RefusedCall } from '../refusals.ts'

/** Port: the last refused or failed calls of each key. */
export interface RefusalStore {
  /**
   * Adds everything or nothing, and keeps the newest `MAX_REFUSALS` calls of each key. Calls that were already added change nothing. Those of keys
   * that no longer exist are left out.
   */
  addRefusals(calls: readonly RefusedCall[]): Promise<void>
  /** The newest `MAX_REFUSALS` calls, newest first. The signal works as in `searchPets`. */
  listRefusals(query: RefusalQuery, signal?: AbortSignal): Promise<ListedRefusal[]>
}
