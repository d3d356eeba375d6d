import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { Redis } from 'ioredis'
import { skip } from '../../test/support/servers/needs.ts'
import { noRedis, sharedRedisUrl } from '../../test/support/servers/redis.ts'
import { openLimiters, type TestLimiters } from '../../test/support/servers/redis-limiters.ts'
import { openStore } from '../../test/support/store.ts'
import type { Decision } from '../domain/rate-limiter.ts'
import { MINUTE_MS } from '../domain/time.ts'
import { keysOf } from './keys.ts'

const NOON = Date.UTC(2027, 2, 1, 12, 0, 0, 250)
const ADDRESS = '192.0.2.1'

const REDIS_URL = noRedis ? '' : await sharedRedisUrl()
const redis = new Redis(REDIS_URL, { lazyConnect: true })
after(() => redis.disconnect())

if (noRedis) test('counting addresses in Redis', t => void skip(t, String(noRedis)))
else testCounting()

function testCounting(): void {
  test('an address is admitted up to the limit, over all instances, with each Remaining value once', async t => {
    const { instances } = await open(t, 3)
    const decisions = await Promise.all(
      Array.from({ length: 90 }, (_, call) => at(instances, call).addresses.consume(ADDRESS, NOON + call)),
    )
    const admitted = decisions.filter(({ outcome }) => outcome === 'admitted')
    assert.deepEqual(
      admitted.map(({ shown }) => shown.remaining).toSorted((one, other) => one - other),
      Array.from({ length: 50 }, (_, remaining) => remaining),
    )
    const refused = decisions.filter(({ outcome }) => outcome === 'refused')
    assert.ok(refused.length === 40 && refused.every(({ shown }) => shown.remaining === 0))
  })

  test('an address has one window, a minute long from its first call', async t => {
    const { instances } = await open(t, 1)
    const { windows, shown, decidedAt } = await at(instances, 0).addresses.consume(ADDRESS, NOON)
    assert.deepEqual(windows, [shown])
    const expected = { name: 'anonymous', lengthSeconds: 60, limit: 50, remaining: 49, resetsAt: NOON + MINUTE_MS }
    assert.deepEqual([shown, decidedAt], [expected, NOON])
  })

  test('an address that waits until the reset is admitted, one that comes a millisecond early is not', async t => {
    const { instances } = await open(t, 2, 1)
    const ask = async (instance: number, now: number) =>
      (await at(instances, instance).addresses.consume(ADDRESS, now)).outcome
    assert.deepEqual(
      [await ask(0, NOON), await ask(0, NOON + MINUTE_MS - 1), await ask(1, NOON + MINUTE_MS - 1)],
      ['admitted', 'refused', 'refused'],
    )
    assert.equal(await ask(0, NOON + MINUTE_MS), 'admitted')
  })

  test('addresses do not share their limits', async t => {
    const { instances } = await open(t, 1, 1)
    const outcomes: string[] = []
    for (const address of ['192.0.2.1', '192.0.2.2', '2001:db8:0:1', '192.0.2.1']) {
      outcomes.push((await at(instances, 0).addresses.consume(address, NOON)).outcome)
    }
    assert.deepEqual(outcomes, ['admitted', 'admitted', 'admitted', 'refused'])
  })

  test('peek counts nothing, begins no window, and shows the calls that all instances have counted', async t => {
    const { instances, key } = await open(t, 2)
    for (let look = 0; look < 4; look += 1) {
      assert.equal((await at(instances, look).addresses.peek(ADDRESS, NOON)).shown.remaining, 50)
    }
    assert.equal(await redis.exists(key), 0)
    const first = await at(instances, 0).addresses.consume(ADDRESS, NOON + 5_000)
    assert.equal(first.shown.resetsAt, NOON + 5_000 + MINUTE_MS)
    assert.deepEqual((await at(instances, 1).addresses.peek(ADDRESS, NOON + 6_000)).shown, first.shown)
  })

  test('the counts that an instance has for an address are shown without asking Redis', async t => {
    const { instances } = await open(t, 2)
    await at(instances, 1).addresses.consume(ADDRESS, NOON)
    const { addresses } = at(instances, 0)
    assert.equal(addresses.known(ADDRESS, NOON).shown.remaining, 50)
    assert.equal((await addresses.peek(ADDRESS, NOON)).shown.remaining, 49)
    assert.equal(addresses.known(ADDRESS, NOON).shown.remaining, 49)
  })

  test('a caller that peeks more often than a tenth of the limit sees what the instance knows', async t => {
    const { instances } = await open(t, 2)
    const look = async (now: number) => (await at(instances, 0).addresses.peek(ADDRESS, now)).shown.remaining
    for (let looks = 0; looks < 5; looks += 1) assert.equal(await look(NOON), 50)
    await at(instances, 1).addresses.consume(ADDRESS, NOON)
    assert.equal(await look(NOON + MINUTE_MS - 1), 50)
    await at(instances, 0).addresses.consume(ADDRESS, NOON)
    assert.equal(await look(NOON + 1), 48)
    await at(instances, 1).addresses.consume(ADDRESS, NOON + MINUTE_MS)
    assert.equal(await look(NOON + MINUTE_MS), 49)
  })

  test('after a refusal, Redis is not asked about the address again until its minute is nearly over', async t => {
    const { instances, key } = await open(t, 1, 2)
    const { addresses } = at(instances, 0)
    for (const outcome of ['admitted', 'admitted', 'refused']) {
      assert.equal((await addresses.consume(ADDRESS, NOON)).outcome, outcome)
    }
    await redis.del(key)
    const refused: Decision = await addresses.consume(ADDRESS, NOON + 30_000)
    assert.deepEqual(
      [refused.outcome, refused.shown.resetsAt, refused.decidedAt],
      ['refused', NOON + MINUTE_MS, NOON + 30_000],
    )
    assert.equal((await addresses.peek(ADDRESS, NOON + 30_000)).shown.remaining, 0)
    assert.equal(await redis.exists(key), 0, 'Redis was not asked')
    assert.equal((await addresses.consume(ADDRESS, NOON + MINUTE_MS)).outcome, 'admitted')
  })

  test('if a clock was set back by more than a minute, a refused address is admitted', async t => {
    const { instances } = await open(t, 1, 1)
    const { addresses } = at(instances, 0)
    const outcomes: string[] = []
    for (const now of [NOON, NOON, NOON - 2 * MINUTE_MS]) outcomes.push((await addresses.consume(ADDRESS, now)).outcome)
    assert.deepEqual(outcomes, ['admitted', 'refused', 'admitted'])
  })

  test('instances that have seen an address remember it when Redis has lost its count', async t => {
    const { instances, key } = await open(t, 1)
    const { addresses } = at(instances, 0)
    for (let call = 0; call < 20; call += 1) await addresses.consume(ADDRESS, NOON)
    await redis.del(key)
    assert.equal((await addresses.consume(ADDRESS, NOON)).shown.remaining, 29)
  })

  test('an address costs Redis one key, for a minute', async t => {
    const { instances, key } = await open(t, 1)
    await at(instances, 0).addresses.consume(ADDRESS, NOON)
    const left = await redis.pttl(key)
    assert.ok(left > 0 && left <= MINUTE_MS, `${left} ms`)
    assert.deepEqual((await redis.hkeys(key)).toSorted(), ['ends1', 'used1'])
    t.diagnostic(`${await redis.memory('USAGE', key)} bytes an address`)
  })
}

function at(instances: readonly TestLimiters[], index: number): TestLimiters {
  return instances[index % instances.length] as TestLimiters
}

async function open(t: TestContext, count: number, anonymousPerMinute = 50) {
  const store = await openStore(t)
  const instances = await Promise.all(
    Array.from({ length: count }, async () => {
      const limiters = await openLimiters([REDIS_URL], { store, instances: count, ownClock: true, anonymousPerMinute })
      t.after(() => limiters.close())
      return limiters
    }),
  )
  return { instances, key: keysOf(store).address(ADDRESS) }
}
