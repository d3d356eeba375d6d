import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { inspect } from 'node:util'
import { PetstoreClient } from '../../client/src/index.ts'
import { call } from '../support/call.ts'
import { errorOf } from '../support/client.ts'
import { startFaultyProxy } from '../support/faulty-proxy.ts'
import { startTestService } from '../support/service.ts'

// 64-bit integers are sent and returned digit for digit.

const service = await startTestService({ after })
const { key } = await service.createCaller()
const client = new PetstoreClient({ apiKey: key, baseUrl: `${service.url}/v1` })

for (const categoryId of [
  9_223_372_036_854_775_807n,
  -9_223_372_036_854_775_808n,
  9_007_199_254_740_993n,
  -9_007_199_254_740_993n,
  0n,
  -1n,
]) {
  test(`${categoryId} stays the same when it is created, listed and read`, async () => {
    const made = await client.pets.create({ name: `{"categoryId":${categoryId}}`, categoryId })
    assert.equal(made.categoryId, categoryId)
    assert.deepEqual(await client.pets.get(made.id), made)
    const listed = await Array.fromAsync(client.pets.list({ limit: 100 }))
    assert.deepEqual(
      listed.find(({ id }) => id === made.id),
      made,
    )
    assert.equal((await service.store.findPet(made.id))?.categoryId, categoryId)
  })
}

test('an exact number is accepted too, and comes back as a bigint', async () => {
  for (const categoryId of [7, -7, -0, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]) {
    const { id, categoryId: made } = await client.pets.create({ name: 'Rex', categoryId })
    assert.equal(made, BigInt(categoryId))
    assert.equal((await client.pets.get(Number(id))).id, id)
  }
})

test('JSON.stringify writes an animal as the service does, digit for digit', async () => {
  const made = await client.pets.create({ name: 'Rex "7"', categoryId: 9_223_372_036_854_775_807n })
  const json = `{"id":${made.id},"name":"Rex \\"7\\"","categoryId":9223372036854775807,"status":"available"}`
  assert.equal(JSON.stringify(made), json)
  assert.equal(JSON.stringify(await client.pets.get(made.id)), json)
  assert.equal(JSON.stringify([made, { made }]), `[${json},{"made":${json}}]`)
  const response = await call(service, { path: `/v1/pets/${made.id}`, key })
  assert.equal(JSON.stringify(made), String(response.body))

  const page = await client.pets.list({ limit: 1 })
  const { pets, nextCursor } = page
  assert.equal(JSON.stringify(page), `{"pets":[${JSON.stringify(pets[0])}],"nextCursor":"${nextCursor}"}`)
})

test('apart from that, an animal is a plain object', async () => {
  const made = await client.pets.create({ name: 'Rex', categoryId: 7 })
  const plain = { id: made.id, name: 'Rex', categoryId: 7n, status: 'available' }
  assert.deepEqual(made, plain)
  assert.deepEqual(Object.keys(made), Object.keys(plain))
  assert.deepEqual(structuredClone(made), plain)
  assert.equal(inspect(made), inspect(plain))
})

test('a value that is not exact or has more than 64 bits is a RangeError and is not sent', async t => {
  const proxy = await startFaultyProxy(t, service.url)
  const { pets } = new PetstoreClient({ apiKey: key, baseUrl: `${proxy.url}/v1` })
  const beyond = [2 ** 53, -(2 ** 53), 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2n ** 63n, -(2n ** 63n) - 1n]
  for (const value of beyond) {
    assert.ok((await errorOf(pets.create({ name: 'Rex', categoryId: value }))) instanceof RangeError, String(value))
    assert.ok((await errorOf(pets.get(value))) instanceof RangeError, String(value))
  }
  assert.equal(proxy.requests.length, 0)
})

test('a name comes back unchanged, whatever its characters', async () => {
  for (const name of [
    '"id":12345678901234567890',
    '\\"7\\',
    '{"a":[1,2.5e3]}',
    'Zoë 🐈‍⬛',
    '\u00e9 or e\u0301',
    '-7',
  ]) {
    const made = await client.pets.create({ name, categoryId: 1 })
    assert.equal(made.name, name)
    assert.equal((await client.pets.get(made.id)).name, name)
  }
})
