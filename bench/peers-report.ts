import { type Bar, barChart } from './bar-chart.ts'
import { type Kind, OPERATIONS, type OperationName, type Result } from './compare-peers.ts'
import { type Figure, figure, formatNumber, markdownTable, summarize, type Target } from './figure.ts'
import { writeChart, writeSection } from './performance-page.ts'
import type { Sample } from './sample.ts'

const NAMES = Object.keys(OPERATIONS) as OperationName[]

/** The service's targets, compared with the best server of each kind. */
const TARGETS: readonly { operation: OperationName; beside: Kind; target: Target }[] = [
  { operation: 'list', beside: 'peer without a log', target: { atLeast: 2.8 } },
  { operation: 'get', beside: 'peer without a log', target: { atLeast: 1.1 } },
  { operation: 'create', beside: 'peer without a log', target: { atLeast: 10 } },
  { operation: 'get', beside: 'peer with a log', target: { atLeast: 1.5 } },
]

/** The ratios that have targets, round by round. */
export function peerRatios(results: readonly Result[]): Figure[] {
  return TARGETS.map(({ operation, beside, target }) => {
    const rivals = results.filter(({ kind }) => kind === beside)
    const best = rivals.reduce((one, other) => (speedOf(other, operation) > speedOf(one, operation) ? other : one))
    return figure(
      `${operation}: Petstore ÷ best ${beside} (${best.name})`,
      'ratio',
      ratios(results, best, operation),
      target,
    )
  })
}

export function writePeersReport(description: string, results: readonly Result[], figures: readonly Figure[]): void {
  const sections = NAMES.map(name => {
    const { title } = OPERATIONS[name]
    writeChart(`performance-${name}.svg`, chart(name, results))
    return `### ${title}\n\n![${title}: calls per second](images/performance-${name}.svg)\n\n${table(name, results)}`
  })
  const aims = figures.map(({ name, median, min, max, target }) => [
    name,
    formatNumber(median),
    `${formatNumber(min)}–${formatNumber(max)}`,
    `≥ ${target?.atLeast}`,
  ])
  const start = results
    .filter(({ kind }) => kind !== 'floor')
    .map(({ name, startMs, peakMemory }) => [name, formatNumber(startMs), formatNumber(peakMemory)])
  writeSection(
    'peers',
    [
      description,
      ...sections,
      `### Start and memory\n\n${markdownTable(['', 'start to first answer, ms', 'peak memory, MB'], start, [1, 2])}`,
      `### Targets\n\n${markdownTable(['', 'median', 'range', 'target'], aims, [1])}`,
    ].join('\n\n'),
  )
}

function table(operation: OperationName, results: readonly Result[]): string {
  const service = results[0] as Result
  const rows = results.map(result => {
    const of = (value: (one: Sample) => number) => summarize(result.samples[operation].map(value))
    const speed = of(({ callsPerSecond }) => callsPerSecond)
    const ratio = summarize(ratios(results, result, operation))
    return [
      result.name,
      formatNumber(speed.median),
      `${formatNumber(speed.min)}–${formatNumber(speed.max)}`,
      formatNumber(of(({ p50Ms }) => p50Ms).median),
      formatNumber(of(({ p99Ms }) => p99Ms).median),
      formatNumber(of(({ cpuMicrosPerCall }) => cpuMicrosPerCall).median),
      result === service ? '' : `${formatNumber(ratio.median)} ×`,
    ]
  })
  const head = ['', 'calls/s', 'range', 'p50, ms', 'p99, ms', 'CPU, µs per call', 'Petstore ÷ this']
  return markdownTable(head, rows, [1, 3, 4, 5, 6])
}

function chart(operation: OperationName, results: readonly Result[]): string {
  const bars = results.map((result): Bar => {
    const speed = speedOf(result, operation)
    const group = result.kind === 'service' || result.kind === 'floor' ? result.kind : 'peer'
    return { label: result.name, value: speed, text: `${Math.round(speed).toLocaleString('en')}/s`, group }
  })
  return barChart(`${OPERATIONS[operation].title}: calls per second on one core`, bars)
}

/** Ratios of the service to another server, round by round. */
function ratios(results: readonly Result[], other: Result, operation: OperationName): number[] {
  const service = (results[0] as Result).samples[operation]
  return other.samples[operation].map(
    ({ callsPerSecond }, round) => (service[round] as Sample).callsPerSecond / callsPerSecond,
  )
}

function speedOf({ samples }: Result, operation: OperationName): number {
  return summarize(samples[operation].map(({ callsPerSecond }) => callsPerSecond)).median
}
