import { formatCount, sumOf } from '../lib/numbers.ts'
import { formatPeriod } from '../lib/periods.ts'
import type { Zone } from '../lib/time.ts'
import type { ChartData } from './chart-data.ts'

/** The exact numbers of one period, next to its bar. Screen readers get them from the chart itself. */
export function ChartTip({ data, zone, index }: { data: ChartData; zone: Zone; index: number }) {
  const { unit, times, series } = data
  const numbers = series
    .map(({ name, colour, values }) => ({ name, colour, count: values[index] ?? 0 }))
    .filter(({ count }) => count > 0)
  return (
    <>
      <p className="chart-tip-period">{formatPeriod(times[index] as number, unit, zone)}</p>
      <ul>
        {numbers.toReversed().map(({ name, colour, count }) => (
          <li key={name}>
            <i className="chart-colour" data-colour={colour} />
            <span dir="auto">{name}</span>
            <span className="number">{formatCount(count)}</span>
          </li>
        ))}
        {numbers.length !== 1 && (
          <li className="chart-total">
            <span>Total</span>
            <span className="number">{formatCount(sumOf(numbers.map(({ count }) => count)))}</span>
          </li>
        )}
      </ul>
    </>
  )
}
