import { type ReactNode, useLayoutEffect, useRef } from 'react'
import uPlot from 'uplot'
import { formatCompact } from '../lib/numbers.ts'
import { formatTick, PERIOD_SECONDS, type Zone, zoneOf } from '../lib/time.ts'
import { useMedia } from '../lib/use-media.ts'
import { useTheme } from '../lib/use-preferences.ts'
import { useWidth } from '../lib/use-width.ts'
import type { ChartData } from './chart-data.ts'
import 'uplot/dist/uPlot.min.css'

interface PlotProps {
  data: ChartData
  zone: Zone
  height: number
  active: number | undefined
  onActive(index: number | undefined): void
  /** Shown next to the active bar. */
  children: ReactNode
}

/** The drawing. The text around it has the same content. */
export function ChartPlot({ data, zone, height, active, onActive, children }: PlotProps) {
  const holder = useRef<HTMLDivElement>(null)
  const tip = useRef<HTMLDivElement>(null)
  const drawn = useRef<uPlot>(null)
  const width = useWidth(holder)
  const scheme = useScheme()

  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours of another scheme are read from the page
  useLayoutEffect(() => {
    if (width === 0) return
    const element = holder.current as HTMLDivElement
    const plot = new uPlot(optionsOf(data, zone, element), stacksOf(data), element)
    drawn.current = plot
    const point = ({ offsetX }: PointerEvent) => onActive(plot.posToIdx(offsetX))
    plot.over.addEventListener('pointermove', point)
    plot.over.addEventListener('pointerdown', point)
    plot.over.addEventListener('pointerleave', ({ pointerType }) => pointerType === 'mouse' && onActive(undefined))
    return () => plot.destroy()
  }, [data, zone, height, width, scheme, onActive])

  useLayoutEffect(() => {
    const plot = drawn.current
    const at = active === undefined ? undefined : data.times[active]
    if (!plot || width === 0) return
    if (at === undefined) return plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
    const left = plot.valToPos(at, 'x')
    const right = plot.valToPos(at + PERIOD_SECONDS[data.unit], 'x')
    plot.setSelect({ left, top: 0, width: right - left, height: plot.over.clientHeight }, false)
    if (tip.current) place(tip.current, plot.over.offsetLeft + left, plot.over.offsetLeft + right, width)
  }, [active, data, width])

  return (
    <div className="chart-canvas" ref={holder} style={{ blockSize: height }}>
      {data.series.map(({ name, colour }) => (
        <i key={name} className="chart-colour" style={{ background: `var(--series-${colour})` }} hidden />
      ))}
      <div className="chart-tip box is-raised" ref={tip} hidden={active === undefined} aria-hidden="true">
        {children}
      </div>
    </div>
  )
}

/** Puts the numbers on the side of a bar that has more room. */
function place(tip: HTMLElement, left: number, right: number, width: number): void {
  const gap = 8
  const wanted = left > width - right ? left - gap - tip.offsetWidth : right + gap
  tip.style.left = `${Math.max(0, Math.min(width - tip.offsetWidth, wanted))}px`
}

/** The tallest stack first: each is drawn over the previous ones. Bars are centred on their periods. */
function stacksOf({ unit, times, series }: ChartData): uPlot.AlignedData {
  const heights = times.map(() => 0)
  const stacks = series.map(({ values }) =>
    values.map((value, index) => {
      heights[index] = (heights[index] ?? 0) + value
      return heights[index] || null
    }),
  )
  return [times.map(at => at + PERIOD_SECONDS[unit] / 2), ...stacks.toReversed()]
}

/** Room for half of the last label of the time axis. */
const RIGHT = 16

function optionsOf({ unit, times }: ChartData, zone: Zone, element: HTMLElement): uPlot.Options {
  const { color: text, borderTopColor: lines, backgroundColor, fontSize, fontFamily } = getComputedStyle(element)
  const colours = [...element.querySelectorAll(':scope > .chart-colour')].map(
    one => getComputedStyle(one).backgroundColor,
  )
  // uPlot makes fonts larger for dense screens, but only whole numbers of pixels.
  const size = Math.round(Number.parseFloat(fontSize))
  const axis: uPlot.Axis = { stroke: text, font: `${size}px ${fontFamily}`, ticks: { show: false } }
  const letter = size * 0.6
  const end = (times.at(-1) ?? 0) + PERIOD_SECONDS[unit]
  const barWidth = element.clientWidth / times.length
  return {
    width: element.clientWidth,
    height: element.clientHeight,
    padding: [8, RIGHT, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    ...(zoneOf(unit, zone) === 'utc' && { tzDate: at => uPlot.tzDate(new Date(at * 1_000), 'UTC') }),
    scales: {
      x: { range: () => [times[0] ?? 0, end] },
      y: { range: (_plot, _min, max) => [0, (max || 1) * 1.05] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 28,
        space: 80,
        ...(unit === 'day' && { incrs: [1, 2, 7, 14, 28, 91].map(days => days * PERIOD_SECONDS.day) }),
        values: (plot, ticks) =>
          ticks.map(at => {
            const label = formatTick(at, unit, zone)
            const edge = plot.valToPos(at, 'x') + (label.length * letter) / 2
            return edge > plot.valToPos(end, 'x') + RIGHT ? null : label
          }),
      },
      {
        ...axis,
        size: (_plot, labels) => Math.max(2, ...(labels ?? []).map(label => label?.length ?? 0)) * letter + 12,
        grid: { stroke: lines, width: 1 },
        incrs: INTEGER_STEPS,
        values: (_plot, ticks) => ticks.map(formatCompact),
      },
    ],
    series: [
      {},
      ...colours.toReversed().map(fill => ({
        fill,
        // A thin line between colours, where the bars are wide enough.
        stroke: backgroundColor,
        width: barWidth > 8 ? 1 : 0,
        points: { show: false },
        paths: uPlot.paths.bars?.({ size: [barWidth > 4 ? 0.82 : 1, 48] }) as uPlot.Series.PathBuilder,
      })),
    ],
  }
}

/** Calls are whole numbers. */
const INTEGER_STEPS = Array.from({ length: 13 }, (_, power) => [1, 2, 5].map(step => step * 10 ** power)).flat()

/** The current colour scheme. For drawings, which do not follow a change of the theme automatically. */
function useScheme(): 'light' | 'dark' {
  const [theme] = useTheme()
  const isDark = useMedia('(prefers-color-scheme: dark)')
  return theme === 'system' ? (isDark ? 'dark' : 'light') : theme
}
