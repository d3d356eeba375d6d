import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { assertUserError, makeStore } from '../support/command-line.ts'
import { pack, workbookParts } from '../support/workbook.ts'

// Files that need an option, on the command line without a terminal: the error names it.

const RUSSIAN = Buffer.from('name,categoryId\n\xcc\xf3\xf0\xea\xe0,2\nRex,1\n', 'latin1')

test('without a terminal, the likely encodings are listed with lines in each, and nothing is imported', async t => {
  const store = await makeStore(t)
  await store.act(async () => {})
  const file = join(store.folder, 'animals.csv')
  await writeFile(file, RUSSIAN)
  for (const more of [[], ['--json'], ['--skip-bad'], ['--dry-run'], ['--update'], ['--format', 'csv']]) {
    const { code, stdout, stderr } = await store.run('pet', 'import', file, ...more)
    assert.deepEqual([code, stdout], [1, ''], stderr)
    assert.match(
      stderr,
      /^animals\.csv is not in UTF-8, and its bytes do not show its encoding\. It may be in one of these encodings:\n {2}1 {2}windows-1251\n {7}\u041c\u0443\u0440\u043a\u0430,2\n {2}2 {2}/,
    )
    assert.match(stderr, /\nerror: Nothing was changed: .* Add --encoding .*, such as --encoding windows-1251; .*\n$/)
  }
  assert.deepEqual(await store.json('pet', 'list'), [])
})

test('a label of the Encoding Standard is accepted in any case; another one is a mistake of the command line', async t => {
  const store = await makeStore(t)
  await store.act(async () => {})
  const file = join(store.folder, 'animals.csv')
  await writeFile(file, RUSSIAN)
  const { code, stderr } = await store.run('pet', 'import', file, '--encoding', 'klingon')
  assert.equal(code, 2)
  assert.match(
    stderr,
    /argument 'klingon' is invalid\. It must be the name of an encoding, such as utf-8, windows-1252 or shift_jis/,
  )
  await store.text('pet', 'import', file, '--encoding', 'CP1251')
  const pets = await store.json('pet', 'list')
  assert.deepEqual(
    pets.map(({ name }: { name: string }) => name),
    ['\u041c\u0443\u0440\u043a\u0430', 'Rex'],
  )
})

test('a file whose columns are not recognised is refused with the options that name or ignore them', async t => {
  const store = await makeStore(t)
  await store.act(async () => {})
  const file = join(store.folder, 'animals.csv')
  await writeFile(file, 'ANIMALNAME,SPECIESNAME,Breed\nTom,Cat,Manx\n')
  const naming = (option: string) =>
    new RegExp(`^error: .* Name the column of .* with ${option}, and ignore the rest with --ignore-other-columns\\.$`)
  assertUserError(await store.run('pet', 'import', file), naming('--column categoryId=…'))
  assertUserError(await store.run('pet', 'import', file, '--ignore-other-columns'), naming('--column categoryId=…'))
  assertUserError(await store.run('pet', 'import', file, '--update'), naming('--column id=…'))
  assertUserError(await store.run('pet', 'sync', file, '--source', 'riverside'), naming('--key …'))
  const named = ['pet', 'import', file, '--column', 'categoryId=SPECIESNAME', '--new-categories']
  assertUserError(await store.run(...named), /^error: .* can be ignored\. Add --ignore-other-columns to do so\.$/)
  await store.text(...named, '--ignore-other-columns')
})

test('--new-categories is named for words that it gives a number, not for a label that several categories have', async t => {
  const store = await makeStore(t)
  await store.act(async () => {})
  for (const id of ['1', '2']) await store.text('category', 'label', id, 'Cats')
  const file = join(store.folder, 'animals.csv')
  await writeFile(file, 'name,categoryId\nTom,Cats\nNemo,Fish\n')
  const hints = async (...more: string[]) => {
    const { stderr } = await store.run('pet', 'import', file, ...more)
    return [...stderr.matchAll(/^"(\w+)", 1 line .* with --value '\S+'(.*)$/gm)].map(([, ...hint]) => hint)
  }
  assert.deepEqual(await hints(), [
    ['Cats', ''],
    ['Fish', ', or --new-categories'],
  ])
  assert.deepEqual(await hints('--new-categories'), [['Cats', '']])
})

test('a workbook whose first sheet has no such columns is refused with the names of its sheets, unless one was chosen', async t => {
  const store = await makeStore(t)
  await store.act(async () => {})
  const file = join(store.folder, 'list.xlsx')
  const Dogs = {
    rows: [
      ['name', 'categoryId'],
      ['Rex', 1],
    ],
  }
  await writeFile(file, pack(workbookParts({ Cover: { rows: [['Happy Paws', 'November']] }, Dogs, Cats: Dogs })))
  const sheets =
    /\. This is the sheet "Cover"; the workbook also has the sheets "Dogs", "Cats"\. .* Choose another sheet with --sheet …, or name the column of name with --column name=…, and/
  assertUserError(await store.run('pet', 'import', file), sheets, 1)
  const chosen = await store.run('pet', 'import', file, '--sheet', 'Cover')
  assertUserError(chosen, /^error: Unknown columns "Happy Paws", "November";/, 1)
  assert.doesNotMatch(chosen.stderr, /sheet/)
  assert.equal((await store.run('pet', 'import', file, '--sheet', 'Dogs')).code, 0)
})
