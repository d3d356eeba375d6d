import { memo, type PointerEvent, type ReactNode, useRef } from 'react'
import { formatCompact } from '../lib/numbers.ts'
import { formatTick, PERIOD_SECONDS, type Zone, zoneOf } from '../lib/time.ts'
import { useWidth } from '../lib/use-width.ts'
import type { ChartData } from './chart-data.ts'

interface PlotProps {
  data: ChartData
  zone: Zone
  height: number
  active: number | undefined
  onActive(index: number | undefined): void
  /** Shown next to the active bar. */
  children: ReactNode
}

/** The room below the bars, for the times. */
const TIMES_HEIGHT = 28
/** The least room between two horizontal lines. */
const LINE_SPACE = 30
/** The least room between two times. */
const TIME_SPACE = 72

const NARROW = 560

/** The drawing. The text around it has the same content. */
export function ChartPlot({ data, zone, height, active, onActive, children }: PlotProps) {
  const area = useRef<HTMLDivElement>(null)
  const width = useWidth(area)
  const { unit, times } = data
  const top = topOf(data)
  const step = INTEGER_STEPS.find(one => (one * (height - TIMES_HEIGHT)) / top >= LINE_SPACE) ?? top
  const lines = Array.from({ length: Math.floor(top / step) + 1 }, (_, index) => index * step)
  const share = (index: number) => `${(100 * index) / times.length}%`
  const point = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    const index = Math.floor(((clientX - left) / width) * times.length)
    onActive(Math.max(0, Math.min(times.length - 1, index)))
  }
  /** Beside the active bar; where that has no room, on the other half. */
  const tipPlace = () => {
    const at = active ?? 0
    const isLate = at >= times.length / 2
    if (width < NARROW) return isLate ? { insetInlineStart: 0 } : { insetInlineEnd: 0 }
    return isLate ? { insetInlineEnd: share(times.length - at) } : { insetInlineStart: share(at + 1) }
  }
  return (
    <div className="chart-canvas" style={{ blockSize: height }}>
      <div className="chart-counts">
        {lines.map(count => (
          <span key={count} style={{ insetBlockEnd: `${(100 * count) / top}%` }}>
            {formatCompact(count)}
          </span>
        ))}
      </div>
      <div
        className="chart-area"
        ref={area}
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={({ pointerType }) => pointerType === 'mouse' && onActive(undefined)}
      >
        <svg viewBox={`0 0 ${times.length} ${top}`} preserveAspectRatio="none" aria-hidden="true">
          {lines.map(count => (
            <path key={count} className="chart-line" d={`M0 ${top - count}H${times.length}`} />
          ))}
          <Bars data={data} width={width} />
          {active !== undefined && <rect className="chart-active" x={active} width={1} height={top} />}
        </svg>
        <div className="chart-tip box is-raised" style={tipPlace()} hidden={active === undefined} aria-hidden="true">
          {children}
        </div>
      </div>
      <div className="chart-times">
        {ticksOf(data, zone, width).map(index => (
          <span key={index} style={{ insetInlineStart: share(unit === 'day' ? index + 0.5 : index) }}>
            {formatTick(times[index] as number, unit, zone)}
          </span>
        ))}
      </div>
    </div>
  )
}

/** One path for each colour. It is not drawn again while the pointer moves. */
const Bars = memo(({ data: { times, series }, width }: { data: ChartData; width: number }) => {
  const period = width / times.length
  const bar = period > 4 ? Math.min(0.82, 48 / period) : 1
  const top = topOf({ series, times })
  const heights = times.map(() => 0)
  const shapes = series.map(({ values }) =>
    values.map((value, index) => {
      const height = (heights[index] ?? 0) + value
      heights[index] = height
      return value === 0 ? '' : `M${index + (1 - bar) / 2} ${top - height}h${bar}v${value}h${-bar}z`
    }),
  )
  return series.map(({ name, colour }, at) => (
    <path
      key={name}
      // A thin line between colours, where the bars are wide enough.
      className={period > 8 ? 'chart-bars is-wide' : 'chart-bars'}
      style={{ fill: `var(--series-${colour})` }}
      d={shapes[at]?.join('')}
    />
  ))
})

/** A little more than the tallest bar. */
function topOf({ times, series }: Pick<ChartData, 'times' | 'series'>): number {
  const sums = times.map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0))
  return 1.05 * Math.max(1, ...sums)
}

/** Calls are whole numbers. */
const INTEGER_STEPS = Array.from({ length: 13 }, (_, power) => [1, 2, 5].map(step => step * 10 ** power)).flat()

const TIME_STEPS = {
  hour: [1, 2, 3, 6, 12, 24, 48, 168, 336].map(hours => hours * PERIOD_SECONDS.hour),
  day: [1, 2, 7, 14, 28, 91].map(days => days * PERIOD_SECONDS.day),
}

/** The periods with a label: as many as there is room for, at round times. */
function ticksOf({ unit, times }: ChartData, zone: Zone, width: number): number[] {
  const seconds = PERIOD_SECONDS[unit]
  const room = width / times.length / seconds
  const step = TIME_STEPS[unit].find(one => one * room >= TIME_SPACE) ?? seconds * times.length
  const isUtc = zoneOf(unit, zone) === 'utc'
  const stepsUntil = (at: number) =>
    Math.floor((at - (isUtc ? 0 : new Date(at * 1_000).getTimezoneOffset() * 60)) / step)
  const isRound = (at: number) => stepsUntil(at) !== stepsUntil(at - seconds)
  // The last label has no room beyond the chart.
  const hasRoom = (index: number) => ((times.length - index) / times.length) * width > TIME_SPACE / 2
  return times.flatMap((at, index) => (isRound(at) && hasRoom(index) ? [index] : []))
}
