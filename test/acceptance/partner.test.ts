import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  ApiKeyError,
  BannedError,
  InvalidRequestError,
  type Pet,
  PetstoreClient,
  RateLimitError,
} from '../../client/src/index.ts'
import { setPlan } from '../../src/domain/administration/accounts.ts'
import { liftBansOfKey, listBans } from '../../src/domain/administration/bans.ts'
import { revokeKey, rotateKey } from '../../src/domain/administration/keys.ts'
import { correctPet, deletePet, findPet } from '../../src/domain/administration/pets.ts'
import { call } from '../support/call.ts'
import { clientOn, errorOf, fastClock, runWith } from '../support/client.ts'
import { startTestService, type TestService } from '../support/service.ts'

// Scenarios of partners and operators, from beginning to end: partners use the client, operators use the admin operations.

test("a shop's day: animals are added, reserved, sold and corrected, and a partner shows the available ones", async t => {
  const service = await startTestService(t)
  const shop = await partnerOf(service)
  const partner = await partnerOf(service)
  for (let number = 1; number <= 12; number += 1) await shop.pets.create({ name: `kitten ${number}`, categoryId: 7 })
  const morning = await partner.pets.list({ status: 'available', limit: 5 })
  assert.deepEqual(numbersOf(morning.pets), [1, 2, 3, 4, 5])

  await correct(service, 2n, { status: 'sold' })
  await correct(service, 9n, { status: 'pending' })
  await deletePet(service.adminContext(), await findPet(service.store, '11'))
  await shop.pets.create({ name: 'kitten 13', categoryId: 7 })

  const evening = await Array.fromAsync(partner.pets.list({ status: 'available', limit: 5 }))
  assert.deepEqual(numbersOf(evening), [1, 3, 4, 5, 6, 7, 8, 10, 12, 13])
  assert.deepEqual(numbersOf(await Array.fromAsync(partner.pets.list({ status: 'sold' }))), [2])
  const { nextCursor } = morning
  const goneOn = await Array.fromAsync(partner.pets.list({ status: 'available', limit: 5, cursor: nextCursor }))
  assert.deepEqual(numbersOf(goneOn), [6, 7, 8, 10, 12, 13], 'the walk of the morning goes on where it was left')
})

test('an interrupted import is run again as a whole, and creates no animal twice', async t => {
  const service = await startTestService(t)
  const { pets } = await partnerOf(service)
  const rows = Array.from({ length: 20 }, (_, index) => ({ number: index + 1, name: `kitten ${index + 1}` }))
  const runImport = async (signal?: AbortSignal, onRow: (number: number) => void = () => {}) => {
    for (const { number, name } of rows) {
      await pets.create({ name, categoryId: 7 }, { idempotencyKey: `delivery-31/${number}`, signal })
      onRow(number)
    }
  }
  const leaving = new AbortController()
  const broken = runImport(leaving.signal, number => number === 8 && leaving.abort(new Error('The lid was shut.')))
  assert.match(String(await errorOf(broken)), /The lid was shut/)
  await runImport()
  assert.deepEqual(
    numbersOf(await Array.fromAsync(pets.list())),
    rows.map(({ number }) => number),
  )
})

test('a partner on the free plan adds 100 animals at once: it takes a minute more, and nothing is refused', async t => {
  const { service, clock } = await startOnMinutes(t)
  const { account, key } = await service.createCaller({ plan: 'free' })
  const partner = clientOn(clock, service.url, key)
  const startedAt = clock.now()
  const names = Array.from({ length: 100 }, (_, index) => `kitten ${index + 1}`)
  await Promise.all(names.map(name => partner.pets.create({ name, categoryId: 7 })))
  assert.ok(clock.now() - startedAt >= 60_000)
  const { pets } = await service.store.listPets({ status: undefined, afterId: 0n, limit: 200 })
  assert.deepEqual(numbersOf(pets).toSorted(ascending), numbersOf(names.map(name => ({ name }))))
  assert.equal(partner.rateLimit?.windows.find(({ name }) => name === 'day')?.remaining, 900)
  assert.ok(!service.logs.some(line => line.includes('"status":429')))

  await setPlan(service.adminContext(), { account: String(account.id), plan: 'business', limits: {} })
  await partner.pets.list()
  assert.equal(partner.rateLimit?.limit, 1_000, 'the greater plan holds from the next call on')
})

test("a partner that has used up the day's calls learns when the next day begins, and then continues", async t => {
  const { service, clock } = await startOnMinutes(t, Date.UTC(2027, 2, 1, 23, 57, 0))
  const { key } = await service.createCaller({ limits: { perDay: 3 } })
  const { pets } = clientOn(clock, service.url, key)
  for (let calls = 0; calls < 3; calls += 1) await pets.list()
  const error = await errorOf(pets.list({ timeoutMs: 1_000 }))
  assert.ok(error instanceof RateLimitError)
  const late = Number(error.retryAt) - Date.UTC(2027, 2, 2)
  assert.ok(late >= 0 && late < 10_000, `${late} ms after midnight`)
  await pets.list()
  assert.ok(clock.now() >= Date.UTC(2027, 2, 2))
})

test('a key is rotated without downtime, and a leaked one stops working', async t => {
  const service = await startTestService(t)
  const { key, keyId } = await service.createCaller()
  const { issued } = await rotateKey(service.adminContext(), { keyId: String(keyId), overlapSeconds: 3_600 })
  const [old, successor] = [clientOf(service, key), clientOf(service, issued.key)]
  await old.pets.create({ name: 'kitten 1', categoryId: 7 })
  assert.deepEqual(numbersOf((await successor.pets.list()).pets), [1])
  service.clock.advanceSeconds(3_600)
  assert.ok((await errorOf(old.pets.list())) instanceof ApiKeyError)
  await successor.pets.list()
  await revokeKey(service.adminContext(), String(issued.id))
  assert.ok((await errorOf(successor.pets.list())) instanceof ApiKeyError)
})

test("a partner's script that ignores refusals is banned; its storefront keeps working, and an operator lifts the ban", async t => {
  const service = await startTestService(t)
  const { account, key, keyId } = await service.createCaller({ limits: { perMinute: 10 } })
  const { key: windowKey } = await service.issueKey(account)
  const hammer = async (calls: number) => {
    for (let made = 0; made < calls; made += 1) await call(service, { path: '/v1/pets', key })
  }
  await hammer(11)
  service.clock.advanceSeconds(10)
  await hammer(60)

  const before = Date.now()
  const error = await errorOf(clientOf(service, key).pets.list())
  assert.ok(error instanceof BannedError)
  assert.ok(Number(error.retryAt) - before >= 900_000)
  service.clock.advanceSeconds(60)
  await clientOf(service, windowKey).pets.list()

  const [banned] = await listBans(service.store, { inForceAt: service.clock.now })
  assert.equal(banned?.key.id, keyId)
  await liftBansOfKey(service.adminContext(), String(keyId))
  // A process that has seen the ban waits for its end; one that starts now does not know of it.
  await clientOn(fastClock(1), service.url, key).pets.list()
})

test('a partner tries everything on staging first: neither keys nor animals are those of production', async t => {
  const production = await startTestService(t)
  const staging = await startTestService(t, { config: { deployment: 'staging' } })
  const { key: liveKey } = await production.createCaller()
  const { key: testKey } = await staging.createCaller()
  await clientOf(staging, testKey).pets.create({ name: 'kitten 1', categoryId: 7 })
  assert.deepEqual((await clientOf(production, liveKey).pets.list()).pets, [])
  for (const [service, key] of [
    [production, testKey],
    [staging, liveKey],
  ] as const) {
    assert.ok((await errorOf(clientOf(service, key).pets.list())) instanceof ApiKeyError)
  }
})

test('callers that still read single animals after that is removed get an error that says so, and find them by status', async t => {
  const service = await startTestService(t, { now: Date.UTC(2030, 11, 4, 23, 59, 59) })
  const { pets } = await partnerOf(service)
  const { id } = await pets.create({ name: 'kitten 1', categoryId: 7, status: 'pending' })
  const read = await pets.get(id)
  service.clock.advanceSeconds(1)
  const error = await errorOf(pets.get(id))
  assert.ok(error instanceof InvalidRequestError)
  assert.equal(error.code, 'operation_removed')
  const listed = await Array.fromAsync(pets.list({ status: 'pending' }))
  assert.deepEqual(listed, [read])
})

async function partnerOf(service: TestService): Promise<PetstoreClient> {
  return clientOf(service, (await service.createCaller()).key)
}

function clientOf(service: TestService, apiKey: string): PetstoreClient {
  return new PetstoreClient({ apiKey, baseUrl: `${service.url}/v1` })
}

/** A service whose minutes last half a second, by a matching clock. */
async function startOnMinutes(t: TestContext, now?: number) {
  const service = await startTestService(t)
  const clock = fastClock(120, now)
  runWith(service, clock)
  return { service, clock }
}

async function correct(service: TestService, id: bigint, to: Partial<Pick<Pet, 'name' | 'status'>>): Promise<void> {
  await correctPet(service.adminContext(), await findPet(service.store, String(id)), to)
}

function numbersOf(pets: readonly { name: string }[]): number[] {
  return pets.map(({ name }) => Number(name.replace('kitten ', '')))
}

function ascending(one: number, other: number): number {
  return one - other
}
