import assert from 'node:assert/strict'
import { INT64_MAX, INT64_MIN } from '../int64.ts'
import type { NewPet, Pet } from '../pet.ts'
import {
  audit,
  create,
  createAll,
  createRequest,
  entry,
  firstPage,
  mixed,
  NOW,
  newPet,
  type Rule,
} from './fixtures.contract.ts'

/** The animals, as operators add, correct and delete them. */
export function correctionsContract(rule: Rule): void {
  rule('an animal of an operator is stored like any other, together with its audit entry', async store => {
    await create(store, newPet())
    const before = store.revision()
    const newEntry = entry('pet.create', { details: { name: 'Mia' } })
    const { entryId, ...added } = await store.addPet(newPet({ name: 'Mia', categoryId: INT64_MIN }), newEntry)
    assert.deepEqual(added, { id: 2n, name: 'Mia', categoryId: INT64_MIN, status: 'available' })
    assert.deepEqual(await store.findPet(2n), added)
    const newestPetId = before.newestPetId === undefined ? undefined : 2n
    assert.deepEqual(store.revision(), { ...before, newestPetId })
    assert.deepEqual(await audit(store), [{ ...newEntry, id: entryId, subjectId: 2n }])
  })

  rule('an animal is corrected together with an audit entry, and shows in the revision', async (store, reopen) => {
    const others = await createAll(store, mixed(3))
    const pet = await create(store, newPet({ categoryId: INT64_MAX }))
    const before = store.revision()
    const corrected: Pet = { id: pet.id, name: 'Max', categoryId: INT64_MIN, status: 'sold' }
    const newEntry = entry('pet.correct', { details: { name: 'Rex → Max' } })
    const entryId = await store.correctPet(pet, corrected, newEntry)
    const after = store.revision()
    assert.notEqual(after.corrections, before.corrections)
    assert.deepEqual({ ...after, corrections: 0 }, { ...before, corrections: 0 })
    const reopened = await reopen()
    assert.deepEqual(await reopened.findPet(pet.id), corrected)
    for (const other of others) assert.deepEqual(await reopened.findPet(other.id), other)
    assert.deepEqual(await audit(reopened), [{ ...newEntry, id: entryId, subjectId: pet.id }])
  })

  rule('an animal that is not as expected is neither corrected nor deleted, without an audit entry', async store => {
    const pet = await create(store, newPet())
    const before = store.revision()
    const unlike: Pet[] = [
      { ...pet, id: 2n },
      { ...pet, name: 'rex' },
      { ...pet, categoryId: 8n },
      { ...pet, status: 'pending' },
    ]
    for (const expected of unlike) {
      const corrected = { ...expected, name: 'Max' }
      assert.equal(await store.correctPet(expected, corrected, entry('pet.correct')), undefined)
      assert.equal(await store.deletePet(expected, entry('pet.delete')), undefined)
    }
    assert.deepEqual((await store.listPets(firstPage)).pets, [pet])
    assert.deepEqual(store.revision(), before)
    assert.deepEqual(await audit(store), [])
  })

  rule('of concurrent corrections and deletions of one animal, exactly one is carried out', async store => {
    const pet = await create(store, newPet())
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        index % 2 === 0
          ? store.correctPet(pet, { ...pet, name: `Max ${index}` }, entry('pet.correct'))
          : store.deletePet(pet, entry('pet.delete')),
      ),
    )
    assert.equal(outcomes.filter(Boolean).length, 1)
    assert.equal((await audit(store)).length, 1)
  })

  rule('an animal is deleted together with an audit entry, and its id is never used again', async (store, reopen) => {
    const kept = await create(store, newPet())
    const newest = await create(store, newPet({ name: 'Mia' }))
    const before = store.revision()
    const newEntry = entry('pet.delete', { details: { name: 'Mia' } })
    const entryId = await store.deletePet(newest, newEntry)
    assert.equal(await store.findPet(newest.id), undefined)
    assert.deepEqual(await store.listPets(firstPage), { pets: [kept], hasMore: false })
    assert.notEqual(store.revision().corrections, before.corrections)
    assert.equal(store.revision().newestPetId, before.newestPetId)
    assert.deepEqual(await audit(store), [{ ...newEntry, id: entryId, subjectId: newest.id }])
    assert.equal((await create(store, newPet())).id, 3n)
    assert.ok(await store.deletePet({ id: 3n, ...newPet() }, entry('pet.delete')))
    const reopened = await reopen()
    assert.equal((await reopened.addPet(newPet(), entry('pet.create'))).id, 4n)
  })

  rule('a replay shows the animal of the first answer, even if it was corrected or deleted meanwhile', async store => {
    const request = await createRequest(store, 'key-1')
    const given: NewPet = newPet()
    const first = await store.createPet(given, NOW, request)
    assert.ok(first.outcome === 'created')
    const replayed = { outcome: 'replayed', pet: first.pet }
    const corrected = { ...first.pet, name: 'Max' }
    await store.correctPet(first.pet, corrected, entry('pet.correct'))
    assert.deepEqual(await store.createPet(given, NOW, request), replayed)
    await store.deletePet(corrected, entry('pet.delete'))
    assert.deepEqual(await store.createPet(given, NOW, request), replayed)
  })
}
