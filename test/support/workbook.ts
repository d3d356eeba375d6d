import { type Zippable, zipSync } from 'fflate'

/** Makes workbooks (.xlsx) as spreadsheet programs do: each text once, in a part of its own. */

/** A number with a style, such as a date; or XML, as it is. */
export type CellValue = string | number | { value: number; style: number } | { xml: string }

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
const TYPE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'
/** 1 is a date by its number, 2 one by its format, 3 a number with two decimals. */
export const STYLES = `${HEAD}<styleSheet ${MAIN}><numFmts count="1"><numFmt numFmtId="164" formatCode="[$-407]d.\\ mmm\\ yy"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="4"/></cellXfs></styleSheet>`

interface SheetOfTest {
  rows: readonly (readonly (CellValue | undefined)[])[]
  state?: 'hidden'
}

/** The parts of a workbook, which a test may change before it packs them. */
export function workbookParts(sheets: Readonly<Record<string, SheetOfTest>>): Record<string, string> {
  const texts = new Map<string, number>()
  const names = Object.keys(sheets)
  const bodies = Object.values(sheets).map(({ rows }) => sheetXml(rows, texts))
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${TYPE}/${type}" Target="${target}"/>`
  const list = names.map((name, at) => {
    const state = sheets[name]?.state ?? 'visible'
    return `<sheet name="${escapeXml(name)}" sheetId="${at + 1}" state="${state}" r:id="rId${at + 1}"/>`
  })
  const relations = names.map((_, at) => relation(`rId${at + 1}`, 'worksheet', `worksheets/sheet${at + 1}.xml`))
  const strings = [...texts.keys()].map(text => `<si><t xml:space="preserve">${escapeXml(text)}</t></si>`)
  return {
    '[Content_Types].xml': `${HEAD}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
    '_rels/.rels': `${HEAD}<Relationships ${PACKAGE}>${relation('rId1', 'officeDocument', '/xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml': `${HEAD}<workbook ${MAIN} xmlns:r="${TYPE}"><sheets>${list.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${HEAD}<Relationships ${PACKAGE}>${relations.join('')}${relation('rId98', 'styles', 'styles.xml')}${relation('rId99', 'sharedStrings', 'sharedStrings.xml')}</Relationships>`,
    ...Object.fromEntries(bodies.map((body, at) => [`xl/worksheets/sheet${at + 1}.xml`, body])),
    'xl/styles.xml': STYLES,
    'xl/sharedStrings.xml': `${HEAD}<sst ${MAIN}>${strings.join('')}</sst>`,
  }
}

/** @param level 0 to pack them without compression */
export function pack(parts: Readonly<Record<string, string | Uint8Array>>, level: 0 | 6 = 6): Buffer {
  const files: Zippable = {}
  for (const [name, part] of Object.entries(parts)) files[name] = typeof part === 'string' ? Buffer.from(part) : part
  return Buffer.from(zipSync(files, { level }))
}

export function makeWorkbook(rows: SheetOfTest['rows']): Buffer {
  return pack(workbookParts({ Animals: { rows } }))
}

function sheetXml(rows: SheetOfTest['rows'], texts: Map<string, number>): string {
  const body = rows.map((values, row) => {
    const cells = values.map((value, column) => cellXml(`${letters(column)}${row + 1}`, value, texts))
    return `<row r="${row + 1}">${cells.join('')}</row>`
  })
  return `${HEAD}<worksheet ${MAIN}><sheetData>${body.join('')}</sheetData></worksheet>`
}

function cellXml(at: string, value: CellValue | undefined, texts: Map<string, number>): string {
  if (value === undefined) return ''
  if (typeof value === 'number') return `<c r="${at}"><v>${value}</v></c>`
  if (typeof value === 'object') {
    return 'xml' in value ? value.xml : `<c r="${at}" s="${value.style}"><v>${value.value}</v></c>`
  }
  const place = texts.get(value) ?? texts.size
  texts.set(value, place)
  return `<c r="${at}" t="s"><v>${place}</v></c>`
}

function letters(column: number): string {
  const last = String.fromCharCode(65 + (column % 26))
  return column < 26 ? last : letters(Math.floor(column / 26) - 1) + last
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
