import { formatNumber } from '../../domain/format-number.ts'
import { columnsOf, wrap } from './columns.ts'
import { plainLine } from './text.ts'

/** The columns of a list: the headings, and how to get each item's value. */
export type Columns<Item> = Record<string, (item: Item) => string | number | bigint>

/** A table of items. On a terminal, it fits the width; elsewhere, each item is one line, so that grep works. */
export function formatList<Item>(items: readonly Item[], columns: Columns<Item>): string {
  const rows = items.map(item => Object.values(columns).map(cellOf => cellOf(item)))
  const width = process.stdout.isTTY ? process.stdout.columns || undefined : undefined
  return formatTable(Object.keys(columns), rows, width)
}

/** The fields of one item: one line each, with the values aligned. */
export function formatFields(fields: Readonly<Record<string, string | bigint>>): string {
  const width = Math.max(...Object.keys(fields).map(name => name.length))
  return Object.entries(fields)
    .map(([name, value]) => `${name.padEnd(width)}${GAP}${plainLine(String(value))}`)
    .join('\n')
}

/**
 * Columns under headings, two spaces apart; numbers are aligned to the right.
 * @param width columns of the terminal: the widest cells are wrapped to stay within it
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
      const wrapped = row.map((cell, column) => wrap(cell, widths[column] ?? 0))
      const height = Math.max(...wrapped.map(lines => lines.length))
      return Array.from({ length: height }, (_, line) => wrapped.map(lines => lines[line] ?? ''))
    })
    .map(line => line.map(pad).join(GAP).trimEnd())
    .join('\n')
}

const GAP = '  '

/** The width of each column: that of its longest cell or, if the table must be narrower, as close to it as possible. */
function fit(cells: readonly (readonly string[])[], width: number): number[] {
  const longest = (measure: (cell: string) => number) =>
    (cells[0] ?? []).map((_, column) => cells.reduce((most, row) => Math.max(most, measure(row[column] ?? '')), 0))
  const widths = longest(columnsOf)
  const words = longest(cell => Math.max(...cell.split(' ').map(columnsOf)))
  // First shrink the columns with the most room between words. If words must be broken, start with the last column, which usually has
  // prose, and continue with the widest columns.
  const lastBroken = words.map((one, column) => (column < words.length - 1 ? one : Math.min(one, READABLE_WIDTH)))
  for (const minimums of [words, lastBroken, widths.map(() => MIN_WIDTH)]) {
    const room = () => widths.map((one, column) => one - (minimums[column] ?? 0))
    while (widths.reduce((sum, one) => sum + one, 0) > width && Math.max(...room()) > 0) {
      const rooms = room()
      const column = rooms.lastIndexOf(Math.max(...rooms))
      widths[column] = (widths[column] ?? 0) - 1
    }
  }
  return widths
}

const READABLE_WIDTH = 10
/** Narrower columns would be unreadable, even if the table then exceeds the terminal. */
const MIN_WIDTH = 4

function formatCell(cell: unknown): string {
  return typeof cell === 'number' ? formatNumber(cell) : plainLine(String(cell))
}
