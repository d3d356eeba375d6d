import assert from 'node:assert/strict'
import type { AuditQuery } from '../audit.ts'
import { INT64_MAX, INT64_MIN } from '../int64.ts'
import type { NewPet, Pet } from '../pet.ts'
import type { PetEvent } from '../pet-history.ts'
import type { ManyChanged } from '../store/animals.ts'
import type { Store } from '../store.ts'
import { create, entry, NOW, newPet, nowAndAfterwards, type Rule } from './fixtures.contract.ts'

/** The operator actions on animals. */
export function petHistoryContract(rule: Rule): void {
  rule('the history of an animal has everything that operators did to it, newest first', async (store, reopen) => {
    const rex: NewPet = newPet({ categoryId: INT64_MIN })
    const max: NewPet = { name: 'Max', categoryId: INT64_MAX, status: 'sold' }
    const sold: NewPet = { ...max, name: 'Moritz' }
    const other = await create(store, newPet({ name: 'Other' }))
    const { id } = await store.addPet(rex, entry('pet.create', { after: { ...rex } }))
    await store.correctPet({ id, ...rex }, { id, ...max }, entry('pet.correct', { at: NOW + 1, tokenId: 5n }))
    await store.correctPet(other, { ...other, status: 'sold' }, entry('pet.correct'))
    await change(store, [id], version =>
      store.correctPets({ ids: [id] }, { name: 'Moritz' }, version, entry('pet.correct-many')),
    )
    await change(store, [id], version => store.deletePets({ ids: [id] }, version, entry('pet.delete-many')))
    for await (const current of nowAndAfterwards(store, reopen)) {
      const events = await history(current, id)
      assert.deepEqual(events.map(summary), [
        { id: 5n, action: 'pet.delete-many', before: sold, after: undefined },
        { id: 4n, action: 'pet.correct-many', before: max, after: sold },
        { id: 2n, action: 'pet.correct', before: rex, after: max },
        { id: 1n, action: 'pet.create', before: undefined, after: rex },
      ])
      const { at, actor, tokenId, origin } = events[2] as PetEvent
      assert.deepEqual({ at, actor, tokenId, origin }, { at: NOW + 1, actor: 'ada', tokenId: 5n, origin: '192.0.2.7' })
      assert.deepEqual(
        (await history(current, other.id)).map(({ action }) => action),
        ['pet.correct'],
      )
    }
  })

  rule(
    'the audit log of an animal has all that was done to it, alone or with others, with its values',
    async (store, reopen) => {
      const rex = newPet()
      const { id } = await store.addPet(rex, entry('pet.create', { after: { ...rex } }))
      const other = await store.addPet(newPet({ name: 'Other' }), entry('pet.create'))
      const imported = await create(store, newPet({ name: 'Moritz' }))
      const details = { firstId: imported.id, lastId: imported.id, count: 1 }
      await store.recordAudit(entry('pet.import', { details }))
      const ids = [id, other.id, imported.id]
      const sell = (version: string) =>
        store.correctPets({ ids }, { status: 'sold' }, version, entry('pet.correct-many'))
      await change(store, ids, sell)
      await store.correctPet(
        { ...rex, id, status: 'sold' },
        { ...rex, id, name: 'Max', status: 'sold' },
        entry('pet.correct'),
      )
      await store.undo(4n, entry('pet.undo'))
      await change(store, ids, version => store.deletePets({ ids }, version, entry('pet.delete-many')))
      await store.labelCategory(id, 'Cats', entry('category.label'))

      const [sold, max] = [
        { ...rex, status: 'sold' as const },
        { ...rex, name: 'Max', status: 'sold' as const },
      ]
      const [moritz, gone] = [newPet({ name: 'Moritz' }), undefined]
      const soldMoritz = { ...moritz, status: 'sold' as const }
      for await (const current of nowAndAfterwards(store, reopen)) {
        const logOf = async (petId: bigint, more: Partial<AuditQuery> = {}) => {
          const found = await current.listAudit({ subjectKind: 'pet', subjectId: petId, limit: 10, ...more })
          for (const { pet } of found) assert.equal(pet?.id, petId)
          return found.map(({ id, action, pet }) => [id, action, pet?.before, pet?.after])
        }
        const ofRex = [
          [7n, 'pet.delete-many', max, gone],
          [5n, 'pet.correct', sold, max],
          [4n, 'pet.correct-many', rex, sold],
          [1n, 'pet.create', gone, rex],
        ]
        assert.deepEqual(await logOf(id), ofRex)
        assert.deepEqual(await logOf(id, { beforeId: 5n, limit: 1 }), [ofRex[2]])
        assert.deepEqual(await logOf(id, { action: 'pet.delete-many' }), [ofRex[0]])
        assert.deepEqual(await logOf(imported.id), [
          [7n, 'pet.delete-many', moritz, gone],
          [6n, 'pet.undo', soldMoritz, moritz],
          [4n, 'pet.correct-many', moritz, soldMoritz],
          [3n, 'pet.import', gone, moritz],
        ])
        assert.deepEqual(await logOf(4_711n), [])

        const petsOf = (entryId: bigint, afterId = 0n, limit = 10) =>
          current.listPetsOfEntry({ entryId, afterId, limit })
        assert.deepEqual(await petsOf(7n, id, 1), [{ id: other.id, before: newPet({ name: 'Other' }), after: gone }])
        assert.deepEqual(
          (await petsOf(6n))?.map(pet => pet.id),
          [other.id, imported.id],
        )
        assert.deepEqual(await petsOf(3n), [{ id: imported.id, before: gone, after: moritz }])
        assert.deepEqual(await petsOf(3n, imported.id), [])
        assert.deepEqual(await petsOf(1n), [{ id, before: gone, after: rex }])
        assert.deepEqual(await petsOf(8n), [])
        assert.equal(await petsOf(4_711n), undefined)
      }
    },
  )

  rule(
    'an entry shows the animal that it added as it was then, although others were changed before it',
    async store => {
      const rex = newPet()
      const { id, entryId } = await store.addPet(rex, entry('pet.create'))
      const other = await create(store, newPet({ name: 'Other' }))
      for (const pet of [other, { ...rex, id }])
        await store.correctPet(pet, { ...pet, name: 'Max' }, entry('pet.correct'))
      const expected = { id, before: undefined, after: rex }
      assert.deepEqual(await store.listPetsOfEntry({ entryId, afterId: 0n, limit: 10 }), [expected])
      const [added] = await store.listAudit({ subjectKind: 'pet', subjectId: id, action: 'pet.create', limit: 10 })
      assert.deepEqual(added?.pet, expected)
    },
  )

  rule('an animal that was imported and is as it was has its values in the entry', async store => {
    const pets = [await create(store, newPet({ name: 'One' })), await create(store, newPet({ name: 'Two' }))]
    const [one, two] = pets.map(({ id, ...pet }) => ({ id, before: undefined, after: pet }))
    await store.recordAudit(
      entry('pet.import', { details: { firstId: one?.id ?? 0n, lastId: two?.id ?? 0n, count: 2 } }),
    )
    assert.deepEqual(await store.listPetsOfEntry({ entryId: 1n, afterId: 0n, limit: 10 }), [one, two])
    assert.deepEqual(await store.listPetsOfEntry({ entryId: 1n, afterId: 0n, limit: 1 }), [one])
    const [found] = await store.listAudit({ subjectKind: 'pet', subjectId: two?.id, limit: 10 })
    assert.deepEqual(found?.pet, two)
  })

  rule('the history of an animal has pages', async store => {
    let pet: Pet = await store.addPet(newPet(), entry('pet.create'))
    for (let count = 1; count <= 5; count += 1) {
      const corrected = { ...pet, name: `Rex ${count}` }
      await store.correctPet(pet, corrected, entry('pet.correct'))
      pet = corrected
    }
    const ids = async (beforeId: bigint | undefined, limit: number) =>
      (await store.listPetHistory({ petId: pet.id, beforeId, limit })).map(({ id }) => id)
    assert.deepEqual(await ids(undefined, 4), [6n, 5n, 4n, 3n])
    assert.deepEqual(await ids(3n, 4), [2n, 1n])
    assert.deepEqual(await ids(1n, 4), [])
  })

  rule('an animal that no operator has touched has no history, and neither has any other id', async store => {
    const { id } = await create(store, newPet())
    await store.createToken(
      { hash: 'h', hint: 'h', name: 'ada', role: 'admin', expiresAt: undefined },
      entry('token.create'),
    )
    for (const petId of [id, 2n, 0n, -1n, INT64_MAX, INT64_MIN]) assert.deepEqual(await history(store, petId), [])
  })

  rule('an entry of an older version shows the animal that was created, once', async store => {
    const details = { name: 'Rex', categoryId: '9223372036854775807', status: 'available' }
    const { id } = await store.addPet(newPet({ categoryId: INT64_MAX }), entry('pet.create', { details }))
    const [event] = await history(store, id)
    assert.deepEqual(event?.after, newPet({ categoryId: INT64_MAX }))
    assert.deepEqual(event?.details, {})
  })
}

async function change(
  store: Store,
  ids: readonly bigint[],
  carryOut: (version: string) => Promise<ManyChanged | undefined>,
): Promise<void> {
  const { version } = await store.previewPets({ ids })
  assert.equal((await carryOut(version))?.count, ids.length)
}

function history(store: Store, petId: bigint): Promise<PetEvent[]> {
  return store.listPetHistory({ petId, limit: 100 })
}

function summary({ id, action, before, after }: PetEvent) {
  return { id, action, before, after }
}
