/** How much is measured. */
export interface Extent {
  rounds: number
  /** The duration of each load. */
  seconds: number
}

/** The summary of repeated measurements. */
export interface Summary {
  median: number
  min: number
  max: number
}

/** One line of the results. */
export interface Figure extends Summary {
  name: string
  unit: string
  target?: Target | undefined
  /** Why the result is void. */
  doubt?: string | undefined
}

export interface Target {
  atLeast?: number
  atMost?: number
}

export function figure(name: string, unit: string, values: readonly number[], target?: Target): Figure {
  return { name, unit, ...summarize(values), target }
}

export function summarize(values: readonly number[]): Summary {
  const sorted = [...values].sort((one, other) => one - other)
  const middle = (sorted.length - 1) / 2
  const median = ((sorted[Math.floor(middle)] as number) + (sorted[Math.ceil(middle)] as number)) / 2
  return { median, min: sorted[0] as number, max: sorted.at(-1) as number }
}

export function isMet({ median, target, doubt }: Figure): boolean {
  if (target && doubt) return false
  return (
    median >= (target?.atLeast ?? Number.NEGATIVE_INFINITY) && median <= (target?.atMost ?? Number.POSITIVE_INFINITY)
  )
}

/** Formats the results as a Markdown table, which is also readable in a terminal. */
export function formatTable(figures: readonly Figure[]): string {
  const rows = figures.map(one => [
    one.name,
    ...[one.median, one.min, one.max].map(formatNumber),
    one.unit,
    one.target ? `${one.target.atLeast === undefined ? '≤' : '≥'} ${one.target.atLeast ?? one.target.atMost}` : '',
    one.target ? (one.doubt ?? (isMet(one) ? 'met' : 'NOT MET')) : '',
  ])
  return markdownTable(['', 'median', 'min', 'max', 'unit', 'target', ''], rows, [1, 2, 3])
}

/** A table of the same figures of several runs, with a column for each run. */
export function formatRuns(head: readonly string[], runs: readonly Readonly<Record<string, number>>[]): string {
  const rows = Object.keys(runs[0] ?? {}).map(name => [name, ...runs.map(one => formatNumber(one[name] as number))])
  return markdownTable(head, rows, [...head.keys()].slice(1))
}

/** @param numbers the columns to align right */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  numbers: readonly number[],
): string {
  const table = [head, ...rows]
  const widths = head.map((_, column) => Math.max(3, ...table.map(row => row[column]?.length ?? 0)))
  const isNumeric = (column: number) => numbers.includes(column)
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (isNumeric(column) ? cell.padStart : cell.padEnd).call(cell, widths[column] as number)).join(' | ')} |`
  const rule = widths.map((width, column) => (isNumeric(column) ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width)))
  return [line(head), line(rule), ...rows.map(line)].join('\n')
}

/** Three significant digits, or all digits before the decimal point. */
export function formatNumber(value: number): string {
  if (Number.isNaN(value)) return '–'
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : Math.abs(value) >= 1 ? 2 : 3
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}
