import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adminContext } from '../../../test/support/admin-context.ts'
import { openStore } from '../../../test/support/store.ts'
import { generateKey } from '../api-key.ts'
import { MAX_PETS_CHANGED } from '../pet-selection.ts'
import { addPet } from './pets.ts'
import { correctPets, deletePets, previewPets, requireVersion } from './selected-pets.ts'

const NOW = Date.UTC(2027, 2, 1, 12)

test('a preview of too many animals has their number, and no version', async t => {
  const store = await openStore(t)
  const pets = Array.from({ length: MAX_PETS_CHANGED + 5 }, () =>
    store.createPet({ name: 'Rex', categoryId: 1n, status: 'sold' }, NOW),
  )
  await Promise.all(pets)
  const preview = await previewPets(store, {})
  assert.deepEqual([preview.count, preview.version, preview.sample.length], [MAX_PETS_CHANGED + 5, undefined, 20])
  const message = '10,005 animals are selected; at most 10,000 can be changed at once.'
  assert.throws(() => requireVersion(preview), { kind: 'conflict', message })
  assert.ok(requireVersion(await previewPets(store, { afterId: 5n })))
})

test('a preview of ids that belong to no animal has no version', async t => {
  const store = await openStore(t)
  const { id } = await addPet(adminContext(store, NOW), { name: 'Rex', categoryId: 1n, status: 'sold' })
  const preview = await previewPets(store, { ids: [7n, id, 8n] })
  assert.deepEqual([preview.count, preview.version, preview.missingIds], [1, undefined, [7n, 8n]])
  assert.throws(() => requireVersion(preview), { kind: 'not_found', message: 'There is no animal with id 7, 8.' })
})

test('a change with the version of another preview is a conflict', async t => {
  const store = await openStore(t)
  const operator = adminContext(store, NOW)
  for (const name of ['Rex', 'Max']) await addPet(operator, { name, categoryId: 1n, status: 'sold' })
  const version = requireVersion(await previewPets(store, { name: 'rex' }))
  const conflict = { name: 'UserError', kind: 'conflict', message: /Nothing was changed/ }
  await assert.rejects(correctPets(operator, { filter: {}, version, change: { name: 'x' } }), conflict)
  await assert.rejects(deletePets(operator, { filter: { name: 'max' }, version }), conflict)
})

test('the audit log has the selection, the new values and the number of animals, but no secret', async t => {
  const store = await openStore(t)
  const operator = adminContext(store, NOW)
  const secret = generateKey('production')
  await addPet(operator, { name: secret, categoryId: 1n, status: 'sold' })
  const filter = { name: secret, statuses: ['sold', 'pending'] as const, categoryId: 1n, afterId: 0n, beforeId: 9n }
  const version = requireVersion(await previewPets(store, filter))
  await correctPets(operator, { filter, version, change: { name: `${secret} 2`, status: 'available' } })
  const [entry] = await store.listAudit({ limit: 1 })
  const selection = { name: '(withheld)', status: 'sold,pending', categoryId: 1, after: 0, before: 9 }
  assert.deepEqual(entry?.details, { ...selection, count: 1 })
  assert.deepEqual(entry?.after, { name: '(withheld)', status: 'available' })
})
