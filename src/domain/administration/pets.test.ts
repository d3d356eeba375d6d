import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adminContext } from '../../../test/support/admin-context.ts'
import { openStore } from '../../../test/support/store.ts'
import { INT64_MAX, INT64_MIN } from '../int64.ts'
import type { NewPet, Pet } from '../pet.ts'
import type { AdminContext } from './context.ts'
import { addPet, correctPet, deletePet, findPet } from './pets.ts'

const NOW = Date.UTC(2027, 2, 1, 12, 0, 0, 250)
const REX: NewPet = { name: 'Rex', categoryId: INT64_MAX, status: 'available' }

const NO_MORE = { tokenId: undefined, before: undefined, after: undefined, accountName: undefined, pet: undefined }

async function addRex(context: AdminContext): Promise<Pet> {
  const { categoryLabel, entryId: _, origin: __, ...rex } = await addPet(context, REX)
  assert.equal(categoryLabel, undefined)
  return rex
}

test('an animal is found by its id as an operator types it', async t => {
  const store = await openStore(t)
  const rex = await addRex(adminContext(store, NOW))
  assert.deepEqual(await findPet(store, '1'), rex)
  for (const unknown of ['2', '0', '-1', '01', 'x', '', '99999999999999999999']) {
    await assert.rejects(findPet(store, unknown), { name: 'UserError', kind: 'not_found' }, unknown)
  }
})

test('the given members of an animal are corrected, and the rest stays', async t => {
  const store = await openStore(t)
  let pet = await addRex(adminContext(store, NOW))
  for (const change of [{ name: 'Max' }, { categoryId: INT64_MIN }, { status: 'sold' as const }, { ...REX }]) {
    const { entryId, ...corrected } = await correctPet(adminContext(store, NOW), pet, change)
    assert.equal(entryId, (await store.listAudit({ limit: 1 }))[0]?.id)
    assert.deepEqual(corrected, { ...pet, ...change })
    assert.deepEqual(await findPet(store, '1'), corrected)
    pet = corrected
  }
})

test('a correction that changes nothing is not written', async t => {
  const store = await openStore(t)
  const rex = await addRex(adminContext(store, NOW))
  const before = store.revision()
  for (const change of [{}, { name: 'Rex' }, { ...REX }]) {
    assert.deepEqual(await correctPet(adminContext(store, NOW), rex, change), { ...rex, entryId: undefined })
  }
  assert.deepEqual(store.revision(), before)
  assert.equal((await store.listAudit({ limit: 10 })).length, 1)
})

test('an animal that someone else has changed or deleted in the meantime is a conflict', async t => {
  const store = await openStore(t)
  const operator = adminContext(store, NOW)
  const rex = await addRex(operator)
  const { entryId: _, ...max } = await correctPet(operator, rex, { name: 'Max' })
  const conflict = { name: 'UserError', kind: 'conflict', message: /Animal 1 has just been changed or deleted/ }
  await assert.rejects(correctPet(operator, rex, { status: 'sold' }), conflict)
  await assert.rejects(deletePet(operator, rex), conflict)
  assert.deepEqual(await findPet(store, '1'), max)
  await deletePet(operator, max)
  await assert.rejects(deletePet(operator, max), conflict)
  await assert.rejects(correctPet(operator, max, { status: 'sold' }), conflict)
  await assert.rejects(findPet(store, '1'), { kind: 'not_found' })
})

test('the audit log says who did what to an animal, and what it was before', async t => {
  const store = await openStore(t)
  const rex = await addRex(adminContext(store, NOW))
  const max = await correctPet(adminContext(store, NOW + 1), rex, {
    name: 'Max',
    status: 'sold',
    categoryId: INT64_MAX,
  })
  await deletePet(adminContext(store, NOW + 2), max)
  const facts = { details: {}, ...NO_MORE }
  const who = { actor: 'ada', origin: '192.0.2.7', accountId: undefined, subjectId: 1n, ...facts }
  const [first, second] = [REX, { name: 'Max', categoryId: INT64_MAX, status: 'sold' }]
  assert.deepEqual(
    (await store.listAudit({ limit: 10 })).toReversed(),
    [
      { action: 'pet.create', subjectName: 'Rex', after: first },
      {
        action: 'pet.correct',
        subjectName: 'Max',
        before: { name: 'Rex', status: 'available' },
        after: { name: 'Max', status: 'sold' },
      },
      { action: 'pet.delete', subjectName: 'Max', before: second },
    ].map((entry, index) => ({ ...who, id: BigInt(index + 1), at: NOW + index, ...entry })),
  )
})
