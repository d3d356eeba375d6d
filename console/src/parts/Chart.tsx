import { type KeyboardEvent, useState } from 'react'
import { formatCount } from '../lib/numbers.ts'
import { formatPeriod, type PeriodUnit } from '../lib/periods.ts'
import { useZone } from '../lib/use-zone.ts'
import { ChartPlot } from './ChartPlot.tsx'
import { ChartTable } from './ChartTable.tsx'
import './chart.css'

/** One colour of the stacks. */
export interface ChartSeries {
  name: string
  /** The end of one of the tokens `--series-…`. */
  colour: string
  /** One for each period. */
  values: readonly number[]
}

/** The colour of all that has none of its own. */
export const OTHER = 'other'

export interface ChartData {
  unit: PeriodUnit
  /** When each period begins, in Unix seconds. */
  times: readonly number[]
  series: readonly ChartSeries[]
}

interface ChartProps {
  /** What is counted, such as "Calls by hour". */
  label: string
  data: ChartData
  /** Lower, without its legend and its table. */
  isSmall?: boolean
}

const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1, PageDown: 12, PageUp: -12 }

/**
 * Stacked bars over time. Its legend shows the numbers of the period under the pointer, else those of the whole time. With the keyboard,
 * the arrows go from period to period; a table has all numbers.
 */
export function Chart({ label, data, isSmall = false }: ChartProps) {
  const { unit, times, series } = data
  const [zone] = useZone()
  const [active, setActive] = useState<number>()
  const last = times.length - 1
  const shown = active === undefined ? undefined : Math.min(active, last)
  const numbers = series.map(({ values }) => (shown === undefined ? sum(values) : (values[shown] ?? 0)))
  const period = shown === undefined ? 'Whole time' : formatPeriod(times[shown] as number, unit, zone)
  const parts = series.map(({ name }, index) => `${name} ${formatCount(numbers[index] as number)}`)
  const text = `${period}: ${[formatCount(sum(numbers)), ...(series.length > 1 ? parts : [])].join(', ')}`

  function press(event: KeyboardEvent) {
    const { key } = event
    const step = STEPS[key]
    if (key === 'Escape' && shown !== undefined) setActive(undefined)
    else if (key === 'Home') setActive(0)
    else if (key === 'End') setActive(last)
    else if (step !== undefined) setActive(Math.max(0, Math.min(last, shown === undefined ? last : shown + step)))
    else return
    event.preventDefault()
  }

  return (
    <figure className="chart" data-small={isSmall}>
      <figcaption className="chart-readout">
        <span>{period}</span> <strong className="number">{formatCount(sum(numbers))}</strong>
      </figcaption>
      <div
        className="chart-plot"
        role="slider"
        tabIndex={0}
        aria-label={`${label}. Use the arrow keys to read it.`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, last)}
        aria-valuenow={shown ?? last}
        aria-valuetext={text}
        onKeyDown={press}
        onBlur={() => setActive(undefined)}
      >
        <ChartPlot data={data} zone={zone} height={isSmall ? 140 : 280} active={shown} onActive={setActive} />
      </div>
      {!isSmall && (
        <>
          <ul className="chart-legend">
            {series.map(({ name, colour }, index) => (
              <li key={name}>
                <i className="chart-colour" data-colour={colour} />
                <span dir="auto">{name}</span>
                <span className="number">{formatCount(numbers[index] as number)}</span>
              </li>
            ))}
          </ul>
          <ChartTable label={label} data={data} zone={zone} />
        </>
      )}
    </figure>
  )
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
