import assert from 'node:assert/strict'
import { INT64_MAX, INT64_MIN } from '../int64.ts'
import { PET_STATUSES, type Pet, type PetStatus } from '../pet.ts'
import { type PetFilter, PREVIEW_SAMPLE_SIZE } from '../pet-selection.ts'
import { PET_ORDERS, type PetCounts, type PetSearch } from '../store/animals.ts'
import { byId, create, createAll, entry, mixed, newPet, type Rule } from './fixtures.contract.ts'

/** The animals, as operators search for them. */
export function searchContract(rule: Rule): void {
  rule('a search that is waiting for its turn does not start after its caller has left', async store => {
    await createAll(store, mixed(2_000))
    const everything = search({ name: 'nobody' })
    const left = new AbortController()
    const reason = new Error('The client has left.')
    const searches = Array.from({ length: 12 }, () => store.searchPets(everything, left.signal))
    left.abort(reason)
    const outcomes = await Promise.allSettled(searches)
    const refused = outcomes.filter(outcome => outcome.status === 'rejected')
    for (const outcome of refused) assert.equal(outcome.reason, reason)
    assert.ok(refused.length >= 8, `${refused.length} were not begun`)
    await assert.rejects(store.searchPets(everything, left.signal), reason)
    assert.deepEqual((await store.searchPets(everything)).pets, [])
  })

  rule('a search finds the animals that match all of its conditions, page by page', async store => {
    const wishes = Array.from({ length: 24 }, (_, index) =>
      newPet({
        name: index % 4 === 0 ? `Rex ${index}` : `Mia ${index}`,
        categoryId: BigInt(index % 3),
        status: PET_STATUSES[index % 2] ?? 'sold',
      }),
    )
    const all = (await createAll(store, wishes)).toSorted(byId)
    const idLists = [undefined, [1n], [99n], [9n, 1n, 99n, 2n, 9n, -1n]]
    const pages = [
      { limit: 100 },
      { afterId: 0n, limit: 1 },
      { afterId: 8n, limit: 3 },
      { afterId: 24n, limit: 5 },
      { beforeId: 9n, limit: 3 },
      { afterId: 3n, beforeId: 20n, limit: 100 },
    ]
    const conditions = [undefined, 'rex', 'nobody'].flatMap(name =>
      [undefined, ['available'], ['pending', 'available'], ['sold'], [...PET_STATUSES]].flatMap(statuses =>
        [undefined, 1n].flatMap(categoryId => idLists.map(ids => ({ name, statuses, categoryId, ids }) as PetFilter)),
      ),
    )
    for (const filter of conditions) {
      for (const order of [undefined, ...PET_ORDERS]) {
        for (const { limit, ...bounds } of pages) {
          const query = { ...filter, ...bounds, order, limit }
          const matches = all.filter(pet => isSelected(pet, query))
          if (order === 'newest') matches.reverse()
          const found = await store.searchPets(query)
          const expected = { pets: matches.slice(0, limit), hasMore: matches.length > limit }
          assert.deepEqual(found, expected, describe(query))
        }
      }
      const selected = all.filter(pet => isSelected(pet, filter))
      assert.deepEqual(await store.countPets(filter), countsOf(selected), describe(filter))
      const { sample, count, missingIds } = await store.previewPets(filter)
      const expectedPreview = { sample: selected.slice(0, PREVIEW_SAMPLE_SIZE), count: selected.length }
      assert.deepEqual({ sample, count }, expectedPreview, describe(filter))
      const missing = [...new Set(filter.ids)].filter(id => !selected.some(pet => pet.id === id))
      assert.deepEqual(missingIds, missing, describe(filter))
    }
  })

  rule('a name is found by any part of it, in any case and normal form', async store => {
    const names = [
      'Zoë',
      'zoe\u0308',
      'Straße',
      'ΟΔΥΣΣΕΥΣ',
      'Ångström',
      'Rex Ⅱ',
      '動物園',
      '5 ㎏',
      '\u0390',
      '🐕‍🦺',
      ' Rex ',
    ]
    const all = await createAll(
      store,
      names.map(name => newPet({ name })),
    )
    const found: Record<string, string[]> = {
      ZOË: ['Zoë', 'zoe\u0308'],
      'ZOE\u0308': ['Zoë', 'zoe\u0308'],
      oë: ['Zoë', 'zoe\u0308'],
      STRASSE: ['Straße'],
      straße: ['Straße'],
      οδυς: ['ΟΔΥΣΣΕΥΣ'],
      οδυσσευς: ['ΟΔΥΣΣΕΥΣ'],
      '\u212bNGSTR': ['Ångström'],
      'rex ii': ['Rex Ⅱ'],
      物: ['動物園'],
      '5 KG': ['5 ㎏'],
      '\u03aa\u0301': ['\u0390'],
      '🐕': ['🐕‍🦺'],
      'x ': ['Rex Ⅱ', ' Rex '],
      '': names,
    }
    for (const [name, expected] of Object.entries(found)) {
      const { pets } = await store.searchPets(search({ name }))
      const sorted = all.filter(pet => expected.includes(pet.name)).toSorted(byId)
      assert.deepEqual(pets, sorted, name)
    }
  })

  rule('no character has a special meaning in a search', async store => {
    const names = [
      '100%',
      '100 %',
      'a_b',
      'axb',
      "O'Hara",
      'say "hi"',
      '\\',
      '[ab]*?',
      'a; DROP TABLE pet --',
      '\ufffd',
    ]
    const all = await createAll(
      store,
      names.map(name => newPet({ name })),
    )
    for (const name of ['%', '_', "'", '"', '\\', '*', '?', '[', ';', '--', "O'H", '0%', '\ufffd']) {
      const { pets } = await store.searchPets(search({ name }))
      assert.deepEqual(pets, all.filter(pet => pet.name.includes(name)).toSorted(byId), name)
      assert.ok(pets.length > 0 && pets.length < all.length, name)
    }
  })

  rule('a search finds every int64', async store => {
    const extremes = [INT64_MAX, INT64_MIN, 0n, 2n ** 53n, 2n ** 53n + 1n, -(2n ** 53n) - 1n]
    const all = await createAll(
      store,
      extremes.map(categoryId => newPet({ categoryId })),
    )
    for (const pet of all) {
      assert.deepEqual((await store.searchPets(search({ categoryId: pet.categoryId }))).pets, [pet])
    }
    for (const id of [INT64_MAX, INT64_MIN, 0n]) {
      assert.deepEqual((await store.searchPets(search({ ids: [id] }))).pets, [], String(id))
    }
    assert.deepEqual(await store.searchPets(search({ afterId: INT64_MAX })), { pets: [], hasMore: false })
    assert.equal((await store.searchPets(search({ afterId: INT64_MIN }))).pets.length, extremes.length)
    const newestFirst = await store.searchPets(search({ order: 'newest', beforeId: INT64_MAX }))
    assert.deepEqual(newestFirst.pets, all.toSorted(byId).toReversed())
    assert.deepEqual((await store.searchPets(search({ beforeId: INT64_MIN }))).pets, [])
    const given = all.map(({ id }) => id)
    const ids = [...given, INT64_MAX, INT64_MIN, 2n ** 53n + 1n]
    assert.deepEqual((await store.searchPets(search({ ids }))).pets, all.toSorted(byId))
    assert.deepEqual((await store.previewPets({ ids })).missingIds, ids.slice(given.length))
  })

  rule('a search sees animals that were created, corrected or deleted just before', async store => {
    const found = async () => (await store.searchPets(search({ name: 'rex' }))).pets
    const pet: Pet = await create(store, newPet())
    assert.deepEqual(await found(), [pet])
    const corrected = { ...pet, name: 'Max' }
    await store.correctPet(pet, corrected, entry('pet.correct'))
    assert.deepEqual(await found(), [])
    await store.correctPet(corrected, pet, entry('pet.correct'))
    assert.deepEqual(await found(), [pet])
    await store.deletePet(pet, entry('pet.delete'))
    assert.deepEqual(await found(), [])
  })
}

function search(query: Partial<PetSearch>): PetSearch {
  return { limit: 100, ...query }
}

/** The rule, implemented without a database. */
function isSelected(pet: Pet, { name, statuses, categoryId, ids, afterId, beforeId }: PetFilter): boolean {
  return [
    name === undefined || pet.name.toLowerCase().includes(name),
    statuses === undefined || statuses.includes(pet.status),
    categoryId === undefined || pet.categoryId === categoryId,
    ids === undefined || ids.includes(pet.id),
    afterId === undefined || pet.id > afterId,
    beforeId === undefined || pet.id < beforeId,
  ].every(Boolean)
}

function countsOf(pets: readonly Pet[]): PetCounts {
  const number = (wanted: PetStatus) => pets.filter(({ status }) => status === wanted).length
  return { available: number('available'), pending: number('pending'), sold: number('sold') }
}

function describe(query: PetFilter): string {
  return Object.entries(query)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')
}
