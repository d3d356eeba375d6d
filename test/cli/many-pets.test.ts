import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { addPet } from '../../src/domain/administration/pets.ts'
import { assertUserError, makeStore } from '../support/command-line.ts'

test('all selected animals are corrected or deleted in one step, or shown with --dry-run', async t => {
  const store = await makeStore(t)
  await store.act(async context => {
    for (let id = 1; id <= 8; id++) {
      const status = id % 2 === 0 ? 'sold' : 'available'
      await addPet(context, { name: `Rex ${id}`, categoryId: BigInt(id % 3), status })
    }
  })
  const [dryRun, corrected, again, total, byIds, deleted, left] = await store.textEach([
    ['pet', 'correct-many', '--status', 'available', '--set-status', 'pending', '--dry-run'],
    ['pet', 'correct-many', '--status', 'available', '--set-status', 'pending', '--set-category', '-9'],
    ['pet', 'correct-many', '--category', '-9', '--after', '2', '--set-name', 'Max', '--json'],
    ['pet', 'count', '--json'],
    ['pet', 'correct-many', '--ids', '3,5,2', '--set-name', 'Max'],
    ['pet', 'delete-many', '--name', 'MAX', '--before', '7', '--yes'],
    ['pet', 'count'],
  ])
  assert.equal(dryRun, '4 animals would be changed (1 Rex 1, 3 Rex 3, 5 Rex 5, 7 Rex 7).\n')
  assert.match(corrected ?? '', /^4 animals changed\.\nUndo it with: petstore pet undo \d+\n$/)
  assert.deepEqual(Object.keys(JSON.parse(again ?? '')), ['changed', 'entryId'])
  assert.deepEqual(JSON.parse(total ?? ''), { total: 8, available: 0, pending: 4, sold: 4 })
  assert.match(byIds ?? '', /^1 animal changed; 2 others already had these values\.\n/)
  assert.match(deleted ?? '', /^3 animals deleted\.\nUndo it with: petstore pet undo \d+\n$/)
  assert.equal(left, 'Available  0\nPending    2\nSold       3\nTotal      5\n')
  const preview = await store.json('pet', 'delete-many', '--status', 'sold', '--dry-run')
  assert.deepEqual([preview.count, preview.sample[0].id, preview.missingIds], [3, 4, []])
})

test('a history shows who changed an animal, also after its deletion', async t => {
  const store = await makeStore(t)
  await store.act(context => addPet(context, { name: 'Rex', categoryId: 1n, status: 'available' }))
  await store.textEach([
    ['pet', 'correct', '1', '--status', 'sold'],
    ['pet', 'delete-many', '--ids', '1'],
  ])
  const [text = '', json = '', page = ''] = await store.textEach([
    ['pet', 'history', '1'],
    ['pet', 'history', '1', '--json'],
    ['pet', 'history', '1', '--limit', '1'],
  ])
  assert.match(text, /pet\.correct +status: available → sold\n/)
  assert.match(text, /pet\.create +name: Rex, categoryId: 1, status: available\n/)
  const animal = { name: 'Rex', categoryId: 1, status: 'available' }
  assert.deepEqual(
    JSON.parse(json).map(({ action, before, after }: Record<string, unknown>) => ({ action, before, after })),
    [
      { action: 'pet.delete-many', before: { ...animal, status: 'sold' }, after: null },
      { action: 'pet.correct', before: animal, after: { ...animal, status: 'sold' } },
      { action: 'pet.create', before: null, after: animal },
    ],
  )
  assert.match(page, /There are more: add --before 3 to see older ones\./)
})

test('the history of an imported animal begins with its import', async t => {
  const store = await makeStore(t)
  await store.act(context => addPet(context, { name: 'Rex', categoryId: 1n, status: 'available' }))
  const file = join(store.folder, 'pets.ndjson')
  await writeFile(file, '{"name":"Mia","categoryId":1}\n{"id":9,"name":"Max","categoryId":1}\n')
  await store.textEach([
    ['pet', 'import', file],
    ['pet', 'correct', '10', '--status', 'sold'],
  ])
  const histories = await store.jsonEach(['1', '9', '10'].map(id => ['pet', 'history', id]))
  assert.deepEqual(
    histories.map(events => events.map(({ action }: { action: string }) => action)),
    [['pet.create'], ['pet.import'], ['pet.correct', 'pet.import']],
  )
  const [imported] = histories[1]
  assert.deepEqual([imported.before, imported.after, imported.details.count], [null, null, 2])
})

test('labels of categories are set, shown with animals, listed and removed', async t => {
  const store = await makeStore(t)
  await store.act(context => addPet(context, { name: 'Rex', categoryId: 7n, status: 'available' }))
  const [labelled, listed, shown, list, json, unlabelled, none] = await store.textEach([
    ['category', 'label', '7', 'Große Hunde'],
    ['category', 'list', '--label', 'grosse'],
    ['pet', 'show', '1'],
    ['pet', 'list'],
    ['pet', 'show', '1', '--json'],
    ['category', 'unlabel', '7'],
    ['category', 'list'],
  ])
  assert.equal(labelled, 'Category 7 is labelled "Große Hunde".\n')
  assert.equal(listed, 'ID  LABEL        ANIMALS\n7   Große Hunde        1\n')
  assert.match(shown ?? '', /^Category {2}7 \(Große Hunde\)$/m)
  assert.match(list ?? '', /^1 +7 \(Große Hunde\) +available +Rex$/m)
  assert.equal(JSON.parse(json ?? '').categoryLabel, 'Große Hunde')
  assert.equal(unlabelled, 'Category 7 is no longer labelled "Große Hunde".\n')
  assert.equal(none, 'ID  LABEL  ANIMALS\n7   -            1\n')
})

test('a selection that cannot be changed is reported, and nothing is changed', async t => {
  const store = await makeStore(t)
  await store.act(context => addPet(context, { name: 'Rex', categoryId: 1n, status: 'available' }))
  const ids = (count: number) => Array.from({ length: count }, (_, index) => index + 1).join()
  const cases: readonly (readonly [code: number, args: readonly string[], message: RegExp])[] = [
    [1, ['pet', 'delete-many', '--ids', ids(1_000)], /There is no animal with id 2, 3, 4, 5, 6, 7, 8, 9, 10, 11\.$/],
    [2, ['pet', 'delete-many', '--ids', ids(1_001)], /at most 1000 ids/],
    [2, ['pet', 'delete-many'], /Nothing is selected/],
    [2, ['pet', 'delete-many', '--ids', '1', '--status', 'sold'], /by --ids or by conditions, not both/],
    [1, ['pet', 'delete-many', '--ids', '1,4,9'], /There is no animal with id 4, 9\./],
    [2, ['pet', 'delete-many', '--ids', '1,,2'], /whole number/],
    [2, ['pet', 'delete-many', '--status', 'sold,gone'], /one or more of available, pending, sold/],
    [2, ['pet', 'correct-many', '--ids', '1'], /Nothing to change: add --set-name/],
    [2, ['pet', 'correct-many', '--ids', '1', '--set-name', ' '], /name must be a string of/],
    [1, ['pet', 'history', '2'], /no animal with id "2"/],
    [1, ['category', 'unlabel', '5'], /Category 5 has no label/],
    [2, ['category', 'label', 'Dogs', 'Hounds'], /by its number, such as 3; "Dogs" is not one/],
    [1, ['category', 'unlabel', 'Dogs'], /by its number, such as 3; "Dogs" is not one/],
    [2, ['category', 'label', '1', '  '], /A label must have 1 to 100 visible characters/],
  ]
  const endings = await store.runEach(cases.map(([, args]) => args))
  for (const [index, [code, , message]] of cases.entries()) assertUserError(endings[index], message, code)
  const dryRun = await store.run('pet', 'delete-many', '--ids', '1,4', '--dry-run', '--json')
  assert.deepEqual(JSON.parse(dryRun.stdout).missingIds, [4])
  assertUserError({ ...dryRun, stdout: '' }, /There is no animal with id 4\.$/)
  assert.equal((await store.json('pet', 'list')).length, 1)
  assert.deepEqual(await store.json('pet', 'delete-many', '--name', 'nobody'), { deleted: 0, entryId: null })
})
