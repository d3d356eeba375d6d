import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Usage } from '../../api/schema.ts'
import { REFETCH_MS } from '../../data/query.ts'
import { cacheKey } from '../../data/query-keys.ts'
import { type UsageFilter, usageQuery } from '../../data/usage.ts'
import { sumOf } from '../../lib/numbers.ts'
import { type ChartSeries, chartByStatus, OTHER, periodOf, withoutEmpty } from '../../parts/chart-data.ts'
import { accountName, filterOf, keyName, operationName, timeOf, type UsageSearch, unitOf } from './range.ts'

/** What the chart can be grouped by, other than the response. */
export const BREAKDOWNS = {
  operation: {
    by: 'operation',
    nameOf: ({ operation }: Usage) => operationName(operation),
    scopeOf: ({ operation }: Usage): UsageFilter => ({ operation }),
  },
  account: {
    by: 'account',
    nameOf: accountName,
    scopeOf: ({ accountId }: Usage): UsageFilter => ({ account: String(accountId) }),
  },
  key: {
    by: 'key,account',
    nameOf: (row: Usage) => `${keyName(row)} · ${accountName(row)}`,
    scopeOf: ({ accountId, keyId }: Usage): UsageFilter => ({ account: String(accountId), key: String(keyId) }),
  },
}

type Breakdown = keyof typeof BREAKDOWNS

export function breakdownOf({ by = 'status' }: UsageSearch): Breakdown | 'status' {
  return by in BREAKDOWNS ? (by as Breakdown) : 'status'
}

/** With more colours, some would look alike. */
const MAX_PARTS = 6

/** The data of the chart and the totals. The old data stays until all parts of the new data are loaded. */
export function breakdownQuery(search: UsageSearch) {
  const wanted = { ...timeOf(search), ...filterOf(search), by: unitOf(search) }
  const breakdown = breakdownOf(search)
  return queryOptions({
    queryKey: cacheKey('/charts', wanted, breakdown),
    queryFn: async ({ client }) => {
      const sums = await client.fetchQuery(usageQuery({ ...wanted, fill: true }))
      const data = chartByStatus(wanted.by, sums)
      if (breakdown !== 'status') data.series = await partsOf(client, BREAKDOWNS[breakdown], wanted, sums)
      return { sums, data }
    },
    placeholderData: keepPreviousData,
    refetchInterval: REFETCH_MS,
  })
}

/** The largest parts, then the rest. Each is its own query, because all accounts by hour could exceed what the service returns. */
async function partsOf(
  client: QueryClient,
  { by, nameOf, scopeOf }: (typeof BREAKDOWNS)[Breakdown],
  wanted: Parameters<typeof usageQuery>[0],
  sums: readonly Usage[],
): Promise<ChartSeries[]> {
  const leaders = await client.fetchQuery(usageQuery({ ...wanted, by, top: MAX_PARTS }))
  const parts = await Promise.all(
    leaders.map(async (leader, index) => {
      const line = await client.fetchQuery(usageQuery({ ...wanted, ...scopeOf(leader) }))
      const calls = new Map(line.map(sum => [periodOf(sum), sum.admitted]))
      const values = sums.map(sum => calls.get(periodOf(sum)) ?? 0)
      return { name: nameOf(leader), colour: String(index + 1), values }
    }),
  )
  // The sums were read at different moments, so the parts may exceed the whole.
  const rest = sums.map(({ admitted }, at) => Math.max(0, admitted - sumOf(parts.map(({ values }) => values[at] ?? 0))))
  return [...parts, ...withoutEmpty([{ name: 'All others', colour: OTHER, values: rest }])]
}
