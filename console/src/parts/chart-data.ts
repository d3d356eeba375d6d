import type { PeriodUnit } from '../lib/periods.ts'

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
