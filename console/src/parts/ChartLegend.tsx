import { formatCount, sumOf } from '../lib/numbers.ts'
import type { ChartSeries } from './chart-data.ts'

interface ChartLegendProps {
  series: readonly ChartSeries[]
  /** The names of the series that the chart hides. */
  hidden: ReadonlySet<string>
  onHide(hidden: ReadonlySet<string>): void
}

/** The colours of a chart with their totals. Each can be hidden, to see the others better. */
export function ChartLegend({ series, hidden, onHide }: ChartLegendProps) {
  const shown = series.filter(({ name }) => !hidden.has(name))
  return (
    <ul className="chart-legend" aria-label="Colours">
      {series.map(({ name, colour, values }) => (
        <li key={name}>
          <button
            type="button"
            className="chart-toggle"
            aria-pressed={!hidden.has(name)}
            title={hidden.has(name) ? 'Show in the chart' : 'Hide from the chart'}
            onClick={() => onHide(toggled(hidden, name))}
          >
            <i className="chart-colour" data-colour={colour} />
            <span dir="auto">{name}</span>
            <span className="number">{formatCount(sumOf(values))}</span>
          </button>
        </li>
      ))}
      {series.length > 1 && (
        <li className="chart-total">
          <span>Total</span>
          <span className="number">{formatCount(sumOf(shown.map(({ values }) => sumOf(values))))}</span>
        </li>
      )}
    </ul>
  )
}

function toggled(hidden: ReadonlySet<string>, name: string): ReadonlySet<string> {
  return hidden.has(name) ? new Set([...hidden].filter(one => one !== name)) : new Set([...hidden, name])
}
