/** What a person reads instead of JSON. */
export function printText(...lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`)
}

/** Columns under headings, two spaces apart. */
export function formatTable(headings: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const lines = [headings, ...rows].map(row => row.map(String))
  const widths = headings.map((_, column) => Math.max(...lines.map(line => lengthOf(line[column]))))
  const formatCell = (cell: string, column: number) => cell + ' '.repeat((widths[column] ?? 0) - lengthOf(cell))
  return lines.map(line => line.map(formatCell).join('  ').trimEnd()).join('\n')
}

/** To the second, in UTC. */
export function formatTime(time: number | undefined): string {
  return time === undefined ? '-' : new Date(time).toISOString().replace(/\.\d+Z$/, 'Z')
}

function lengthOf(cell = ''): number {
  return [...cell].length
}
