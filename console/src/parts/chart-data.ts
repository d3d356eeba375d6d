import type { Usage } from '../api/schema.ts'
import type { PeriodUnit } from '../lib/time.ts'

/** One colour of the stacks. */
export interface ChartSeries {
  name: string
  /** The suffix of one of the tokens `--series-…`. */
  colour: string
  /** One for each period. */
  values: readonly number[]
}

/** The colour of everything without its own colour. */
export const OTHER = 'other'

export interface ChartData {
  unit: PeriodUnit
  /** When each period begins, in Unix seconds. */
  times: readonly number[]
  series: readonly ChartSeries[]
}

const STATUSES: readonly { name: string; colour: string; countOf(sum: Usage): number }[] = [
  { name: 'Successful (2xx)', colour: '1', countOf: sum => sum.status2xx },
  { name: 'Not modified (3xx)', colour: '2', countOf: sum => sum.status3xx },
  { name: 'Client errors (4xx)', colour: '3', countOf: sum => sum.status4xx },
  { name: 'Server errors (5xx)', colour: '6', countOf: sum => sum.status5xx },
  { name: 'No response', colour: OTHER, countOf: withoutResponse },
  { name: 'Over the limit', colour: '4', countOf: sum => sum.refused },
  { name: 'Banned keys', colour: '5', countOf: sum => sum.banned },
]

/** How calls ended. */
export function chartByStatus(unit: PeriodUnit, sums: readonly Usage[]): ChartData {
  const series = STATUSES.map(({ name, colour, countOf }) => ({ name, colour, values: sums.map(countOf) }))
  return { unit, times: sums.map(periodOf), series: withoutEmpty(series) }
}

export function withoutEmpty(series: readonly ChartSeries[]): ChartSeries[] {
  return series.filter(({ values }) => values.some(value => value > 0))
}

/** When the period of a sum begins, in Unix seconds. */
export function periodOf({ hour, day }: Usage): number {
  return Date.parse(hour ?? day ?? '') / 1_000
}

/** The client disconnected before the response. */
function withoutResponse({ admitted, status2xx, status3xx, status4xx, status5xx }: Usage): number {
  return admitted - status2xx - status3xx - status4xx - status5xx
}
