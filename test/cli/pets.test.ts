import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addPet } from '../../src/domain/administration/pets.ts'
import { assertUserError, makeStore, startServe } from '../support/command-line.ts'

const INT64_MAX = '9223372036854775807'
const INT64_MIN = '-9223372036854775808'

test('animals are added, shown, corrected and deleted', async t => {
  const store = await makeStore(t)
  await store.issueKey()
  const rex = { id: 1, name: 'Rex', categoryId: 1, status: 'available', categoryLabel: null, origin: null }
  assert.deepEqual(await store.json('pet', 'add', 'Rex', '--category', '1'), { ...rex, entryId: 3 })
  const added = await store.text('pet', 'add', ' Señor  金魚 ', '--category', '7', '--status', 'pending')
  assert.equal(added, 'Animal 2 is " Señor  金魚 ", category 7, pending.\nUndo it with: petstore pet undo 4\n')
  const [second, shown, ...corrections] = await store.textEach([
    ['pet', 'show', '2', '--json'],
    ['pet', 'show', '1'],
    ['pet', 'correct', '1', '--status', 'sold', '--json'],
    ['pet', 'correct', '1', '--name', 'Max', '--category', '2', '--json'],
    ['pet', 'show', '1', '--json'],
    ['pet', 'correct', '1', '--status', 'sold'],
  ])
  assert.equal(JSON.parse(second ?? '').name, ' Señor  金魚 ', 'a name is kept byte for byte')
  assert.equal(shown, 'Id        1\nName      Rex\nCategory  1\nStatus    available\n')
  const sold = { ...rex, status: 'sold' }
  const other = { ...sold, name: 'Max', categoryId: 2 }
  assert.deepEqual(
    corrections.slice(0, 3).map(text => JSON.parse(text)),
    [{ ...sold, entryId: 5 }, { ...other, entryId: 6 }, other],
  )
  assert.match(corrections[3] ?? '', /^Animal 1 is now "Max", .*\n$/, 'it was already sold: nothing was written')

  assert.deepEqual(await store.json('pet', 'delete', '1'), { ...other, entryId: 7 })
  const [deleted = '', none = '', unmatched = '', again = ''] = await store.textEach([
    ['pet', 'delete', '2'],
    ['pet', 'list'],
    ['pet', 'list', '--status', 'sold'],
    ['pet', 'add', 'Rex', '--category', '1', '--json'],
  ])
  assert.match(deleted, /^Animal 2 .* is deleted\.\nUndo it with: petstore pet undo 8\n$/)
  assert.equal(none, 'There are no animals yet; import some with petstore pet import.\n')
  assert.equal(unmatched, 'No animal matches.\n')
  assert.equal(JSON.parse(again).id, 3, 'no id is used again')
})

test('categories of 64 bits come back digit for digit', async t => {
  const store = await makeStore(t)
  await store.issueKey()
  for (const [index, category] of [INT64_MAX, INT64_MIN, '9007199254740993'].entries()) {
    const commandLines = [
      ['pet', 'add', 'Rex', '--category', category, '--json'],
      ['pet', 'show', String(index + 1), '--json'],
      ['pet', 'list', '--category', category, '--json'],
    ]
    for (const printed of await store.textEach(commandLines)) {
      assert.match(printed, new RegExp(`"categoryId": ${category},`))
    }
  }
  assert.match(await store.text('pet', 'correct', '3', '--category', INT64_MIN, '--json'), new RegExp(INT64_MIN))
})

test('animals are listed by name, status and category, a page at a time', async t => {
  const store = await makeStore(t)
  await store.act(async context => {
    for (let id = 1; id <= 25; id++) {
      const status = id % 2 === 0 ? 'sold' : 'available'
      await addPet(context, { name: id % 5 === 0 ? `ÖTZI ${id}` : `Rex ${id}`, categoryId: BigInt(id % 3), status })
    }
  })
  const listings = [
    { options: [], ids: Array.from({ length: 20 }, (_, index) => index + 1) },
    { options: ['--after', '20'], ids: [21, 22, 23, 24, 25] },
    { options: ['--name', 'ötzi'], ids: [5, 10, 15, 20, 25] },
    { options: ['--name', 'otzi', '--status', 'sold'], ids: [10, 20] },
    { options: ['--name', 'ötzi', '--status', 'sold,pending,available'], ids: [5, 10, 15, 20, 25] },
    { options: ['--sort', 'newest', '--limit', '3'], ids: [25, 24, 23] },
    { options: ['--sort', 'newest', '--status', 'sold', '--before', '6'], ids: [4, 2] },
    { options: ['--category', '0', '--limit', '2', '--after', '3'], ids: [6, 9] },
  ]
  const lists: { id: number }[][] = await store.jsonEach(listings.map(({ options }) => ['pet', 'list', ...options]))
  assert.deepEqual(
    lists.map(pets => pets.map(({ id }) => id)),
    listings.map(({ ids }) => ids),
  )

  const [first = '', newest = '', whole = ''] = await store.textEach([
    ['pet', 'list', '--limit', '2', '--name', 'x'],
    ['pet', 'list', '--limit', '2', '--sort', 'newest'],
    ['pet', 'list', '--limit', '25'],
  ])
  assert.match(
    first,
    /^ID {2}CATEGORY {2}STATUS {5}NAME\n1 {3}1 {9}available {2}Rex 1\n2 .*\n\nThere are more: .*--after 2 /,
  )
  assert.match(newest, /\n24 .*\n\nThere are more: .*--before 24 /)
  assert.match(whole, /\n25 .*\n$/)
  assert.doesNotMatch(whole, /There are more/)
})

test('an invalid animal is reported, by the names of the options', async t => {
  const store = await makeStore(t)
  await store.act(context => addPet(context, { name: 'Rex', categoryId: 1n, status: 'available' }))
  const cases: readonly (readonly [args: readonly string[], message: RegExp])[] = [
    [['add', ' ', '--category', '1'], /^error: name must be a string of 1 to 255 characters/],
    [['add', 'Rex', '--category', '1.5'], /'--category <n>' .* whole number from -9223372036854775808 to/],
    [['add', 'Rex', '--category', '1', '--status', 'Sold'], /'--status <status>' .* available, pending, sold/],
    [['add', 'a\tb', '--category', '1'], /^error: name must be a string of 1 to 255 characters/],
    [['add', 'Rex', '--category', '9223372036854775808'], /'--category <n>' .* whole number from/],
    [['add', 'Rex'], /--category .* see "petstore pet add --help"/],
    [['correct', '1'], /Nothing to change/],
    [['correct', '1', '--status', 'gone'], /'--status <status>' .* available, pending, sold/],
    [['correct', '1', '--name', ''], /name must be/],
    [['correct', '2', '--name', 'Max'], /no animal with id "2"/],
    [['show', 'Rex'], /no animal with id "Rex"/],
    [['delete', '2'], /no animal with id "2"/],
    [['list', '--limit', '1001'], /from 1 to 1,000/],
    [['list', '--limit', '0'], /from 1 to 1,000/],
    [['list', '--after', 'x'], /whole number/],
    [['list', '--status', 'gone'], /available, pending, sold/],
  ]
  const endings = await store.runEach(cases.map(([args]) => ['pet', ...args]))
  for (const [index, [, message]] of cases.entries()) {
    assertUserError(endings[index], message, message.source.startsWith('no animal') ? 1 : 2)
  }
  const [rex, ...others] = await store.json('pet', 'list')
  assert.deepEqual(
    [rex, others],
    [{ id: 1, name: 'Rex', categoryId: 1, status: 'available', categoryLabel: null, origin: null }, []],
  )
})

test('the running service shows changes to its animals from the next call on', async t => {
  const service = await startServe(t)
  const { store } = service
  const headers = { authorization: `Bearer ${await store.issueKey()}` }
  const names = async () => {
    const pets = (await (await fetch(`${service.url}/v1/pets`, { headers })).json()) as { name: string }[]
    return pets.map(({ name }) => name)
  }
  assert.deepEqual(await names(), [])
  await store.text('pet', 'add', 'Rex', '--category', '1')
  assert.deepEqual(await names(), ['Rex'])
  await store.text('pet', 'correct', '1', '--name', 'Max')
  assert.deepEqual(await names(), ['Max'])
  await store.text('pet', 'delete', '1')
  assert.deepEqual(await names(), [])
})
