import { useQueries, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Usage } from '../../api/schema.ts'
import { callsOf, type UsageFilter, usageQuery } from '../../data/usage.ts'
import { type ChartData, type ChartSeries, OTHER } from '../../parts/Chart.tsx'
import { accountName, keyName, operationName } from './names.ts'
import { filterOf, timeOf, type UsageSearch, unitOf } from './range.ts'

/** How calls can be told apart by the colours of the chart. */
const BREAKDOWNS = {
  status: undefined,
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

export type Breakdown = keyof typeof BREAKDOWNS

export function breakdownOf({ by = 'status' }: UsageSearch): Breakdown {
  return by in BREAKDOWNS ? (by as Breakdown) : 'status'
}

/** More colours could not be told from each other. */
const MAX_PARTS = 6

/** What the chart shows. */
export function useBreakdown(search: UsageSearch) {
  const [unit, breakdown] = [unitOf(search), BREAKDOWNS[breakdownOf(search)]]
  const wanted = { ...timeOf(search), ...filterOf(search) }
  const sums = useQuery(usageQuery({ ...wanted, by: unit, fill: true }))
  const leaders = useQuery({
    ...usageQuery({ ...wanted, by: breakdown?.by ?? 'operation', top: MAX_PARTS }),
    enabled: breakdown !== undefined,
  })
  const parts = breakdown && leaders.data
  // One by one: all accounts by the hour could be more than the service returns.
  const lines = useQueries({
    queries: (parts ?? []).map(part => usageQuery({ ...wanted, ...breakdown?.scopeOf(part), by: unit })),
    combine: combineLines,
  })
  const data = useMemo((): ChartData | undefined => {
    if (!sums.data) return undefined
    const times = sums.data.map(timeOfSum)
    if (!breakdown) return { unit, times, series: seriesByStatus(sums.data) }
    if (!parts || !lines.data) return undefined
    const named = parts.map((part, index) => {
      const calls = new Map(lines.data?.[index]?.map(sum => [timeOfSum(sum), callsOf(sum)]))
      return { name: breakdown.nameOf(part), colour: String(index + 1), values: times.map(at => calls.get(at) ?? 0) }
    })
    return { unit, times, series: withRest(named, sums.data.map(callsOf)) }
  }, [sums.data, breakdown, parts, lines.data, unit])
  return { data, sums: sums.data, error: sums.error ?? leaders.error ?? lines.error }
}

interface Line {
  data: Usage[] | undefined
  error: Error | null
}

function combineLines(results: Line[]): { data: Usage[][] | undefined; error: Error | null } {
  const lines = results.map(({ data }) => data)
  return {
    data: lines.every(line => line !== undefined) ? lines : undefined,
    error: results.find(({ error }) => error)?.error ?? null,
  }
}

function timeOfSum({ hour, day }: Usage): number {
  return Date.parse(hour ?? day ?? '') / 1_000
}

const STATUSES: readonly { name: string; colour: string; countOf(sum: Usage): number }[] = [
  { name: 'Answered (2xx)', colour: '5', countOf: sum => sum.status2xx },
  { name: 'Not modified (3xx)', colour: '2', countOf: sum => sum.status3xx },
  { name: 'Wrong calls (4xx)', colour: '3', countOf: sum => sum.status4xx },
  { name: 'Failures (5xx)', colour: '6', countOf: sum => sum.status5xx },
  { name: 'No response', colour: OTHER, countOf: withoutResponse },
  { name: 'Refused', colour: '4', countOf: sum => sum.refused },
  { name: 'Banned', colour: '1', countOf: sum => sum.banned },
]

/** Those whose client went away before the response. */
function withoutResponse({ admitted, status2xx, status3xx, status4xx, status5xx }: Usage): number {
  return admitted - status2xx - status3xx - status4xx - status5xx
}

function seriesByStatus(sums: readonly Usage[]): ChartSeries[] {
  return withoutEmpty(STATUSES.map(({ name, colour, countOf }) => ({ name, colour, values: sums.map(countOf) })))
}

/** What the parts leave of the whole. */
function withRest(parts: readonly ChartSeries[], whole: readonly number[]): ChartSeries[] {
  const values = whole.map((calls, at) =>
    // Of sums that were read at two moments, the part may be the larger one.
    Math.max(
      0,
      parts.reduce((rest, part) => rest - (part.values[at] ?? 0), calls),
    ),
  )
  return [...parts, ...withoutEmpty([{ name: 'All others', colour: OTHER, values }])]
}

function withoutEmpty(series: readonly ChartSeries[]): ChartSeries[] {
  return series.filter(({ values }) => values.some(value => value > 0))
}
