import assert from 'node:assert/strict'
import { test } from 'node:test'
import { processorMs } from '../../../test/support/processor.ts'
import { makeWorkbook, pack, workbookParts } from '../../../test/support/workbook.ts'
import { readRows } from '../csv.ts'
import type { CsvRecord } from '../csv-records.ts'
import { openTable } from '../import-pets.ts'
import { readWorkbook } from './read-workbook.ts'

const HEADER = ['name', 'categoryId', 'status']
const SHEET = 'xl/worksheets/sheet1.xml'

test('rows are read with their numbers and without blank ones; the cells at their end may be missing', async () => {
  const file = makeWorkbook([[], HEADER, ['Rex', 1, 'sold'], [' ', undefined, ''], [' Tom ', 2], [undefined, 3]])
  assert.deepEqual(await read(file), [
    { line: 2, values: HEADER },
    { line: 3, values: ['Rex', '1', 'sold'] },
    { line: 5, values: ['Tom', '2'] },
    { line: 6, values: ['', '3'] },
  ])
})

test('a value far to the right affects only its own row, which is not read if it lies too far', async () => {
  const at = (cell: string) => ({ xml: `<c r="${cell}"><v>1</v></c>` })
  const file = makeWorkbook([HEADER, ['Rex'], ['Tom', at('ALL3')], ['Mia', 2, at('ALM4'), at('B4')], ['Bo', 3]])
  const table = await openTable({ format: 'xlsx', csv: {}, ...sourceOf(file) })
  const rows: CsvRecord[] = []
  for await (const { records } of readRows(table, {}, { required: [] })) rows.push(...records)
  assert.deepEqual(
    rows.map(row => ('values' in row ? row.values.length : row.reason)),
    [HEADER.length, 1_000, 'it has a value in column ALM; only 1000 columns are read.', HEADER.length],
  )
})

test('a cell has the text that a spreadsheet program shows: numbers, dates, times, logical values, errors, formulas', async () => {
  const cells: [cell: string, text: string][] = [
    ['<c><v>7</v></c>', '7'],
    ['<c t="n"><v>7.0</v></c>', '7'],
    ['<c><v>1.2E+5</v></c>', '120000'],
    ['<c><v>1.5</v></c>', '1.5'],
    ['<c><v>999999999999999</v></c>', '999999999999999'],
    ['<c><v>9007199254740990</v></c>', '9.00719925474099e+15'],
    ['<c><v>9.0071992547409904E15</v></c>', '9.0071992547409904E15'],
    ['<c><v>9.2233720368547758E+18</v></c>', '9.2233720368547758E+18'],
    ['<c s="1"><v>45293</v></c>', '2024-01-02'],
    ['<c s="2"><v>45293.4375</v></c>', '2024-01-02 10:30'],
    ['<c s="1"><v>0.4375</v></c>', '10:30'],
    ['<c s="3"><v>45293</v></c>', '45293'],
    ['<c s="1"><v>1E+300</v></c>', '1E+300'],
    ['<c t="b"><v>1</v></c>', 'TRUE'],
    ['<c t="b"/>', ''],
    ['<c t="s"/>', ''],
    ['<c t="s"><v></v></c>', ''],
    ['<c t="e"><v>#N/A</v></c>', '#N/A'],
    ['<c t="str"><f>A1&amp;"x"</f><v>Rex &amp; Tom</v></c>', 'Rex & Tom'],
    ['<c><f>1+1</f><v>2</v></c>', '2'],
    ['<c><f>1+1</f></c>', ''],
    ['<c t="inlineStr"><is><t>Re</t></is></c>', 'Re'],
    ['<c t="inlineStr"><is><r><t>R</t></r><r><t>e_x00e9_</t></r><rPh sb="0" eb="1"><t>z</t></rPh></is></c>', 'Reé'],
    ['<c t="d"><v>2024-01-02</v></c>', '2024-01-02'],
    ['<c t="inlineStr"><is><t><![CDATA[<Rex>]]></t></is></c>', '<Rex>'],
  ]
  const file = makeWorkbook([['x'], ...cells.map(([xml]) => [{ xml }, { xml: '<c><v>1</v></c>' }])])
  const [, ...rows] = await read(file)
  assert.deepEqual(
    rows.map(row => ('values' in row ? row.values : row)),
    cells.map(([, text]) => [text, '1']),
  )
})

test('a format of any length is read in time that grows with its length', async () => {
  const parts = workbookParts({ A: { rows: [HEADER] } })
  const formats = Array.from(
    { length: 100 },
    (_, at) => `<numFmt numFmtId="${at}" formatCode="${'['.repeat(60_000)}"/>`,
  )
  parts['xl/styles.xml'] = `<styleSheet><numFmts>${formats.join('')}</numFmts></styleSheet>`
  const file = pack(parts, 0)
  const usedMs = await processorMs(() => read(file))
  assert.ok(usedMs < 10_000, `${usedMs} ms`)
})

test('days may be counted from 1904', async () => {
  const parts = workbookParts({ A: { rows: [['x'], [{ value: 43831, style: 1 }]] } })
  parts['xl/workbook.xml'] = parts['xl/workbook.xml']?.replace('<sheets>', '<workbookPr date1904="1"/><sheets>') ?? ''
  assert.deepEqual((await read(pack(parts)))[1], { line: 2, values: ['2024-01-02'] })
})

test('the first visible sheet is read, or the chosen one; names of elements may have a prefix', async () => {
  const parts = workbookParts({
    Notes: { rows: [['secret']], state: 'hidden' },
    'Dogs & "more"': { rows: [['dogs']] },
    Cats: { rows: [['cats']] },
  })
  const third = 'xl/worksheets/sheet3.xml'
  parts[third] = parts[third]?.replaceAll(/(<\/?)(?!\?)/g, '$1x:').replace('xmlns=', 'xmlns:x=') ?? ''
  const file = pack(parts)
  assert.deepEqual(await read(file), [{ line: 1, values: ['dogs'] }])
  assert.deepEqual(await read(file, ' Cats '), [{ line: 1, values: ['cats'] }])
  await assert.rejects(
    read(file, 'Notes'),
    /^UserError: The workbook has no sheet "Notes"; it has "Dogs & "more"", "Cats"\.$/,
  )
})

test('blank sheets before the first filled one are passed over, and are not offered', async () => {
  const blank = { rows: [[], ['', { xml: '<c s="1"/>' }]] }
  const file = pack(workbookParts({ Cover: blank, Logo: blank, Dogs: { rows: [['dogs']] }, Back: blank }))
  assert.deepEqual(await read(file), [{ line: 1, values: ['dogs'] }])
  const { value } = await readWorkbook(sourceOf(file)).next()
  assert.deepEqual(value?.sheets, ['Dogs', 'Back'])
  assert.deepEqual(await read(file, 'Cover'), [])
  assert.deepEqual(await read(pack(workbookParts({ Cover: blank, Back: blank }))), [])
})

test('of a workbook that lists a blank sheet again and again, only the first 100 are read', async () => {
  const parts = workbookParts({ Cover: { rows: [[]] }, Dogs: { rows: [['dogs']] } })
  const listing = (times: number) => {
    const again = (book: string) => book.replace(/<sheet [^>]*name="Cover"[^>]*\/>/, cover => cover.repeat(times))
    return pack({ ...parts, 'xl/workbook.xml': again(String(parts['xl/workbook.xml'])) })
  }
  assert.deepEqual(await read(listing(100)), [{ line: 1, values: ['dogs'] }])
  assert.deepEqual(await read(listing(101)), [], 'no more of them are read')
  await assert.rejects(read(listing(100_000)), /a part of it has more than 5000 entries/)
})

test('a workbook is read the same however its file and its parts are cut', async () => {
  const file = makeWorkbook([HEADER, ...Array.from({ length: 500 }, (_, at) => [`Zoë 🐕 ${at}`, at, 'sold'])])
  const whole = await read(file)
  assert.equal(whole.length, 501)
  for (const size of [7, 100, 4_096]) assert.deepEqual(await read(file, undefined, size), whole)
})

test('a file that is damaged, cut off or no workbook is refused in words', async () => {
  const file = makeWorkbook([HEADER, ...Array.from({ length: 2_000 }, (_, at) => [`Rex ${at}`, at])])
  const middle = Math.floor(file.length / 2)
  const flipped = Buffer.from(file)
  flipped.fill(0x55, middle - 50, middle + 50)
  const damaged = [file.subarray(0, middle), file.subarray(0, -1), flipped, Buffer.from('PK\x03\x04')]
  for (const one of damaged) {
    await assert.rejects(read(one), {
      name: 'UserError',
      message:
        /^The workbook cannot be read: [^.]*\. Open it in a spreadsheet program, and save it again as \.xlsx or as "CSV/,
    })
  }
  await assert.rejects(read(Buffer.alloc(0)), /^UserError: The workbook cannot be read: it is empty\. Open it/)
  for (const [name, xml, reason] of [
    [SHEET, '<worksheet><sheetData><row>', /it is damaged, or has not arrived completely \(Unclosed root tag\)/],
    [SHEET, '<worksheet><sheetData><row r="2"/><row r="1"/></sheetData></worksheet>', /its rows are not in order/],
    [SHEET, '<worksheet><row><c t="s"><v>9</v></c></row></worksheet>', /a cell refers to a text that is missing/],
    [SHEET, `<w>${'<a>'.repeat(100_000)}`, /its XML is nested too deeply/],
    [
      SHEET,
      `<w ${Array.from({ length: 9_999 }, (_, at) => `a${at}="1"`).join(' ')}/>`,
      /its XML has too many attributes/,
    ],
    ['xl/workbook.xml', '<workbook/>', /it has no sheet/],
    ['xl/sharedStrings.xml', `<sst><si><t>${'x'.repeat(70_000)}</t></si></sst>`, /a cell has too much text/],
  ] as const) {
    const parts = { ...workbookParts({ A: { rows: [HEADER] } }), [name]: xml }
    await assert.rejects(read(pack(parts)), { name: 'UserError', message: reason })
  }
  const pictures = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`xl/media/${at}.png`, '']))
  await assert.rejects(
    read(pack({ ...workbookParts({ A: { rows: [HEADER] } }), ...pictures })),
    /it has more than 5000 parts/,
  )
  await assert.rejects(read(pack({ 'content.xml': '<x/>' })), /it is a ZIP archive without a workbook \(\.xlsx\)/)
})

test('an error of the disk is not taken for a damaged workbook', async () => {
  const file = makeWorkbook([HEADER])
  async function* failing(): AsyncGenerator<Buffer, void> {
    yield file.subarray(0, 1)
    throw new Error('EIO')
  }
  await assert.rejects(Array.fromAsync(readWorkbook({ bytes: file.length, open: failing })), /^Error: EIO$/)
})

test('entities that would grow are refused', async () => {
  const bomb = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "${'x'.repeat(100)}">${Array.from(
    { length: 10 },
    (_, at) => `<!ENTITY b${at} "${`&${at === 0 ? 'a' : `b${at - 1}`};`.repeat(10)}">`,
  ).join('')}]><sst><si><t>&b9;</t></si></sst>`
  const parts = { ...workbookParts({ A: { rows: [HEADER] } }), 'xl/sharedStrings.xml': bomb }
  await assert.rejects(read(pack(parts)), /its XML has a document type/)
  const unknown = { ...parts, 'xl/sharedStrings.xml': '<sst><si><t>&b9;</t></si></sst>' }
  await assert.rejects(read(pack(unknown)), { name: 'UserError', message: /Invalid character entity/ })
})

test('a part that would unpack to far more than a sheet can have is refused before it is unpacked', async () => {
  const parts = workbookParts({ A: { rows: [HEADER] } })
  for (const name of [SHEET, 'xl/sharedStrings.xml', 'xl/workbook.xml', 'xl/styles.xml']) {
    const bomb = pack({ ...parts, [name]: Buffer.alloc(20_000_000, ' ') })
    assert.ok(bomb.length < 200_000)
    await assert.rejects(read(bomb), /it would unpack to far more than a sheet can have/)
  }
  const styles = { ...parts, 'xl/styles.xml': Buffer.alloc(40_000_000, ' ') }
  await assert.rejects(read(pack(styles, 0)), /it would unpack to far more/, 'also without compression')
  // One that lies about its size: the size is in the local header and in the directory.
  const lying = pack({ ...parts, [SHEET]: Buffer.alloc(20_000_000, ' ') })
  const size = Buffer.alloc(4)
  size.writeUInt32LE(20_000_000)
  for (let at = lying.indexOf(size); at !== -1; at = lying.indexOf(size)) lying.writeUInt32LE(1_000, at)
  await assert.rejects(read(lying), { name: 'UserError', message: /too many bytes in the stream/ })
})

test('a row of 100,000 cells, or of a very long one, takes no more memory than other rows', async () => {
  for (const cell of ['<c><v>1</v></c>', '<c r="A1"><v>1</v></c>']) {
    const parts = workbookParts({ A: { rows: [HEADER] } })
    const row = Buffer.from(`<row>${cell.repeat(100_000)}</row>`)
    parts[SHEET] =
      `<worksheet><sheetData><row><c t="inlineStr"><is><t>name</t></is></c></row>${row}</sheetData></worksheet>`
    // A sheet can have no more columns; the same column again replaces its value.
    const reading = read(pack(parts, 0))
    if (cell.includes('r=')) assert.deepEqual((await reading)[1], { line: 2, reason: 'it is longer than 65536 bytes.' })
    else await assert.rejects(reading, /row 2 has more than 16384 columns/)
  }
  const long = `<c t="inlineStr"><is><t>${'x'.repeat(100_000)}</t></is></c>`
  const [, bad, next] = await read(makeWorkbook([['name'], [{ xml: long }], ['Rex']]))
  assert.deepEqual(bad, { line: 2, reason: 'it is longer than 65536 bytes.' })
  assert.deepEqual(next, { line: 3, values: ['Rex'] })
})

test('a file of another kind with the name of a workbook is named as what it is', async () => {
  const opened = openTable({ format: 'xlsx', csv: {}, ...sourceOf(Buffer.from('%PDF-1.7\n')) })
  await assert.rejects(opened, /^UserError: The file is a document \(PDF or RTF\), not a table/)
})

async function read(file: Buffer, sheet?: string, size?: number): Promise<CsvRecord[]> {
  const parts = await Array.fromAsync(readWorkbook(sourceOf(file, size), sheet))
  return parts.flatMap(({ records }) => records)
}

function sourceOf(file: Buffer, size = 65_536) {
  async function* open(from = 0): AsyncGenerator<Buffer, void> {
    for (let at = from; at < file.length; at += size) yield file.subarray(at, at + size)
  }
  return { bytes: file.length, open }
}
