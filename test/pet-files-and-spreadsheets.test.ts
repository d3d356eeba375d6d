import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { prepareDatabase } from '../src/sqlite/prepare-database.ts'
import { temporaryFolder } from './support/folder.ts'
import { type Ending, runInTurn } from './support/shared-command-process.ts'
import { open, SAVE } from './support/spreadsheet.ts'

const CASES = fileURLToPath(new URL('cases/own/', import.meta.url))

/** Of Western and other alphabets, so that no encoding of one byte has all of their letters. */
const NAMES = ['Zoë', 'Chloé', 'O’Malley', 'Björn "der Bär"', 'Señor Groß', 'Rex', 'Śnieżka', 'さくら', '🐶']
const WINDOWS_1252 = NAMES.map(name => new TextDecoder('windows-1252').decode(Buffer.from(name)))
const ANIMALS = NAMES.map((name, index) => ({ id: index + 1, name, categoryId: 2, status: 'available' }))

for (const [way, save] of Object.entries(SAVE)) {
  for (const delimiter of ['comma', 'semicolon']) {
    test(`an export with ${delimiter}s that a spreadsheet saves as ${way} comes back with its accents`, async t => {
      const folder = await catalogue(t)
      const out = join(folder, 'out.csv')
      await run(folder, 'export', out, '--delimiter', delimiter)
      const rows = open(await readFile(out), delimiter === 'comma' ? ',' : ';')
      assert.deepEqual(
        rows.slice(1).map(row => row[1]),
        NAMES,
      )
      const [, first = []] = rows
      first[3] = 'sold'
      const back = await file(folder, save(rows))
      const { code, stdout, stderr } = await run(folder, 'import', back, '--update')
      const others = `${NAMES.length - 1} animals needed no correction.`
      assert.deepEqual(
        [code, stdout, stderr],
        [0, `Corrected 1 animal from back.csv. ${others}\nUndo it with: petstore pet undo 2\n`, ''],
      )
      assert.deepEqual(await animals(folder), [{ ...ANIMALS[0], status: 'sold' }, ...ANIMALS.slice(1)])
    })
  }
}

test('an update from a file that a spreadsheet saves as CSV in Windows-1252 asks for the encoding, and changes nothing', async t => {
  const folder = await catalogue(t)
  const out = join(folder, 'out.csv')
  await run(folder, 'export', out)
  const rows = open(await readFile(out)).map(([id, name, , status]) => [id, name, status].join())
  const back = await file(folder, Buffer.from(`${rows.slice(0, 5).join('\r\n')}\r\n`.replace('’', '\x92'), 'latin1'))
  const { code, stdout, stderr } = await run(folder, 'import', back, '--update')
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(
    stderr,
    /^back\.csv is not in UTF-8, .*\n {2}1 {2}windows-1252\n(?:.*\n)*error: Nothing was changed: .* Add --encoding /,
  )
  assert.deepEqual(await animals(folder), ANIMALS)
})

test('an update does not apply misread names: each is a bad line, and other lines are good', async t => {
  const folder = await catalogue(t)
  // A misread name with a control character is refused for that.
  const lines = WINDOWS_1252.map((name, index) => `${index + 1},"${name.replaceAll('"', '""')}",sold`)
  const back = await file(folder, Buffer.from(`\ufeffid,name,status\n${lines.join('\n')}\n`))
  for (const options of [[], ['--dry-run']]) {
    const { code, stdout, stderr } = await run(folder, 'import', back, '--update', ...options)
    assert.deepEqual([code, stdout], [1, ''])
    for (const [index, line] of stderr.split('\n').slice(0, 5).entries()) {
      assert.ok(
        line.startsWith(`line ${index + 2}: name looks like ${JSON.stringify(NAMES[index])} read in a wrong`),
        line,
      )
    }
    assert.doesNotMatch(stderr, /^line 7:/m)
    assert.deepEqual(await animals(folder), ANIMALS)
  }
  const { code, stdout } = await run(folder, 'import', back, '--update', '--skip-bad')
  assert.deepEqual(
    [code, stdout],
    [0, 'Corrected 1 animal from back.csv. Skipped 8 invalid lines.\nUndo it with: petstore pet undo 2\n'],
  )
  assert.deepEqual(
    await animals(folder),
    ANIMALS.map(one => (one.name === 'Rex' ? { ...one, status: 'sold' } : one)),
  )
})

test('an update does not apply names whose letters became question marks, in any format', async t => {
  const folder = await catalogue(t)
  const lost = ANIMALS.map(one => ({ ...one, name: one.name.replaceAll(/[^\0-\xff]/gu, '?') }))
  const changed = lost.filter(({ name }, index) => name !== NAMES[index])
  const rows = lost.map(({ id, name }) => `${id},"${name.replaceAll('"', '""')}"`)
  for (const [format, text] of [
    ['csv', `id,name\n${rows.join('\n')}`],
    ['ndjson', lost.map(one => JSON.stringify(one)).join('\n')],
  ] as const) {
    const back = await file(folder, Buffer.from(text))
    const { code, stderr } = await run(folder, 'import', back, '--update', '--format', format)
    assert.equal(code, 1)
    assert.equal(
      stderr.match(/^line .* with letters lost\. Save the file as CSV UTF-8/gm)?.length,
      changed.length,
      stderr,
    )
    assert.deepEqual(await animals(folder), ANIMALS)
  }
})

test('an export to standard output begins with a byte order mark as CSV only, and the import of a pipe takes it', async t => {
  const [from, to] = [await catalogue(t), await temporaryFolder(t)]
  prepareDatabase(to, 'production')
  const csv = (await run(from, 'export', '-', '--format', 'csv')).stdout
  assert.ok(csv.startsWith('\ufeffid,name,categoryId,status\n1,'))
  assert.ok((await run(from, 'export', '-', '--format', 'ndjson')).stdout.startsWith('{"id":1,'))
  for (const encoding of [[], ['--encoding', 'windows-1252']]) {
    const again = await file(to, Buffer.from(csv))
    const { code, stderr } = await run(to, 'import', again, ...encoding, ...(encoding.length > 0 ? ['--update'] : []))
    assert.equal(code, 0, stderr)
    assert.deepEqual(await animals(to), ANIMALS)
  }
})

test('an exported workbook that LibreOffice has saved, in English or German and by way of other formats, changes nothing', async t => {
  const folder = await ownCatalogue(t)
  for (const name of ['lo-back.xlsx', 'lo-back-ods.xlsx', 'lo-back-xls.xlsx', 'lo-back.csv']) {
    const { stdout, stderr } = await run(folder, 'import', join(CASES, name), '--update')
    assert.equal(stdout + stderr, `There is nothing to correct in ${name}. 13 animals needed no correction.\n`)
  }
})

test('what LibreOffice loses when it opens our CSV is reported, and changes nothing', async t => {
  const folder = await ownCatalogue(t)
  const before = await animals(folder)
  const back = join(CASES, 'lo-back-csv.xlsx')
  const { code, stderr } = await run(folder, 'import', back, '--update', '--safe-for-spreadsheets')
  assert.equal(code, 1)
  assert.match(
    stderr,
    /^4 lines \(4, 6, 10, …\): categoryId must be .* in which digits may be lost; in a spreadsheet, format the column as text and enter the number again\.$/m,
  )
  assert.match(stderr, /^line 7: name looks like "0012", which a spreadsheet took for a number/m)
  assert.match(stderr, /^line 8: name looks like "7\.0", which a spreadsheet took for a number/m)
  assert.deepEqual(await animals(folder), before)
})

/** The animals, labels and source of which `lo-back*` are exports. */
async function ownCatalogue(t: TestContext): Promise<string> {
  const folder = await temporaryFolder(t)
  prepareDatabase(folder, 'production')
  const feed = await file(folder, Buffer.from('ID,name,categoryId\n0017,Tom,7\n'))
  const commands = [
    ['pet', 'import', join(CASES, 'lo-back.ndjson')],
    ['category', 'label', '7', 'Größe, 5'],
    ['category', 'label', '1', '=Cats'],
    ['pet', 'sync', feed, '--source', 'Riverside'],
  ]
  const endings = await runInTurn(commands, { PATH: process.env.PATH, PETSTORE_DATA: folder })
  for (const { code, stderr } of endings) assert.equal(code, 0, stderr)
  return folder
}

async function catalogue(t: TestContext): Promise<string> {
  const folder = await temporaryFolder(t)
  prepareDatabase(folder, 'production')
  const lines = ANIMALS.map(one => JSON.stringify(one)).join('\n')
  const { code, stderr } = await run(folder, 'import', await file(folder, Buffer.from(lines)), '--format', 'ndjson')
  assert.equal(code, 0, stderr)
  return folder
}

async function file(folder: string, bytes: Uint8Array): Promise<string> {
  const path = join(folder, 'back.csv')
  await writeFile(path, bytes)
  return path
}

async function animals(folder: string): Promise<unknown[]> {
  const { stdout } = await run(folder, 'export', '-', '--format', 'ndjson')
  return stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
}

async function run(folder: string, ...words: readonly string[]): Promise<Ending> {
  const [ending] = await runInTurn([['pet', ...words]], { PATH: process.env.PATH, PETSTORE_DATA: folder })
  return ending as Ending
}
