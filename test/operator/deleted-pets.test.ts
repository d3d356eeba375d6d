import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call as callPublic } from '../support/call.ts'
import { type AdminItem, assertRefused, type OperatorService, startOperatorService, walk } from '../support/operator.ts'

// Deleted animals are listed for as long as they are deleted, and each can be brought back. The public API does not show them.

const ANY = { headers: { 'If-Match': '*' } }

test('deleted animals are listed with their last values, until they come back under their own ids', async t => {
  const service = await startWith(t, ['Rex', 'Bella', 'Tom'])
  await service.call('PUT', '/categories/7', { body: { label: 'Dogs' } })
  await service.call('PATCH', '/pets/2', { ...ANY, body: { name: 'Bello', status: 'sold' } })
  const { headers } = await service.call('DELETE', '/pets/2', ANY)
  const [, entryId] = headers.find(([name]) => name.toLowerCase() === 'petstore-entry-id') ?? []
  const [entry] = (await service.call('GET', '/audit?limit=1')).value
  const bello = { id: 2n, name: 'Bello', categoryId: 7n, status: 'sold', categoryLabel: 'Dogs', origin: null }
  const { value } = await service.call('GET', '/pets/deleted')
  assert.deepEqual(value, [{ ...bello, deletedAt: entry.at, deletedBy: entry.actor, entryId: BigInt(entryId ?? '') }])

  const body = { entryId: Number(entryId), state: 'before' }
  assert.equal((await service.call('POST', '/pets/2/restore', { body })).status, 200)
  assert.deepEqual((await service.call('GET', '/pets/deleted')).value, [])
  assert.equal((await service.call('GET', '/pets/2')).value.name, 'Bello')
})

test('of a bulk deletion, one animal is restored alone, and undoing the deletion brings back the others', async t => {
  const service = await startWith(t, ['Rex', 'Bella', 'Tom'])
  const selection = { filter: {} }
  const { version } = (await service.call('POST', '/pets/bulk/preview', { body: selection })).value
  const { entryId } = (await service.call('POST', '/pets/bulk/delete', { body: { ...selection, version } })).value
  assert.deepEqual(await deletedIds(service), [1n, 2n, 3n])
  await service.call('POST', '/pets/2/restore', { body: { entryId: Number(entryId), state: 'before' } })
  assert.deepEqual(await deletedIds(service), [1n, 3n])
  assert.equal((await service.call('POST', `/audit/${entryId}/undo`, { body: {} })).value.undone, 2n)
  assert.deepEqual(await deletedIds(service), [])
})

test('deleted animals are found by each filter, in pages of either order', async t => {
  const names = ['Rex', 'Zoë', 'Tom', 'rex 2', 'Max']
  const service = await startWith(t, names)
  await service.call('PATCH', '/pets/3', { ...ANY, body: { categoryId: 9, status: 'sold' } })
  for (const id of [1, 2, 3, 4]) await service.call('DELETE', `/pets/${id}`, ANY)
  for (const [query, ids] of [
    ['', [1n, 2n, 3n, 4n]],
    ['?name=REX', [1n, 4n]],
    ['?name=max', []],
    ['?categoryId=9', [3n]],
    ['?status=sold', [3n]],
    ['?status=available,pending&name=zoe', [2n]],
    ['?id=3', [3n]],
    ['?id=5', []],
    ['?sort=newest', [4n, 3n, 2n, 1n]],
    ['?after=2', [3n, 4n]],
    ['?sort=newest&before=2', [1n]],
  ] as const) {
    assert.deepEqual(await deletedIds(service, query), ids, query)
  }
  for (const sort of ['oldest', 'newest']) {
    const walked = await walk(service, `/pets/deleted?name=r&sort=${sort}&limit=1`)
    const expected = sort === 'oldest' ? [1n, 4n] : [4n, 1n]
    assert.deepEqual([walked.pages, walked.items.map(({ id }) => id)], [2, expected])
  }
  for (const query of ['status=deleted', 'sort=deletedAt', 'externalId=a', 'name=%CC%81']) {
    assertRefused(await service.call('GET', `/pets/deleted?${query}`), 'invalid_parameter')
  }
})

test('an animal that another program has added under the id of a deleted one can be deleted, too', async t => {
  const service = await startWith(t, ['Rex'])
  await service.call('DELETE', '/pets/1', ANY)
  await service.backend.execute("INSERT INTO pet (id, name, category_id, status) VALUES (1, 'Max', 7, 'sold')")
  assert.equal((await service.call('DELETE', '/pets/1', ANY)).status, 204)
  const { value } = await service.call('GET', '/pets/deleted')
  assert.deepEqual(
    value.map(({ id, name }: AdminItem) => [id, name]),
    [[1n, 'Max']],
  )
})

test('the id of a deleted animal cannot be imported, and stays in the list', async t => {
  const service = await startWith(t, ['Rex', 'Bella'])
  await service.call('DELETE', '/pets/1', ANY)
  const file = { body: 'id,name,categoryId\n1,Max,7\n', type: 'text/csv' }
  const { value } = await service.call('POST', '/pets/import', file)
  assert.deepEqual([value.imported, value.badLines], [0n, 1n])
  assert.deepEqual(await deletedIds(service), [1n])
})

test('the animal of a source comes back with its external id', async t => {
  const service = await startWith(t, [])
  await service.call('POST', '/sources', { body: { name: 'riverside', missing: 'delete', maxRemovals: '100%' } })
  const send = (body: string) => service.call('PUT', '/sources/riverside/file', { body, type: 'text/csv' })
  await send('ID,name,categoryId\nA1,Rex,7\nA2,Tom,7\n')
  await send('ID,name,categoryId\nA1,Rex,7\n')
  const [tom, ...others] = (await service.call('GET', '/pets/deleted')).value
  const origin = { source: 'riverside', externalId: 'A2' }
  assert.deepEqual([tom.name, tom.origin, others], ['Tom', origin, []])
  const body = { entryId: Number(tom.entryId), state: 'before' }
  assert.deepEqual((await service.call('POST', `/pets/${tom.id}/restore`, { body })).value.origin, origin)
  assert.deepEqual(await deletedIds(service), [])
})

test('the public API has no deleted animals', async t => {
  const service = await startWith(t, ['Rex', 'Bella'])
  await service.call('DELETE', '/pets/1', ANY)
  const { key } = await service.createCaller()
  assert.equal((await callPublic(service, { path: '/v1/pets/deleted', key })).status, 404)
  assert.doesNotMatch((await callPublic(service, { path: '/v1/pets', key })).text, /Rex/)
})

async function startWith(t: Parameters<typeof startOperatorService>[0], names: string[]): Promise<OperatorService> {
  const service = await startOperatorService(t)
  for (const name of names) await service.call('POST', '/pets', { body: { name, categoryId: 7 } })
  return service
}

async function deletedIds(service: OperatorService, query = ''): Promise<bigint[]> {
  const { value } = await service.call('GET', `/pets/deleted${query}`)
  return value.map(({ id }: { id: bigint }) => id)
}
