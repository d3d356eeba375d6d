import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { assertUserError, makeStore, type TestStore } from '../support/command-line.ts'
import { ROUNDS } from '../support/duration-factor.ts'
import { assertWholeDespiteKills } from '../support/killed-syncs.ts'

const NIGHT_1 = 'AnimalID,name,categoryId,status\nS-1,Rex,1,available\nS-2,Tom,2,available\nS-3,Kira,1,pending\n'
const NIGHT_2 = 'AnimalID,name,categoryId,status\nS-1,Rex,1,sold\nS-3,Kira,1,pending\nS-4,Luna,2,available\n'

async function makeFeeds(t: TestContext) {
  const store = await makeStore(t)
  // Creates the store.
  await store.act(async () => {})
  const fileOf = async (name: string, text: string) => {
    const file = join(store.folder, name)
    await writeFile(file, text)
    return file
  }
  return { store, fileOf, first: await fileOf('1.csv', NIGHT_1), second: await fileOf('2.csv', NIGHT_2) }
}

interface Shown {
  id: number
  name: string
  status: string
  origin: { externalId: string }
}

async function petsOf(store: TestStore) {
  const pets = await store.json('pet', 'list')
  return pets.map(({ id, name, status, origin }: Shown) => `${id} ${name} ${status} ${origin.externalId}`)
}

test('two nights of a feed', async t => {
  const { store, first, second } = await makeFeeds(t)
  const sync = (file: string, ...more: string[]) => store.json('pet', 'sync', file, '--source', 's', ...more)
  const one = await sync(first, '--key', 'AnimalID')
  assert.deepEqual([one.added, one.entryId], [3, 2])
  const again = await sync(first)
  assert.deepEqual([again.unchanged, again.entryId], [3, null])
  const refused = await store.run('pet', 'sync', second, '--source', 's', '--max-removals', '10%')
  assertUserError(refused, /Nothing was changed: .* 1 of 3 animals/, 1)
  const dry = await sync(second, '--missing', 'sold', '--max-removals', '60%', '--dry-run')
  assert.deepEqual([dry.outcome, dry.added, dry.corrected, dry.removed], ['checked', 1, 1, 1])
  assert.deepEqual(await petsOf(store), ['1 Rex available S-1', '2 Tom available S-2', '3 Kira pending S-3'])
  const two = await sync(second, '--missing', 'sold', '--max-removals', '60%')
  assert.deepEqual([two.added, two.corrected, two.removed, two.unchanged], [1, 1, 1, 1])
  const after = ['1 Rex sold S-1', '2 Tom sold S-2', '3 Kira pending S-3', '4 Luna available S-4']
  assert.deepEqual(await petsOf(store), after)
  const shown = await store.json('source', 'show', 'S')
  assert.deepEqual([shown.keyColumn, shown.runs.length, shown.runs[1].outcome], ['AnimalID', 4, 'refused'])
  assert.match(
    await store.text('source', 'show', 's'),
    /^NAME .*\ns .*\n\nTIME .* OUTCOME\n.* synced\n.* refused: The file /,
  )
  await store.text('pet', 'undo', String(two.entryId))
  assert.deepEqual(await petsOf(store), ['1 Rex available S-1', '2 Tom available S-2', '3 Kira pending S-3'])
})

test('the invalid lines of a feed come as a file, and lines with the same id are all invalid', async t => {
  const { store, fileOf } = await makeFeeds(t)
  const file = await fileOf('bad.csv', 'ID,AnimalName,Type,Status,Breed\nA1,Rex,1,A,x\nA2,,2,A,y\nA1,Tom,2,A,z\n')
  const bad = join(store.folder, 'to-correct.csv')
  const refused = await store.run('pet', 'sync', file, '--source', 's', '--bad-lines', bad)
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /^line 3: name is missing\.\nerror: Nothing was changed: 1 line is invalid\.\n$/)
  assert.match(await readFile(bad, 'utf8'), /^\ufeffID,AnimalName,Type,Status,Breed,problem.*\r\nA2,,2,A,y,/)
  const skipped = await store.run('pet', 'sync', file, '--source', 's', '--skip-bad', '--json')
  assert.match(skipped.stderr, /line 2: id "A1" is also in line 4;.*\nline 4: id "A1" is also in line 2;/)
  const { added, leftOut } = JSON.parse(skipped.stdout)
  assert.deepEqual([skipped.code, added, leftOut], [0, 0, 3])
})

test('what a spreadsheet has put in the place of an id is not an id', async t => {
  const { store, fileOf } = await makeFeeds(t)
  const sync = async (text: string, ...options: string[]) => {
    const file = await fileOf('ids.csv', `ID,AnimalName,Type,Status\n${text}`)
    return await store.run('pet', 'sync', file, '--source', 's', ...options)
  }
  const good = '985112000000001,Rex,1,A\nE+10,Tom,1,A\n1E5,Max,1,A\nTrue-7,Leo,1,A\n'
  assert.equal((await sync(good)).code, 0)
  const lost = [
    '#N/A,Bella,1,A',
    '#####,Kira,1,A',
    'TRUE,Momo,1,A',
    '9.85112E+14,Luna,1,A',
    '9e+15,Max,1,A',
    'Total:,4,1,',
  ].join('\n')
  const refused = await sync(good + lost)
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /^line 6: it has the id "#N\/A", which is an error value of a spreadsheet\.\n/)
  assert.match(refused.stderr, /line 9: it has the id "9\.85112E\+14", which is in scientific notation/)
  assert.match(refused.stderr, /line 11: it has the id "Total:", which looks like a line of totals\./)
  assert.match(refused.stderr, /\nerror: Nothing was changed: 6 lines are invalid\.\n$/)
  // The line may be that of any animal.
  const skipped = await sync('1E5,Max,1,A\n#N/A,Rex,1,A\n', '--skip-bad', '--max-removals', '100%', '--json')
  assert.deepEqual([JSON.parse(skipped.stdout).removed, (await petsOf(store)).length], [0, 4])
})

test('new categories are those of the animals that are imported, also of animals that come back', async t => {
  const { store, fileOf } = await makeFeeds(t)
  const labelled = async (name: string, text: string, ...command: string[]) => {
    const [part = '', ...more] = command
    const run = await store.run('pet', part, await fileOf(name, text), '--new-categories', '--json', ...more)
    return JSON.parse(run.stdout).newCategories.map(({ label }: { label: string }) => label)
  }
  const sync = (text: string, ...options: string[]) =>
    labelled('feed.csv', `ID,AnimalName,Type,Status\n${text}`, 'sync', '--source', 's', ...options)
  assert.deepEqual(await sync('A1,Rex,Dog,A\nA2,Tom,Cat,A\n'), ['Dog', 'Cat'])
  assert.deepEqual(await sync('A2,Tom,Cat,A\n'), [])
  assert.deepEqual(await sync('A1,Rex,Wolf,A\nA2,Tom,Cat,A\n'), ['Wolf'])
  // The lines with the same id are left out, whatever else the file does.
  const twice = 'A3,Max,Emu,A\nA3,Max,Elk,A\nA4,Kira,Owl,A\nA1,Rex,Wolf,H\n'
  for (const dryRun of [['--dry-run'], []]) {
    assert.deepEqual(await sync(twice, '--skip-bad', '--missing', 'keep', ...dryRun), ['Owl'])
  }
  const lines = 'id,name,categoryId\n1,Rex,Fox\n77,Lobo,Lynx\n77,Lobo,Asp\n'
  // The import skips an id that was given before; the correction one that does not exist.
  assert.deepEqual(await labelled('new.csv', lines, 'import', '--skip-bad'), ['Lynx'])
  assert.deepEqual(await labelled('update.csv', `${lines}99,No,Ant\n`, 'import', '--update', '--skip-bad'), ['Fox'])
  const labels = (await store.json('category', 'list')).map(({ label }: { label: string }) => label)
  assert.deepEqual(labels.sort(), ['Cat', 'Dog', 'Fox', 'Lynx', 'Owl', 'Wolf'])
})

test('sources are created, changed, listed and removed', async t => {
  const { store, first } = await makeFeeds(t)
  assert.match(await store.text('source', 'list'), /no sources yet/)
  const created = await store.json('source', 'create', 'riverside', '--missing', 'keep', '--every', '1d')
  assert.deepEqual([created.missing, created.pauseSeconds, created.lastRun], ['keep', 86_400, null])
  const changed = await store.json('source', 'set', 'Riverside', '--max-removals', '5%')
  assert.deepEqual([changed.name, changed.missing, changed.maxRemovals], ['riverside', 'keep', '5%'])
  const reset = await store.json(
    'source',
    'set',
    'riverside',
    '--default',
    'max-removals',
    'every',
    '--key',
    'AnimalID',
  )
  assert.deepEqual(
    [reset.missing, reset.maxRemovals, reset.pauseSeconds, reset.keyColumn],
    ['keep', null, null, 'AnimalID'],
  )
  const words = ['--value', 'status:Foster=pending', '--value', 'status:Gone=sold', '--new-categories']
  const told = await store.json('source', 'set', 'riverside', ...words)
  assert.deepEqual([told.meanings, told.newCategories], ['status:Foster=pending\nstatus:Gone=sold', true])
  const plain = await store.json('source', 'set', 'riverside', '--default', 'value', 'new-categories')
  assert.deepEqual([plain.meanings, plain.newCategories], [null, false])
  const { findings } = await store.json('doctor')
  assert.match(
    findings.find(({ check }: { check: string }) => check === 'sources').message,
    /^No file of a source is late/,
  )
  await store.text('pet', 'sync', first, '--source', 'RIVERSIDE')
  assert.match(await store.text('source', 'list'), /^NAME .*\nriverside {2}keep .* synced /)
  const token = await store.json('token', 'create', 'Software', '--source', 'riverside')
  assert.deepEqual([token.role, token.source], ['feed', 'riverside'])
  assert.match(await store.text('source', 'remove', 'riverside'), /its animals stay/)
  assert.equal((await store.json('pet', 'list')).length, 3)
  for (const [command, message, code] of [
    ['source show riverside', /There is no source "riverside"/, 1],
    ['source set riverside --every 1d --default every', /Use either --every or --default every/, 2],
    [
      'source set riverside --default missing',
      /Allowed choices are key, max-removals, every, value, new-categories/,
      2,
    ],
    ['source set riverside', /^error: Nothing to change: add --key, /, 2],
    ['source set riverside --value status:Foster=ill', /"ill" is not a status/, 2],
    ['source create a/b', /^error: The name of a source must be 1 to 64 letters, /, 2],
    ['source create -- -a', /, with a letter or digit first\.$/, 2],
    ['source create x --max-removals 101%', /must be a number of animals/, 2],
    ['token create x --source none', /There is no source "none"/, 1],
    ['token create x --source none --role staff', /cannot be used with/, 2],
  ] as const) {
    assertUserError(await store.run(...command.split(' ')), message, code)
  }
})

test('a process that is killed while it syncs has synced all of it or nothing, and never doubles an animal', async t =>
  assertWholeDespiteKills(await makeStore(t), 6 * ROUNDS))
