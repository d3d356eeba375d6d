import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { call as callPublic } from '../support/call.ts'
import { type AdminAnswer, type AdminItem, assertRefused, startOperatorService } from '../support/operator.ts'

// Changes of many animals: previewed, and then made exactly as previewed or not at all.

const service = await startOperatorService({ after })
const { key } = await service.createCaller()
let categories = 0n

test('a change affects exactly the animals that its preview has shown', async () => {
  const { categoryId, pets } = await stock(['available', 'pending', 'sold', 'pending'])
  const filter = { categoryId, status: ['pending', 'sold'] }
  const preview = await post('preview', { filter })
  assert.deepEqual(preview.value.count, 3n)
  assert.deepEqual(preview.value.missingIds, [])
  assert.deepEqual(preview.value.sample, pets.slice(1))
  const { version } = preview.value
  const corrected = await post('correct', { filter, change: { status: 'sold', name: 'Max' }, version })
  assert.deepEqual([corrected.status, corrected.value], [200, { changed: 3n, entryId: await newestEntry() }])
  const now = await animals(categoryId)
  assert.deepEqual(now[0], pets[0])
  assert.deepEqual(
    now.slice(1).map(({ name, status }) => `${name} ${status}`),
    Array(3).fill('Max sold'),
  )
  assertRefused(await post('correct', { filter, change: { status: 'available' }, version }), 'conflict', /preview/)
  const again = (await post('preview', { filter })).value
  const deleted = await post('delete', { filter, version: again.version })
  assert.deepEqual([deleted.status, deleted.value], [200, { deleted: 3n, entryId: await newestEntry() }])
  assert.deepEqual(await animals(categoryId), [pets[0]])
})

test('animals are selected by their ids, which must all exist', async () => {
  const { pets } = await stock(['available', 'sold'])
  const [one, other] = pets.map(({ id }) => id) as [bigint, bigint]
  const absent = 9_007_199_254_740_993n
  const preview = (await post('preview', { ids: [other, absent, one, other, -1] })).value
  assert.deepEqual([preview.count, preview.version, preview.missingIds], [2n, null, [absent, -1n]])
  assert.deepEqual(preview.sample, pets)
  assertRefused(await post('delete', { ids: [one, absent], version: 'x' }), 'conflict')
  const { version } = (await post('preview', { ids: [one, other] })).value
  assertRefused(await post('delete', { ids: [one], version }), 'conflict')
  assert.equal((await post('delete', { ids: [other, one], version })).value.deleted, 2n)
})

test('nothing is changed if another operator changes, adds or deletes one of the animals first', async () => {
  const { categoryId, pets } = await stock(['available', 'available'])
  const path = `/pets/${pets[0]?.id}`
  const match = { 'If-Match': '*' }
  for (const change of [
    () => service.call('PATCH', path, { headers: match, body: { name: 'Bella' } }),
    () => service.call('POST', '/pets', { body: { name: 'New', categoryId } }),
    () => service.call('DELETE', path, { headers: match }),
  ]) {
    const { version } = (await post('preview', { filter: { categoryId } })).value
    assert.ok((await change()).status < 300)
    const before = service.snapshot()
    for (const [name, more] of Object.entries({ correct: { change: { status: 'sold' } }, delete: {} })) {
      assertRefused(await post(name, { filter: { categoryId }, version, ...more }), 'conflict')
    }
    assert.deepEqual(service.snapshot(), before)
  }
})

test('a selection needs either a filter or ids', async () => {
  for (const [more, post] of [
    [{}, (body: object) => service.call('POST', '/pets/bulk/preview', { body })],
    [{ version: 'x' }, (body: object) => service.call('POST', '/pets/bulk/delete', { body })],
  ] as const) {
    assertRefused(await post(more), 'invalid_body', 'Either filter or ids is required.')
    const both = await post({ ...more, filter: {}, ids: [1] })
    assertRefused(both, 'invalid_input', 'Send either filter or ids, not both.')
  }
  assertRefused(await post('preview', { ids: [] }), 'invalid_body', /^ids must be a list of 1 to 1000 ids\.$/)
  assertRefused(await post('correct', { ids: [1], change: {}, version: 'x' }), 'invalid_body', /^change must be /)
  assertRefused(await post('preview', { filter: { nmae: 'Rex' } }), 'invalid_body', /^filter must be /)
})

test('the public API shows a change of many animals from the next call', async () => {
  const { categoryId, pets } = await stock(['available', 'available'])
  const list = `/v1/pets?limit=100`
  const before = await callPublic(service, { path: list, key })
  const filter = { categoryId }
  const { version } = (await post('preview', { filter })).value
  await post('correct', { filter, change: { name: 'Everyone' }, version })
  const headers = { 'If-None-Match': before.header('etag') ?? '' }
  const after = await callPublic(service, { path: list, key, headers })
  assert.equal(after.status, 200)
  for (const { id } of pets) assert.ok(after.text.includes(`"id":${id},"name":"Everyone"`))
})

test('a change of many animals is one entry of the audit log, and an event in the history of each', async () => {
  const { categoryId, pets } = await stock(['available', 'pending'])
  const [first] = pets as [AdminItem]
  const filter = { categoryId, name: 'REX' }
  const preview = async () => (await post('preview', { filter })).value.version
  await post('correct', { filter, change: { status: 'pending' }, version: await preview() })
  await post('delete', { filter, version: await preview() })
  const [deletion, correction] = (await service.call('GET', '/audit?limit=2')).value
  const selection = { name: 'REX', categoryId }
  assert.deepEqual([correction.action, correction.details], ['pet.correct-many', { ...selection, count: 1n }])
  assert.deepEqual([deletion.action, deletion.details], ['pet.delete-many', { ...selection, count: 2n }])

  const events = (await service.call('GET', `/pets/${first.id}/history`)).value
  const original = { name: 'Rex', categoryId, status: 'available' }
  const pending = { ...original, status: 'pending' }
  assert.deepEqual(
    events.map(({ id, action, before, after }: AdminItem) => ({ id, action, before, after })),
    [
      { id: deletion.id, action: 'pet.delete-many', before: pending, after: null },
      { id: correction.id, action: 'pet.correct-many', before: original, after: pending },
      { id: events[2].id, action: 'pet.create', before: null, after: original },
    ],
  )
  const { actor, tokenId, origin, at } = events[0]
  assert.deepEqual([actor, tokenId, origin], [`Sam (token ${service.staff.id})`, service.staff.id, '127.0.0.1'])
  assert.equal(at, deletion.at)
  const second = (await service.call('GET', `/pets/${pets[1]?.id}/history`)).value
  assert.deepEqual(
    second.map(({ action }: AdminItem) => action),
    ['pet.delete-many', 'pet.create'],
    'it was pending before',
  )
  assertRefused(await service.call('GET', '/pets/999999/history'), 'not_found')
})

/** Animals in a category of their own, as the admin API shows them. */
async function stock(statuses: readonly string[]): Promise<{ categoryId: bigint; pets: AdminItem[] }> {
  categories += 1n
  const categoryId = categories
  for (const status of statuses) await service.call('POST', '/pets', { body: { name: 'Rex', categoryId, status } })
  return { categoryId, pets: await animals(categoryId) }
}

async function animals(categoryId: bigint): Promise<AdminItem[]> {
  return (await service.call('GET', `/pets?categoryId=${categoryId}`)).value
}

function post(name: string, body: unknown): Promise<AdminAnswer> {
  return service.call('POST', `/pets/bulk/${name}`, { token: service.staff.token, body })
}

async function newestEntry(): Promise<bigint> {
  return (await service.call('GET', '/audit?limit=1')).value[0].id
}
