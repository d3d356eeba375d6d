import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { addPet, correctPet } from '../../src/domain/administration/pets.ts'
import { assertUserError, environment, makeStore, PROGRAM, petstore, type TestStore } from '../support/command-line.ts'
import { ROUNDS } from '../support/duration-factor.ts'

test('an import is undone, except for animals that have changed since, and undoing it can be undone', async t => {
  const store = await makeStore(t)
  await importAnimals(store, 3)
  await store.text('pet', 'correct', '2', '--status', 'sold')
  const [dryRun = '', count, undone = '', left, json = '', again] = await store.textEach([
    ['pet', 'undo', '1', '--dry-run'],
    ['pet', 'count'],
    ['pet', 'undo', '1'],
    ['pet', 'list'],
    ['pet', 'undo', '3', '--json'],
    ['pet', 'list'],
  ])
  const kept =
    /\n\nNot undone for 1 animal, because of later changes:\nANIMAL +ENTRY +TIME +WHO +ACTION\n2 +2 +\S+Z +\S.* +pet\.correct\n(?!and )/
  assert.match(dryRun, /^Would be undone for 2 animals\.\n/)
  assert.match(dryRun, kept)
  assert.match(count ?? '', /Total +3\n/)
  assert.match(undone, /^Undone for 2 animals\.\n/)
  assert.match(undone, /\nUndo it with: petstore pet undo 3\n$/)
  assert.match(undone, kept)
  assert.match(left ?? '', /^ID .*\n2 .*sold .*\n$/)
  assert.deepEqual(JSON.parse(json), { entryId: 4, undone: 2, kept: 0, changedSince: [], labels: [] })
  assert.match(again ?? '', /^ID .*\n1 .*\n2 .*\n3 .*\n$/)
})

test('undoing an import reports what becomes of the labels that it gave to new categories', async t => {
  const store = await makeStore(t)
  const file = join(store.folder, 'animals.csv')
  await writeFile(file, 'name,category\nRex,Dogs\nTom,Cats\nMia,Cats\n')
  // Creates the store.
  await store.act(async () => {})
  await store.text('pet', 'import', file, '--new-categories')
  await store.text('pet', 'add', 'Bella', '--category', '2')
  const texts = await store.textEach([
    ['pet', 'undo', '1', '--dry-run'],
    ['category', 'list'],
    ['pet', 'undo', '1'],
    ['category', 'list'],
    ['pet', 'undo', '5'],
  ])
  const labels = `No longer labelled: category 1 (Dogs).\nStill labelled, because animals have the category: category 2 (Cats).\n`
  assert.equal(texts[0], `Would be undone for 3 animals.\n${labels}`)
  assert.match(texts[1] ?? '', /Dogs[\s\S]*Cats/)
  assert.equal(texts[2], `Undone for 3 animals.\n${labels}Undo it with: petstore pet undo 5\n`)
  assert.doesNotMatch(texts[3] ?? '', /Dogs/)
  assert.equal(
    texts[4],
    'Undone for 3 animals.\nLabelled again: category 1 (Dogs).\nUndo it with: petstore pet undo 7\n',
  )
})

test('an animal returns to an earlier state, also after its deletion', async t => {
  const store = await makeStore(t)
  await store.act(async context => {
    const {
      categoryLabel: _,
      origin: __,
      ...rex
    } = await addPet(context, { name: 'Rex', categoryId: 1n, status: 'available' })
    await correctPet(context, rex, { name: 'Max' })
  })
  const [before, after, , deleted = ''] = await store.textEach([
    ['pet', 'restore', '1', '--before', '2'],
    ['pet', 'restore', '1', '--after', '2'],
    ['pet', 'delete', '1', '--yes'],
    ['pet', 'restore', '1', '--after', '1', '--json'],
  ])
  assert.equal(before, 'Animal 1 "Rex" is as it was.\nUndo it with: petstore pet undo 3\n')
  assert.equal(after, 'Animal 1 "Max" is as it was.\nUndo it with: petstore pet undo 4\n')
  assert.deepEqual(JSON.parse(deleted), {
    id: 1,
    name: 'Rex',
    categoryId: 1,
    status: 'available',
    categoryLabel: null,
    origin: null,
    entryId: 6,
  })
  const actions = (await store.json('pet', 'history', '1')).map(({ action }: { action: string }) => action)
  assert.deepEqual(actions, ['pet.restore', 'pet.delete', 'pet.restore', 'pet.restore', 'pet.correct', 'pet.create'])
})

test('deleted animals are listed, and the list says how one is brought back', async t => {
  const store = await makeStore(t)
  await importAnimals(store, 3)
  const [none, , , list = '', page = '', json = '', named, restored, left, live] = await store.textEach([
    ['pet', 'list', '--deleted'],
    ['pet', 'delete', '1', '--yes'],
    ['pet', 'delete', '3', '--yes'],
    ['pet', 'list', '--deleted'],
    ['pet', 'list', '--deleted', '--sort', 'newest', '--limit', '1'],
    ['pet', 'list', '--deleted', '--after', '1', '--json'],
    ['pet', 'list', '--deleted', '--name', 'no such name'],
    ['pet', 'restore', '3', '--before', '3'],
    ['pet', 'list', '--deleted', '--json'],
    ['pet', 'list', '--json'],
  ])
  assert.equal(none, 'No deleted animal matches.\n')
  assert.match(list, /^ID +CATEGORY +STATUS +NAME +DELETED +WHO +ENTRY\n1 .*Z {2}\S.* 2 *\n3 .*Z {2}\S.* 3 *\n\n/)
  assert.match(list, /\nBring one back with: petstore pet restore 1 --before 2\n$/)
  assert.match(
    page,
    /\n3 .*\n\nThere are more: add --before 3 to see older ones\.\nBring one back with: .* 3 --before 3\n$/,
  )
  const [third, ...others] = JSON.parse(json)
  assert.deepEqual([third.id, third.status, third.categoryLabel, third.origin], [3, 'available', null, null])
  assert.deepEqual([third.entryId, typeof third.deletedBy, others], [3, 'string', []])
  assert.ok(Date.now() - Date.parse(third.deletedAt) < 600_000, third.deletedAt)
  assert.equal(named, none)
  assert.match(restored ?? '', /^Animal 3 .* is as it was\./)
  const idsOf = (text = '') => JSON.parse(text).map(({ id }: { id: number }) => id)
  assert.deepEqual([idsOf(left), idsOf(live)], [[1], [2, 3]])
})

test('what cannot be undone or restored is reported, and nothing is changed', async t => {
  const store = await makeStore(t)
  await importAnimals(store, 1)
  await store.text('category', 'label', '1', 'Dogs')
  const cases: readonly (readonly [code: number, args: readonly string[], message: RegExp])[] = [
    [1, ['pet', 'undo', '2'], /Entry 2 cannot be undone: it did not change animals\./],
    [1, ['pet', 'undo', '9', '--dry-run'], /no entry with id "9"/],
    [1, ['pet', 'undo', 'x'], /no entry with id "x"/],
    [1, ['pet', 'restore', '1', '--before', '2'], /Entry 2 did not change animal 1\./],
    [1, ['pet', 'restore', '1', '--before', '1'], /it did not exist/],
    [1, ['pet', 'restore', '1', '--after', '1'], /Choose the state before its next change/],
    [1, ['pet', 'restore', '8', '--after', '1'], /Entry 1 did not change animal 8\./],
    [2, ['pet', 'restore', '1'], /Add --before or --after/],
    [2, ['pet', 'restore', '1', '--before', '1', '--after', '1'], /cannot be used with/],
  ]
  const endings = await store.runEach(cases.map(([, args]) => args))
  for (const [index, [code, , message]] of cases.entries()) assertUserError(endings[index], message, code)
  assert.equal((await store.json('audit')).length, 2)
})

test('a process that is killed while it undoes an import has undone all of it or nothing', async t => {
  const animals = 60_000
  const store = await makeStore(t)
  await importAnimals(store, animals)
  const started = performance.now()
  await store.text('pet', 'undo', '1')
  const duration = performance.now() - started
  const outcomes = new Set<string>()
  for (let round = 0, undone = true; round < 8 * ROUNDS; round += 1) {
    const entry = (await store.json('audit', '--limit', '1'))[0].id
    const child = spawn(process.execPath, [PROGRAM, 'pet', 'undo', String(entry)], { env: environment(store.env) })
    const ended = once(child, 'close')
    await sleep(duration * Math.min(0.3 + 0.1 * round, 1))
    child.kill('SIGKILL')
    await ended
    const isDone = (await store.json('audit', '--limit', '1'))[0].id !== entry
    if (isDone) undone = !undone
    outcomes.add(isDone ? 'done' : 'nothing')
    assert.equal((await store.json('pet', 'count')).total, undone ? 0 : animals)
  }
  assert.ok(outcomes.has('nothing'), 'killed too late')
})

test('the commands in messages name the program as it was called: another name may lead to another store', async t => {
  const store = await makeStore(t)
  await importAnimals(store, 1)
  const run = (...args: string[]) => petstore(args, { ...store.env, PETSTORE_COMMAND: 'petstore-staging' })
  assert.match(
    (await run('pet', 'add', 'Rex', '--category', '1')).stdout,
    /^Undo it with: petstore-staging pet undo 2$/m,
  )
  assert.match((await run('pet', 'delete', '1')).stdout, /^Undo it with: petstore-staging pet undo 3$/m)
  assert.match((await run('pet', 'list', '--deleted')).stdout, /: petstore-staging pet restore 1 --before 3$/m)
  assert.match((await run('token', 'create', 'Anna')).stderr, /see "petstore-staging token create --help"/)
})

async function importAnimals(store: TestStore, count: number): Promise<void> {
  const file = join(store.folder, 'pets.ndjson')
  const lines = Array.from({ length: count }, (_, place) => `{"name":"Animal ${place}","categoryId":${place % 7}}\n`)
  await writeFile(file, lines.join(''))
  // Creates the store.
  await store.act(async () => {})
  await store.text('pet', 'import', file)
}
