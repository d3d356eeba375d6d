import assert from 'node:assert/strict'
import { INT64_MAX, INT64_MIN } from '../int64.ts'
import type { NewPet, Pet } from '../pet.ts'
import type { PetFilter } from '../pet-selection.ts'
import { MAX_CHANGED_SHOWN, MAX_PETS_UNDONE, type Undo } from '../pet-undo.ts'
import type { PetChange } from '../store/animals.ts'
import type { Store } from '../store.ts'
import {
  audit,
  byId,
  create,
  createAccount,
  createAll,
  entry,
  mixed,
  NOW,
  newPet,
  nowAndAfterwards,
  type Rule,
  untilSettled,
} from './fixtures.contract.ts'

/** Undoing entries of the audit log, and bringing animals back. */
export function undoContract(rule: Rule): void {
  rule('each action on animals can be undone, and so can undoing it, any number of times', async (store, reopen) => {
    const others = await createAll(store, mixed(3))
    const rex = await create(store, newPet({ categoryId: INT64_MAX }))
    const max = await create(store, newPet({ name: 'Max', categoryId: INT64_MIN, status: 'sold' }))
    const both = { ids: [rex.id, max.id] }
    const actions: Record<string, () => Promise<unknown>> = {
      correct: () => store.correctPet(rex, { ...rex, name: 'Rexi', categoryId: 1n }, entry('pet.correct')),
      'correct many': () => correctMany(store, both, { name: 'Moritz', status: 'pending' }),
      delete: () => store.deletePet(rex, entry('pet.delete')),
      'delete many': () => deleteMany(store, both),
      add: () => store.addPet(newPet({ name: 'Added' }), entry('pet.create')),
      import: () => importPets(store, mixed(4)),
    }
    let current = store
    for (const [name, act] of Object.entries(actions)) {
      const before = await everyPet(current)
      await act()
      const after = await everyPet(current)
      assert.notDeepEqual(after, before, name)
      for (const expected of [before, after, before, after, before]) {
        const id = await lastEntry(current)
        const preview = await current.previewUndo(id)
        const { corrections } = current.revision()
        const undone = await undo(current, id)
        assert.deepEqual({ ...preview, entryId: undone.entryId }, undone, name)
        assert.deepEqual([undone.entryId, undone.kept, undone.changedSince], [await lastEntry(current), 0, []], name)
        assert.deepEqual(await everyPet(current), expected, name)
        assert.notEqual(current.revision().corrections, corrections, name)
      }
    }
    assert.deepEqual((await everyPet(store)).toSorted(byId), [...others, rex, max].toSorted(byId))
    current = await reopen()
    assert.deepEqual((await everyPet(current)).toSorted(byId), [...others, rex, max].toSorted(byId))
  })

  rule('undoing is one entry of the audit log, and an event in the history of each animal', async (store, reopen) => {
    const [rex, max] = (await createAll(store, [newPet(), newPet({ name: 'Max' })])) as [Pet, Pet]
    await deleteMany(store, { ids: [rex.id, max.id] })
    const deletion = await lastEntry(store)
    const newEntry = entry('pet.undo', { at: NOW + 1, tokenId: 5n })
    const done = await store.undo(deletion, newEntry)
    for await (const current of nowAndAfterwards(store, reopen)) {
      const [recorded, ...others] = await audit(current, { action: 'pet.undo' })
      const details = { entryId: Number(deletion), count: 2, kept: 0 }
      assert.deepEqual(recorded, { ...newEntry, id: (done as Undo).entryId, subjectId: undefined, details })
      assert.deepEqual(others, [])
      for (const { id, ...pet } of [rex, max]) {
        const events = await current.listPetHistory({ petId: id, limit: 10 })
        assert.deepEqual(
          events.map(({ action, before, after }) => ({ action, before, after })),
          [
            { action: 'pet.undo', before: undefined, after: pet },
            { action: 'pet.delete-many', before: pet, after: undefined },
          ],
        )
      }
    }
  })

  rule('an animal that has changed since stays as it is, and is listed with its latest change', async store => {
    const pets = (await createAll(store, mixed(5))).toSorted(byId)
    const [first, second, third, fourth, fifth] = pets as [Pet, Pet, Pet, Pet, Pet]
    await correctMany(store, {}, { name: 'Max' })
    const correction = await lastEntry(store)
    const renamed = { ...second, name: 'Bella' }
    await store.correctPet({ ...second, name: 'Max' }, renamed, entry('pet.correct', { actor: 'eve' }))
    const second2 = await lastEntry(store)
    await store.deletePet({ ...third, name: 'Max' }, entry('pet.delete'))
    const third2 = await lastEntry(store)
    // It has the same values again, but other operators have seen it with others.
    await store.correctPet({ ...fourth, name: 'Max' }, { ...fourth, name: 'x' }, entry('pet.correct'))
    await store.correctPet({ ...fourth, name: 'x' }, { ...fourth, name: 'Max' }, entry('pet.correct'))
    const fourth2 = await lastEntry(store)
    const done = await undo(store, correction)
    assert.deepEqual([done.undone, done.kept], [2, 3])
    assert.deepEqual(done.changedSince, [
      { petId: second.id, change: { id: second2, at: NOW, actor: 'eve', action: 'pet.correct' } },
      { petId: third.id, change: { id: third2, at: NOW, actor: 'ada', action: 'pet.delete' } },
      { petId: fourth.id, change: { id: fourth2, at: NOW, actor: 'ada', action: 'pet.correct' } },
    ])
    assert.deepEqual(await everyPet(store), [first, renamed, { ...fourth, name: 'Max' }, fifth])
    assert.deepEqual(await store.undo(correction, entry('pet.undo')), { refusal: 'all changed' })
  })

  rule('of the added animals of an import, those that have changed since stay', async store => {
    await create(store, newPet())
    const imported = (await importPets(store, mixed(6))).toSorted(byId)
    const id = await lastEntry(store)
    const [first, second, third] = imported as [Pet, Pet, Pet]
    const sold: Pet = { ...first, name: 'Max' }
    await store.correctPet(first, sold, entry('pet.correct'))
    await store.deletePet(third, entry('pet.delete'))
    const later = await create(store, newPet({ name: 'Later' }))
    const done = await undo(store, id)
    assert.deepEqual([done.undone, done.kept], [4, 2])
    assert.deepEqual(
      done.changedSince.map(({ petId, change }) => [petId, change?.action]),
      [
        [first.id, 'pet.correct'],
        [third.id, 'pet.delete'],
      ],
    )
    assert.deepEqual((await everyPet(store)).slice(1), [sold, later])
    assert.equal((await undo(store, done.entryId)).undone, 4)
    assert.deepEqual(await store.findPet(second.id), second)
    assert.equal(await store.findPet(third.id), undefined)
  })

  rule('only the first animals that stay are listed, and all are counted', async store => {
    await createAll(store, mixed(MAX_CHANGED_SHOWN + 20))
    await correctMany(store, {}, { name: 'Max' })
    const id = await lastEntry(store)
    await correctMany(store, { afterId: 10n }, { name: 'Moritz' })
    const done = await undo(store, id)
    assert.deepEqual(
      [done.undone, done.kept, done.changedSince.length],
      [10, MAX_CHANGED_SHOWN + 10, MAX_CHANGED_SHOWN],
    )
    assert.equal(done.changedSince[0]?.petId, 11n)
  })

  rule('an id of a deleted animal is never given to another one, and comes back with it', async store => {
    const [first, last] = (await createAll(store, mixed(2))).toSorted(byId) as [Pet, Pet]
    await store.deletePet(last, entry('pet.delete'))
    const id = await lastEntry(store)
    const later = await create(store, newPet({ name: 'Later' }))
    assert.ok(later.id > last.id)
    await undo(store, id)
    const latest = await create(store, newPet({ name: 'Latest' }))
    assert.ok(latest.id > later.id)
    assert.deepEqual(await everyPet(store), [first, last, later, latest])
    assert.deepEqual(await store.listPets({ status: last.status, afterId: first.id, limit: 1 }), {
      pets: [last],
      hasMore: (await everyPet(store)).filter(({ status, id }) => status === last.status && id > last.id).length > 0,
    })
  })

  rule('totals and searches have animals that came back, whatever was counted and indexed', async store => {
    const pets = (await createAll(store, [...mixed(400), newPet({ name: 'Zoë Quinn', categoryId: 9n })])).toSorted(byId)
    const zoe = pets.find(({ name }) => name === 'Zoë Quinn') as Pet
    const expected = { totals: await store.countPets({}), categories: await store.listCategories({ limit: 10 }) }
    const check = async (current: object = expected) => {
      const totals = await store.countPets({})
      assert.deepEqual({ totals, categories: await store.listCategories({ limit: 10 }) }, current)
    }
    const ids = [zoe.id, ...pets.slice(100, 150).map(({ id }) => id)]
    for (const [indexDeletion, indexReturn] of [
      [false, false],
      [true, false],
      [true, true],
      [false, true],
    ]) {
      await index(store)
      await deleteMany(store, { ids })
      if (indexDeletion) await index(store)
      await undo(store, await lastEntry(store))
      await check()
      if (indexReturn) await index(store)
      await check()
      assert.deepEqual((await store.searchPets({ name: 'quinn', limit: 1 })).pets, [zoe])
      const renamed = { ...zoe, name: 'Zoë Smith', categoryId: 10n, status: 'sold' as const }
      await store.correctPet(zoe, renamed, entry('pet.correct'))
      assert.deepEqual((await store.searchPets({ name: 'quinn', limit: 1 })).pets, [])
      assert.deepEqual((await store.searchPets({ name: 'smith', limit: 1 })).pets, [renamed])
      assert.deepEqual(await store.countPets({ categoryId: 10n }), { available: 0, pending: 0, sold: 1 })
      await undo(store, await lastEntry(store))
      await check()
      assert.deepEqual((await store.searchPets({ name: 'quinn', limit: 1 })).pets, [zoe])
    }
    await index(store)
    await check()
  })

  rule('of concurrent undoings of one entry, exactly one is carried out', async store => {
    const pets = (await createAll(store, mixed(20))).toSorted(byId)
    await deleteMany(store, {})
    const id = await lastEntry(store)
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => store.undo(id, entry('pet.undo'))))
    assert.equal(outcomes.filter(outcome => 'undone' in outcome).length, 1)
    for (const outcome of outcomes) if (!('undone' in outcome)) assert.deepEqual(outcome, { refusal: 'all changed' })
    assert.deepEqual(await everyPet(store), pets)
    assert.equal((await audit(store)).length, 2)
  })

  rule('corrections beside an undoing of their animals are never lost', async store => {
    const pets = (await createAll(store, mixed(30))).toSorted(byId)
    await correctMany(store, {}, { name: 'Max' })
    const id = await lastEntry(store)
    const corrections = pets.slice(0, 10).map(pet => {
      const max = { ...pet, name: 'Max' }
      return store.correctPet(max, { ...max, name: 'Bella' }, entry('pet.correct'))
    })
    const [done, ...corrected] = await Promise.all([undo(store, id), ...corrections])
    const bellas = corrected.filter(Boolean).length
    assert.deepEqual([done.undone, done.kept], [30 - bellas, bellas])
    const now = await everyPet(store)
    assert.deepEqual(
      now.map(({ name }) => name),
      pets.map((_, place) => (corrected[place] ? 'Bella' : 'Rex')),
    )
  })

  rule('an entry that cannot be undone says why, and nothing is written', async store => {
    await createAccount(store, 'Acme')
    const [account] = await audit(store)
    const record = async (action: 'pet.correct' | 'pet.import', details = {}) => {
      await store.recordAudit(entry(action, { details }))
      return lastEntry(store)
    }
    const tooMany = { count: MAX_PETS_UNDONE + 1, firstId: 1, lastId: MAX_PETS_UNDONE + 1 }
    const refusals = [
      [4_711n, 'unknown'],
      [0n, 'unknown'],
      [-1n, 'unknown'],
      [INT64_MAX, 'unknown'],
      [account?.id as bigint, 'not of animals'],
      [await record('pet.correct'), 'not in history'],
      [await record('pet.import'), 'not in history'],
      [await record('pet.import', tooMany), 'too many'],
      [await record('pet.import', { count: 2, firstId: 1, lastId: 2 }), 'all changed'],
    ] as const
    const before = await audit(store)
    for (const [id, refusal] of refusals) {
      assert.deepEqual(await store.undo(id, entry('pet.undo')), { refusal })
      if (refusal !== 'all changed') assert.deepEqual(await store.previewUndo(id), { refusal })
    }
    assert.deepEqual(await audit(store), before)
  })

  rule('a deleted animal comes back with any values, unless its id is taken', async (store, reopen) => {
    const [rex, other] = (await createAll(store, mixed(2))).toSorted(byId) as [Pet, Pet]
    assert.equal(await store.bringBackPet({ ...rex, name: 'Max' }, entry('pet.restore')), undefined)
    await store.deletePet(rex, entry('pet.delete'))
    const { corrections } = store.revision()
    const back: Pet = { id: rex.id, name: 'Zoë', categoryId: INT64_MIN, status: 'sold' }
    assert.equal(await store.bringBackPet(back, entry('pet.restore')), await lastEntry(store))
    assert.notEqual(store.revision().corrections, corrections)
    assert.equal(await store.bringBackPet(rex, entry('pet.restore')), undefined)
    for await (const current of nowAndAfterwards(store, reopen)) {
      assert.deepEqual(await everyPet(current), [back, other])
      assert.deepEqual((await current.searchPets({ name: 'zoe', limit: 2 })).pets, [back])
      const [newest] = await current.listPetHistory({ petId: rex.id, limit: 1 })
      const { id: _, ...after } = back
      assert.deepEqual([newest?.action, newest?.before, newest?.after], ['pet.restore', undefined, after])
      assert.equal(newest?.subjectId, rex.id)
      assert.equal((await audit(current)).length, 2)
    }
  })
}

async function undo(store: Store, id: bigint): Promise<Undo> {
  const outcome = await store.undo(id, entry('pet.undo'))
  assert.ok('undone' in outcome, `${Object.values(outcome)}`)
  return outcome
}

async function lastEntry(store: Store): Promise<bigint> {
  const [last] = await audit(store, { limit: 1 })
  return last?.id as bigint
}

async function correctMany(store: Store, filter: PetFilter, change: PetChange): Promise<void> {
  const { version } = await store.previewPets(filter)
  assert.ok(await store.correctPets(filter, change, version, entry('pet.correct-many')))
}

async function deleteMany(store: Store, filter: PetFilter): Promise<void> {
  const { version } = await store.previewPets(filter)
  assert.ok(await store.deletePets(filter, version, entry('pet.delete-many')))
}

/** As an import leaves them. */
async function importPets(store: Store, pets: readonly NewPet[]): Promise<Pet[]> {
  const added = (await createAll(store, pets)).toSorted(byId)
  const details = { count: added.length, firstId: added[0]?.id as bigint, lastId: added.at(-1)?.id as bigint }
  await store.recordAudit(entry('pet.import', { details }))
  return added
}

async function index(store: Store): Promise<void> {
  await untilSettled(store)
  await store.indexPets({ minAnimals: 1, maxMs: 60_000 })
}

async function everyPet(store: Store): Promise<Pet[]> {
  return (await store.searchPets({ limit: 1_000 })).pets
}
