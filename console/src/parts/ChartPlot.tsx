import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { formatCompact } from '../lib/numbers.ts'
import { formatTick, PERIOD_SECONDS, zoneOf } from '../lib/periods.ts'
import type { Zone } from '../lib/time.ts'
import { useScheme } from '../lib/use-scheme.ts'
import type { ChartData } from './Chart.tsx'

interface PlotProps {
  data: ChartData
  zone: Zone
  height: number
  active: number | undefined
  onActive(index: number | undefined): void
}

/** The drawing. All that it says is in the text around it. */
export function ChartPlot({ data, zone, height, active, onActive }: PlotProps) {
  const holder = useRef<HTMLDivElement>(null)
  const drawn = useRef<uPlot>(null)
  const scheme = useScheme()

  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours of another scheme are read from the page
  useEffect(() => {
    const element = holder.current as HTMLDivElement
    const plot = new uPlot(optionsOf(data, zone, element, onActive), stacksOf(data), element)
    drawn.current = plot
    const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }))
    resized.observe(element)
    return () => {
      resized.disconnect()
      plot.destroy()
    }
  }, [data, zone, height, scheme, onActive])

  useEffect(() => {
    const plot = drawn.current as uPlot
    const at = active === undefined ? undefined : data.times[active]
    if (at === undefined) return plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
    const left = plot.valToPos(at, 'x')
    const width = plot.valToPos(at + PERIOD_SECONDS[data.unit], 'x') - left
    plot.setSelect({ left, top: 0, width, height: plot.over.clientHeight }, false)
  }, [active, data])

  return (
    <div className="chart-canvas" ref={holder} style={{ blockSize: height }}>
      {data.series.map(({ name, colour }) => (
        <i key={name} className="chart-colour" data-colour={colour} hidden />
      ))}
    </div>
  )
}

/** The highest stack first: each is drawn over those before it. Bars are in the middle of their periods. */
function stacksOf({ unit, times, series }: ChartData): uPlot.AlignedData {
  const heights = times.map(() => 0)
  const stacks = series.map(({ values }) =>
    values.map((value, index) => {
      heights[index] = (heights[index] ?? 0) + value
      return heights[index]
    }),
  )
  return [times.map(at => at + PERIOD_SECONDS[unit] / 2), ...stacks.toReversed()]
}

function optionsOf(
  { unit, times }: ChartData,
  zone: Zone,
  element: HTMLElement,
  onActive: (index: number | undefined) => void,
): uPlot.Options {
  const { color: text, borderTopColor: lines, fontSize, fontFamily } = getComputedStyle(element)
  const colours = [...element.querySelectorAll('.chart-colour')].map(one => getComputedStyle(one).backgroundColor)
  const { timeZone } = zoneOf(unit, zone)
  // uPlot makes fonts larger for dense screens, but only whole numbers of pixels.
  const axis: uPlot.Axis = {
    stroke: text,
    font: `${Math.round(Number.parseFloat(fontSize))}px ${fontFamily}`,
    ticks: { show: false },
  }
  const end = (times.at(-1) ?? 0) + PERIOD_SECONDS[unit]
  return {
    width: element.clientWidth,
    height: element.clientHeight,
    padding: [8, 0, 0, 0],
    legend: { show: false },
    cursor: { x: false, y: false, points: { show: false }, drag: { x: false, y: false } },
    ...(timeZone && { tzDate: at => uPlot.tzDate(new Date(at * 1_000), timeZone) }),
    scales: {
      x: { range: () => [times[0] ?? 0, end] },
      y: { range: (_plot, _min, max) => [0, (max || 1) * 1.05] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 28,
        space: 72,
        ...(unit === 'day' && { incrs: [1, 2, 7, 14, 28, 91].map(days => days * PERIOD_SECONDS.day) }),
        values: (_plot, ticks) => ticks.map(at => formatTick(at, unit, zone)),
      },
      {
        ...axis,
        size: 48,
        grid: { stroke: lines, width: 1 },
        incrs: INTEGER_STEPS,
        values: (_plot, ticks) => ticks.map(formatCompact),
      },
    ],
    series: [
      {},
      ...colours.toReversed().map(fill => ({
        fill,
        width: 0,
        points: { show: false },
        paths: uPlot.paths.bars?.({ size: [0.82, 48] }) as uPlot.Series.PathBuilder,
      })),
    ],
    hooks: { setCursor: [plot => onActive((plot.cursor.left ?? -1) < 0 ? undefined : (plot.cursor.idx ?? undefined))] },
  }
}

/** There are no halves of calls. */
const INTEGER_STEPS = Array.from({ length: 13 }, (_, power) => [1, 2, 5].map(step => step * 10 ** power)).flat()
