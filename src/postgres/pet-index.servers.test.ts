import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../test/support/eventually.ts'
import { makePostgresPlace } from '../../test/support/servers/postgres-stores.ts'
import { PET_STATUSES, type Pet, type PetStatus } from '../domain/pet.ts'
import { create, entry, newPet, untilSettled } from '../domain/store-contract/fixtures.contract.ts'
import { hasRightIndex } from './inspect.ts'
import { openPostgresTransfer } from './pet-transfer.ts'
import type { PostgresStore } from './store.ts'

test('counts and index are exact while several instances create, correct, delete, import, count and index at once', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const stores = await Promise.all(Array.from({ length: 3 }, () => place.open({ instances: 'many' })))
  let isOver = false
  const indexing = stores.map(async store => {
    while (!isOver) await store.indexPets({ minAnimals: 1, maxMs: 0 })
  })
  const shops = () => Promise.all(stores.map((store, number) => keepShop(store, number)))
  await Promise.all([shops(), importSome(place.url)])
  // By now, animals have been settled, counted and indexed.
  await eventually(async () => assert.deepEqual(await place.run('SELECT FROM pet_progress WHERE indexed_to = 0'), []))
  await shops()
  isOver = true
  await Promise.all(indexing)
  assert.equal(await hasRightIndex(place.url), true)

  const [store] = stores as [PostgresStore]
  const { pets } = await store.searchPets({ limit: 1_000 })
  for (const name of ['rex', 'max', 'imported']) {
    const named = pets.filter(pet => pet.name.toLowerCase().includes(name))
    assert.deepEqual((await store.searchPets({ name, limit: 1_000 })).pets, named)
    assert.ok(named.length > 10, `${named.length} are called ${name}`)
  }
  const count = (wanted: PetStatus) => pets.filter(({ status }) => status === wanted).length
  const counts = { available: count('available'), pending: count('pending'), sold: count('sold') }
  assert.deepEqual(await store.countPets({}), counts)
})

test('a change that waits while animals are counted and indexed is noted', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open()
  const { id } = await create(store, newPet())
  const commit = await place.hold(`SELECT try_turn();
    INSERT INTO pet_count (category_id, status, animals) VALUES (7, 'available', 1);
    INSERT INTO pet_total (status, animals) VALUES ('available', 1);
    INSERT INTO pet_search (id, search_name) VALUES (${id}, 'REX');
    UPDATE pet_progress SET counted_to = ${id}, indexed_to = ${id}`)
  const changed = place.run(`UPDATE pet SET name = 'Max', status = 'sold' WHERE id = ${id}`)
  await eventually(async () => assert.equal((await place.waiting()).length, 1))
  await commit()
  await changed
  assert.equal(await hasRightIndex(place.url), true)
  assert.deepEqual(await store.countPets({}), { available: 0, pending: 0, sold: 1 })
  assert.equal((await place.run('SELECT id FROM pet_renamed')).length, 1)
})

test('at most 10,000 categories have saved counts, and all counts stay exact', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open({ instances: 'many' })
  const add = (animals: number, category: string) =>
    place.run(`INSERT INTO pet (id, name, category_id, status)
      SELECT nextval('pet_id'), 'Rex', ${category}, 'sold' FROM begin_creation(), generate_series(1, ${animals}) AS number`)
  await store.labelCategory(12_000n, 'Rare', entry('category.label'))
  for (const [animals, category] of [
    [2_000, 'number % 100'],
    [12_000, 'number'],
    [500, '77777'],
  ] as const) {
    await add(animals, category)
    await untilSettled(store)
    await store.indexPets({ minAnimals: 1, maxMs: 60_000 })
    assert.equal(await hasRightIndex(place.url), true)
  }
  const counted = await place.run(
    'SELECT category_id::int AS id, sum(animals)::int AS animals FROM pet_count GROUP BY 1',
  )
  const animals = new Map(counted.map(row => [row.id, row.animals]))
  assert.deepEqual([animals.size, animals.get(12_000), animals.get(99), animals.get(77_777)], [10_000, 1, 21, 500])
  assert.deepEqual(await store.countPets({}), { available: 0, pending: 0, sold: 14_500 })
  assert.equal((await store.countPets({ categoryId: 11_999n })).sold, 1)
  assert.equal((await store.listCategories({ limit: 99_999 })).length, 12_002)
})

/** Of every three animals, one stays, one is corrected twice and one is deleted. */
async function keepShop(store: PostgresStore, number: number): Promise<void> {
  for (let count = 0; count < 20; count += 1) {
    const status = PET_STATUSES[count % 3] as PetStatus
    const [, second, third] = [
      await create(store, newPet({ name: `Rex ${number}`, status })),
      await create(store, newPet({ categoryId: BigInt(count), status })),
      await create(store, newPet({ name: 'Late' })),
    ] as [Pet, Pet, Pet]
    const renamed = { ...second, name: `Max ${count}` }
    await store.correctPet(second, renamed, entry('pet.correct'))
    await store.correctPet(renamed, { ...renamed, categoryId: 9n, status: 'sold' }, entry('pet.correct'))
    await store.deletePet(third, entry('pet.delete'))
  }
}

async function importSome(url: string): Promise<void> {
  const transfer = await openPostgresTransfer(url, 'production')
  for (let count = 0; count < 5; count += 1) {
    const staged = await transfer.beginImport()
    const lines = Array.from({ length: 20 }, (_, index) => ({
      line: index,
      id: undefined,
      ...newPet({ name: 'Imported' }),
    }))
    await staged.stage(lines)
    await staged.commit(entry('pet.import'), { skipRefused: false })
  }
}
