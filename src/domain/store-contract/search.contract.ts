import assert from 'node:assert/strict'
import { INT64_MAX, INT64_MIN } from '../int64.ts'
import { PET_STATUSES, type Pet } from '../pet.ts'
import type { PetSearch } from '../store/animals.ts'
import { byId, create, createAll, entry, firstPage, mixed, newPet, type Rule } from './fixtures.contract.ts'

/** The animals, as operators search for them. */
export function searchContract(rule: Rule): void {
  rule('a search that is waiting for its turn does not start after its caller has left', async store => {
    await createAll(store, mixed(2_000))
    const everything = { ...firstPage, name: 'nobody', categoryId: undefined, id: undefined }
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
    for (const name of [undefined, 'rex', 'nobody']) {
      for (const status of [undefined, ...PET_STATUSES]) {
        for (const categoryId of [undefined, 1n]) {
          for (const id of [undefined, 1n, 9n, 99n]) {
            const matches = all.filter(
              pet =>
                (name === undefined || pet.name.toLowerCase().includes(name)) &&
                (status === undefined || pet.status === status) &&
                (categoryId === undefined || pet.categoryId === categoryId) &&
                (id === undefined || pet.id === id),
            )
            for (const [afterId, limit] of [
              [0n, 100],
              [0n, 1],
              [8n, 3],
              [24n, 5],
            ] as const) {
              const rest = matches.filter(pet => pet.id > afterId)
              const query = { name, status, categoryId, id, afterId, limit }
              const found = await store.searchPets(query)
              assert.deepEqual(found, { pets: rest.slice(0, limit), hasMore: rest.length > limit }, describe(query))
            }
          }
        }
      }
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
      assert.deepEqual((await store.searchPets(search({ id }))).pets, [], String(id))
    }
    assert.deepEqual(await store.searchPets(search({ afterId: INT64_MAX })), { pets: [], hasMore: false })
    assert.equal((await store.searchPets(search({ afterId: INT64_MIN }))).pets.length, extremes.length)
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
  return { name: undefined, status: undefined, categoryId: undefined, id: undefined, afterId: 0n, limit: 100, ...query }
}

function describe(query: PetSearch): string {
  return Object.entries(query)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')
}
