import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { lstat, open, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import type { BadLine } from '../src/domain/bad-lines.ts'
import { INT64_MAX, INT64_MIN } from '../src/domain/int64.ts'
import { PET_NAME_PATTERN, PET_STATUSES, type Pet } from '../src/domain/pet.ts'
import type { PetLine } from '../src/domain/pet-transfer.ts'
import { writeBadLines } from '../src/pet-files/bad-lines-file.ts'
import { findLeftover } from '../src/pet-files/leftovers.ts'
import { type Line, MAX_LINE_BYTES, readLines } from '../src/pet-files/lines.ts'
import { formatNdjson, readNdjson as readNdjsonFile } from '../src/pet-files/ndjson.ts'
import { NEW_PETS } from '../src/pet-files/pet-line.ts'
import { formatCsv, formatCsvHeader } from '../src/pet-files/write-csv.ts'
import { databaseFile } from '../src/sqlite/data-folder/store-files.ts'
import { openSqliteTransfer } from '../src/sqlite/pet-transfer.ts'
import { prepareDatabase } from '../src/sqlite/prepare-database.ts'
import { SqliteStore } from '../src/sqlite/store.ts'
import { PROGRAM } from './support/command-line.ts'
import { execute, openDatabase } from './support/database.ts'
import { eventually } from './support/eventually.ts'
import { temporaryFolder } from './support/folder.ts'
import { readCsv } from './support/read-csv.ts'
import { type Ending, runInTurn } from './support/shared-command-process.ts'
import { anyText } from './support/text.ts'

const readNdjson = (lines: AsyncIterable<Line[]>) => readNdjsonFile(lines, NEW_PETS)

const FORMATS = {
  ndjson: { read: readNdjson, write: formatNdjson, accepts: () => true },
  csv: {
    read: readCsv,
    write: (pets: readonly Pet[]) => formatCsvHeader() + formatCsv(pets),
    // A name such as ="" comes from a spreadsheet far more often than from a person.
    accepts: (name: string) => findLeftover(name.trim()) === undefined,
  },
}

const NAME = new RegExp(PET_NAME_PATTERN, 'u')
const HOSTILE_NAMES = [
  '"',
  '""',
  ',',
  "'",
  '"Rex"',
  'Rex "the King", jr.',
  ' Rex ',
  '\u00a0',
  '\ufeffRex',
  '=1+1',
  '@x',
  '-',
  '#',
  '\\',
  '\\"',
  '\u2028',
  '\u{10ffff}',
  '🐕‍🦺',
  '\uffff',
  ';',
  'null',
  '{"name":1}',
  '__proto__',
  '0',
  ',,',
  '"\u2029',
  '🐕'.repeat(255),
].filter(name => NAME.test(name))

const hostileName = fc.oneof(
  fc.constantFrom(...HOSTILE_NAMES),
  anyText({ minLength: 1, maxLength: 255 }).filter(name => NAME.test(name)),
  fc
    .string({ unit: fc.constantFrom('"', ',', ' ', 'é', '\ufeff', '\\', "'", ';'), minLength: 1 })
    .filter(name => NAME.test(name)),
)
const int64 = fc.oneof(fc.constantFrom(INT64_MIN, INT64_MAX, 0n, 2n ** 53n + 1n), fc.bigInt(INT64_MIN, INT64_MAX))

for (const [format, { read, write, accepts }] of Object.entries(FORMATS)) {
  test(`${format}: any animal is read as it was written, however the file is cut into chunks`, async () => {
    const name = hostileName.filter(accepts)
    const animal = fc.record({ name, categoryId: int64, status: fc.constantFrom(...PET_STATUSES) })
    await fc.assert(
      fc.asyncProperty(fc.array(animal, { minLength: 1 }), fc.integer({ min: 1, max: 500 }), async (animals, size) => {
        const pets = animals.map((one, index) => ({ ...one, id: BigInt(index + 1) }))
        assert.deepEqual(
          (await readAll(read, write(pets), size)).map(line => ({ ...line, line: undefined })),
          pets.map(pet => ({ ...pet, line: undefined })),
        )
      }),
      { numRuns: 300 },
    )
  })

  test(`${format}: an animal's members are checked as the API checks them, and its id too`, async () => {
    const good = { name: 'Rex', categoryId: '7', status: 'sold', id: '5' }
    const cases: [Partial<typeof good>, RegExp | undefined][] = [
      [{}, undefined],
      [{ id: String(2n ** 62n) }, undefined],
      [{ name: '   ' }, format === 'csv' ? /^name is missing\.$/ : /^name must be a string of 1 to 255 characters/],
      [{ name: 'x'.repeat(256) }, /^name must be/],
      [{ name: 'Re\u0007x' }, /^name must be/],
      [{ categoryId: '1.5' }, /^categoryId must be a whole number, such as 12; "1\.5" has a decimal separator\.$/],
      [{ categoryId: String(INT64_MAX + 1n) }, /^categoryId is too large\.$/],
      [{ categoryId: String(INT64_MIN - 1n) }, /^categoryId is too small\.$/],
      [{ status: 'Gone' }, /^status must be one of available, pending, sold\.$/],
      [{ id: '0' }, /^id is too small\.$/],
      [{ id: String(2n ** 62n + 1n) }, /^id is too large\.$/],
      [{ name: ' ', categoryId: '?' }, /^name (?:is missing|must be .*); categoryId must be .*\.$/],
    ]
    for (const [change, reason] of cases) {
      const { name, categoryId, status, id } = { ...good, ...change }
      const number = (digits: string) => (/^-?[\d.]+$/.test(digits) ? digits : JSON.stringify(digits))
      const file =
        format === 'csv'
          ? `name,categoryId,status,id\n${name},${categoryId},${status},${id}\n`
          : `{"name":${JSON.stringify(name)},"categoryId":${number(categoryId)},"status":"${status}","id":${number(id)}}\n`
      const [line] = await readAll(read, file)
      if (!reason)
        assert.deepEqual(line, { line: format === 'csv' ? 2 : 1, name, categoryId: 7n, status, id: BigInt(id) })
      else assert.match((line as BadLine).reason, reason, file)
    }
  })

  test(`${format}: a line that is too long or not UTF-8 is bad, and does not spoil others`, async () => {
    const header = format === 'csv' ? 'name,categoryId\n' : ''
    const animal = format === 'csv' ? 'Rex,7' : '{"name":"Rex","categoryId":7}'
    const file = Buffer.concat([
      Buffer.from(`${header}${animal}\n${'x'.repeat(MAX_LINE_BYTES + 1)}\n${animal}\nR`),
      Buffer.from([0xff]),
      Buffer.from(`x,7\n${animal}`),
    ])
    const first = format === 'csv' ? 2 : 1
    for (const size of [1_000, 1_000_000]) {
      assert.deepEqual(
        (await readAll(read, file, size)).map(line => [line.line - first, 'reason' in line ? line.reason : line.name]),
        [
          [0, 'Rex'],
          [1, 'it is longer than 65536 bytes.'],
          [2, 'Rex'],
          [3, format === 'csv' ? 'it is not valid UTF-8, unlike the rest of the file.' : 'it must be valid UTF-8.'],
          [4, 'Rex'],
        ],
      )
    }
  })
}

test('ndjson: every line is read as strictly as a body of the API', async () => {
  const cases: [string, RegExp][] = [
    ['{"name":"Rex","name":"Bella","categoryId":7}', /^a JSON object must not have two members of the same name\.$/],
    ['[]', /^it must be a JSON object with the members name and categoryId\.$/],
    ['{"name":"Rex","categoryId":7', /^it must be one JSON value; it ends too early\.$/],
    ['Rex', /^it must be one JSON value; it is not valid at character 1\.$/],
    [
      '{"name":"Rex","categoryId":7,"stauts":"sold"}',
      /^unknown member "stauts"; expected name, categoryId, status, id\.$/,
    ],
    ['{"name":"\\ud800","categoryId":7}', /well-formed Unicode/],
    ['{"name":"Rex","categoryId":"7"}', /^categoryId must not be in quotes\.$/],
    ['{"name":"Rex","categoryId":7,"status":null}', /^status must be/],
    ['{"name":"Rex","categoryId":7,"id":null}', /^id must be/],
    ['{"name":"Rex","categoryId":7,"id":"5"}', /^id must not be in quotes\.$/],
    ['{"name":"Rex"}', /^categoryId is missing\.$/],
    ['{}', /^name is missing; categoryId is missing\.$/],
    ['\0', /^it has NUL bytes; the file is damaged/],
  ]
  const lines = await readAll(readNdjson, cases.map(([line]) => line).join('\n'))
  assert.equal(lines.length, cases.length)
  for (const [index, [, reason]] of cases.entries()) assert.match((lines[index] as BadLine).reason, reason)
})

test('ndjson: a byte order mark, empty lines and other line ends do not matter', async () => {
  const file = '\ufeff{"name":"Rex","categoryId":1e1}\r\n\r\n  \t\n{"categoryId":-0,"name":"Bella"}'
  assert.deepEqual(await readAll(readNdjson, file), [
    { line: 1, id: undefined, name: 'Rex', categoryId: 10n, status: 'available' },
    { line: 4, id: undefined, name: 'Bella', categoryId: 0n, status: 'available' },
  ])
})

test('csv: columns come in any order; a byte order mark, empty lines and other line ends do not matter', async () => {
  const file = '\ufeff"status",categoryId,id,name\r\n\r\n,7,,"Rex"\r\nsold,8,9,Bella'
  assert.deepEqual(await readAll(readCsv, file), [
    { line: 3, id: undefined, name: 'Rex', categoryId: 7n, status: 'available' },
    { line: 4, id: 9n, name: 'Bella', categoryId: 8n, status: 'sold' },
  ])
})

test('csv: an invalid header is reported before anything else is read', async () => {
  const cases: [string, RegExp][] = [
    ['', /^The file is empty; it must start with the header id,name/],
    [
      'name,kategorie\nRex,7',
      /^Unknown column "kategorie"; the header \(line 1\) must have the columns name, categoryId/,
    ],
    [
      '\nname/categoryId\n',
      /^Unknown column "name\/categoryId"; the header \(line 2\).* or vertical bars\. Other columns can be ignored\.$/,
    ],
    ['name,categoryId,Intake,Notes\n', /^Unknown columns "Intake", "Notes"; the header/],
    ['name,categoryId,Intake,Nr\n', /^Unknown columns "Intake", "Nr"; ids that .* exactly "id"; the header/],
    ['name,categoryId,a,b,c,d,e,f,g\n', /^Unknown columns "a", "b", "c", "d", "e" and 2 more; the header/],
    ['name,status', /^The column "categoryId" is missing/],
    ['name,categoryId,name', /^The column "name" appears twice/],
    ['"name,categoryId', /^The header \(line 1\) cannot be read: it opens a quote that is not closed\.$/],
  ]
  for (const [file, message] of cases) await assert.rejects(readAll(readCsv, file), { name: 'UserError', message })
  async function* endless() {
    yield Buffer.from('nmae,categoryId\n')
    assert.fail('more was read')
  }
  await assert.rejects(Array.fromAsync(readCsv(readLines(endless()))), /Unknown column "nmae"/)
})

test('csv: a first line that is too long is an error, and no other line becomes the header', async () => {
  const file = `name,categoryId,${'x'.repeat(MAX_LINE_BYTES)}\nname,categoryId\nRex,7\n`
  for (const size of [1_000, 1_000_000]) {
    await assert.rejects(readAll(readCsv, file, size), {
      name: 'UserError',
      message: 'The header (line 1) cannot be read: it is longer than 65536 bytes.',
    })
  }
})

test('ndjson: a bad value is shown as it is written, also a number that fits no type', async () => {
  const numbers = ['1e999', '-1e999', '9223372036854775808', '0.1000000000000000000001', '[1e999]']
  const lines = await readAll(readNdjson, numbers.map(number => `{"name":"Rex","categoryId":${number}}`).join('\n'))
  assert.deepEqual(
    lines.map(line => (line as BadLine).problems?.[0]?.value),
    numbers,
  )
})

test('csv: a bad record is reported with its first line, and the next is read as usual', async () => {
  const file = [
    'name,categoryId',
    '"Rex', // 2
    'Bella",7',
    'Tom,1', // 4
    'x"y,1',
    '"x"y,1', // 6
    'a,b,c',
    '"a""b",8', // 8
    '"open, 7',
    '"Kit",9', // 10: read with line 9
    'Zoe,3',
    '"never',
    'closed,1',
  ].join('\n')
  const lines = await readAll(readCsv, file)
  assert.deepEqual(
    lines.map(line => [line.line, 'reason' in line ? line.reason.split(' ').slice(0, 3).join(' ') : line.name]),
    [
      [2, 'name must be'],
      [4, 'Tom'],
      [5, 'a value that'],
      [6, 'a value that'],
      [7, 'it has 3'],
      [8, 'a"b'],
      [9, 'a value that'],
      [11, 'Zoe'],
      [12, 'it opens a'],
    ],
  )
  const [short] = await readAll(readCsv, 'name,categoryId\nRex')
  assert.match((short as BadLine).reason, /^it has 1 value, but/)
  assert.match((lines[6] as BadLine).reason, /Lines 9 to 10 were read as one because of the open quote\.$/)
})

test('csv: a quote that is never closed does not swallow the file', async () => {
  const rows = 20_000
  const lines = await readAll(readCsv, `name,categoryId\n"open,1\n${'Rex,7\n'.repeat(rows)}`)
  const [first, ...rest] = lines
  assert.match((first as BadLine).reason, /^it opens a quote that is not closed\. Lines 2 to \d+ were read as one/)
  const swallowed = Math.ceil(MAX_LINE_BYTES / 'Rex,7\n'.length)
  assert.ok(rest.length > rows - swallowed - 10 && rest.length < rows, `${rest.length} of ${rows}`)
  assert.ok(rest.every(line => !('reason' in line)))
})

for (const format of ['ndjson', 'csv'] as const) {
  test(`${format}: export, then import into an empty store, gives the same animals with the same ids`, async t => {
    const from = await temporaryFolder(t)
    const names = [...HOSTILE_NAMES, 'gone', 'last']
    const animals = names.map((name, index) => ({
      name,
      categoryId: [INT64_MIN, INT64_MAX, BigInt(index)][index % 3] as bigint,
      status: PET_STATUSES[index % 3] as Pet['status'],
    }))
    await withStore(from, async store => {
      for (const animal of animals) await store.createPet(animal, Date.now())
    })
    const database = openDatabase(from)
    database.prepare("DELETE FROM pet WHERE name = 'gone'").run()
    database.close()

    const file = join(from, `out.${format}`)
    const exported = await run(from, 'export', file)
    assert.deepEqual(
      [exported.code, exported.stdout, exported.stderr],
      [0, `Exported ${animals.length - 1} animals to ${file}.\n`, ''],
    )
    const to = await emptyStore(t)
    const imported = await run(to, 'import', file, '--json')
    assert.equal(imported.code, 0, imported.stderr)
    const count = animals.length - 1
    assert.deepEqual(JSON.parse(imported.stdout), {
      outcome: 'imported',
      mode: 'add',
      read: count,
      imported: count,
      firstId: 1,
      lastId: animals.length,
      entryId: 1,
      updated: 0,
      unchanged: 0,
      badLines: 0,
      badLinesOmitted: 0,
      bad: [],
      reasons: [],
      unknownValues: [],
      newCategories: [],
      dryRun: false,
    })
    assert.deepEqual(await listPets(to), await listPets(from))
    assert.deepEqual(await readFile(file), Buffer.from((await run(to, 'export', '-', '--format', format)).stdout))
  })
}

test('no name is a formula in a file that is safe for spreadsheets, and the same option reads every name back', async t => {
  const formulas = [
    '=HYPERLINK("https://evil.test","x")',
    '+1',
    '-1',
    '@SUM(A1)',
    '\uff1dA1',
    "'=1",
    "''@x",
    '='.repeat(255),
  ]
  const names = [...formulas, 'Rex', "'Rex", "O'Neil", 'a=b', ...HOSTILE_NAMES]
  const pets = names.map((name, index): Pet => ({ id: BigInt(index + 1), name, categoryId: -5n, status: 'sold' }))
  const text = formatCsvHeader() + formatCsv(pets, { safeForSpreadsheets: true })
  assert.doesNotMatch(text, /(?:,"?|^)(?:[=+@]|-(?!5,))/m)
  const read = async (options = {}) => {
    const lines = await Array.fromAsync(readCsv(readLines(chunksOf(text)), options))
    return lines.flat().map(line => ('reason' in line ? line.reason : line.name))
  }
  assert.deepEqual(await read({ safeForSpreadsheets: true }), names)
  const [from, to] = [await emptyStore(t), await emptyStore(t)]
  const file = await makeFile(
    from,
    'in.ndjson',
    formulas.map(name => JSON.stringify({ name, categoryId: 1 })),
  )
  await run(from, 'import', file)
  const csv = join(from, 'out.csv')
  const exported = await run(from, 'export', csv, '--safe-for-spreadsheets')
  assert.equal(exported.code, 0, exported.stderr)
  assert.match(await readFile(csv, 'utf8'), /^1,"'=HYPERLINK/m)
  await run(to, 'import', csv, '--safe-for-spreadsheets')
  assert.deepEqual(await listPets(to), await listPets(from))
  const refused = await run(to, 'export', '-', '--format', 'ndjson', '--safe-for-spreadsheets')
  assert.deepEqual([refused.code, refused.stderr], [2, 'error: --safe-for-spreadsheets is for CSV files only.\n'])
})

async function* chunksOf(text: string): AsyncIterable<Buffer> {
  yield Buffer.from(text)
}

test('a single bad line, even the last, aborts the import: every bad line is reported, and the exit code is 1', async t => {
  const folder = await emptyStore(t)
  const file = await makeFile(folder, 'pets.ndjson', [
    ...Array(2_000).fill(animalJson()),
    '{"name":"","categoryId":1}',
    'x',
  ])
  const { code, stdout, stderr } = await run(folder, 'import', file)
  assert.deepEqual({ code, stdout }, { code: 1, stdout: '' })
  assert.deepEqual(stderr.split('\n'), [
    'line 2001: name must be a string of 1 to 255 characters, not blank, without control characters.',
    'line 2002: it must be one JSON value; it is not valid at character 1.',
    'error: Nothing was changed: pets.ndjson has 2 invalid lines.',
    '',
  ])
  assert.deepEqual(await listPets(folder), [])

  const skipping = await run(folder, 'import', file, '--skip-bad')
  assert.deepEqual(
    [skipping.code, skipping.stdout],
    [
      0,
      'Imported 2,000 animals from pets.ndjson, ids 1 to 2000. Skipped 2 invalid lines.\nUndo it with: petstore pet undo 1\n',
    ],
  )
  assert.equal((await listPets(folder)).length, 2_000)
})

test('text from a partner in a file cannot control a terminal, and takes one line of it', async t => {
  const folder = await emptyStore(t)
  const odd = '\u009b2J\u202eline 9: fine\u200b\nline 8: fine'
  const file = await makeFile(folder, 'pets.ndjson', [
    JSON.stringify({ name: 'Rex', categoryId: 1, status: odd }),
    `{"name":"Rex","categoryId":1,${JSON.stringify(odd)}:1}`,
    `{"name":"Rex"${odd.split('\n')[0]}}`,
  ])
  const ending = await run(folder, 'import', file)
  const inJson = await run(folder, 'import', file, '--json')
  for (const { code, stdout, stderr } of [ending, inJson]) {
    assert.equal(code, 1)
    assert.doesNotMatch(stdout + stderr, /[\u0080-\u009f\u202e\u200b]/)
    assert.deepEqual(stderr.match(/^line \d/gm), ['line 1', 'line 2', 'line 3'])
  }
  assert.equal(JSON.parse(inJson.stdout).badLines, 3)
  assert.deepEqual(await listPets(folder), [])
})

test('very many bad lines are counted, by reason; the first 100 are printed, and the first 1,000 are in the JSON', async t => {
  const folder = await emptyStore(t)
  const { code, stdout, stderr } = await run(
    folder,
    'import',
    await makeFile(folder, 'bad.jsonl', Array(5_000).fill('x')),
    '--json',
  )
  const lines = stderr.trimEnd().split('\n')
  assert.deepEqual([code, lines.length, lines[100]], [1, 103, 'and 4,900 more invalid lines'])
  const reason = 'it must be one JSON value; it is not valid at character 1.'
  assert.equal(lines[101], `5,000 lines (1, 2, 3, …): ${reason}`)
  const report = JSON.parse(stdout)
  assert.deepEqual([report.read, report.imported, report.badLines, report.bad.length], [5_000, 0, 5_000, 1_000])
  assert.equal(report.bad[999].line, 1_000)
  assert.deepEqual([report.outcome, report.badLinesOmitted], ['refused', 4_000])
  assert.deepEqual(report.reasons, [{ reason, count: 5_000, firstLines: [1, 2, 3] }])
})

test('the file of lines to correct begins with the chosen columns, without the title above them', async t => {
  const folder = await emptyStore(t)
  const file = await makeFile(folder, 'list.csv', ['Tierheim;', 'Rufname;Art', 'Rex;1', ';2'])
  const toCorrect = join(folder, 'correct.csv')
  const columns = ['--column', 'name=Rufname', '--column', 'categoryId=Art']
  const { code, stderr } = await run(folder, 'import', file, ...columns, '--bad-lines', toCorrect)
  assert.equal(code, 1, stderr)
  assert.equal(
    await readFile(toCorrect, 'utf8'),
    '\ufeffRufname;Art;problem (not imported)\r\n;2;line 4: name is missing.\r\n',
  )
  const marker = join(folder, 'petstore.db.moved')
  const misplaced = await run(folder, 'import', file, ...columns, '--bad-lines', marker)
  assert.match(misplaced.stderr, /petstore\.db\.moved belongs to the store; choose another name/)
  assert.ok(!existsSync(marker))
  const again = await run(folder, 'import', file, ...columns, '--bad-lines', toCorrect)
  assert.equal(
    again.stderr,
    `error: The file ${toCorrect} already exists; choose another name.\n`,
    'no option replaces it',
  )
})

test('the lines to correct are written to a file, which is imported once they are corrected', async t => {
  const folder = await emptyStore(t)
  const file = await makeFile(folder, 'list.csv', ['Pet name;Type;Notes', 'Rex;1;', 'Tom;;old', 'Zoë;cats;'])
  const toCorrect = join(folder, 'correct.csv')
  const options = ['--ignore-other-columns', '--skip-bad', '--bad-lines', toCorrect]
  const first = await run(folder, 'import', file, ...options)
  assert.equal(first.code, 0)
  assert.match(first.stdout, /^Imported 1 animal from list\.csv, id 1\. Skipped 2 invalid lines\.\n/)
  assert.match(
    first.stderr,
    /^"cats", 1 line \(4\): choose what it means with --value 'categoryId:cats=…', or --new-c/m,
  )
  const text = await readFile(toCorrect, 'utf8')
  assert.equal(
    text,
    '\ufeffPet name;Type;Notes;problem (not imported)\r\n' +
      'Tom;;old;line 3: categoryId is missing.\r\n' +
      'Zoë;cats;;"line 4: categoryId must be the number or the label of a category; ""cats"" is neither."\r\n',
  )
  const exists = await run(folder, 'import', file, ...options)
  assert.deepEqual([exists.code, (await listPets(folder)).length], [1, 1], exists.stderr)
  await writeFile(toCorrect, text.replace('Tom;;', 'Tom;2;'))
  const second = await run(folder, 'import', toCorrect, '--ignore-other-columns', '--new-categories')
  assert.match(
    second.stdout,
    /^Imported 2 animals from correct\.csv, ids 2 to 3\. New categories: 3 \(cats\)\.\n/,
    second.stderr,
  )
  assert.deepEqual(
    (await listPets(folder)).map(({ name, categoryId }) => [name, Number(categoryId)]),
    [
      ['Rex', 1],
      ['Tom', 2],
      ['Zoë', 3],
    ],
  )
})

test('lines that only the last step of an import refuses are in the file to correct, which has commas instead of tabs', async t => {
  const folder = await emptyStore(t)
  await fill(folder, 2)
  async function* open(): AsyncIterable<Buffer> {
    yield Buffer.from(`id\tstatus\n1\tsold\n${'\n'.repeat(5_000)}`)
    execute(databaseFile(folder), 'DELETE FROM pet WHERE id = 1')
    yield Buffer.from('2\tevil\n')
  }
  const transfer = await openSqliteTransfer(folder, 'production')
  const actor = { name: 'anna', origin: 'command line' }
  const rows = await Array.fromAsync(
    writeBadLines(transfer, {
      ...{ format: 'csv', csv: { encoding: 'utf-8' }, mode: 'update', dryRun: false, skipBad: false },
      ...{ name: 'pets.tsv', actor, clock: Date.now, bytes: 0, open, onProgress: () => {} },
    }),
  )
  assert.deepEqual(
    rows
      .join('')
      .split('\r\n')
      .map(row => row.replace(/(line \d+).*/, '$1')),
    ['\ufeffid,status,problem (not imported)', '2,evil,"line 5003', '1,sold,line 2', ''],
  )
})

test('ids that already exist or are repeated in the file are bad lines like any other', async t => {
  const folder = await temporaryFolder(t)
  await fill(folder, 2)
  const file = await makeFile(folder, 'second.csv', ['id,name,categoryId', '2,A,1', '9,B,1', 'x,C,1', '9,D,1', ',E,1'])
  const { code, stderr } = await run(folder, 'import', file)
  assert.equal(code, 1)
  assert.deepEqual(
    stderr.split('\n').map(line => line.slice(0, 14)),
    ['line 2: id 2 m', 'line 4: id mus', 'line 5: id 9 i', 'error: Nothing', ''],
  )
  assert.equal((await run(folder, 'import', file, '--skip-bad')).code, 0)
  assert.deepEqual(
    (await listPets(folder)).slice(2).map(({ id, name }) => [id, name]),
    [
      [9n, 'B'],
      [10n, 'E'],
    ],
  )
})

test('a dry run says what would be imported, and changes nothing', async t => {
  const folder = await emptyStore(t)
  const file = await makeFile(folder, 'pets.csv', ['name,categoryId', 'Rex,7'])
  assert.match((await run(folder, 'import', file)).stdout, /^Imported 1 animal from pets\.csv, id 1\.\n/)
  const before = await rowsOf(folder)
  const dry = await run(folder, 'import', file, '--dry-run')
  assert.deepEqual([dry.code, dry.stdout, dry.stderr], [0, 'Would import 1 animal from pets.csv, id 2.\n', ''])
  assert.deepEqual(await rowsOf(folder), before)
  const bad = await run(folder, 'import', await makeFile(folder, 'bad.csv', ['name,categoryId', 'Rex']), '--dry-run')
  assert.deepEqual(
    [bad.code, bad.stderr.split('\n')[1]],
    [1, 'error: Nothing would be changed: bad.csv has 1 invalid line.'],
  )
  assert.deepEqual(await rowsOf(folder), before)
})

test('the audit log shows who imported what', async t => {
  const folder = await emptyStore(t)
  await run(folder, 'import', await makeFile(folder, 'pets.csv', ['name,categoryId', 'Rex,7']))
  const [entry] = await withStore(folder, store => store.listAudit({ limit: 10 }))
  assert.equal(entry?.action, 'pet.import')
  assert.equal(entry.origin, 'command line')
  assert.deepEqual(entry.details, { file: 'pets.csv', count: 1, firstId: 1, lastId: 1 })
})

test('a file that cannot be read is reported in one line', async t => {
  const folder = await emptyStore(t)
  const cases: [string[], RegExp][] = [
    [['import', 'nowhere.csv'], /^error: There is no file nowhere\.csv\.\n$/],
    [['import', folder, '--format', 'csv'], /^error: .* is a folder; name a file\.\n$/],
    [
      ['import', 'pets.txt'],
      /^error: The name "pets\.txt" does not show the format; add --format ndjson, --format csv or --format xlsx\.\n$/,
    ],
    [['import', '-'], /^error: A standard stream does not show the format/],
    [
      ['sync', '-', '--source', 's'],
      /^error: A standard stream does not show the format; add --format csv or --format xlsx\.\n$/,
    ],
    [['import', await makeFile(folder, 'a.csv', ['nmae,categoryId'])], /^error: Unknown column "nmae";/],
    [
      ['export', join(folder, 'no', 'a.csv')],
      /^error: The file .* cannot be written \(no such file or folder\); choose another path\.\n$/,
    ],
    [['export', folder, '--format', 'csv', '--force'], /^error: .* is not a file; choose another name\.\n$/],
  ]
  const commandLines = cases.map(([words]) => ['pet', ...words])
  const endings = await runInTurn(commandLines, environment(folder))
  assert.equal(endings.length, cases.length)
  for (const [index, { code, stdout, stderr }] of endings.entries()) {
    assert.deepEqual([code, stdout], [/format;/.test(stderr) ? 2 : 1, ''])
    assert.match(stderr, cases[index]?.[1] ?? /$^/)
  }
})

test('an export replaces a file only with --force, at once, and follows a link', async t => {
  const folder = await temporaryFolder(t)
  const file = await makeFile(folder, 'pets.csv', ['name,categoryId', 'Rex,7'])
  await fill(folder, 1)
  const refused = await run(folder, 'export', file)
  assert.deepEqual(
    [refused.code, refused.stderr],
    [1, `error: The file ${file} already exists; choose another name, or add --force.\n`],
  )
  assert.equal(await readFile(file, 'utf8'), 'name,categoryId\nRex,7\n')
  const link = join(folder, 'link.csv')
  await symlink(file, link)
  const { code, stdout } = await run(folder, 'export', link, '--force', '--json', '--status', 'available')
  assert.deepEqual([code, JSON.parse(stdout)], [0, { file: link, format: 'csv', exported: 1 }])
  assert.equal(await readFile(file, 'utf8'), '\ufeffid,name,categoryId,status\n1,Rex,7,available\n')
  const sold = await run(folder, 'export', '-', '--format', 'csv', '--status', 'sold')
  assert.equal(sold.stdout, formatCsvHeader())
  assert.deepEqual(
    (await readdir(folder)).filter(name => name.includes('.part')),
    [],
  )
})

test('an export does not replace a broken link', async t => {
  const folder = await temporaryFolder(t)
  await fill(folder, 1_000)
  const link = join(folder, 'link.csv')
  await symlink(join(folder, 'nowhere.csv'), link)
  const { code, stderr } = await run(folder, 'export', link, '--force')
  assert.deepEqual([code, stderr], [1, `error: ${link} is a broken link; choose another name.\n`])
  assert.ok((await lstat(link)).isSymbolicLink())
})

test('a full standard output is reported in one line', { skip: !existsSync('/dev/full') }, async t => {
  const folder = await temporaryFolder(t)
  await fill(folder, 1_000)
  const words = await shell(folder, 'exec "$0" "$@" >/dev/full', ['export', '-', '--format', 'csv'])
  assert.equal(words, 'error: Standard output cannot be written (the disk is full).\n')
})

test('a temporary file without room is not reported as a fault of the store', async t => {
  const folder = await temporaryFolder(t)
  await fill(folder, 1)
  const file = join(folder, 'many.ndjson')
  await writeFile(file, `${animalJson()}\n`.repeat(400_000))
  const words = await shell(folder, 'ulimit -f 1000; exec "$0" "$@"', ['import', file])
  assert.match(
    words,
    /^error: The temporary file of the import cannot be written \(.*\); set TMPDIR to a folder with enough room\.\n$/,
  )
})

test('SIGINT in the middle of an export to standard output says that it is not complete', async t => {
  const folder = await temporaryFolder(t)
  await fill(folder, 200_000)
  const child = start(folder, ['export', '-', '--format', 'ndjson'])
  const printed = text(child.stderr)
  await once(child.stdout, 'readable')
  child.kill('SIGINT')
  child.stdout.resume()
  assert.deepEqual(await once(child, 'exit'), [null, 'SIGINT'])
  assert.equal(await printed, 'Stopped: the output is incomplete.\n')
})

test('a reader that leaves before the end of an export is not an error', async t => {
  const folder = await temporaryFolder(t)
  await fill(folder, 50_000)
  const child = start(folder, ['export', '-', '--format', 'ndjson'])
  await once(child.stdout, 'data')
  child.stdout.destroy()
  const [ended, stderr] = await Promise.all([once(child, 'exit'), text(child.stderr)])
  assert.deepEqual([ended, stderr], [[0, null], ''])
})

for (const [signal, message] of [
  ['SIGKILL', ''],
  ['SIGINT', 'Stopped: nothing was changed.\n'],
] as const) {
  test(`${signal} in the middle of an import leaves nothing behind`, async t => {
    const folder = await temporaryFolder(t)
    await fill(folder, 1)
    const before = [await rowsOf(folder), await readdir(folder)]
    const temporary = await temporaryFolder(t)
    const child = start(folder, ['import', '-', '--format', 'ndjson'], temporary)
    const printed = text(child.stderr)
    // The bad line is reported when all lines before it are staged.
    child.stdin.write(`${animalJson()}\n`.repeat(20_000))
    child.stdin.write('x\n')
    await once(child.stderr, 'readable')
    child.kill(signal)
    assert.deepEqual(await once(child, 'exit'), [null, signal])
    assert.equal((await printed).replace(/^line .*\n/, ''), message)
    assert.deepEqual([await rowsOf(folder), await readdir(folder)], before)
    assert.deepEqual(await readdir(temporary), [])
  })
}

test('SIGINT ends an import from a named pipe to which nothing is written', async t => {
  const folder = await temporaryFolder(t)
  await fill(folder, 1)
  const file = join(folder, 'pets.ndjson')
  execFileSync('mkfifo', [file])
  const child = start(folder, ['import', file])
  t.after(() => child.kill('SIGKILL'))
  const printed = text(child.stderr)
  // It is open as soon as the import reads it.
  await using _writer = await open(file, 'w')
  child.kill('SIGINT')
  assert.deepEqual(await once(child, 'exit'), [null, 'SIGINT'])
  assert.equal(await printed, 'Stopped: nothing was changed.\n')
})

test('SIGINT in the middle of an export leaves nothing behind', async t => {
  const folder = await temporaryFolder(t)
  await fill(folder, 200_000)
  const before = await readdir(folder)
  const child = start(folder, ['export', join(folder, 'pets.csv')])
  const printed = text(child.stderr)
  await eventually(async () => assert.ok((await readdir(folder)).some(name => name.endsWith('.part'))))
  child.kill('SIGINT')
  assert.deepEqual(await once(child, 'exit'), [null, 'SIGINT'])
  assert.equal(await printed, 'Stopped: nothing was written.\n')
  assert.deepEqual(await readdir(folder), before)
})

test('an import alongside a process that keeps creating animals loses nothing of either', async t => {
  const folder = await temporaryFolder(t)
  await withStore(folder, async store => {
    let stopped = false
    let created = 0
    const create = async () => {
      for (; !stopped; created += 1) {
        await store.createPet({ name: 'created', categoryId: 1n, status: 'available' }, Date.now())
      }
    }
    const creators = Promise.all(Array.from({ length: 8 }, create))
    await eventually(() => assert.ok(created > 0))
    const before = store.revision().newestPetId ?? 0n
    const file = await makeFile(folder, 'pets.ndjson', Array(10_000).fill(animalJson()))
    const createdBefore = created
    const { code, stdout, stderr } = await run(folder, 'import', file, '--json')
    const during = created
    await eventually(() => assert.ok(created > during))
    stopped = true
    await creators
    assert.equal(code, 0, stderr)
    assert.ok(during > createdBefore, 'animals were created meanwhile')
    const { firstId, lastId } = JSON.parse(stdout)
    assert.equal(lastId - firstId, 9_999, 'the imported animals have consecutive ids')
    const pets = await listPets(folder)
    assert.equal(pets.filter(({ name }) => name === 'created').length, created)
    assert.equal(pets.length, created + 10_000)
    assert.ok((store.revision().newestPetId ?? 0n) > before + 10_000n)
  })
})

/** Reads all lines of a file that arrives in chunks of this size. */
async function readAll(read: typeof readNdjson, file: string | Buffer, size = 65_536): Promise<(PetLine | BadLine)[]> {
  const bytes = Buffer.from(file as string)
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }
  return (await Array.fromAsync(read(readLines(chunks())))).flat()
}

function animalJson(): string {
  return '{"name":"Rex","categoryId":7}'
}

async function makeFile(folder: string, name: string, lines: readonly string[]): Promise<string> {
  const file = join(folder, name)
  await writeFile(file, lines.map(line => `${line}\n`).join(''))
  return file
}

/** Creates a store with this many animals, without a command. */
async function emptyStore(t: TestContext): Promise<string> {
  const folder = await temporaryFolder(t)
  prepareDatabase(folder, 'production')
  return folder
}

async function fill(folder: string, animals: number): Promise<void> {
  await withStore(folder, async () => {})
  const database = openDatabase(folder)
  database.exec(`INSERT INTO pet (name, category_id, status)
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${animals}) SELECT 'Rex', 7, 'available' FROM n`)
  database.close()
}

async function withStore<Result>(folder: string, work: (store: SqliteStore) => Promise<Result>): Promise<Result> {
  const store = await SqliteStore.open(folder, 'production', { inThreads: false })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

async function listPets(folder: string): Promise<Pet[]> {
  const all = { status: undefined, afterId: 0n, limit: 1_000_000 }
  return withStore(folder, async store => (await store.listPets(all)).pets)
}

/** The traces of an import in the store. */
async function rowsOf(folder: string): Promise<unknown> {
  const database = openDatabase(folder)
  const rows = ['pet', 'audit', 'sqlite_sequence'].map(table => database.prepare(`SELECT * FROM ${table}`).all())
  database.close()
  return rows
}

function environment(folder: string): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, TERM: 'xterm', PETSTORE_DATA: folder }
}

function start(folder: string, words: readonly string[], temporary = tmpdir()) {
  return spawn(process.execPath, [PROGRAM, 'pet', ...words], {
    env: { ...environment(folder), TMPDIR: temporary },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}

/** The program's standard error when a shell runs it. */
async function shell(folder: string, script: string, words: readonly string[]): Promise<string> {
  const child = spawn('sh', ['-c', script, process.execPath, PROGRAM, 'pet', ...words], {
    env: environment(folder),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [printed] = await Promise.all([text(child.stderr), once(child, 'close')])
  assert.equal(child.exitCode, 1, printed)
  return printed
}

async function run(folder: string, ...words: readonly string[]): Promise<Ending> {
  const [ending] = await runInTurn([['pet', ...words]], environment(folder))
  return ending as Ending
}
