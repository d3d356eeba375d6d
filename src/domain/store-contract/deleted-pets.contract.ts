import assert from 'node:assert/strict'
import type { Pet } from '../pet.ts'
import type { DeletedPet, PetSearch } from '../store/animals.ts'
import type { Store } from '../store.ts'
import {
  audit,
  byId,
  create,
  createAll,
  entry,
  mixed,
  NOW,
  newPet,
  nowAndAfterwards,
  type Rule,
} from './fixtures.contract.ts'

/** The list of deleted animals. */
export function deletedPetsContract(rule: Rule): void {
  rule('a deleted animal is listed as it was last, with its deletion, until it comes back', async (store, reopen) => {
    const [rex, max] = (await createAll(store, [newPet(), newPet({ name: 'Max' })])).toSorted(byId) as [Pet, Pet]
    assert.deepEqual(await deleted(store), [])
    await store.correctPet(rex, { ...rex, name: 'Rexi', status: 'sold' }, entry('pet.correct'))
    const last: Pet = { ...rex, name: 'Rexi', status: 'sold' }
    const first = await store.deletePet(last, entry('pet.delete', { at: NOW + 5, actor: 'eve' }))
    const expected = { ...last, entryId: first, deletedAt: NOW + 5, deletedBy: 'eve' }
    for await (const current of nowAndAfterwards(store, reopen)) assert.deepEqual(await deleted(current), [expected])
    const current = await reopen()
    await current.bringBackPet(rex, entry('pet.restore'))
    assert.deepEqual(await deleted(current), [])
    const second = await current.deletePet(rex, entry('pet.delete'))
    await current.deletePet(max, entry('pet.delete'))
    await current.bringBackPet(max, entry('pet.restore'))
    const again = [{ ...rex, entryId: second, deletedAt: NOW, deletedBy: 'ada' }]
    assert.deepEqual(await deleted(current), again, 'it has come back before, but not with the other one')
    assert.deepEqual(await current.findPet(max.id), max)
  })

  rule('a bulk deletion, undoing it, and undoing an addition change the list with the animals', async store => {
    const pets = (await createAll(store, mixed(5))).toSorted(byId)
    const [first, second] = pets as [Pet, Pet]
    const filter = { afterId: first.id }
    const { version } = await store.previewPets(filter)
    const deletion = await store.deletePets(filter, version, entry('pet.delete-many'))
    const entryId = deletion?.entryId as bigint
    const gone = pets.slice(1).map(pet => ({ ...pet, entryId, deletedAt: NOW, deletedBy: 'ada' }))
    assert.deepEqual(await deleted(store), gone)
    await store.bringBackPet(second, entry('pet.restore'))
    assert.deepEqual(await deleted(store), gone.slice(1), 'only this one is back')
    await store.undo(entryId, entry('pet.undo'))
    assert.deepEqual(await deleted(store), [])

    const { entryId: addition, ...added } = await store.addPet(newPet({ name: 'Added' }), entry('pet.create'))
    await store.undo(addition, entry('pet.undo', { actor: 'eve' }))
    const undoing = await lastEntry(store)
    assert.deepEqual(await deleted(store), [{ ...added, entryId: undoing, deletedAt: NOW, deletedBy: 'eve' }])
    await store.undo(undoing, entry('pet.undo'))
    assert.deepEqual(await deleted(store), [])
  })

  rule('a deletion that is refused, and a correction, list nothing', async store => {
    const rex = await create(store, newPet())
    assert.equal(await store.deletePet({ ...rex, name: 'Max' }, entry('pet.delete')), undefined)
    assert.equal(await store.deletePets({}, 'another version', entry('pet.delete-many')), undefined)
    await store.correctPet(rex, { ...rex, status: 'sold' }, entry('pet.correct'))
    await store.undo(await lastEntry(store), entry('pet.undo'))
    assert.deepEqual(await deleted(store), [])
  })

  rule('deleted animals are searched by their last values, in pages of either order', async store => {
    const kept = await create(store, newPet({ name: 'Zoë' }))
    const pets = (
      await createAll(store, [
        newPet({ name: 'Zoë' }),
        newPet({ name: 'Max', status: 'sold' }),
        newPet({ name: 'zoe 2', categoryId: 9n }),
        newPet({ name: 'Tom', categoryId: 9n, status: 'pending' }),
      ])
    ).toSorted(byId)
    for (const pet of pets) await store.deletePet(pet, entry('pet.delete'))
    const found = async (search: Partial<PetSearch>) => (await deleted(store, search)).map(({ name }) => name)
    assert.deepEqual((await found({ name: 'ZOE' })).toSorted(), ['Zoë', 'zoe 2'])
    assert.deepEqual(await found({ name: 'zoe', categoryId: 9n }), ['zoe 2'])
    assert.deepEqual((await found({ statuses: ['sold', 'pending'] })).toSorted(), ['Max', 'Tom'])
    assert.deepEqual(await found({ statuses: ['sold'] }), ['Max'])
    assert.deepEqual(await found({ ids: [kept.id] }), [])
    const ids = pets.map(({ id }) => id)
    const pageOf = async (search: Partial<PetSearch>) => {
      const { pets, hasMore } = await store.searchDeletedPets({ limit: 3, ...search })
      return [pets.map(({ id }) => id), hasMore]
    }
    assert.deepEqual(await pageOf({}), [ids.slice(0, 3), true])
    assert.deepEqual(await pageOf({ afterId: ids[2] }), [ids.slice(3), false])
    assert.deepEqual(await pageOf({ order: 'newest' }), [ids.toReversed().slice(0, 3), true])
    assert.deepEqual(await pageOf({ order: 'newest', beforeId: ids[1] }), [ids.slice(0, 1), false])
    assert.deepEqual(await pageOf({ limit: 4 }), [ids, false])
    for (const name of ['Max', 'Tom']) {
      const matching = pets.filter(pet => pet.name === name).map(({ id }) => id)
      assert.deepEqual(await pageOf({ limit: 1, name }), [matching, false], 'others do not take its place')
    }
  })
}

async function deleted(store: Store, search: Partial<PetSearch> = {}): Promise<DeletedPet[]> {
  return (await store.searchDeletedPets({ limit: 1_000, ...search })).pets
}

async function lastEntry(store: Store): Promise<bigint> {
  const [last] = await audit(store, { limit: 1 })
  return last?.id as bigint
}
