import { type KeyboardEvent, type ReactNode, useMemo, useState } from 'react'
import { formatCount, sumOf } from '../lib/numbers.ts'
import { formatPeriod, type Zone } from '../lib/time.ts'
import { useZone } from '../lib/use-preferences.ts'
import { ChartPlot } from './ChartPlot.tsx'
import type { ChartData, ChartSeries } from './chart-data.ts'
import { TableHead } from './TableHead.tsx'
import './chart.css'

interface ChartProps {
  /** What is counted, such as "Calls by hour". */
  label: string
  data: ChartData
  /** Smaller, and without its table. */
  isSmall?: boolean
  /** Whether newer numbers are being loaded. */
  isStale?: boolean
  /** Shown instead of an empty chart: what will appear in it. */
  empty: ReactNode
}

const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1, PageDown: 12, PageUp: -12 }

/**
 * Stacked bars over time. The pointer and the arrow keys show the numbers of one period, the legend shows totals and hides colours, and a
 * table has all numbers.
 */
export function Chart({ label, data, isSmall = false, isStale = false, empty }: ChartProps) {
  const { unit, times } = data
  const [zone] = useZone()
  const [chosen, setChosen] = useState<number>()
  const [hidden, setHidden] = useState<ReadonlySet<string>>(() => new Set())
  const shown = useMemo(
    () => ({ ...data, series: data.series.filter(({ name }) => !hidden.has(name)) }),
    [data, hidden],
  )
  const last = times.length - 1
  const active = chosen === undefined ? undefined : Math.min(chosen, last)

  function press(event: KeyboardEvent) {
    const { key } = event
    const step = STEPS[key]
    if (key === 'Escape' && active !== undefined) setChosen(undefined)
    else if (key === 'Home') setChosen(0)
    else if (key === 'End') setChosen(last)
    else if (step !== undefined) setChosen(Math.max(0, Math.min(last, active === undefined ? last : active + step)))
    else return
    event.preventDefault()
  }

  if (data.series.length === 0) return empty
  return (
    <figure className="chart stack" aria-busy={isStale}>
      <div
        className="chart-plot"
        role="slider"
        tabIndex={0}
        aria-label={`${label}. Use the arrow keys to read it.`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, last)}
        aria-valuenow={active ?? last}
        aria-valuetext={`${active === undefined ? 'Total' : formatPeriod(times[active] as number, unit, zone)}: ${textOf(shown, active)}`}
        onKeyDown={press}
        onBlur={() => setChosen(undefined)}
      >
        <ChartPlot data={shown} zone={zone} height={isSmall ? 180 : 280} active={active} onActive={setChosen}>
          {active !== undefined && <ChartTip data={shown} zone={zone} index={active} />}
        </ChartPlot>
      </div>
      <ChartLegend series={data.series} hidden={hidden} onHide={setHidden} />
      {!isSmall && <ChartTable label={label} data={data} zone={zone} />}
    </figure>
  )
}

/** The numbers of a period, or of the whole time, for screen readers. */
function textOf({ series }: ChartData, index: number | undefined): string {
  const numbers = series.map(({ values }) => (index === undefined ? sumOf(values) : (values[index] ?? 0)))
  const parts = series.map(({ name }, at) => `${name} ${formatCount(numbers[at] as number)}`)
  return [formatCount(sumOf(numbers)), ...(series.length > 1 ? parts : [])].join(', ')
}

interface ChartLegendProps {
  series: readonly ChartSeries[]
  /** The names of the series that the chart hides. */
  hidden: ReadonlySet<string>
  onHide(hidden: ReadonlySet<string>): void
}

/** The colours of a chart with their totals. Each can be hidden, to see the others better. */
function ChartLegend({ series, hidden, onHide }: ChartLegendProps) {
  const shown = series.filter(({ name }) => !hidden.has(name))
  return (
    <ul className="chart-legend row" aria-label="Colours">
      {series.map(({ name, colour, values }) => (
        <li key={name}>
          <button
            type="button"
            className="chart-toggle row"
            aria-pressed={!hidden.has(name)}
            title={hidden.has(name) ? 'Show in the chart' : 'Hide from the chart'}
            onClick={() => onHide(hidden.symmetricDifference(new Set([name])))}
          >
            <i className="chart-colour" style={{ background: `var(--series-${colour})` }} />
            <span dir="auto">{name}</span>
            <span className="number">{formatCount(sumOf(values))}</span>
          </button>
        </li>
      ))}
      {series.length > 1 && (
        <li className="chart-total row">
          <span>Total</span>
          <span className="number">{formatCount(sumOf(shown.map(({ values }) => sumOf(values))))}</span>
        </li>
      )}
    </ul>
  )
}

/** The exact numbers of one period, next to its bar. Screen readers get them from the chart itself. */
function ChartTip({ data, zone, index }: { data: ChartData; zone: Zone; index: number }) {
  const { unit, times, series } = data
  const numbers = series
    .map(({ name, colour, values }) => ({ name, colour, count: values[index] ?? 0 }))
    .filter(({ count }) => count > 0)
  return (
    <>
      <p className="muted">{formatPeriod(times[index] as number, unit, zone)}</p>
      <ul>
        {numbers.toReversed().map(({ name, colour, count }) => (
          <li key={name} className="row">
            <i className="chart-colour" style={{ background: `var(--series-${colour})` }} />
            <span dir="auto">{name}</span>
            <span className="number">{formatCount(count)}</span>
          </li>
        ))}
        {numbers.length !== 1 && (
          <li className="chart-total row">
            <span>Total</span>
            <span className="number">{formatCount(sumOf(numbers.map(({ count }) => count)))}</span>
          </li>
        )}
      </ul>
    </>
  )
}

/** The numbers of a chart, newest first. They are only rendered while the table is open. */
function ChartTable({ label, data, zone }: { label: string; data: ChartData; zone: Zone }) {
  const { unit, times, series } = data
  const newestFirst = times.map((at, index) => ({ at, index })).toReversed()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details className="chart-numbers" open={isOpen} onToggle={event => setIsOpen(event.currentTarget.open)}>
      <summary>Show {label.charAt(0).toLowerCase() + label.slice(1)} as a table</summary>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section className="chart-table box" aria-label={`${label} as a table`} tabIndex={0}>
          <table>
            <TableHead names={[unit === 'day' ? 'Day' : 'Hour', ...series.map(({ name }) => name), 'Total']} />
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
      )}
    </details>
  )
}
