import { useState } from 'react'
import { formatCount, sumOf } from '../lib/numbers.ts'
import { formatPeriod } from '../lib/periods.ts'
import type { Zone } from '../lib/time.ts'
import type { ChartData } from './chart-data.ts'

/** The numbers of a chart, newest first. They are only rendered while the table is open. */
export function ChartTable({ label, data, zone }: { label: string; data: ChartData; zone: Zone }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details className="chart-numbers" open={isOpen} onToggle={event => setIsOpen(event.currentTarget.open)}>
      <summary>Show {label.charAt(0).toLowerCase() + label.slice(1)} as a table</summary>
      {isOpen && <Numbers label={label} data={data} zone={zone} />}
    </details>
  )
}

function Numbers({ label, data: { unit, times, series }, zone }: { label: string; data: ChartData; zone: Zone }) {
  const newestFirst = times.map((at, index) => ({ at, index })).toReversed()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="chart-table" aria-label={`${label} as a table`} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{unit === 'day' ? 'Day' : 'Hour'}</th>
            {series.map(({ name }) => (
              <th key={name} scope="col" dir="auto">
                {name}
              </th>
            ))}
            <th scope="col">Total</th>
          </tr>
        </thead>
        <tbody>
          {newestFirst.map(({ at, index }) => (
            <tr key={at}>
              <th scope="row">{formatPeriod(at, unit, zone)}</th>
              {series.map(({ name, values }) => (
                <td key={name}>{formatCount(values[index] ?? 0)}</td>
              ))}
              <td>{formatCount(sumOf(series.map(({ values }) => values[index] ?? 0)))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
