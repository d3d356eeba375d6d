import assert from 'node:assert/strict'
import { PET_STATUSES, type Pet, type PetStatus } from '../pet.ts'
import { versionOf } from '../pet-selection.ts'
import { PET_ORDERS, type PetOrder } from '../store/animals.ts'
import type { Store } from '../store.ts'
import { byId, createAll, entry, newPet, nowAndAfterwards, type Rule, untilSettled } from './fixtures.contract.ts'

/** Enough for several parts of the index, and for searches that do not read all animals one by one. */
const ANIMALS = 1_300
const NAMES = ['Rex', 'Émile', 'Straße', 'a"b OR c*', '動物園の犬', '🐕‍🦺 dog']
const COLOURS = ['red', 'green', 'blue']
/** See `MAX_COUNTED_CATEGORIES`. */
const COUNTED_CATEGORIES = 10_000
/** A name that only this animal has. */
const RARE = { place: 1_200, name: 'Zoë Quinn' }

/** Totals and searches, whatever part of the animals is counted and indexed. */
export function petIndexContract(rule: Rule): void {
  rule('totals and searches are the same whatever is counted and indexed', async (store, reopen) => {
    const animals = new Animals(await createAll(store, wishes(ANIMALS)))
    await animals.check(store)
    for (let part = 1; part <= 3; part += 1) {
      await indexPart(store)
      await animals.check(store)
    }
    await indexAll(store)
    for await (const current of nowAndAfterwards(store, reopen)) await animals.check(current)
  })

  rule(
    'animals that change after they were counted and indexed are counted and found with their new values',
    async store => {
      const animals = new Animals(await createAll(store, wishes(ANIMALS)))
      await indexPart(store)
      for (const round of [1, 2]) {
        await animals.change(store, round)
        await animals.check(store)
        await animals.change(store, round + 10)
        await animals.check(store)
        await indexPart(store)
        await animals.check(store)
      }
      await indexAll(store)
      await animals.check(store)
      await animals.change(store, 20)
      await animals.check(store)
    },
  )

  rule('a category without animals or a label is not listed, also after it was counted', async store => {
    const pets = await createAll(store, [newPet({ categoryId: 3n }), newPet({ categoryId: 4n })])
    await indexAll(store)
    for (const pet of pets) await store.deletePet(pet, entry('pet.delete'))
    assert.deepEqual(await store.listCategories({ limit: 10 }), [])
    await indexAll(store)
    assert.deepEqual(await store.listCategories({ limit: 10 }), [])
    assert.deepEqual(await store.countPets({}), { available: 0, pending: 0, sold: 0 })
  })

  rule('animals are counted exactly in more categories than have saved counts', async store => {
    const animals = new Animals(await createAll(store, inCategories(COUNTED_CATEGORIES + 200)))
    await store.labelCategory(BigInt(COUNTED_CATEGORIES + 100), 'Late', entry('category.label'))
    await indexAll(store)
    await animals.checkCounts(store)
    for (const round of [1, 2]) {
      await animals.change(store, round, 997)
      await animals.checkCounts(store)
      animals.add(await createAll(store, inCategories(300, COUNTED_CATEGORIES + 100 * round)))
      const grown = newPet({ categoryId: BigInt(COUNTED_CATEGORIES + 151) })
      animals.add(await createAll(store, [grown, grown, grown]))
      await animals.checkCounts(store)
      await indexAll(store)
      await animals.checkCounts(store)
      await animals.change(store, round + 10, 997)
      await animals.checkCounts(store)
    }
    await indexAll(store)
    await animals.checkCounts(store)
  })

  rule('any part of an indexed name is found, and nothing else', async store => {
    const names = [
      'x'.repeat(255),
      'AND "OR" NOT',
      '^rex*',
      'NEAR(a b)',
      "O'Hara",
      '\u0390\u0390\u0390',
      'ßßß',
      '🐕🐕🐕',
    ]
    const others = wishes(ANIMALS - names.length)
    const all = await createAll(store, [...others, ...names.map(name => newPet({ name }))])
    await indexAll(store)
    for (const [index, name] of names.entries()) {
      const { pets } = await store.searchPets({ name, limit: 2 })
      assert.deepEqual(pets, [all[others.length + index]], name)
    }
    for (const name of ['rex\u0000', 'a\u0000b', '\u001f\u001f\u001f', '"""', 'y'.repeat(300)]) {
      assert.deepEqual(await store.searchPets({ name, limit: 2 }), { pets: [], hasMore: false }, name)
    }
  })
}

/** One animal in each of these categories, and two in every tenth. */
function inCategories(count: number, first = 0) {
  const ids = Array.from({ length: count }, (_, index) => first + index)
  return ids.flatMap(id =>
    Array.from({ length: id % 10 === 0 ? 2 : 1 }, () =>
      newPet({ categoryId: BigInt(id), status: PET_STATUSES[id % 3] as PetStatus }),
    ),
  )
}

function wishes(count: number) {
  return Array.from({ length: count }, (_, place) =>
    newPet({
      name: place === RARE.place ? RARE.name : `${NAMES[place % 6]} ${COLOURS[Math.floor(place / 6) % 3]}`,
      categoryId: BigInt(place % 5),
      status: PET_STATUSES[place % 3] as PetStatus,
    }),
  )
}

/** Counts 10,000 animals and indexes 500. */
async function indexPart(store: Store): Promise<void> {
  await untilSettled(store)
  await store.indexPets({ minAnimals: 1, maxMs: 0 })
}

async function indexAll(store: Store): Promise<void> {
  await untilSettled(store)
  await store.indexPets({ minAnimals: 1, maxMs: 60_000 })
}

/** The expected contents of the store. */
class Animals {
  #pets: Pet[]

  constructor(pets: readonly Pet[]) {
    this.#pets = pets.toSorted(byId)
  }

  add(pets: readonly Pet[]): void {
    this.#pets.push(...pets)
  }

  /** Corrects, deletes and creates animals, one by one (one of `every`) and in bulk. */
  async change(store: Store, round: number, every = 97): Promise<void> {
    const chosen = this.#pets.filter((_, place) => place % every === round)
    for (const [index, pet] of chosen.entries()) {
      if (index % 3 === 0) {
        await store.deletePet(pet, entry('pet.delete'))
        this.#pets = this.#pets.filter(({ id }) => id !== pet.id)
      } else {
        const change = index % 3 === 1 ? { name: `Zoë ${round}` } : { categoryId: 77n, status: 'sold' as const }
        await store.correctPet(pet, { ...pet, ...change }, entry('pet.correct'))
        this.#replace(pet.id, { ...pet, ...change })
      }
    }
    const ids = this.#pets.filter((_, place) => place % 53 === round).map(({ id }) => id)
    const change = { name: `Many ${round}`, status: 'pending' as const }
    const selected = this.#pets.filter(({ id }) => ids.includes(id))
    await store.correctPets({ ids }, change, versionOf(selected), entry('pet.correct-many'))
    for (const pet of selected) this.#replace(pet.id, { ...pet, ...change })
    this.#pets.push(...(await createAll(store, [newPet({ name: `Late ${round}`, categoryId: BigInt(round) })])))
  }

  async check(store: Store): Promise<void> {
    const names = [
      undefined,
      'rex',
      'emile',
      'strasse',
      'red',
      'quinn',
      'zoe',
      'many',
      'late 1',
      '動物園',
      'b or',
      'ex',
      'nobody',
    ]
    for (const name of names) {
      const matches = this.#pets.filter(pet => name === undefined || plain(pet.name).includes(name))
      for (const order of PET_ORDERS) await checkSearch(store, name, order, matches)
      assert.deepEqual(await store.countPets({ name }), countsOf(matches), `${name}`)
      const { count, version } = await store.previewPets({ name })
      assert.deepEqual([count, version], [matches.length, versionOf(matches)], `${name}`)
    }
    await this.checkCounts(store)
  }

  async checkCounts(store: Store): Promise<void> {
    assert.deepEqual(await store.countPets({}), countsOf(this.#pets))
    const byCategory = Map.groupBy(this.#pets, ({ categoryId }) => categoryId)
    const sold = (byCategory.get(77n) ?? []).filter(({ status }) => status === 'sold')
    assert.deepEqual(await store.countPets({ categoryId: 77n, statuses: ['sold'] }), countsOf(sold))
    const ids = [...byCategory.keys()].toSorted(ascending)
    for (const categoryId of [...ids.slice(0, 10), ...ids.slice(-10)]) {
      assert.deepEqual(await store.countPets({ categoryId }), countsOf(byCategory.get(categoryId) ?? []))
    }
    const categories = await store.listCategories({ limit: 100_000 })
    assert.deepEqual(
      categories.map(({ id, animals }) => [id, animals]),
      ids.map(id => [id, byCategory.get(id)?.length]),
    )
  }

  #replace(id: bigint, pet: Pet): void {
    this.#pets[this.#pets.findIndex(one => one.id === id)] = pet
  }
}

async function checkSearch(store: Store, name: string | undefined, order: PetOrder, found: Pet[]): Promise<void> {
  const matches = order === 'newest' ? found.toReversed() : found
  for (const limit of [1, 5]) {
    for (const bound of [undefined, matches.at(matches.length / 2)?.id]) {
      const after = matches.filter(({ id }) => bound === undefined || (order === 'newest' ? id < bound : id > bound))
      const query = { name, limit, order, [order === 'newest' ? 'beforeId' : 'afterId']: bound }
      const expected = { pets: after.slice(0, limit), hasMore: after.length > limit }
      assert.deepEqual(await store.searchPets(query), expected, `${name} ${order} ${limit} ${bound}`)
    }
  }
}

/** The names of these animals, in the form for searches. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll('é', 'e').replaceAll('ë', 'e').replaceAll('ß', 'ss')
}

function countsOf(pets: readonly Pet[]) {
  const number = (wanted: PetStatus) => pets.filter(({ status }) => status === wanted).length
  return { available: number('available'), pending: number('pending'), sold: number('sold') }
}

function ascending(one: bigint, other: bigint): number {
  return one < other ? -1 : 1
}
