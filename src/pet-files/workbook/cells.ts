import { decodeCharacters } from './characters.ts'
import { damaged } from './damaged.ts'
import type { Parts } from './parts.ts'
import { readAllXml, readXml } from './xml.ts'
import { MAX_SHEET_BYTES, type Zip } from './zip.ts'

/** A workbook keeps each text once. These are kept in memory, as everything else of it is read as it comes. */
const MAX_TEXT_BYTES = 134_217_728
/** Of one text, beside its characters. */
const TEXT_OVERHEAD = 32
/** More than a cell can have. */
const MAX_TEXT_LENGTH = 65_536

export interface Cell {
  /** `s`: the value is the place of a text; `b`: 0 or 1; `e`: an error; a number by default. */
  type: string | undefined
  style: number
  value: string
}

/** Turns the cells of a workbook into the text that a spreadsheet program would write to a CSV file. */
export class Cells {
  readonly #texts: readonly string[]
  readonly #isDate: readonly boolean[]
  readonly #firstDay: number

  private constructor(texts: readonly string[], isDate: readonly boolean[], isFrom1904: boolean) {
    this.#texts = texts
    this.#isDate = isDate
    this.#firstDay = Date.UTC(1899, 11, isFrom1904 ? 30 + 1_462 : 30)
  }

  static async read(zip: Zip, { strings, styles, isFrom1904 }: Parts): Promise<Cells> {
    const texts = strings === undefined ? [] : await readTexts(zip.read(strings, MAX_SHEET_BYTES))
    return new Cells(texts, styles === undefined ? [] : await readDateStyles(zip.read(styles)), isFrom1904)
  }

  textOf(cell: Cell): string {
    const { type, style } = cell
    const value = cell.value.trim()
    // Some programs give an empty cell a type. Its text is not the first one.
    if (value === '') return ''
    if (type === 's') {
      const text = this.#texts[Number(value)]
      if (text === undefined) throw damaged('a cell refers to a text that is missing')
      return text
    }
    if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE'
    if (type !== undefined && type !== 'n') return decodeCharacters(cell.value)
    const number = Number(value)
    if (this.#isDate[style] && number >= 0 && number < MAX_DAY) return this.#dateOf(number)
    if (Number.isInteger(number) && Math.abs(number) < ROUNDED_FROM) return String(number)
    return /^-?\d+$/.test(value) ? number.toExponential() : value
  }

  #dateOf(days: number): string {
    const [date = '', time = ''] = new Date(this.#firstDay + Math.round(days * 86_400) * 1_000).toISOString().split('T')
    if (Number.isInteger(days)) return date
    return days < 1 ? time.slice(0, 5) : `${date} ${time.slice(0, 5)}`
  }
}

/** Programs keep 15 digits of a number. */
const ROUNDED_FROM = 1e15

/** December 31, 9999. */
const MAX_DAY = 2_958_466

async function readTexts(chunks: AsyncIterable<Buffer>): Promise<string[]> {
  const texts: string[] = []
  let bytes = 0
  for await (const some of readXml<string>(chunks, collectTexts('si'))) {
    for (const text of some) {
      bytes += text.length + TEXT_OVERHEAD
      if (bytes > MAX_TEXT_BYTES) throw damaged('it has too much text')
      texts.push(ownCopy(text))
    }
  }
  return texts
}

/** A part of a string keeps the whole of it in memory, which here has all that is between the texts. */
function ownCopy(text: string): string {
  return text.isWellFormed() ? Buffer.from(text).toString() : text
}

/** The texts in the elements of this name, without those that show how to pronounce them. */
function collectTexts(element: string) {
  return (found: (text: string) => void) => {
    let [text, isText, isPronunciation] = ['', false, false]
    return {
      open(name: string) {
        if (name === element) text = ''
        if (name === 't') isText = !isPronunciation
        if (name === 'rPh') isPronunciation = true
      },
      text(part: string) {
        if (!isText) return
        text += part
        if (text.length > MAX_TEXT_LENGTH) throw damaged('a cell has too much text')
      },
      close(name: string) {
        if (name === 't') isText = false
        if (name === 'rPh') isPronunciation = false
        if (name === element) found(decodeCharacters(text))
      },
    }
  }
}

/** The formats of dates and times that every program knows by their number. */
const isBuiltInDate = (id: number) =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58)

/** A few more than a workbook can have. */
const MAX_STYLES = 65_536

/** Whether a cell of each style shows its number as a date or a time. */
async function readDateStyles(chunks: AsyncIterable<Buffer>): Promise<boolean[]> {
  const dates = new Set<number>()
  let isForCells = false
  return readAllXml<boolean>(chunks, MAX_STYLES, found => ({
    open(name, attributes) {
      if (name === 'numFmt' && isDateFormat(attributes.formatCode ?? '')) dates.add(Number(attributes.numFmtId))
      if (name === 'cellXfs') isForCells = true
      if (name !== 'xf' || !isForCells) return
      const id = Number(attributes.numFmtId)
      found(isBuiltInDate(id) || dates.has(id))
    },
    close(name) {
      if (name === 'cellXfs') isForCells = false
    },
  }))
}

/** As long as a spreadsheet program accepts. */
const MAX_FORMAT_LENGTH = 255

/** Without quoted and escaped characters, colours and conditions. */
function isDateFormat(code: string): boolean {
  const format = code.slice(0, MAX_FORMAT_LENGTH)
  return /[ymdhs]/i.test(format.replaceAll(/"[^"]*"|\\.|_.|\[(?!h|m|s)[^\]]*\]|general/gi, ''))
}
