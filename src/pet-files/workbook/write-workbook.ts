import { Readable } from 'node:stream'
import yazl from 'yazl'
import { conflict } from '../../domain/errors.ts'
import type { ExportedPet } from '../../domain/pet-transfer.ts'
import type { ExportColumn } from '../export-columns.ts'
import { encodeCharacters } from './characters.ts'
import { MAX_ROWS } from './read-workbook.ts'

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const TYPE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const CONTENT = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
const SHEET = 'xl/worksheets/sheet1.xml'

const relations = (type: string, target: string) =>
  `${HEAD}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${TYPE}/${type}" Target="${target}"/></Relationships>`

/** Every part but the sheet. */
const PARTS = {
  '[Content_Types].xml': `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${CONTENT}.sheet.main+xml"/><Override PartName="/${SHEET}" ContentType="${CONTENT}.worksheet+xml"/></Types>`,
  '_rels/.rels': relations('officeDocument', 'xl/workbook.xml'),
  'xl/workbook.xml': `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${TYPE}"><sheets><sheet name="Animals" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': relations('worksheet', 'worksheets/sheet1.xml'),
}

/** The header stays in view. */
const SHEET_START = `${HEAD}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>`
const SHEET_END = '</sheetData></worksheet>'

/**
 * Yields a workbook (.xlsx) with one sheet, in constant memory. Texts are written as texts, so that no program takes one for a formula, a date or a
 * number.
 * @throws UserError when there are more animals than a sheet can have
 */
export async function* writeWorkbook(
  batches: AsyncIterable<readonly ExportedPet[]>,
  count: number,
  columns: readonly ExportColumn[],
): AsyncIterable<Uint8Array> {
  if (count >= MAX_ROWS) {
    throw conflict(
      `A sheet of a workbook can have ${MAX_ROWS - 1} animals, but there are ${count}. Export fewer of them, or CSV.`,
    )
  }
  const zip = new yazl.ZipFile()
  const output = zip.outputStream as Readable
  const rows = Readable.from(writeRows(batches, columns))
  // The library passes on no error of what it reads.
  rows.on('error', error => output.destroy(error))
  for (const [name, part] of Object.entries(PARTS)) zip.addBuffer(Buffer.from(part), name)
  zip.addReadStream(rows, SHEET)
  zip.end()
  try {
    for await (const chunk of output) yield chunk
  } finally {
    rows.destroy()
  }
}

async function* writeRows(
  batches: AsyncIterable<readonly ExportedPet[]>,
  columns: readonly ExportColumn[],
): AsyncIterable<string> {
  yield `${SHEET_START}<row>${columns.map(({ name }) => textCell(name)).join('')}</row>`
  for await (const pets of batches) {
    yield pets.map(pet => `<row>${columns.map(column => cellOf(column, pet)).join('')}</row>`).join('')
  }
  yield SHEET_END
}

/** Programs round numbers of more digits. */
const EXACT_NUMBER = /^-?\d{1,15}$/

function cellOf({ kind, format }: ExportColumn, pet: ExportedPet): string {
  const value = format(pet)
  if (value === '') return '<c/>'
  return kind === 'int64' && EXACT_NUMBER.test(value) ? `<c><v>${value}</v></c>` : textCell(value)
}

function textCell(text: string): string {
  return `<c t="inlineStr"><is><t xml:space="preserve">${escapeXml(encodeCharacters(text))}</t></is></c>`
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
