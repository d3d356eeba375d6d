import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, type TestContext, test } from 'node:test'
import { Redis } from 'ioredis'
import { assertForgotten, heapUsed } from '../../test/support/heap.ts'
import { inTime } from '../../test/support/in-time.ts'
import { skip } from '../../test/support/servers/needs.ts'
import { noRedis, sharedRedisUrl } from '../../test/support/servers/redis.ts'
import {
  createCaller,
  openLimiters,
  type TestLimiters,
  type TestLimitersOptions,
} from '../../test/support/servers/redis-limiters.ts'
import { SOURCE } from '../../test/support/source.ts'
import { openStore } from '../../test/support/store.ts'
import type { Caller } from '../domain/account.ts'
import { type Ban, GRACE_MS, MAX_SOURCES } from '../domain/ban.ts'
import type { Limits } from '../domain/plan.ts'
import { type OpenLimiter, rateLimiterContract } from '../domain/rate-limiter.contract.ts'
import type { Decision, RateLimiter } from '../domain/rate-limiter.ts'
import type { Store } from '../domain/store.ts'
import { DAY_MS, MINUTE_MS } from '../domain/time.ts'
import { databaseFile } from '../sqlite/data-folder/store-files.ts'
import { SqliteStore } from '../sqlite/store.ts'
import { keysOf } from './keys.ts'

const NOON = Date.UTC(2027, 2, 1, 12, 0, 0, 250)
const MIDNIGHT = Date.UTC(2027, 2, 2)
const HOUR_MS = 3_600_000
/** How long a call waits for Redis. It waits neither for the store, except for 50 ms, nor for another instance. */
const SOON_MS = 1_000
/** A refusal this long after the first one is a strike. */
const LATER = NOON + GRACE_MS

const REDIS_URL = noRedis ? '' : await sharedRedisUrl()
const redis = new Redis(REDIS_URL, { lazyConnect: true })
/** Each test has its own account in it. */
const sharedFolder = await mkdtemp(join(tmpdir(), 'petstore-redis-limiter-'))
const sharedStore = await SqliteStore.open(sharedFolder, 'production')
after(async () => {
  redis.disconnect()
  await sharedStore.close()
  await rm(sharedFolder, { recursive: true })
})

if (noRedis) test('counting accounts in Redis', t => void skip(t, String(noRedis)))
else testCounting()

function testCounting(): void {
  rateLimiterContract('Redis', opening(1))
  rateLimiterContract('Redis, two instances in turn', opening(2))

  test('of 1,500 parallel calls over three instances exactly 1,000 are admitted, each Remaining once', async t => {
    const store = await openStore(t)
    const instances = await openInstances(t, store, 3)
    const caller = await createCaller(store, { perMinute: 1_000, perDay: 100_000 })
    const decisions = await Promise.all(
      Array.from({ length: 1_500 }, (_, call) =>
        (instances[call % 3] as TestLimiters).accounts.consume(caller, SOURCE, NOON),
      ),
    )
    const admitted = decisions.filter(({ outcome }) => outcome === 'admitted')
    assert.deepEqual(
      admitted.map(({ shown }) => shown.remaining).toSorted((one, other) => one - other),
      Array.from({ length: 1_000 }, (_, remaining) => remaining),
    )
  })

  test('after all these histories, every key has an expiry time', async () => {
    let keys = 0
    for await (const found of redis.scanStream({ match: 'petstore:*', count: 1_000 })) {
      for (const key of found as string[]) {
        const left = await redis.pttl(key)
        // -2: the key has expired meanwhile.
        assert.ok(left > 0 || left === -2, `${key} stays for ${left} ms`)
        keys += 1
      }
    }
    assert.ok(keys > 10, `only ${keys} keys were checked`)
  })

  test('windows go by the clock of Redis, not by that of the process', async t => {
    const { store, limiters, caller } = await open(t, { perMinute: 3, perDay: 100 })
    for (const shift of [0, HOUR_MS, -HOUR_MS, 40 * DAY_MS]) {
      const decision = await limiters.accounts.consume(caller, SOURCE, Date.now() + shift)
      assert.ok(Math.abs(decision.decidedAt - (await redisTime())) < 1_000)
      assert.equal(decision.outcome, shift === 40 * DAY_MS ? 'refused' : 'admitted')
      assert.equal(decision.windows[1]?.resetsAt, (Math.floor(decision.decidedAt / DAY_MS) + 1) * DAY_MS)
    }
    await limiters.accounts.save(Date.now() + 40 * DAY_MS)
    assert.equal((await store.findCounts(caller.accountId)).minute?.used, 3)
  })

  test('a call is admitted at the time that the refusal gave, and not a millisecond earlier', async t => {
    const { store, limiters, caller, key } = await open(t, { perMinute: 1, perDay: 100 })
    const first = await limiters.accounts.consume(caller, SOURCE, 0)
    const refused = await limiters.accounts.consume(caller, SOURCE, 0)
    assert.deepEqual([refused.outcome, refused.shown.resetsAt], ['refused', first.decidedAt + MINUTE_MS])
    // Instead of waiting a minute, the test makes the window end soon.
    const ends = (await redisTime()) + 300
    await redis.hset(key, 'ends1', ends)
    const fresh = await openLimiters([REDIS_URL], { store })
    t.after(() => fresh.close())
    let decision: Decision
    do {
      decision = await fresh.accounts.consume(caller, SOURCE, 0)
      assert.equal(decision.outcome, decision.decidedAt < ends ? 'refused' : 'admitted')
    } while (decision.outcome === 'refused')
  })

  test('a key that has lost its expiry time gets it back with the next call, even a refused one', async t => {
    const { store, limiters, caller, key } = await open(t, { perMinute: 1, perDay: 100 })
    const untilMidnight = async () => DAY_MS - ((await redisTime()) % DAY_MS)
    for (const outcome of ['admitted', 'refused', 'refused']) {
      assert.equal((await limiters.accounts.consume(caller, SOURCE, 0)).outcome, outcome)
      const left = await redis.pttl(key)
      const longest = Math.max(await untilMidnight(), MINUTE_MS)
      assert.ok(left > 0 && left <= longest + 1_000, `${left} of ${longest} ms`)
      assert.equal(await redis.persist(key), 1)
    }
    await limiters.addresses.consume('192.0.2.1', 0)
    const address = keysOf(store).address('192.0.2.1')
    assert.equal(await redis.persist(address), 1)
    await limiters.addresses.consume('192.0.2.1', 0)
    const left = await redis.pttl(address)
    assert.ok(left > 0 && left <= MINUTE_MS, `${left} ms`)
    await redis.del(key)
  })

  test('nor does a key stay without an expiry time while calls are admitted', async t => {
    const { limiters, caller, key } = await open(t, { perMinute: 100, perDay: 100 })
    for (let call = 0; call < 3; call += 1) {
      await limiters.accounts.consume(caller, SOURCE, 0)
      assert.ok((await redis.pttl(key)) > 0)
      assert.equal(await redis.persist(key), 1)
    }
    await redis.del(key)
  })

  test('strikes are kept until their window ends, and bans until their own end', async t => {
    const { limiters, caller, key } = await open(t, { perMinute: 1, perDay: 100 }, { ownClock: true })
    const before = MIDNIGHT - 50_000
    await consume(limiters, caller, before, 2)
    await consume(limiters, caller, before + GRACE_MS, 3)
    // The minute ends after the day.
    const left = await redis.pttl(key)
    assert.ok(left > 40_000 && left <= MINUTE_MS, `${left} ms`)
    await consume(limiters, caller, before + GRACE_MS + 1, 7)
    assert.ok((await redis.pttl(key)) > 890_000, 'the ban lasts 15 minutes')
  })

  test('bans that are over are removed with the next ban of the account', async t => {
    const { limiters, caller, key, store } = await open(t, { perMinute: 1, perDay: 1_000 }, { ownClock: true })
    await consume(limiters, caller, NOON, 2)
    await consume(limiters, caller, LATER, 10)
    const [first] = await store.listBans({ keyId: caller.keyId })
    const banned = async () => (await redis.hkeys(key)).filter(field => field.startsWith('ban:'))
    assert.deepEqual(await banned(), [`ban:${caller.keyId} ${SOURCE()}`])
    const now = (first as Ban).endsAt
    const other = () => '2001:db8:1:2::/64'
    for (let call = 0; call < 2; call += 1) await limiters.accounts.consume(caller, other, now)
    for (let call = 0; call < 10; call += 1) await limiters.accounts.consume(caller, other, now + GRACE_MS)
    assert.deepEqual(await banned(), [`ban:${caller.keyId} ${other()}`])
  })

  test('the script knows the numbers of the rule', () => {
    const script = readFileSync(new URL('consume.lua', import.meta.url), 'utf8')
    const numberOf = (name: string) => Number(new RegExp(`^local ${name} = (\\d+)$`, 'm').exec(script)?.[1])
    assert.deepEqual([numberOf('GRACE'), numberOf('MAX_SOURCES')], [GRACE_MS, MAX_SOURCES])
  })

  test('strikes of API keys that have stopped calling are removed while their account keeps calling', async t => {
    const { limiters, caller, key } = await open(t, { perMinute: 1, perDay: 1_000 }, { ownClock: true })
    const old = { ...caller, keyId: caller.keyId + 1_000n }
    const before = MIDNIGHT - 90_000
    await consume(limiters, caller, before, 1)
    await consume(limiters, old, before + 1, 2)
    assert.deepEqual(
      (await redis.hkeys(key)).filter(field => field.startsWith('strikes:')),
      [`strikes:${old.keyId} ${SOURCE()}`],
    )
    await consume(limiters, caller, MIDNIGHT + HOUR_MS, 1)
    assert.deepEqual((await redis.hkeys(key)).toSorted(), ['ends1', 'ends2', 'used1', 'used2'])
  })

  test('an instance forgets accounts whose windows are over', async t => {
    const { limiters, caller } = await open(t, { perMinute: 5, perDay: 100 }, { ownClock: true })
    // So many that what stays after the first calls, such as compiled code, weighs little, and so does what earlier tests leave for a while.
    const callers = Array.from({ length: 24_000 }, (_, index) => ({ ...caller, accountId: BigInt(index + 1_000) }))
    const before = await heapUsed()
    for (let first = 0; first < callers.length; first += 100) {
      const some = callers.slice(first, first + 100)
      await Promise.all(some.map(one => limiters.accounts.consume(one, SOURCE, NOON)))
    }
    await limiters.accounts.save(NOON)
    const full = await heapUsed()
    await consume(limiters, caller, NOON + DAY_MS, 1)
    await limiters.accounts.save(NOON + DAY_MS)
    assertForgotten(before, full, await heapUsed())
  })

  test('counts lost by Redis come back from the store and from the instance', async t => {
    const { store, limiters, caller, key } = await open(t, { perMinute: 100, perDay: 1_000 })
    await consume(limiters, caller, 0, 30)
    await redis.del(key)
    assert.deepEqual(remaining((await consume(limiters, caller, 0, 1))[0]), [69, 969], 'from the instance')

    await limiters.accounts.save(0)
    await redis.del(key)
    const other = await openLimiters([REDIS_URL], { store })
    t.after(() => other.close())
    assert.deepEqual(remaining((await consume(other, caller, 0, 1))[0]), [68, 968], 'from the store')

    // As after a failover to a replica that lags behind.
    await redis.hset(key, 'used1', 3, 'used2', 3)
    assert.deepEqual(remaining((await consume(other, caller, 0, 1))[0]), [67, 967])
    await redis.hset(key, 'used1', 3)
    assert.deepEqual(remaining((await consume(other, caller, 0, 1))[0]), [66, 966])
    await redis.hset(key, 'used2', 3)
    assert.deepEqual(remaining((await consume(other, caller, 0, 1))[0]), [65, 965])
  })

  test('a window in Redis never moves, even if an instance knows of a later one', async t => {
    const { store, limiters, caller, key } = await open(t, { perMinute: 100, perDay: 1_000 })
    const { addresses, close } = await openLimiters([REDIS_URL], { store, anonymousPerMinute: 100 })
    t.after(close)
    const countAddress = async () => addresses.consume('192.0.2.44', 0)
    const countAccount = async () => limiters.accounts.consume(caller, SOURCE, 0)
    for (const [hash, count] of [
      [key, countAccount],
      [keysOf(store).address('192.0.2.44'), countAddress],
    ] as const) {
      const ends = (await count()).shown.resetsAt - 20_000
      await redis.hset(hash, 'ends1', ends)
      for (const left of [98, 97]) {
        const { shown } = await count()
        assert.deepEqual([shown.remaining, shown.resetsAt], [left, ends])
      }
    }
  })

  test('a banned key is refused by an instance that does not know of the ban, although its account has calls left', async t => {
    const store = await openStore(t)
    const [first, second] = (await openInstances(t, store, 2)) as [TestLimiters, TestLimiters]
    const caller = await createCaller(store, { perMinute: 1, perDay: 100 })
    await consume(first, caller, NOON, 2)
    await consume(first, caller, LATER, 10)
    const roomy = { ...caller, limits: { perMinute: 100, perDay: 100 } }
    assert.equal(
      (await consume(second, { ...roomy, keyId: caller.keyId + 1n }, LATER + 1_000, 1))[0]?.outcome,
      'admitted',
    )
    assert.equal((await consume(second, roomy, LATER + 1_001, 1))[0]?.outcome, 'banned')
  })

  test('while the store does not answer, counts lost by Redis come back from the instance', async t => {
    const { store, caller, key } = await open(t, { perMinute: 100, perDay: 1_000 })
    const silent = new Proxy(store, {
      get: (target, name) => (name === 'findCounts' ? () => new Promise(() => {}) : Reflect.get(target, name, target)),
    })
    const limiters = await openLimiters([REDIS_URL], { store: silent })
    t.after(() => limiters.close())
    const consumeSoon = () => inTime(SOON_MS, 'a call', consume(limiters, caller, 0, 1))
    assert.deepEqual(remaining((await consumeSoon())[0]), [99, 999])
    await redis.del(key)
    assert.deepEqual(remaining((await consumeSoon())[0]), [98, 998])
    assert.deepEqual(limiters.lost, [], 'a silent store is not an outage of Redis')
  })

  test('a key with invalid content starts over', async t => {
    const { limiters, caller, key } = await open(t, { perMinute: 100, perDay: 1_000 })
    await redis.set(key, 'not a hash')
    assert.deepEqual(remaining((await consume(limiters, caller, 0, 1))[0]), [99, 999])
    await redis.hset(key, 'used1', 'nonsense', 'ends1', '', 'used2', 'x')
    assert.equal((await consume(limiters, caller, 0, 1))[0]?.outcome, 'admitted')
    const ban = `ban:${caller.keyId} ${SOURCE()}`
    for (const nonsense of [
      'stored',
      'stored 1 2 3',
      `stored 1 2 ${'9'.repeat(30)} 1`,
      'claimed',
      'claimed 5',
      'x',
      '',
    ]) {
      await redis.hset(key, ban, nonsense, 'used1', 'inf', 'ends2', '1e300')
      assert.equal((await consume(limiters, caller, 0, 1))[0]?.outcome, 'admitted', nonsense)
    }
    assert.deepEqual(limiters.lost, [])
  })

  test('ten ignored refusals on three instances earn one ban, which is stored once and holds on all of them', async t => {
    const store = await openStore(t)
    const instances = await openInstances(t, store, 3)
    const caller = await createCaller(store, { perMinute: 1, perDay: 100 })
    const at = (call: number) => instances[call % 3] as TestLimiters
    await at(0).accounts.consume(caller, SOURCE, NOON)
    await at(1).accounts.consume(caller, SOURCE, NOON + 1)
    const outcomes: string[] = []
    for (let call = 0; call < 12; call += 1) {
      outcomes.push((await at(call).accounts.consume(caller, SOURCE, LATER + 1 + call)).outcome)
    }
    assert.deepEqual(outcomes, [...Array(9).fill('refused'), ...Array(3).fill('banned')])
    assert.equal((await store.listBans()).length, 1)
    assert.equal((await store.listBans())[0]?.ordinal, 1)

    const other = await createCaller(store, { perMinute: 1, perDay: 100 })
    await Promise.all(instances.map(({ accounts }) => accounts.consume(other, SOURCE, NOON)))
    await Promise.all(Array.from({ length: 90 }, (_, call) => at(call).accounts.consume(other, SOURCE, LATER)))
    assert.deepEqual(
      (await store.listBans()).map(({ keyId, ordinal }) => [keyId, ordinal]),
      [
        [other.keyId, 1],
        [caller.keyId, 1],
      ],
    )
  })

  test('a stored ban that was never reported to Redis comes from the store and holds', async t => {
    const store = await openStore(t)
    const [first, second] = (await openInstances(t, store, 2)) as [TestLimiters, TestLimiters]
    const caller = await createCaller(store, { perMinute: 1, perDay: 100 })
    const key = keysOf(store).account(caller.accountId)
    await consume(first, caller, NOON, 2)
    await consume(first, caller, LATER, 9)
    // The instance that claims the ban stops before it has stored it …
    await redis.hset(key, `ban:${caller.keyId} ${SOURCE()}`, `claimed ${LATER + 1} ${(await redisTime()) + 300}`)
    const startedAt = performance.now()
    const [waited] = await consume(second, caller, LATER + 1, 1)
    assert.equal(waited?.outcome, 'refused')
    assert.ok(performance.now() - startedAt >= 200, 'the call has waited for the ban')
    // … and the next ignored refusal earns it again.
    assert.equal((await consume(second, caller, LATER + 2, 1))[0]?.outcome, 'banned')
    const [lastBan] = (await refresh(store, caller)).bans as [Ban]
    assert.equal(lastBan.startedAt, LATER + 2)

    // Or it has stored the ban: then the caller carries it, and the strikes are used up.
    await redis.hset(
      key,
      `ban:${caller.keyId} ${SOURCE()}`,
      `claimed ${lastBan.startedAt} ${(await redisTime()) + 60_000}`,
    )
    const [banned] = await consume(first, await refresh(store, caller), LATER + 3, 1)
    assert.deepEqual([banned?.outcome, banned?.shown.resetsAt], ['banned', lastBan.endsAt])
    const [admitted] = await consume(first, await refresh(store, caller), lastBan.endsAt, 1)
    assert.equal(admitted?.outcome, 'admitted')
    assert.equal((await store.listBans()).length, 1)
  })

  test('if the clock of Redis was set back, calls do not wait for a ban that an instance claimed before', async t => {
    const { limiters, caller, key } = await open(t, { perMinute: 5, perDay: 100 })
    await consume(limiters, caller, 0, 1)
    const claimedAt = (await redisTime()) + HOUR_MS
    await redis.hset(key, `ban:${caller.keyId} ${SOURCE()}`, `claimed ${claimedAt} ${claimedAt + 5_000}`)
    const { outcome } = await inTime(SOON_MS, 'a call', limiters.accounts.consume(caller, SOURCE, 0))
    assert.equal(outcome, 'admitted')
  })

  test('a lifted ban ends at once on every instance, whatever the clock of the instance that lifted it', async t => {
    const store = await openStore(t)
    const [first, second] = (await openInstances(t, store, 2, { ownClock: false })) as [TestLimiters, TestLimiters]
    const caller = await createCaller(store, { perMinute: 5, perDay: 100 })
    await consume(first, caller, 0, 1)
    const now = await redisTime()
    const ban = await store.createBan(caller.keyId, {
      source: '192.0.2.7',
      earnedIn: 'minute',
      startedAt: now,
      endsAt: now + HOUR_MS,
      ordinal: 1,
    })
    const banned = await refresh(store, caller)
    for (const instance of [first, second]) assert.equal((await consume(instance, banned, 0, 1))[0]?.outcome, 'banned')
    await store.liftBan(ban.id, { at: now + 60_000, actor: 'ada', origin: '', action: 'ban.lift', details: {} })
    const lifted = await refresh(store, caller)
    for (const instance of [first, second])
      assert.equal((await consume(instance, lifted, 0, 1))[0]?.outcome, 'admitted')
  })

  test('stores that share a Redis do not share counts', async t => {
    const one = await open(t, { perMinute: 5, perDay: 100 })
    const other = await open(t, { perMinute: 5, perDay: 100 }, {}, await openStore(t))
    const same = { ...other.caller, accountId: one.caller.accountId }
    await consume(one.limiters, one.caller, 0, 3)
    assert.deepEqual(remaining((await consume(other.limiters, same, 0, 1))[0]), [4, 99])
    assert.notEqual(one.key, keysOf(other.store).account(one.caller.accountId))
    assert.ok(!one.key.includes(Buffer.from(one.store.cursorSecret).toString('base64url').slice(0, 16)))
  })

  test('an account costs Redis one key', async t => {
    const limits = { perMinute: 1_000, perDay: 1_000 }
    const { limiters, caller, key } = await open(t, limits, {}, await openStore(t))
    await consume(limiters, caller, 0, 50)
    const prefix = key.split(':').slice(0, 2).join(':')
    const keys = (await redis.keys(`${prefix}:*`)).filter(name => !name.endsWith(':trial'))
    assert.deepEqual(keys, [key])
    t.diagnostic(`${await redis.memory('USAGE', key)} bytes an account`)
  })
}

/**
 * A limiter that passes its calls to several instances at random; a restart restarts all of them. Calls made at one moment go to the
 * same instance, because several would decide them in any order.
 */
function opening(instances: number): OpenLimiter {
  return async policy => {
    const store = sharedStore
    const open = () =>
      Promise.all(
        Array.from({ length: instances }, () =>
          openLimiters([REDIS_URL], { store, instances, ownClock: true, ban: policy }),
        ),
      )
    const close = async () => {
      for (const { close, lost } of opened) {
        await close()
        assert.deepEqual(lost, [], 'Redis was never lost')
      }
    }
    let opened = await open()
    let current: RateLimiter | undefined
    const limiter: RateLimiter = {
      consume(caller, source, now) {
        current ??= anyOf(opened).accounts
        queueMicrotask(() => {
          current = undefined
        })
        return current.consume(caller, source, now)
      },
      read: (account, now) => anyOf(opened).accounts.read(account, now),
      async save(now) {
        for (const { accounts } of opened) await accounts.save(now)
      },
    }
    return {
      limiter,
      store,
      async reopen() {
        await close()
        opened = await open()
        return limiter
      },
      forgetsStrikes: false,
      refuseBans() {
        execute(sharedFolder, "CREATE TRIGGER full BEFORE INSERT ON ban BEGIN SELECT RAISE(ABORT, 'disk full'); END")
        return () => execute(sharedFolder, 'DROP TRIGGER IF EXISTS full')
      },
      close,
    }
  }
}

async function open(
  t: TestContext,
  limits: Limits,
  options: Partial<TestLimitersOptions> = {},
  store: Store = sharedStore,
) {
  const [limiters] = (await openInstances(t, store, 1, { ownClock: false, ...options })) as [TestLimiters]
  const caller = await createCaller(store, limits)
  return { store, limiters, caller, key: keysOf(store).account(caller.accountId) }
}

function openInstances(
  t: TestContext,
  store: Store,
  count: number,
  options: Partial<TestLimitersOptions> = {},
): Promise<TestLimiters[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const limiters = await openLimiters([REDIS_URL], { store, instances: count, ownClock: true, ...options })
      t.after(() => limiters.close())
      return limiters
    }),
  )
}

async function consume({ accounts }: TestLimiters, caller: Caller, now: number, times: number): Promise<Decision[]> {
  const decisions: Decision[] = []
  for (let call = 0; call < times; call += 1) decisions.push(await accounts.consume(caller, SOURCE, now))
  return decisions
}

/** The caller with its bans in the store. */
async function refresh(store: Store, caller: Caller): Promise<Caller> {
  return { ...caller, bans: await store.listBans({ keyId: caller.keyId }) }
}

function remaining(decision: Decision | undefined): number[] | undefined {
  return decision?.windows.map(window => window.remaining)
}

async function redisTime(): Promise<number> {
  const [seconds, microseconds] = await redis.time()
  return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000)
}

function anyOf<Value>(values: readonly Value[]): Value {
  return values[Math.floor(Math.random() * values.length)] as Value
}

function execute(folder: string, sql: string): void {
  const database = new DatabaseSync(databaseFile(folder), { timeout: 5_000 })
  database.exec(sql)
  database.close()
}
