import { type KeyboardEvent, type ReactNode, useMemo, useState } from 'react'
import { formatCount, sumOf } from '../lib/numbers.ts'
import { formatPeriod } from '../lib/periods.ts'
import { useZone } from '../lib/use-zone.ts'
import { ChartLegend } from './ChartLegend.tsx'
import { ChartPlot } from './ChartPlot.tsx'
import { ChartTable } from './ChartTable.tsx'
import { ChartTip } from './ChartTip.tsx'
import type { ChartData } from './chart-data.ts'
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
  const [hidden, setHidden] = useState<ReadonlySet<string>>(NONE)
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
    <figure className="chart" aria-busy={isStale}>
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

const NONE: ReadonlySet<string> = new Set()

/** The numbers of a period, or of the whole time, for screen readers. */
function textOf({ series }: ChartData, index: number | undefined): string {
  const numbers = series.map(({ values }) => (index === undefined ? sumOf(values) : (values[index] ?? 0)))
  const parts = series.map(({ name }, at) => `${name} ${formatCount(numbers[at] as number)}`)
  return [formatCount(sumOf(numbers)), ...(series.length > 1 ? parts : [])].join(', ')
}
