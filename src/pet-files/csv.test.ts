import assert from 'node:assert/strict'
import { test } from 'node:test'
import { processorMs } from '../../test/support/processor.ts'
import { readCsv } from '../../test/support/read-csv.ts'
import type { BadLine } from '../domain/bad-lines.ts'
import { INT64_MAX } from '../domain/int64.ts'
import type { CsvReading } from '../domain/pet-files.ts'
import type { PetLine } from '../domain/pet-transfer.ts'
import { parseMeaning } from '../domain/value-meaning.ts'
import { MAX_LINE_BYTES, readLines } from './lines.ts'
import { Words } from './words.ts'

test('a number that is refused is shown, with the likely cause', async () => {
  const causes: [cause: string, ...values: string[]][] = [
    ['is not one', '12%', '#1', '2-1', '−5', '1_000'],
    ['has leading zeros', '007', '-01'],
    ['has a plus sign', '+7'],
    ['has an apostrophe before it', "'0012", '’12'],
    ['has curly quotes around it', '“12”', '„12“', '«12»'],
    ['is a formula', '"=""12"""'],
    [
      'has a thousands or decimal separator',
      '1.234',
      '7.000',
      '"1,234"',
      '12 345',
      "12'345",
      '1\u202f234',
      '1.234.567',
      '"1.234,50"',
    ],
    ['has a decimal separator', '1.5', '"7,01"', '1234.05', '.5'],
    [
      'is in scientific notation, in which digits may be lost; in a spreadsheet, format the column as text and enter the number again',
      ...['1E+05', '"1,23457E+11"', '1e3', '1.E+3'],
    ],
    [
      'looks like a date',
      ...['02.01.2024', '2024-01-02', '1/2/24', '2024-01-02 00:00:00', '02. 01. 2024', '02.01.', '1/2'],
      ...['02. Jan', '2-Jan', 'Jan-24', '1. März 2024', '"May 5, 2024"', '2024年1月2日'],
    ],
    ['looks like a time', '12:30', '12:30:00'],
    ['has digits other than 0 to 9', '１２', '١٢'],
    ['is an error value of a spreadsheet', '#N/A', '#BEZUG!', 'Err:502'],
    ['is what a spreadsheet shows when a column is too narrow', '######'],
    ['is a logical value of a spreadsheet', 'TRUE'],
  ]
  const [zero] = await read('id,name,categoryId\n0,Rex,1\n')
  assert.equal((zero as BadLine).reason, 'id is too small.')
  for (const [cause, ...values] of causes) {
    for (const value of values) {
      const [line] = await read(`name,categoryId\nRex,${value}\n`)
      const shown = JSON.stringify(value.replace(/^"(.*)"$/, '$1').replaceAll('""', '"'))
      assert.equal((line as BadLine).reason, `categoryId must be a whole number, such as 12; ${shown} ${cause}.`)
    }
  }
})

test('a word that is not known is shown as one that could be given a meaning', async () => {
  for (const word of ['cats', 'A-17', 'mar', 'Jan Russell']) {
    const [line] = await read(`name,categoryId,status\nRex,${word},${word}\n`)
    assert.deepEqual((line as BadLine).problems, [
      {
        member: 'categoryId',
        value: word,
        reason: `categoryId must be the number or the label of a category; "${word}" is neither.`,
        isUnknown: true,
        couldBeNew: true,
      },
      { member: 'status', value: word, reason: 'status must be one of available, pending, sold.', isUnknown: true },
    ])
  }
})

test('a status may be a number or a sign that could be given a meaning, but no date and no error value', async () => {
  const unknown = async (text: string) => {
    const [line] = await read(`name,categoryId,status\nRex,1,${text}\n`)
    return (line as BadLine).problems?.[0]?.isUnknown ?? false
  }
  for (const code of ['1', '-', '?', '✓', 'A1']) assert.equal(await unknown(code), true, code)
  for (const other of ['2024-01-02', '#N/A', 'TRUE', '12:30']) assert.equal(await unknown(other), false, other)
  const [number] = await read('name,categoryId,status\nRex,-,sold\n')
  assert.equal((number as BadLine).problems?.[0]?.isUnknown, undefined)
})

test('whole numbers are read as spreadsheets write them', async () => {
  for (const [text, number] of [
    ['7.0', 7n],
    ['"7,0"', 7n],
    ['-7.00', -7n],
    ['0.0', 0n],
    ['1234.00', 1_234n],
    ['1000', 1_000n],
    ['9223372036854775807.0', 9_223_372_036_854_775_807n],
  ] as const) {
    assert.partialDeepStrictEqual(await read(`name,categoryId\nRex,${text}\n`), [{ categoryId: number }], text)
  }
})

test('columns are found by usual names, in any case, with any blanks and hyphens; the best fit counts', async () => {
  for (const [header, row] of [
    ['NAME, Category ID ,STATUS', 'Rex,7,sold'],
    ['animal-name;CATEGORY_ID;status', 'Rex;7;sold'],
    ['Pet name,Species,State', 'Rex,7,sold'],
    ['AnimalName,Type,Status', 'Rex,7,sold'],
    ['Animal,Category,availability', 'Rex,7,sold'],
  ] as const) {
    assert.partialDeepStrictEqual(
      await read(`${header}\n${row}\n`),
      [{ id: undefined, name: 'Rex', categoryId: 7n, status: 'sold' }],
      header,
    )
  }
  const file = 'ID,Type,Animal,name,categoryId\nA17,Dog,x,Rex,7\n'
  assert.partialDeepStrictEqual(await read(file, { ignoreOtherColumns: true }), [
    { id: undefined, name: 'Rex', categoryId: 7n },
  ])
  await assert.rejects(
    read(file),
    /Unknown columns "ID", "Type", "Animal"; ids that .* must be in a column named exactly "id"; the header/,
  )
  await assert.rejects(
    read('Category,category,name\n7,8,Rex\n'),
    /"category" appears twice in the header \(line 1\); rename or remove one of them/,
  )
  const chosen = { columns: { name: 'pet type', categoryId: 'Type' } }
  assert.partialDeepStrictEqual(await read('Pet_Type,type\nRex,7\n', chosen), [{ name: 'Rex', categoryId: 7n }])
})

test('a word means what was chosen, or what it says itself, or the category with this label, in this order', () => {
  const labels = ['Dogs', 'Cats', 'Birds', 'Fish', 'fish'].map((label, at) => ({ id: BigInt(at + 1), label }))
  const chosen = ['status: on  HOLD =pending', 'categoryId:Dogs=5', 'categoryId:Kitten=cats', 'categoryId:9=Birds']
  const words = new Words({ meanings: chosen.map(parseMeaning) }, { labels, highest: 0n })
  const readAll = (member: 'categoryId' | 'status' | 'id', ...texts: string[]) =>
    texts.map(text => words.read(member, text))
  assert.deepEqual(readAll('status', 'On hold', 'SOLD', 'Adopted'), ['pending', 'sold', 'Adopted'])
  assert.deepEqual(readAll('categoryId', 'dogs', 'KITTEN', 'cats', '9', '4'), [5n, 2n, 2n, 3n, 4n])
  assert.deepEqual(readAll('status', '\u200eavailable', '\u202bon hold \u202c'), ['available', 'pending'])
  assert.deepEqual(readAll('categoryId', 'fish', 'Snakes'), ['fish', 'Snakes'])
  assert.deepEqual([words.isAmbiguous('FISH'), words.isAmbiguous('cats')], [true, false])
  assert.deepEqual(readAll('id', 'dogs', '7.0'), ['dogs', 7n])
})

test('new categories get the next free numbers, also of those in the file', () => {
  const words = new Words({ newCategories: true }, { labels: [{ id: 3n, label: 'Cats' }], highest: 7n })
  const readOne = (text: string) => words.read('categoryId', text)
  assert.deepEqual(['Dogs', 'cats', '20', 'Birds', 'DOGS'].map(readOne), [8n, 3n, 20n, 21n, 8n])
  assert.deepEqual(['2024-01-02', '#N/A', '12%'].map(readOne), ['2024-01-02', '#N/A', '12%'])
  assert.throws(() => readOne('21'), /an earlier line has given to the new category "Birds"/)
  assert.deepEqual(words.newCategories, [
    { id: 8n, label: 'Dogs' },
    { id: 21n, label: 'Birds' },
  ])
})

test('numbers of categories below 1 or above those that all programs can read do not change what new ones get', () => {
  const words = new Words({ newCategories: true }, { labels: [], highest: -5n })
  const readOne = (text: string) => words.read('categoryId', text)
  assert.deepEqual(['Dogs', '9223372036854775807', 'Cats'].map(readOne), [1n, INT64_MAX, 2n])
})

test('a file adds at most 1,000 categories', () => {
  const words = new Words({ newCategories: true })
  const meant = Array.from({ length: 1_001 }, (_, index) => words.read('categoryId', `Kind ${index + 1}`))
  assert.deepEqual(meant.slice(-2), [1_000n, 'Kind 1001'])
})

test('of several meanings of a word, the last one counts', () => {
  const words = new Words({ meanings: ['categoryId:Dogs=1', 'categoryId:dogs=2'].map(parseMeaning) })
  assert.equal(words.read('categoryId', 'Dogs'), 2n)
})

test('the label of a category must be its own, in any case, or mean its number', () => {
  const meanings = ['categoryId:Puppies=7', 'categoryId:Hounds=dogs'].map(parseMeaning)
  const words = new Words({ meanings }, { labels: [{ id: 7n, label: 'Dogs' }], highest: 7n })
  for (const label of ['Dogs', 'DOGS', 'puppies', 'hounds'])
    assert.doesNotThrow(() => words.ensureLabel(7n, label), label)
  assert.throws(() => words.ensureLabel(7n, 'Cats'), /it has the category 7 \("Dogs"\), but the label "Cats"/)
})

test('a meaning that is not one is refused in words', () => {
  for (const text of ['Adopted=sold', 'status:=sold', 'status:Adopted=', 'name:a=b', 'status:Adopted', '', 'id:a=1']) {
    assert.throws(() => parseMeaning(text), /is not a meaning; it must be MEMBER:WORD=MEANING/, text)
  }
  assert.throws(() => parseMeaning('status:Adopted=gone'), /"gone" is not a status/)
  assert.deepEqual(parseMeaning('status: A=B:C =Sold '), { member: 'status', word: 'A=B:C', meaning: 'sold' })
})

test('a line of totals is not an animal; names that only begin like one are', async () => {
  for (const name of ['Total', 'Total: 2', 'TOTALS', 'Grand total', 'Summe 12', 'Gesamtzahl: 3,5', 'Итого']) {
    const [line] = await read(`name;categoryId\n${name};7\n`)
    assert.match(
      (line as BadLine).reason,
      /^name must not be ".*", which looks like a line of totals; NDJSON and/,
      name,
    )
  }
  for (const name of ['Totally', 'Total Eclipse', 'Suma', 'Sum', 'Summer']) {
    assert.partialDeepStrictEqual(await read(`name;categoryId\n${name};7\n`), [{ name }])
  }
})

test('a value that a spreadsheet has put in the place of a name is refused by its name, with what else is wrong', async () => {
  for (const name of ['#N/A', '#BEZUG!', '#¿NOMBRE?', '#ЗНАЧ!', 'Err:508', '####', 'TRUE', 'FALSCH', 'VRAI']) {
    const [good, bad] = await read(`name,categoryId\n${name},7\n" ${name} ",x\n`)
    assert.match(
      (good as BadLine).reason,
      new RegExp(`^name must not be "${name.replace('?', '\\?')}", which is .*; NDJSON and the console`),
    )
    assert.deepEqual(
      (bad as BadLine).problems?.map(({ member, value }) => [member, value]),
      [
        ['name', ` ${name} `],
        ['categoryId', 'x'],
      ],
    )
  }
  for (const name of ['True', '#1', '#Lucky!', '#', 'N/A', 'Vero', 'VERO', '“Nell”', "'Rex"]) {
    assert.partialDeepStrictEqual(await read(`name,categoryId\n${name},7\n`), [{ name, categoryId: 7n }])
  }
})

test('blanks around values and quotes are not part of a value; in quotes, they are part of a name', async () => {
  for (const blank of [' ', '  ', '\u00a0', '\u2007', '\u202f', '\u3000']) {
    const file = `${blank}name${blank};"${blank}categoryId"${blank}; ${blank}"status"\n${blank}Tom${blank}Cat${blank};${blank}7${blank};"${blank}sold${blank}"\n"${blank}Tom;${blank}"${blank}; "${blank}8"; sold\n`
    assert.partialDeepStrictEqual(await read(file), [
      { name: `Tom${blank}Cat`, categoryId: 7n, status: 'sold' },
      { name: `${blank}Tom;${blank}`, categoryId: 8n, status: 'sold' },
    ])
  }
  assert.partialDeepStrictEqual(await read('name\tcategoryId\tstatus\n "Rex"\u00a0\t7\t\n\t \t""\n'), [{ name: 'Rex' }])
})

test('values outside the named columns may be missing or empty, and are named otherwise', async () => {
  const header = 'name,,categoryId,,'
  const cases: [row: string, reason: string | undefined][] = [
    ['Rex,,7', undefined],
    ['Rex, ,7,,,,,"",', undefined],
    ['Rex,x,7', 'it has the value "x" in column 2, which has no name.'],
    ['Rex,,7,x', 'it has the value "x" in column 4, which has no name.'],
    ['Rex,,7,,,x,', 'it has 6 values, but the header has 3 columns.'],
    ['Rex', 'it has 1 value, but the header has 3 columns.'],
    [
      '“Tom,Cat”,,7,,,x',
      'it has 7 values, but the header has 3 columns. Curly quotes do not enclose a value; use straight ones (").',
    ],
    [' name ,"",categoryId', 'it has the names of the columns again; remove it.'],
  ]
  for (const [row, reason] of cases) {
    const [line] = await read(`${header}\n${row}\n`)
    assert.equal(line && 'reason' in line ? line.reason : undefined, reason, row)
  }
  const [single] = await read('name\nRex,7\n', { defaults: { categoryId: 7n } })
  assert.deepEqual(single, { line: 2, reason: 'it has 2 values, but the header has 1 column.' })
  const ignoring = await read(`${header}\nRex,x,7,y\n`, { ignoreOtherColumns: true })
  assert.partialDeepStrictEqual(ignoring, [{ name: 'Rex', categoryId: 7n }])
})

test('a column that was chosen must be there, and is not taken for another', async () => {
  const missing = read('name,categoryId\nRex,7\n', { columns: { status: 'Zustand' } })
  await assert.rejects(missing, /The column "Zustand" is missing/)
  const found = await read('pet,type,kind\nRex,sold,7\n', { columns: { status: 'type' } })
  assert.partialDeepStrictEqual(found, [{ name: 'Rex', categoryId: 7n, status: 'sold' }])
})

test('only lines with a single value are titles above the header', async () => {
  assert.partialDeepStrictEqual(await read('Our animals,\n,2027\nname,categoryId\nRex,7\n'), [{ name: 'Rex', line: 4 }])
  await assert.rejects(read('Our animals,of 2027\nname,colour\nRex,red\n'), /Unknown columns "Our animals", "of 2027"/)
  for (const title of ['Our animals,of 2027', 'In care,14']) {
    for (const ignoreOtherColumns of [false, true]) {
      await assert.rejects(read(`${title}\n\nAnimal Name,Species\nRex,7\n`, { ignoreOtherColumns }), {
        message: 'Line 3 looks like the names of the columns; make it the first line.',
      })
    }
  }
})

test('a name with a line break is reported as such', async () => {
  const [bad] = await read('name,categoryId\n"Zoë\nand friends",7\n')
  assert.partialDeepStrictEqual(bad, { line: 2, reason: 'name must be on one line; it has a line break.' })
})

test('a line that is too long ends a value in quotes that is not closed', async () => {
  const [bad, good] = await read(`name,categoryId\n"Rex\n${'x'.repeat(MAX_LINE_BYTES + 1)}\nTom,7\n`)
  assert.match((bad as BadLine).reason, /^it is longer than .* Lines 2 to 3 were read as one/)
  assert.partialDeepStrictEqual(good, { name: 'Tom', line: 4 })
})

test('lines without a value are skipped, also before the header', async () => {
  const blank = [' ', ',,', '""', '" ", ,\u00a0', '"\n",']
  for (const one of blank) {
    const lines = await read(`${one}\nname,categoryId\n${one}\nRex,7\n${one}\n`)
    assert.partialDeepStrictEqual(lines, [{ name: 'Rex' }])
    assert.equal(lines.length, 1)
  }
})

test('lines before a header that has few known names do not show the delimiter', async () => {
  const reading: CsvReading = { defaults: { categoryId: 7n }, ignoreOtherColumns: true }
  for (const first of [' ', '#TYPE Selected.System.Object', '"";""', ',,']) {
    assert.partialDeepStrictEqual(await read(`${first}\nname;Farbe\nRex;rot\n`, reading), [{ name: 'Rex' }], first)
  }
})

test('the first line may declare the delimiter, even if it was filled up later', async () => {
  const cases: [first: string, delimiter: string][] = [
    ['sep=;', ';'],
    ['"sep=|"', '|'],
    ['sep=,,,', ','],
    ['sep=\t\t', '\t'],
    ['SEP=;,,', ','],
    ['"sep=;",,', ','],
  ]
  for (const [first, d] of cases) {
    assert.partialDeepStrictEqual(
      await read(`${first}\nname${d}categoryId\nRex${d}7\n`),
      [{ name: 'Rex', line: 3 }],
      first,
    )
  }
})

test('a first line that looks like an animal is reported with the header that is missing', async () => {
  const cases: [first: string, header: string][] = [
    ['Rex,1,available', 'name,categoryId,status'],
    ['17\tRex\t1', 'id name categoryId (separated by tabs)'],
    ['7;Rex', 'categoryId;name'],
    ['sold|Rex|black|3|5', 'status|name|other|categoryId|other'],
    ['"Rex, the ""King""" , Sold', 'name,status'],
  ]
  for (const [first, header] of cases) {
    for (const ignoreOtherColumns of [false, true]) {
      await assert.rejects(read(`${first}\nTom,2,sold\n`, { ignoreOtherColumns }), {
        message: `Line 1 looks like an animal, not like names of columns; add this line before it: ${header}`,
      })
    }
  }
  const named: [string, CsvReading][] = [
    ['name,categoryId,sold', {}],
    ['Rex,1', { columns: { name: ' Rex ', categoryId: '1' } }],
    ['colour,age', {}],
  ]
  for (const [first, reading] of named) {
    await read(`${first}\nTom,2\n`, reading).catch(({ message }) =>
      assert.doesNotMatch(message, /looks like an animal/),
    )
  }
})

test('what is not text of a table is named in the line that has it', async () => {
  const cases: [row: string, reason: RegExp][] = [
    ['="12",7', /^a value such as ="12" is a formula; it must be the text alone: 12\.$/],
    ['Rex\0,7', /^it has NUL bytes; the file is damaged/],
    ['Rex "the King",7', /^a value that contains a quote must be in quotes/],
    [`"${'x,'.repeat(MAX_LINE_BYTES)}`, /^it is longer than/],
  ]
  for (const [row, reason] of cases) {
    const [bad, next] = await read(`name,categoryId\n${row}\nTom,1\n`)
    assert.match((bad as BadLine).reason, reason)
    assert.partialDeepStrictEqual(next, { name: 'Tom' })
  }
})

test('a line of any length and form is read in time that grows with its length', async () => {
  const rows = ['"', ' ', '""', '" ', ' "x', '"",', '1.', '1 ', 'jan '].map(part =>
    part.repeat(MAX_LINE_BYTES / part.length - 20),
  )
  for (const start of ['Total', 'Total:', 'Total: 1']) rows.push(start + ' '.repeat(MAX_LINE_BYTES - 30))
  const usedMs = await processorMs(async () => {
    for (const row of rows) for (const end of ['', 'x', '"x', ',7']) await read(`name,categoryId\n${row}${end}\n`)
    for (const row of rows) await read(`name,categoryId\nRex,${row}x\n`)
    for (const row of rows) await read(`${row}\n`).catch(() => {})
  })
  assert.ok(usedMs < 10_000, `${usedMs} ms`)
})

async function read(file: string, reading?: CsvReading): Promise<(PetLine | BadLine)[]> {
  async function* chunks() {
    yield Buffer.from(file)
  }
  return (await Array.fromAsync(readCsv(readLines(chunks()), reading))).flat()
}
