/** What a person reads instead of JSON. */
export function printText(...lines: string[]): void {
  process.stdout.write(`${lines.map(plain).join('\n')}\n`)
}

/** Columns under headings, two spaces apart; a column of numbers stands to the right. */
export function formatTable(headings: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const isNumeric = headings.map((_, column) => rows.every(row => typeof row[column] === 'number'))
  const lines = [headings, ...rows].map(row => row.map(formatCell))
  const widths = headings.map((_, column) => Math.max(...lines.map(line => lengthOf(line[column]))))
  const pad = (cell: string, column: number) => {
    const space = ' '.repeat((widths[column] ?? 0) - lengthOf(cell))
    return isNumeric[column] ? space + cell : cell + space
  }
  return lines.map(line => line.map(pad).join('  ').trimEnd()).join('\n')
}

/** To the second, in UTC. */
export function formatTime(time: number | undefined): string {
  return time === undefined ? '-' : new Date(time).toISOString().replace(/\.\d+Z$/, 'Z')
}

/** Such as "1 key" or "1,200 keys". */
export function formatCount(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}

/**
 * A text in which nothing moves a terminal's cursor, changes its colours or turns its reading direction: such characters are
 * spelled out. Line feeds stay.
 */
export function plain(text: string): string {
  return text.replaceAll(/(?!\n)[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu, character => {
    return `\\u{${character.codePointAt(0)?.toString(16)}}`
  })
}

/** A table's cells stand in lines: no line feed in them, either. */
function formatCell(cell: unknown): string {
  return typeof cell === 'number' ? cell.toLocaleString('en') : plain(String(cell)).replaceAll('\n', '\\n')
}

function lengthOf(cell = ''): number {
  return [...cell].length
}
