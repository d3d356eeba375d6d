/** Simulates how spreadsheets open and save CSV files. */

/** How a program splits a file into cells. */
export interface Splitting {
  delimiter: string
  /** Whether quotes at the start of a cell enclose it. */
  knowsQuotes?: boolean
}

/**
 * Splits a file into rows of cells. Like spreadsheets, it refuses nothing: what follows a closing quote belongs to the cell, and a quote
 * inside a cell is text.
 */
export function splitIntoCells(text: string, { delimiter, knowsQuotes = true }: Splitting): string[][] {
  const rows = [['']]
  let isQuoted = false
  let isStart = true
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string
    const row = rows.at(-1) as string[]
    const append = () => {
      row[row.length - 1] += character
    }
    if (isQuoted && character === '"' && text[at + 1] === '"') {
      append()
      at += 1
    } else if (isQuoted) {
      if (character === '"') isQuoted = false
      else append()
    } else if (knowsQuotes && isStart && character === '"') {
      isQuoted = true
      isStart = false
    } else if (character === delimiter) {
      row.push('')
      isStart = true
    } else if (character === '\n' || character === '\r') {
      rows.push([''])
      isStart = true
    } else {
      append()
      isStart = false
    }
  }
  return rows.filter(row => row.some(cell => cell !== ''))
}

/** Opens a file in a spreadsheet on Windows: it is UTF-8 if a byte order mark says so. */
export function open(file: Uint8Array, delimiter = ','): string[][] {
  const isMarked = Buffer.from(file.subarray(0, 3)).equals(Buffer.from('\ufeff'))
  return splitIntoCells(new TextDecoder(isMarked ? 'utf-8' : 'windows-1252').decode(file), { delimiter })
}

/** The ways to save that keep every letter. */
export const SAVE = {
  'CSV UTF-8': (rows: readonly string[][]) => Buffer.from(`\ufeff${join(rows, ',')}`),
  'CSV UTF-8 with semicolons': (rows: readonly string[][]) => Buffer.from(`\ufeff${join(rows, ';')}`),
  'Unicode text': (rows: readonly string[][]) => Buffer.from(`\ufeff${join(rows, '\t')}`, 'utf16le'),
}

function join(rows: readonly string[][], delimiter: string): string {
  const quote = (cell: string) =>
    cell.includes(delimiter) || /["\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
  return rows.map(row => `${row.map(quote).join(delimiter)}\r\n`).join('')
}
