import { spellOut } from '../domain/outside-text.ts'
import { formatTime as formatKnown } from '../domain/time.ts'
import { columnsOf, wrap } from './columns.ts'

/** What a person reads instead of JSON. */
export function printText(...lines: string[]): void {
  process.stdout.write(`${formatText(...lines)}\n`)
}

export function formatText(...lines: string[]): string {
  return lines.map(plain).join('\n')
}

/** A table for a person; on a terminal it stays within its width. Elsewhere a row is one line, for grep. */
export function printTable(headings: readonly string[], rows: readonly (readonly unknown[])[]): void {
  printText(formatTable(headings, rows, terminalWidth()))
}

/** Undefined where standard output is no terminal. */
function terminalWidth(): number | undefined {
  return process.stdout.isTTY ? process.stdout.columns || undefined : undefined
}

/**
 * Columns under headings, two spaces apart; a column of numbers stands to the right.
 * @param width in how many columns of a terminal to stay: the widest cells are wrapped, each under itself
 */
export function formatTable(
  headings: readonly string[],
  rows: readonly (readonly unknown[])[],
  width = Number.POSITIVE_INFINITY,
): string {
  const isNumeric = headings.map((_, column) => rows.every(row => typeof row[column] === 'number'))
  const cells = [headings, ...rows].map(row => row.map(formatCell))
  const widths = fit(cells, width - GAP.length * (headings.length - 1))
  const pad = (text: string, column: number) => {
    const space = ' '.repeat(Math.max(0, (widths[column] ?? 0) - columnsOf(text)))
    return isNumeric[column] ? space + text : text + space
  }
  return cells
    .flatMap(row => {
      const wrapped = row.map((cell, column) => wrapCell(cell, widths[column] ?? 0))
      const height = Math.max(...wrapped.map(lines => lines.length))
      return Array.from({ length: height }, (_, line) => wrapped.map(lines => lines[line] ?? ''))
    })
    .map(line => line.map(pad).join(GAP).trimEnd())
    .join('\n')
}

const GAP = '  '

/** How wide each column is: as its longest cell or, where all together must be narrower, as little less as need be. */
function fit(cells: readonly (readonly string[])[], width: number): number[] {
  const longest = (measure: (cell: string) => number) =>
    (cells[0] ?? []).map((_, column) => Math.max(...cells.map(row => measure(row[column] ?? ''))))
  const widths = longest(columnsOf)
  const words = longest(cell => Math.max(...cell.split(' ').map(columnsOf)))
  // First where there is most room between words. Where words themselves must be broken, those of the last column are, which has
  // the freest text; then the longest ones.
  const lastBroken = words.map((one, column) => (column < words.length - 1 ? one : Math.min(one, SHORT_LINE)))
  for (const floors of [words, lastBroken, widths.map(() => NARROWEST)]) {
    const room = () => widths.map((one, column) => one - (floors[column] ?? 0))
    while (widths.reduce((sum, one) => sum + one, 0) > width && Math.max(...room()) > 0) {
      const rooms = room()
      const column = rooms.lastIndexOf(Math.max(...rooms))
      widths[column] = (widths[column] ?? 0) - 1
    }
  }
  return widths
}

/** What can still be read with ease. */
const SHORT_LINE = 10
/** Narrower columns than this cannot be read, whatever the terminal's width. */
const NARROWEST = 4

function wrapCell(cell: string, width: number): string[] {
  return columnsOf(cell) <= width ? [cell] : wrap(cell, width)
}

/** To the minute, in UTC, as one word: for tables. */
export function formatMinute(time: number | undefined): string {
  return time === undefined ? '-' : new Date(time).toISOString().replace(/:\d+\.\d+Z$/, 'Z')
}

/** To the second, in UTC. */
export function formatTime(time: number | undefined): string {
  return time === undefined ? '-' : formatKnown(time)
}

/** Such as "1 key" or "1,200 keys". */
export function formatCount(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** A whole number, such as 1,200. The platform's own way loads what it knows of languages first, a fifth of the time that a command takes. */
export function formatNumber(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
}

/** Every text from outside passes this on its way to a terminal. Line feeds stay. */
export function plain(text: string): string {
  return text.split('\n').map(spellOut).join('\n')
}

/** The same on one line: a line feed would begin another, which might pass for ours. */
export function plainLine(text: string): string {
  return plain(text).replaceAll('\n', '\\n')
}

function formatCell(cell: unknown): string {
  return typeof cell === 'number' ? formatNumber(cell) : plainLine(String(cell))
}
