import { notFound, UserError } from '../../domain/errors.ts'
import { type CsvRecord, fillUp } from '../csv-records.ts'
import { LINE_TOO_LONG, MAX_LINE_BYTES } from '../lines.ts'
import { type Cell, Cells } from './cells.ts'
import { damaged } from './damaged.ts'
import { type Parts, readParts, type Sheet } from './parts.ts'
import { readXml } from './xml.ts'
import { type FileSource, MAX_SHEET_BYTES, Zip } from './zip.ts'

/** As many as a sheet can have. */
export const MAX_ROWS = 1_048_576
const MAX_COLUMNS = 16_384
/** A small file can have a value in the last column of a million rows: filling all cells before it would take gigabytes. */
const COLUMNS_READ = 1_000

/** A blank sheet is not larger. Larger ones are not read to find that out. */
const MAX_BLANK_BYTES = 65_536
/** A workbook has no more covers than this. Reading many blank sheets would take long. */
const MAX_BLANK_SHEETS = 100

export interface SheetRecords {
  /** The visible sheets of the workbook, without blank ones at the beginning, such as a cover with a picture. */
  sheets: string[]
  records: CsvRecord[]
}

/**
 * Reads the rows of a sheet of a workbook (.xlsx), and skips those without a value. The number of a row is its line. Empty cells at the end of a
 * row are left out. Memory does not grow with the sheet, only with its different texts, up to MAX_TEXT_BYTES.
 * @param wanted the name of the sheet; by default, the first visible one that is not blank
 * @throws UserError when it is damaged, made to do harm, or has no such sheet
 */
export async function* readWorkbook(source: FileSource, wanted?: string): AsyncGenerator<SheetRecords, void> {
  let failure: { error: unknown } | undefined
  async function* open(from: number): AsyncGenerator<Buffer, void> {
    try {
      yield* source.open(from)
    } catch (error) {
      failure = { error }
      throw error
    }
  }
  if (source.bytes === 0) throw damaged('it is empty')
  try {
    using zip = await Zip.open({ ...source, open })
    const parts = await readParts(zip)
    const cells = await Cells.read(zip, parts)
    const filled = parts.sheets.slice(await countBlank(zip, parts, cells))
    const sheets = filled.map(({ name }) => name)
    const { part } = chooseSheet(wanted === undefined ? filled : parts.sheets, wanted)
    const rows = readXml<CsvRecord>(zip.read(part, MAX_SHEET_BYTES), collectRows(cells))
    for await (const records of rows) yield { sheets, records }
  } catch (error) {
    if (failure) throw failure.error
    if (error instanceof UserError) throw error
    const [reason = ''] = (error as Error).message.split(/\n|\. /, 1)
    throw damaged(`it is damaged, or has not arrived completely (${reason})`)
  }
}

/** How many visible sheets come before the first one that may have a value. */
async function countBlank(zip: Zip, { sheets }: Parts, cells: Cells): Promise<number> {
  const last = Math.min(sheets.length - 1, MAX_BLANK_SHEETS)
  for (const [at, { part }] of sheets.slice(0, last).entries()) {
    if (zip.sizeOf(part) > MAX_BLANK_BYTES) return at
    for await (const rows of readXml<CsvRecord>(zip.read(part), collectRows(cells))) if (rows.length > 0) return at
  }
  return last
}

function chooseSheet(sheets: readonly Sheet[], wanted: string | undefined): Sheet {
  const found = wanted === undefined ? sheets[0] : sheets.find(({ name }) => name.trim() === wanted.trim())
  if (found) return found
  const names = sheets.map(({ name }) => `"${name}"`).join(', ')
  throw notFound(`The workbook has no sheet "${wanted}"; it has ${names}.`)
}

/** Finds the rows that have a value. */
function collectRows(cells: Cells) {
  return (found: (row: CsvRecord) => void) => {
    let line = 0
    let row: Row | undefined
    let cell: Cell | undefined
    let [at, isValue, isPronunciation] = [0, false, false]
    return {
      open(name: string, { r, t, s }: Readonly<Record<string, string>>) {
        if (name === 'row') {
          const number = r === undefined ? line + 1 : Number(r)
          if (!(number > line && number <= MAX_ROWS)) throw damaged('its rows are not in order')
          line = number
          row = new Row()
          at = 0
        } else if (name === 'c' && row) {
          at = r === undefined ? at : columnOf(r)
          if (!(at < MAX_COLUMNS)) throw damaged(`row ${line} has more than ${MAX_COLUMNS} columns`)
          cell = { type: t, style: Number(s ?? 0), value: '' }
        } else if (name === 'v' || name === 't') isValue = !isPronunciation
        else if (name === 'rPh') isPronunciation = true
      },
      text(part: string) {
        if (isValue && cell && cell.value.length <= MAX_LINE_BYTES) cell.value += part
      },
      close(name: string) {
        if (name === 'v' || name === 't') isValue = false
        else if (name === 'rPh') isPronunciation = false
        else if (name === 'c' && cell && row) {
          row.put(at, cells.textOf(cell))
          cell = undefined
          at += 1
        } else if (name === 'row' && row) {
          if (row.reason !== undefined) found({ line, reason: row.reason })
          else if (row.length > 0) found({ line, values: row.values })
          row = undefined
        }
      },
    }
  }
}

class Row {
  values: string[] = []
  /** Of all values. */
  length = 0
  /** Why it cannot be read. */
  reason: string | undefined

  put(at: number, text: string): void {
    if (text === '') return
    this.length += text.length
    if (this.length > MAX_LINE_BYTES) this.#refuse(LINE_TOO_LONG)
    else if (at >= COLUMNS_READ)
      this.#refuse(`it has a value in column ${lettersOf(at)}; only ${COLUMNS_READ} columns are read.`)
    else {
      fillUp(this.values, at)
      this.values[at] = text
    }
  }

  #refuse(reason: string): void {
    this.reason ??= reason
    this.values = []
  }
}

/** Column 2 is C. */
function lettersOf(column: number): string {
  return column < 0 ? '' : lettersOf(Math.floor(column / 26) - 1) + String.fromCharCode(65 + (column % 26))
}

/** C5 is in column 2. */
function columnOf(reference: string): number {
  const [letters = ''] = /^[A-Z]{1,3}/.exec(reference) ?? []
  if (letters === '') return Number.NaN
  let column = 0
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64
  return column - 1
}
