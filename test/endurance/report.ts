import { availableParallelism, cpus } from 'node:os'
import { formatNumber, markdownTable } from '../../bench/figure.ts'
import { writeChart, writeSection } from './page-section.ts'
import type { Chart, Figures } from './tally.ts'

/** The results of one scenario. */
export interface Report {
  name: string
  explanation: string
  figures: Figures
  notes: readonly string[]
  charts: readonly Chart[]
  failures: readonly string[]
  /** Why it could not run on this machine. */
  impossible: string | undefined
  seconds: number
}

const PAGE = 'reliability.md'

/** What must be zero is in the failures. */
const COLUMNS: readonly (readonly [head: string, cell: (figures: Figures) => string])[] = [
  ['acknowledged', ({ acknowledged }) => whole(acknowledged)],
  ['refused', ({ refused }) => whole(refused)],
  ['cut off', ({ cutOff }) => whole(cutOff)],
  ['longest wait, s', ({ longestWaitMs }) => formatNumber(longestWaitMs / 1_000)],
]

export function isPassed({ failures, impossible }: Report): boolean {
  return failures.length === 0 && impossible === undefined
}

/** All scenarios of a run in one Markdown table, which is also readable in a terminal. */
export function formatReports(reports: readonly Report[]): string {
  const rows = reports.map(report => [
    report.name,
    report.explanation,
    ...COLUMNS.map(([, cell]) => (report.impossible === undefined ? cell(report.figures) : '')),
    verdictOf(report),
  ])
  const heads = COLUMNS.map(([head]) => head)
  return markdownTable(
    ['scenario', 'what happens', ...heads, ''],
    rows,
    [...heads.keys()].map(one => one + 2),
  )
}

/** The notes and failures of a scenario. */
export function formatNotes({ notes, failures, impossible }: Report): string[] {
  return [
    ...notes,
    ...(impossible === undefined ? [] : [`Not tried: ${impossible}`]),
    ...failures.map(one => `FAILED: ${one}`),
  ]
}

/** Replaces the results in docs/reliability.md. */
export function writeReports(reports: readonly Report[], { isQuick }: { isQuick: boolean }): void {
  const minutes = reports.reduce((sum, { seconds }) => sum + seconds, 0) / 60
  const form = isQuick ? '**the short form** (`--quick`): fewer rounds, clients and minutes than below' : 'in full'
  const cores = availableParallelism()
  const run = [
    `- ${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${process.platform} ${process.arch}`,
    `- ${cores === 1 ? 'one core' : `${cores} cores`}, which the callers share with the service: ${cpus()[0]?.model ?? 'unknown'}`,
    `- ${form}; it took ${Math.round(minutes)} minutes`,
  ]
  for (const { file, svg } of reports.flatMap(({ charts }) => charts)) writeChart(file, svg)
  const notes = reports.map(report => `- **${report.name}**: ${formatNotes(report).join('; ')}`)
  const charts = reports.flatMap(report => report.charts.map(({ file, title }) => `![${title}](images/${file})`))
  writeSection('endure', [run.join('\n'), formatReports(reports), notes.join('\n'), ...charts].join('\n\n'), PAGE)
}

function verdictOf(report: Report): string {
  if (report.impossible !== undefined) return 'not tried'
  return isPassed(report) ? 'passed' : 'FAILED'
}

function whole(count: number): string {
  return count.toLocaleString('en')
}
