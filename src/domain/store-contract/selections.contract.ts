import assert from 'node:assert/strict'
import { INT64_MAX } from '../int64.ts'
import type { Pet } from '../pet.ts'
import { MAX_PETS_CHANGED, type PetFilter } from '../pet-selection.ts'
import type { PetChange } from '../store/animals.ts'
import type { Store } from '../store.ts'
import { audit, byId, createAll, entry, mixed, newPet, nowAndAfterwards, type Rule } from './fixtures.contract.ts'

/** Changes of many animals in one step. */
export function selectionsContract(rule: Rule): void {
  rule('all selected animals are corrected with one audit entry, and no other', async (store, reopen) => {
    const all = (await createAll(store, mixed(12))).toSorted(byId)
    const before = store.revision()
    const filter: PetFilter = { statuses: ['available', 'pending'], afterId: 1n, beforeId: 11n }
    const change: PetChange = { status: 'sold', categoryId: INT64_MAX }
    const expected = all.map(pet => {
      const isSelected = pet.status !== 'sold' && pet.id > 1n && pet.id < 11n
      return isSelected ? { ...pet, ...change } : pet
    })
    const newEntry = entry('pet.correct-many', { details: { status: 'available, pending' }, after: { status: 'sold' } })
    const done = await store.correctPets(filter, change, await versionOf(store, filter), newEntry)
    assert.notEqual(store.revision().corrections, before.corrections)
    assert.deepEqual(done, { count: 6, entryId: 1n })
    const recorded = { ...newEntry, details: { ...newEntry.details, count: 6 }, subjectId: undefined }
    for await (const current of nowAndAfterwards(store, reopen)) {
      assert.deepEqual(await everyPet(current), expected)
      assert.deepEqual(await audit(current), [{ before: undefined, ...recorded, id: 1n }])
    }
  })

  rule('an animal that already has the new values is not counted, and nothing is written if all do', async store => {
    await createAll(store, [newPet(), newPet({ name: 'Max' }), newPet({ name: 'Mia', status: 'sold' })])
    const none = { count: 0, entryId: undefined }
    const correct = async (filter: PetFilter, change: PetChange) =>
      store.correctPets(filter, change, await versionOf(store, filter), entry('pet.correct-many'))
    assert.deepEqual(await correct({}, { name: 'Max', status: undefined }), { count: 2, entryId: 1n })
    const before = store.revision()
    assert.deepEqual(await correct({}, { name: 'Max', categoryId: 7n }), none)
    for (const name of ['nobody', 'Max\0', '\0']) assert.deepEqual(await correct({ name }, { name: 'Rex' }), none)
    assert.deepEqual(await correct({}, {}), none)
    assert.equal((await audit(store)).length, 1)
    assert.equal(store.revision().newestPetId, before.newestPetId)
  })

  rule('a corrected name is found, and the former one is not', async store => {
    await createAll(store, mixed(3))
    const change = { name: 'Zoë' }
    await store.correctPets({}, change, await versionOf(store, {}), entry('pet.correct-many'))
    assert.equal((await store.searchPets({ name: 'zoe', limit: 10 })).pets.length, 3)
    assert.deepEqual((await store.searchPets({ name: 'rex', limit: 10 })).pets, [])
  })

  rule('all selected animals are deleted with one audit entry, and no other', async (store, reopen) => {
    const all = (await createAll(store, mixed(9))).toSorted(byId)
    const before = store.revision()
    const filter: PetFilter = { ids: [8n, 2n, 2n, 5n] }
    assert.equal((await store.deletePets(filter, await versionOf(store, filter), entry('pet.delete-many')))?.count, 3)
    assert.notEqual(store.revision().corrections, before.corrections)
    for await (const current of nowAndAfterwards(store, reopen)) {
      assert.deepEqual(
        await everyPet(current),
        all.filter(({ id }) => ![2n, 5n, 8n].includes(id)),
      )
      const [recorded, ...others] = await audit(current)
      assert.deepEqual(recorded?.details, { count: 3 })
      assert.equal(others.length, 0)
    }
  })

  rule('animals are not changed if they are not exactly those of the preview', async store => {
    const [rex] = (await createAll(store, mixed(6))).toSorted(byId) as [Pet]
    const filter: PetFilter = { categoryId: 7n, afterId: 0n }
    const attempts: Record<string, () => Promise<unknown>> = {
      'one was corrected': () => store.correctPet(rex, { ...rex, name: 'Max' }, entry('pet.correct')),
      'one has left': () => store.correctPet({ ...rex, name: 'Max' }, { ...rex, categoryId: 8n }, entry('pet.correct')),
      'one has come back': () => store.correctPet({ ...rex, categoryId: 8n }, rex, entry('pet.correct')),
      'one was added': () => store.addPet(newPet(), entry('pet.create')),
      'one was deleted': () => store.deletePet(rex, entry('pet.delete')),
    }
    for (const [name, change] of Object.entries(attempts)) {
      const version = await versionOf(store, filter)
      await change()
      const before = { pets: await everyPet(store), audit: await audit(store) }
      const corrected = await store.correctPets(filter, { status: 'sold' }, version, entry('pet.correct-many'))
      assert.equal(corrected, undefined, name)
      assert.equal(await store.deletePets(filter, version, entry('pet.delete-many')), undefined, name)
      assert.deepEqual({ pets: await everyPet(store), audit: await audit(store) }, before)
      assert.notEqual(await versionOf(store, filter), version)
    }
  })

  rule('an animal outside the selection does not affect its version', async store => {
    const [rex, other] = (await createAll(store, [newPet(), newPet({ categoryId: 8n })])) as [Pet, Pet]
    const filter = { categoryId: 7n, beforeId: 100n }
    const version = await versionOf(store, filter)
    await store.correctPet(other, { ...other, name: 'Max' }, entry('pet.correct'))
    assert.equal(await versionOf(store, filter), version)
    assert.equal((await store.deletePets(filter, version, entry('pet.delete-many')))?.count, 1)
    assert.equal(await store.findPet(rex.id), undefined)
  })

  rule('of concurrent changes of the same animals, exactly one is carried out', async store => {
    await createAll(store, mixed(5))
    const version = await versionOf(store, {})
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        index % 2 === 0
          ? store.correctPets({}, { name: `Max ${index}` }, version, entry('pet.correct-many'))
          : store.deletePets({}, version, entry('pet.delete-many')),
      ),
    )
    assert.deepEqual(
      outcomes.filter(outcome => outcome !== undefined),
      [{ count: 5, entryId: 1n }],
    )
    assert.equal((await audit(store)).length, 1)
  })

  rule('an id that belongs to no selected animal, and too many animals, keep all from being changed', async store => {
    const [first] = (await createAll(store, mixed(2))).toSorted(byId) as [Pet]
    const { version, missingIds } = await store.previewPets({ ids: [first.id, 77n] })
    assert.deepEqual(missingIds, [77n])
    const filter = { ids: [first.id, 77n] }
    assert.equal(await store.deletePets(filter, version, entry('pet.delete-many')), undefined)
    await createAll(store, mixed(MAX_PETS_CHANGED - 1))
    const tooMany = await store.previewPets({})
    assert.equal(tooMany.count, MAX_PETS_CHANGED + 1)
    assert.equal(await store.deletePets({}, tooMany.version, entry('pet.delete-many')), undefined)
    assert.equal(await store.correctPets({}, { name: 'x' }, tooMany.version, entry('pet.correct-many')), undefined)
    const most = { afterId: 1n }
    const { version: allowed, count } = await store.previewPets(most)
    assert.equal(count, MAX_PETS_CHANGED)
    assert.equal((await store.correctPets(most, { name: 'Max' }, allowed, entry('pet.correct-many')))?.count, count)
    const again = await versionOf(store, most)
    assert.equal((await store.deletePets(most, again, entry('pet.delete-many')))?.count, count)
    assert.deepEqual(await everyPet(store), [first])
  })
}

async function versionOf(store: Store, filter: PetFilter): Promise<string> {
  return (await store.previewPets(filter)).version
}

async function everyPet(store: Store): Promise<Pet[]> {
  return (await store.searchPets({ limit: 1_000 })).pets
}
