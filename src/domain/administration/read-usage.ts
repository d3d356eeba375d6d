import type { UsageStore } from '../store/usage.ts'
import type { UsageQuery, UsageSum } from '../usage.ts'
import { splitByStatus, type UsageRow } from './sum-usage.ts'

/** Rows read at once: more would delay other calls. */
const BATCH_SIZE = 5_000

/**
 * Reads all calls of a range by its days or hours, account, key, operation and status, in this order. At no time more than a batch of them is
 * in memory.
 */
export async function readUsage(
  store: UsageStore,
  { range: { unit, ...ends }, ...filter }: Pick<UsageQuery, 'range' | 'accountId' | 'keyId' | 'operation'>,
  signal?: AbortSignal,
): Promise<AsyncIterable<readonly UsageRow[]>> {
  const periods = await store.sumUsage({ range: { unit, ...ends }, ...filter, by: [unit] }, signal)
  async function* batches() {
    for (const { [unit]: period = 0 } of periods) {
      const range = { unit, first: period, last: period }
      let after: UsageSum | undefined
      do {
        const by = ['account', 'key', 'operation'] as const
        const sums = await store.sumUsage({ range, ...filter, by, after, limit: BATCH_SIZE }, signal)
        yield sums.flatMap(sum => splitByStatus({ [unit]: period, ...sum }))
        after = sums.length < BATCH_SIZE ? undefined : sums.at(-1)
      } while (after)
    }
  }
  return batches()
}
