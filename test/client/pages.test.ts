import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { InvalidRequestError, PetstoreClient, type PetstoreError } from '../../client/src/index.ts'
import { startFaultyProxy } from '../support/faulty-proxy.ts'
import { startTestService } from '../support/service.ts'

// Awaiting a list returns a page, iterating over it returns all animals.

const STATUSES = ['available', 'pending', 'sold'] as const

test('an iteration returns every animal that existed at its start once, in order, while others create animals', async t => {
  const { client, other } = await start(t)
  const there: bigint[] = []
  for (let pets = 0; pets < 25; pets += 1) there.push((await client.pets.create({ name: 'Rex', categoryId: 1 })).id)
  const met: bigint[] = []
  for await (const { id } of client.pets.list({ limit: 4 })) {
    met.push(id)
    if (met.length <= 25) await other.pets.create({ name: 'Mimi', categoryId: 1 })
  }
  assert.deepEqual(met.slice(0, 25), there)
  assert.deepEqual(
    met,
    met.toSorted((one, another) => Number(one - another)),
  )
  assert.equal(new Set(met).size, met.length)
})

test('a rejected list can be handled like any promise', async t => {
  const { client } = await start(t)
  const caught = await client.pets.list({ limit: 0 }).catch((error: PetstoreError) => error.code)
  assert.equal(caught, 'invalid_parameter')
  let isOver = false
  const over = client.pets.list({ limit: 0 }).finally(() => {
    isOver = true
  })
  await assert.rejects(over, InvalidRequestError)
  assert.ok(isOver)
})

test('an iteration by status returns only animals with that status', async t => {
  const { client, proxy } = await start(t)
  for (let pets = 0; pets < 12; pets += 1) {
    await client.pets.create({ name: 'Rex', categoryId: pets, status: STATUSES[pets % 3] })
  }
  for (const [index, status] of STATUSES.entries()) {
    const pets = await Array.fromAsync(client.pets.list({ status, limit: 3 }))
    assert.deepEqual(
      pets.map(pet => [pet.status, pet.categoryId]),
      [0n, 3n, 6n, 9n].map(number => [status, number + BigInt(index)]),
    )
  }
  const asked = proxy.requests.filter(({ method }) => method === 'GET')
  assert.equal(asked.length, 6, 'two pages of each')
  for (const { path } of asked) assert.match(path, /^\/v1\/pets\?limit=3&status=(available|pending|sold)(&cursor=|$)/)
})

test('a page can be awaited, followed by the next page, iterated from, and loaded again by its cursor', async t => {
  const { client, other } = await start(t)
  for (let pets = 0; pets < 5; pets += 1) await client.pets.create({ name: `${pets}`, categoryId: 1 })
  const namesOf = (pets: readonly { name: string }[]) => pets.map(({ name }) => name).join('')

  const first = await client.pets.list({ limit: 2 })
  const second = await first.next()
  const third = await second?.next()
  assert.deepEqual(
    [first, second, third].map(page => namesOf(page?.pets ?? [])),
    ['01', '23', '4'],
  )
  assert.equal(third?.nextCursor, undefined)
  assert.equal(await third?.next(), undefined)
  assert.equal(namesOf(await Array.fromAsync(second ?? [])), '234')
  const later = await other.pets.list({ limit: 2, cursor: first.nextCursor })
  assert.equal(namesOf(later.pets), '23', 'as another process would')
})

test('an empty catalogue is one empty page', async t => {
  const { client } = await start(t)
  const page = await client.pets.list()
  assert.deepEqual([page.pets, page.nextCursor], [[], undefined])
  assert.deepEqual(await Array.fromAsync(client.pets.list()), [])
})

test('nothing is sent before a list is used, each page is loaded once, and no more pages than needed', async t => {
  const { client, proxy } = await start(t)
  for (let pets = 0; pets < 6; pets += 1) await client.pets.create({ name: 'Rex', categoryId: 1 })
  const sent = () => proxy.requests.filter(({ method }) => method === 'GET').length
  const list = client.pets.list({ limit: 2 })
  assert.equal(sent(), 0)
  await list
  await list
  assert.equal(sent(), 1)
  let met = 0
  for await (const _ of list) if (++met === 3) break
  assert.equal(sent(), 2)
})

test("the next page is loaded from the client's own address, whatever address the service returns", async t => {
  const publicUrls = { production: 'https://api.petstore.test/v1' }
  const { client, proxy } = await start(t, { publicUrls })
  for (let pets = 0; pets < 3; pets += 1) await client.pets.create({ name: 'Rex', categoryId: 1 })
  assert.equal((await Array.fromAsync(client.pets.list({ limit: 1 }))).length, 3)
  assert.equal(proxy.requests.length, 6)
})

/** A service with an empty catalogue, and two clients of one account, as in two processes. */
async function start(t: TestContext, config = {}) {
  const service = await startTestService(t, { config })
  const { account, key } = await service.createCaller()
  const { key: otherKey } = await service.issueKey(account)
  const proxy = await startFaultyProxy(t, service.url)
  const client = new PetstoreClient({ apiKey: key, baseUrl: `${proxy.url}/v1` })
  const other = new PetstoreClient({ apiKey: otherKey, baseUrl: `${service.url}/v1` })
  return { client, other, proxy }
}

test('pages arrive compressed', async t => {
  const service = await startTestService(t)
  const { key } = await service.createCaller()
  const codings: (string | null | undefined)[] = []
  const onResponse = ({ headers }: { headers?: Headers | undefined }) =>
    void codings.push(headers?.get('content-encoding'))
  const client = new PetstoreClient({ baseUrl: service.baseUrl, apiKey: key, onResponse })
  await Promise.all(Array.from({ length: 30 }, () => client.pets.create({ name: 'Mr. Mistoffelees', categoryId: 1 })))
  codings.length = 0
  const { pets } = await client.pets.list({ limit: 30 })
  assert.equal(pets.length, 30)
  assert.match(codings.join(), /^(?:gzip|br|zstd)$/)
})
