import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { type TestContext, test } from 'node:test'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { eventually } from '../../test/support/eventually.ts'
import { skip } from '../../test/support/needs.ts'
import { noRedis, type RedisServer, startRedis } from '../../test/support/redis.ts'
import { createCaller, openLimiters, type TestLimiters } from '../../test/support/redis-limiters.ts'
import { openStore } from '../../test/support/store.ts'
import type { Caller } from '../domain/account.ts'
import type { Ban } from '../domain/ban.ts'
import type { Decision } from '../domain/rate-limiter.ts'
import type { Store } from '../domain/store.ts'
import { keysOf } from './keys.ts'

// Three instances, one Redis, and what may happen to it. Every call is answered, soon, and within the limits.

const LIMITS = { perMinute: 300, perDay: 1_000_000 }
const INSTANCES = 3
const CALLS_BEFORE = 60
/** For longer than that, no call waits: a second for Redis, and a moment for the store. */
const EXTRA_MS = 1_100
/** Less than what is waited for. */
const SLOW_MS = 700
/** More than what is waited for. */
const HELD_UP_MS = 1_500
/** For so long after an outage each instance keeps to its share. */
const SETTLE_MS = 2_000

interface Fault {
  name: string
  /** For how long it lasts. */
  ms: number
  begin(server: RedisServer, redis: Redis): Promise<unknown>
  end(server: RedisServer, redis: Redis): Promise<unknown>
  /** Whether Redis then still holds what it held. */
  forgets?: true
}

/** Redis cannot be used. */
const OUTAGES: readonly Fault[] = [
  {
    name: 'killed and started again, empty',
    ms: 1_000,
    begin: server => server.signal('SIGKILL'),
    end: server => server.start(),
    forgets: true,
  },
  {
    name: 'standing still for 5 seconds',
    ms: 5_000,
    begin: server => server.signal('SIGSTOP'),
    end: server => server.signal('SIGCONT'),
  },
  {
    name: 'slow: 5 seconds for an answer',
    ms: 5_000,
    begin: (_, redis) => redis.client('PAUSE', 5_000),
    end: async () => {},
  },
  {
    name: 'a replica of a server that is gone: it can be read, not written',
    ms: 1_000,
    begin: (_, redis) => redis.replicaof('127.0.0.1', 1),
    end: (_, redis) => redis.replicaof('NO', 'ONE'),
  },
  {
    name: 'out of memory',
    ms: 1_000,
    begin: (_, redis) => redis.config('SET', 'maxmemory', '1'),
    end: (_, redis) => redis.config('SET', 'maxmemory', '0'),
  },
  {
    name: 'with another password',
    ms: 1_000,
    async begin(_, redis) {
      await redis.config('SET', 'requirepass', 'other')
      await redis.call('CLIENT', 'KILL', 'TYPE', 'normal')
    },
    end: (_, redis) => redis.config('SET', 'requirepass', ''),
  },
]

test('while Redis cannot be used', { concurrency: 3 }, async t => {
  if (noRedis) return void skip(t, noRedis)
  await Promise.all(OUTAGES.map(fault => t.test(fault.name, t => surviveOutage(t, fault))))
})

/** Before, 60 calls in turn; without Redis, more than are left; after its return, still more, until each instance trusts it again. */
async function surviveOutage(t: TestContext, { ms, begin, end, forgets }: Fault): Promise<void> {
  const stage = await openStage(t)
  const { instances, redis, server } = stage
  await stage.callInTurn(CALLS_BEFORE)
  await stage.save()

  await begin(server, redis)
  const begunAt = performance.now()
  await Promise.all(
    instances.map(async instance => {
      // Some come at once, as the fault does; the others spread over it.
      await Promise.all(Array.from({ length: 10 }, () => stage.call(instance)))
      for (let call = 0; call < 110; call += 1) {
        await stage.call(instance)
        await sleep(2)
      }
      while (performance.now() < begunAt + ms) {
        await stage.call(instance)
        await sleep(20)
      }
    }),
  )
  const alone = stage.countOutcomes()
  assert.deepEqual(
    instances.map(({ lost }) => lost.length),
    [1, 1, 1],
    'that Redis is lost is told once',
  )
  assert.equal(alone.admitted, LIMITS.perMinute, 'each instance has admitted its share of what was left')
  await stage.save()

  await end(server, redis)
  await eventually(() =>
    assert.deepEqual(
      instances.map(({ returned }) => returned),
      [1, 1, 1],
    ),
  )
  // In flight when the fault came: nobody knows whether Redis has counted these.
  const used = Number(await redis.hget(stage.key, 'used1'))
  assert.ok(used >= LIMITS.perMinute && used <= LIMITS.perMinute + (forgets ? 0 : 30), `Redis knows of ${used} calls`)
  if (ms === 5_000) assert.equal(used, LIMITS.perMinute, 'no call that was given up is counted late')
  for (const instance of instances) for (let call = 0; call < 10; call += 1) await stage.call(instance)
  await sleep(SETTLE_MS)
  for (const instance of instances) for (let call = 0; call < 10; call += 1) await stage.call(instance)

  const { admitted, refused } = stage.countOutcomes()
  assert.equal(admitted, LIMITS.perMinute)
  stage.checkAnswers()
  assert.deepEqual(
    instances.map(({ lost, returned }) => [lost.length, returned]),
    [
      [1, 1],
      [1, 1],
      [1, 1],
    ],
  )
  const other = await createCaller(stage.store, LIMITS)
  const decided = instances.map(({ decidedAlone }) => decidedAlone)
  for (const [index, { accounts }] of instances.entries()) {
    const { shown } = await accounts.consume(other, Date.now())
    assert.equal(shown.remaining, LIMITS.perMinute - 1 - index, 'calls are counted together again')
  }
  assert.deepEqual(
    instances.map(({ decidedAlone }) => decidedAlone),
    decided,
  )
  t.diagnostic(
    `${admitted} calls admitted of a limit of ${LIMITS.perMinute}, ${refused} refused, none failed; ${alone.calls} by the end of the fault; the slowest took ${stage.slowestMs()} ms; Redis knows of ${used}`,
  )
}

test('a call that Redis answers when nobody waits for it any more is counted once', async t => {
  if (noRedis) return void skip(t, noRedis)
  const stage = await openStage(t)
  await stage.callInTurn(CALLS_BEFORE)
  await stage.server.signal('SIGSTOP')
  const calls = stage.instances.flatMap(instance => Array.from({ length: 10 }, () => stage.call(instance)))
  await eventually(() => assert.ok(stage.instances.every(({ lost }) => lost.length === 1)))
  // Sooner than what was sent would count nothing.
  await stage.server.signal('SIGCONT')
  await Promise.all(calls)
  await eventually(() => assert.ok(stage.instances.every(({ returned }) => returned === 1)))
  assert.equal(stage.countOutcomes().admitted, CALLS_BEFORE + calls.length)
  assert.equal(Number(await stage.redis.hget(stage.key, 'used1')), CALLS_BEFORE + calls.length)
})

test('a slow answer is waited for, up to a second: it is no outage', async t => {
  if (noRedis) return void skip(t, noRedis)
  const stage = await openStage(t)
  await stage.callInTurn(CALLS_BEFORE)
  await stage.server.signal('SIGSTOP')
  const calls = stage.instances.flatMap(instance => Array.from({ length: 100 }, () => stage.call(instance)))
  await sleep(SLOW_MS)
  await stage.server.signal('SIGCONT')
  await Promise.all(calls)
  stage.checkExact()
})

test('what this process is held up for itself is no silence of Redis', async t => {
  if (noRedis) return void skip(t, noRedis)
  const stage = await openStage(t)
  await stage.callInTurn(CALLS_BEFORE)
  for (let round = 0; round < 3; round += 1) {
    const calls = stage.instances.flatMap(instance => Array.from({ length: 50 }, () => stage.call(instance)))
    // Timers are due before the answers have been read.
    const until = performance.now() + HELD_UP_MS
    while (performance.now() < until);
    await Promise.all(calls)
  }
  stage.checkExact()
})

test('an instance that returns first keeps to its share until the others have told what they admitted', async t => {
  if (noRedis) return void skip(t, noRedis)
  const ways = await Promise.all(Array.from({ length: INSTANCES }, () => Way.open()))
  const stage = await openStage(t, ways)
  const [first, second, third] = stage.instances as [TestLimiters, TestLimiters, TestLimiters]
  const call = async (instance: TestLimiters, times: number) => {
    for (let left = times; left > 0; left -= 1) await stage.call(instance)
    return stage.last()
  }
  for (const way of ways) way.cut()
  const share = LIMITS.perMinute / INSTANCES
  assert.equal((await call(first, share + 20)).outcome, 'refused')
  assert.equal((await call(second, 60)).shown.remaining, share - 60)
  assert.equal((await call(third, 60)).shown.remaining, share - 60)

  ways[0]?.mend()
  await eventually(() => assert.equal(first.returned, 1))
  assert.equal((await call(first, 20)).outcome, 'refused', 'Redis has room for the calls that the others have made')
  for (const way of ways) way.mend()
  await eventually(() => assert.deepEqual([second.returned, third.returned], [1, 1]))
  assert.equal((await call(second, 1)).shown.remaining, share - 61, 'no more remains than before')
  assert.equal((await call(third, 1)).shown.remaining, share - 61)
  assert.equal(stage.countOutcomes().admitted, share + 122)

  await sleep(SETTLE_MS)
  assert.equal((await call(first, 1)).shown.remaining, LIMITS.perMinute - share - 123)
  await stage.callInTurn(LIMITS.perMinute)
  assert.equal(stage.countOutcomes().admitted, LIMITS.perMinute)
})

test('an instance that alone has lost Redis admits no more than its share beyond the limit', async t => {
  if (noRedis) return void skip(t, noRedis)
  const ways = await Promise.all(Array.from({ length: INSTANCES }, () => Way.open()))
  const stage = await openStage(t, ways)
  const [first, second] = stage.instances as [TestLimiters, TestLimiters]
  ways[0]?.cut()
  for (let left = 400; left > 0; left -= 1) {
    await stage.call(first)
    await stage.call(second)
  }
  assert.equal(stage.countOutcomes().admitted, LIMITS.perMinute + LIMITS.perMinute / INSTANCES)
  assert.deepEqual([first.lost.length, second.lost.length], [1, 0])
  stage.checkAnswers()
})

test('an instance that loses Redis divides what the store knows by then, not what it was told last', async t => {
  if (noRedis) return void skip(t, noRedis)
  const ways = await Promise.all(Array.from({ length: INSTANCES }, () => Way.open()))
  const stage = await openStage(t, ways)
  const [first, second] = stage.instances as [TestLimiters, TestLimiters]
  await stage.call(first)
  for (let call = 0; call < 200; call += 1) await stage.call(second)
  await second.accounts.save(Date.now())
  ways[0]?.cut()
  await eventually(() => assert.equal(first.lost.length, 1))
  for (let call = 0; call < 120; call += 1) await stage.call(first)
  assert.equal(stage.countOutcomes().admitted, 201 + (LIMITS.perMinute - 201) / INSTANCES)
})

test('the share of an outage ends with it: the next one has what is left by then', async t => {
  if (noRedis) return void skip(t, noRedis)
  const ways = await Promise.all(Array.from({ length: INSTANCES }, () => Way.open()))
  const stage = await openStage(t, ways)
  const [first, second] = stage.instances as [TestLimiters, TestLimiters]
  await stage.callInTurn(CALLS_BEFORE)
  ways[0]?.cut()
  await eventually(() => assert.equal(first.lost.length, 1))
  for (let call = 0; call < 5; call += 1) await stage.call(first)
  ways[0]?.mend()
  await eventually(() => assert.equal(first.returned, 1))
  await sleep(SETTLE_MS)
  // The first has no call of the account before it loses Redis again.
  for (let left = 210; left > 0; left -= 1) await stage.call(second)
  await second.accounts.save(Date.now())
  ways[0]?.cut()
  await eventually(() => assert.equal(first.lost.length, 2))
  for (let left = 100; left > 0; left -= 1) await stage.call(first)
  const left = LIMITS.perMinute - CALLS_BEFORE - 215
  assert.equal(stage.countOutcomes().admitted, CALLS_BEFORE + 215 + Math.floor(left / INSTANCES))
  assert.equal(stage.last().shown.resetsAt, stage.resetsAt(), 'the window has not moved')
})

test('calls counted alone are counted once, though they were saved before Redis was told', async t => {
  if (noRedis) return void skip(t, noRedis)
  const stage = await openStage(t)
  const [first] = stage.instances as [TestLimiters]
  for (let call = 0; call < 10; call += 1) await stage.call(first)
  // It can be written, so that it seems to be back, again and again; but calls cannot be counted.
  await stage.redis.call('ACL', 'SETUSER', 'default', '-hset')
  for (let call = 0; call < 80; call += 1) {
    await stage.call(first)
    if (call === 20) await stage.save()
    await sleep(30)
  }
  await stage.redis.call('FLUSHALL')
  await stage.save()
  await stage.redis.call('ACL', 'SETUSER', 'default', '+hset')
  await eventually(() => assert.ok(stage.instances.every(({ lost, returned }) => lost.length === returned)))
  await stage.call(first)
  assert.equal(Number(await stage.redis.hget(stage.key, 'used1')), 91)
  assert.equal(first.lost.length, 1, 'one outage, however often it seemed to be over')
})

test('a call that meets an empty Redis, before what was admitted alone has been told, counts nothing twice', async t => {
  if (noRedis) return void skip(t, noRedis)
  const stage = await openStage(t)
  const [first] = stage.instances as [TestLimiters]
  // More than are told at once, so that the last are told late.
  const limits = { perMinute: 1_000_000, perDay: 1_000_000 }
  const last = { ...stage.caller, limits }
  const callers = Array.from({ length: 1_500 }, (_, index) => ({ ...last, accountId: BigInt(index + 1_000) }))
  callers.push(last)
  const callAll = () => Promise.all(callers.map(caller => first.accounts.consume(caller, Date.now())))
  await callAll()
  await stage.server.signal('SIGKILL')
  await callAll()
  await callAll()
  await first.accounts.save(Date.now())
  await stage.server.start()
  let calls = 3
  while (first.returned === 0) {
    await first.accounts.consume(last, Date.now())
    calls += 1
    await setImmediate()
  }
  assert.equal(Number(await stage.redis.hget(stage.key, 'used1')), calls)
})

test('what Redis was told, though it said so too late, it is not told again', async t => {
  if (noRedis) return void skip(t, noRedis)
  const ways = await Promise.all(Array.from({ length: INSTANCES }, () => Way.open()))
  const stage = await openStage(t, ways)
  const [first] = stage.instances as [TestLimiters]
  const [way] = ways as [Way]
  const known = async () => Number(await stage.redis.hget(stage.key, 'used1'))
  await stage.call(first)
  way.cut()
  await eventually(() => assert.equal(first.lost.length, 1))
  for (let call = 0; call < 5; call += 1) await stage.call(first)
  way.slowAfter = 'tell'
  way.mend()
  await eventually(async () => assert.equal(await known(), 6))
  // By then the answer has come.
  await sleep(2 * Way.SLOW_MS)
  way.slowAfter = undefined
  way.delayMs = 0
  await eventually(() => assert.equal(first.returned, 1))
  assert.equal(await known(), 6)
})

test('what the store tells late is held against the share nonetheless', async t => {
  if (noRedis) return void skip(t, noRedis)
  const { server, store, caller } = await openWithoutRedis(t)
  const resetsAt = Date.now() + 40_000
  await store.saveCounts([{ accountId: caller.accountId, counts: { minute: { used: 240, resetsAt } } }])
  const answer = Promise.withResolvers<void>()
  const slow = answeringAfter(answer.promise, store)
  const { accounts, close } = await openLimiters([server.url], { store: slow, instances: INSTANCES })
  t.after(close)
  const ask = async () => (await accounts.consume(caller, Date.now())).windows[0]
  assert.equal((await ask())?.remaining, LIMITS.perMinute / INSTANCES - 1)
  const saving = accounts.save(Date.now())
  answer.resolve()
  await saving
  await eventually(async () => assert.equal((await ask())?.resetsAt, resetsAt))
  const outcomes: string[] = []
  for (let call = 0; call < 20; call += 1) outcomes.push((await accounts.consume(caller, Date.now())).outcome)
  assert.equal(outcomes.at(-1), 'refused', 'a third of the 60 calls that are left')
})

test('what is counted while the store is still asked about it is saved as well, by the last save', async t => {
  if (noRedis) return void skip(t, noRedis)
  const { server, store, caller } = await openWithoutRedis(t)
  const answer = Promise.withResolvers<void>()
  const slow = answeringAfter(answer.promise, store)
  const { accounts, close } = await openLimiters([server.url], { store: slow })
  t.after(close)
  for (let call = 0; call < 7; call += 1) await accounts.consume(caller, Date.now())
  const saving = accounts.save(Date.now())
  setTimeout(() => answer.resolve(), 100)
  await saving
  assert.equal((await store.findCounts(caller.accountId)).minute?.used, 7)
})

test('a window that an instance has begun alone does not move the one that Redis holds', async t => {
  if (noRedis) return void skip(t, noRedis)
  const ways = await Promise.all(Array.from({ length: INSTANCES }, () => Way.open()))
  const stage = await openStage(t, ways)
  const [first, second] = stage.instances as [TestLimiters, TestLimiters]
  await stage.call(first)
  const { resetsAt } = stage.last().shown
  await sleep(100)
  ways[1]?.cut()
  await eventually(() => assert.equal(second.lost.length, 1))
  await stage.call(second)
  assert.ok(stage.last().shown.resetsAt > resetsAt, 'it does not know of the window')
  ways[1]?.mend()
  await eventually(() => assert.equal(second.returned, 1))
  await stage.call(first)
  assert.deepEqual([stage.last().shown.resetsAt, stage.last().shown.remaining], [resetsAt, LIMITS.perMinute - 3])
})

test('a Redis that takes more than a second for each answer is lost, however steadily it answers', async t => {
  if (noRedis) return void skip(t, noRedis)
  const ways = await Promise.all(Array.from({ length: INSTANCES }, () => Way.open()))
  const stage = await openStage(t, ways)
  const [first] = stage.instances as [TestLimiters]
  const [way] = ways as [Way]
  const calls: Promise<void>[] = []
  way.delayMs = Way.SLOW_MS
  while (first.lost.length === 0) {
    calls.push(stage.call(first))
    await sleep(5)
  }
  await Promise.all(calls)
  stage.checkLatency()
  stage.forgetAnswers()
  for (let call = 0; call < 20; call += 1) await stage.call(first)
  assert.ok(stage.slowestMs() < EXTRA_MS / 2, 'what comes later does not wait')
  way.delayMs = 0
  await eventually(() => assert.equal(first.returned, 1))
})

test('a refusal that is over when all instances have told what they did is not one until midnight', async t => {
  if (noRedis) return void skip(t, noRedis)
  const stage = await openStage(t)
  const [first, second] = stage.instances as [TestLimiters, TestLimiters]
  const caller = await createCaller(stage.store, { perMinute: 1_000, perDay: 30 })
  const ask = ({ accounts }: TestLimiters) => accounts.consume(caller, Date.now())
  await ask(second)
  await stage.server.signal('SIGKILL')
  for (let call = 0; call < 12; call += 1) await ask(first)
  assert.equal((await ask(first)).shown.name, 'day')
  await stage.server.start()
  await eventually(() => assert.deepEqual([first.returned, second.returned], [1, 1]))
  const { outcome, shown, decidedAt } = await ask(first)
  assert.deepEqual([outcome, shown.name, shown.remaining], ['refused', 'minute', 0])
  assert.ok(shown.resetsAt - decidedAt <= 60_000)
  await sleep(SETTLE_MS)
  assert.equal((await ask(first)).outcome, 'admitted')
})

test('what Redis forgets is not given back, and is no outage', async t => {
  if (noRedis) return void skip(t, noRedis)
  const stage = await openStage(t)
  await stage.callInTurn(CALLS_BEFORE)
  await stage.save()
  for (const forget of ['FLUSHALL', 'SCRIPT FLUSH', 'FLUSHALL', 'SCRIPT FLUSH']) {
    assert.match(await stage.server.command(forget), /^\+OK/)
    await stage.callInTurn(30)
  }
  await stage.callInTurn(200)
  const { admitted, refused } = stage.countOutcomes()
  // Between two flushes, instances may have made a call that the others have not seen: it is known to the store half a second later.
  assert.ok(admitted >= LIMITS.perMinute && admitted <= LIMITS.perMinute + 2 * (INSTANCES - 1), `${admitted} admitted`)
  stage.checkLatency()
  for (const { lost, decidedAlone } of stage.instances) assert.deepEqual([lost, decidedAlone], [[], 0])
  t.diagnostic(`${admitted} calls admitted of a limit of ${LIMITS.perMinute}, ${refused} refused, none failed`)
})

test('connections that are cut, again and again, cost no call and open no way past the limits', async t => {
  if (noRedis) return void skip(t, noRedis)
  const stage = await openStage(t)
  await stage.callInTurn(CALLS_BEFORE)
  await stage.save()
  for (let cut = 0; cut < 5; cut += 1) {
    const calls = stage.instances.map(async instance => {
      for (let call = 0; call < 10; call += 1) {
        await stage.call(instance)
        await sleep(5)
      }
    })
    await stage.redis.call('CLIENT', 'KILL', 'TYPE', 'normal')
    await Promise.all(calls)
  }
  await eventually(() => {
    for (const { lost, returned } of stage.instances) assert.ok(lost.length > 0 && lost.length === returned)
  })
  await sleep(SETTLE_MS)
  await stage.callInTurn(400)
  const { admitted, refused } = stage.countOutcomes()
  // A call in flight when a connection is cut is counted twice, if Redis had counted it already.
  assert.ok(admitted <= LIMITS.perMinute && admitted >= LIMITS.perMinute - 5 * INSTANCES, `${admitted} admitted`)
  stage.checkLatency()
  t.diagnostic(`${admitted} calls admitted of a limit of ${LIMITS.perMinute}, ${refused} refused, none failed`)
})

test('while Redis is used up to the limits, no refusal is taken for an outage', async t => {
  if (noRedis) return void skip(t, noRedis)
  const stage = await openStage(t)
  await stage.callInTurn(LIMITS.perMinute + 300)
  await sleep(1_000)
  await stage.callInTurn(60)
  const { admitted, banned } = stage.countOutcomes()
  assert.deepEqual([admitted, banned], [LIMITS.perMinute, 51])
  for (const { lost, decidedAlone } of stage.instances) assert.deepEqual([lost, decidedAlone], [[], 0])
})

test('bans hold without Redis, on instances that know them, and nobody is banned anew', async t => {
  if (noRedis) return void skip(t, noRedis)
  const stage = await openStage(t)
  const [first, second] = stage.instances as [TestLimiters, TestLimiters]
  const store = stage.store
  const banned = await createCaller(store, { perMinute: 1, perDay: 100 })
  const loud = await createCaller(store, { perMinute: 3, perDay: 100 })
  await first.accounts.consume(banned, Date.now())
  await first.accounts.consume(banned, Date.now())
  for (let call = 0; call < 4; call += 1) await first.accounts.consume(loud, Date.now())
  await sleep(1_050)
  for (let call = 0; call < 10; call += 1) await first.accounts.consume(banned, Date.now())
  const lastBan = (await store.findBan(banned.keyId)) as Ban
  await stage.server.signal('SIGKILL')
  // The first has stored the ban itself; the second has been told, and so its callers bring it along.
  const decisions = [
    await first.accounts.consume(banned, Date.now()),
    await first.accounts.consume({ ...banned, lastBan }, Date.now()),
    await second.accounts.consume({ ...banned, lastBan }, Date.now()),
  ]
  for (const { outcome, shown } of decisions) assert.deepEqual([outcome, shown.resetsAt], ['banned', lastBan.endsAt])
  const ending = { ...banned, lastBan: { ...lastBan, id: lastBan.id + 1n, endsAt: Date.now() + 150 } }
  assert.equal((await second.accounts.consume(ending, Date.now())).outcome, 'banned', 'to its last moment')
  for (let call = 0; call < 40; call += 1) {
    assert.equal((await first.accounts.consume(loud, Date.now())).outcome, 'refused')
  }
  assert.equal((await store.listBans()).length, 1)
  const lifted = { ...lastBan, liftedAt: Date.now() }
  assert.notEqual((await second.accounts.consume({ ...banned, lastBan: lifted }, Date.now())).outcome, 'banned')

  await stage.server.start()
  await eventually(() => assert.deepEqual([first.returned, second.returned], [1, 1]))
  assert.equal((await second.accounts.consume({ ...banned, lastBan }, Date.now())).outcome, 'banned')
})

test('addresses go on without Redis, each instance with its share, and never fail', async t => {
  if (noRedis) return void skip(t, noRedis)
  const stage = await openStage(t)
  const ask = async (times: number) => {
    const decisions = await Promise.all(
      stage.instances.flatMap(({ addresses }) =>
        Array.from({ length: times }, () => addresses.consume('192.0.2.1', Date.now())),
      ),
    )
    assert.ok(decisions.every(({ shown }) => shown.limit === 600 && shown.name === 'anonymous'))
    return decisions.filter(({ outcome }) => outcome === 'admitted').length
  }
  assert.equal(await ask(20), 60)
  await stage.server.signal('SIGKILL')
  assert.equal((await stage.instances[0]?.addresses.peek('192.0.2.9', Date.now()))?.shown.remaining, 200)
  const alone = await ask(250)
  assert.ok(alone >= 540 && alone <= 600, `${alone} of 540`)
  const [other] = stage.instances as [TestLimiters]
  await other.addresses.consume('192.0.2.9', Date.now())
  await stage.server.start()
  await eventually(() => assert.ok(stage.instances.every(({ returned }) => returned === 1)))
  const key = keysOf(stage.store).address('192.0.2.9')
  assert.match(await stage.server.command(`EXISTS ${key}`), /^:0/, 'Redis is told of an address when it calls')
  await other.addresses.consume('192.0.2.9', Date.now())
  assert.match(await stage.server.command(`HGET ${key} used1`), /\r\n2\r\n/)
  await sleep(SETTLE_MS)
  assert.ok(60 + alone + (await ask(20)) <= 660)
  t.diagnostic(`${60 + alone} calls of an address admitted of a limit of 600`)
})

test('an instance that finds no Redis begins alone, joins it when it is there, and ends at once', async t => {
  if (noRedis) return void skip(t, noRedis)
  const { server, store, caller } = await openWithoutRedis(t)
  const limiters = await openLimiters([server.url], { store, instances: INSTANCES })
  assert.equal(limiters.lost.length, 1)
  const { outcome, shown } = await limiters.accounts.consume(caller, Date.now())
  assert.deepEqual([outcome, shown.limit, shown.remaining], ['admitted', LIMITS.perMinute, LIMITS.perMinute / 3 - 1])
  await server.start()
  await eventually(() => assert.equal(limiters.returned, 1))
  assert.match(await server.command(`HGET ${keysOf(store).account(caller.accountId)} used1`), /\r\n1\r\n/)
  await server.signal('SIGSTOP')
  const calls = Array.from({ length: 5 }, () => limiters.accounts.consume(caller, Date.now()))
  const startedAt = performance.now()
  await limiters.close()
  assert.ok(performance.now() - startedAt < EXTRA_MS)
  assert.ok((await Promise.all(calls)).every(decision => decision.outcome === 'admitted'))
  await server.signal('SIGCONT')
})

/** The same store, which says only then what it has saved. */
function answeringAfter(moment: Promise<void>, store: Store): Store {
  return new Proxy(store, {
    get(target, name) {
      if (name === 'findCounts') return (accountId: bigint) => moment.then(() => target.findCounts(accountId))
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** A store with one caller, and a Redis that is not running yet. */
async function openWithoutRedis(t: TestContext): Promise<{ server: RedisServer; store: Store; caller: Caller }> {
  const server = await startRedis()
  t.after(() => server.close())
  await server.signal('SIGKILL')
  const store = await openStore(t)
  return { server, store, caller: await createCaller(store, LIMITS) }
}

/** Three instances on a Redis of their own, and all that they answered to one account. */
async function openStage(t: TestContext, ways: readonly Way[] = []) {
  const server = await startRedis()
  const redis = new Redis(server.url, { retryStrategy: () => 50 })
  redis.on('error', () => {})
  const store = await openStore(t)
  const instances = await Promise.all(
    Array.from({ length: INSTANCES }, (_, index) =>
      openLimiters([ways[index]?.to(server) ?? server.url], { store, instances: INSTANCES }),
    ),
  )
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  t.after(async () => {
    delay.disable()
    redis.disconnect()
    for (const { close } of instances) await close()
    await server.close()
  })
  const caller = await createCaller(store, LIMITS)
  return new Stage(server, redis, store, instances, caller, () => delay.max / 1e6)
}

class Stage {
  readonly server: RedisServer
  /** A connection of the test's own. */
  readonly redis: Redis
  readonly store: Store
  readonly instances: readonly TestLimiters[]
  readonly caller: Caller
  /** What Redis counts the account by. */
  readonly key: string
  readonly #longestDelayMs: () => number
  readonly #answers: { instance: TestLimiters; decision: Decision; ms: number }[] = []

  constructor(
    server: RedisServer,
    redis: Redis,
    store: Store,
    instances: readonly TestLimiters[],
    caller: Caller,
    longestDelayMs: () => number,
  ) {
    this.server = server
    this.redis = redis
    this.store = store
    this.instances = instances
    this.caller = caller
    this.key = keysOf(store).account(caller.accountId)
    this.#longestDelayMs = longestDelayMs
  }

  async call(instance: TestLimiters): Promise<void> {
    const startedAt = performance.now()
    const decision = await instance.accounts.consume(this.caller, Date.now())
    this.#answers.push({ instance, decision, ms: performance.now() - startedAt })
  }

  async callInTurn(times: number): Promise<void> {
    for (let call = 0; call < times; call += 1) await this.call(this.instances[call % INSTANCES] as TestLimiters)
  }

  async save(): Promise<void> {
    for (const { accounts } of this.instances) await accounts.save(Date.now())
  }

  forgetAnswers(): void {
    this.#answers.length = 0
  }

  /** When the window ends in which the first call was admitted. */
  resetsAt(): number {
    return this.#answers[0]?.decision.shown.resetsAt as number
  }

  last(): Decision {
    return this.#answers.at(-1)?.decision as Decision
  }

  countOutcomes(): { calls: number; admitted: number; refused: number; banned: number } {
    const count = (outcome: string) => this.#answers.filter(({ decision }) => decision.outcome === outcome).length
    const calls = this.#answers.length
    return { calls, admitted: count('admitted'), refused: count('refused'), banned: count('banned') }
  }

  slowestMs(): number {
    return Math.round(Math.max(...this.#answers.map(({ ms }) => ms)))
  }

  /** This process, in which all instances are, may itself keep a call waiting: whenever it goes on from what it has waited for. */
  checkLatency(): void {
    const boundMs = EXTRA_MS + 3 * this.#longestDelayMs()
    assert.ok(this.slowestMs() <= boundMs, `a call took ${this.slowestMs()} of at most ${Math.round(boundMs)} ms`)
  }

  /** That Redis has decided every call, of which there were more than the limit: each Remaining value came once. */
  checkExact(): void {
    const admitted = this.#answers.filter(({ decision }) => decision.outcome === 'admitted')
    assert.deepEqual(
      admitted.map(({ decision }) => decision.shown.remaining).toSorted((one, other) => one - other),
      Array.from({ length: LIMITS.perMinute }, (_, remaining) => remaining),
    )
    for (const { lost, decidedAlone } of this.instances) assert.deepEqual([lost, decidedAlone], [[], 0])
  }

  /** What each answer promises, whoever has decided it. */
  checkAnswers(): void {
    this.checkLatency()
    for (const instance of this.instances) {
      let last = { remaining: Number.POSITIVE_INFINITY, resetsAt: 0 }
      for (const { decision } of this.#answers.filter(answer => answer.instance === instance)) {
        const [minute, day] = decision.windows
        assert.deepEqual([minute?.limit, day?.limit], [LIMITS.perMinute, LIMITS.perDay])
        assert.ok(minute && minute.resetsAt >= last.resetsAt)
        if (minute.resetsAt === last.resetsAt) assert.ok(minute.remaining <= last.remaining, 'Remaining does not rise')
        if (decision.outcome === 'refused') assert.equal(decision.shown.remaining, 0)
        last = minute
      }
    }
  }
}

/** A way to Redis that can be cut, or be slow, for one instance alone. */
class Way {
  /** Longer than any answer is waited for. */
  static readonly SLOW_MS = 1_300
  /** By how much each answer comes later. */
  delayMs = 0
  /** A word in a question, from which on answers are slow. */
  slowAfter: string | undefined
  readonly #server = createServer()
  readonly #sockets = new Set<Socket>()
  #redisPort = 0
  #isCut = false

  static async open(): Promise<Way> {
    const way = new Way()
    way.#server.listen(0, '127.0.0.1')
    await once(way.#server, 'listening')
    return way
  }

  private constructor() {
    this.#server.on('connection', socket => {
      if (this.#isCut) return void socket.destroy()
      const onward = connect(this.#redisPort, '127.0.0.1')
      for (const [one, other] of [
        [socket, onward],
        [onward, socket],
      ] as const) {
        this.#sockets.add(one)
        one.on('error', () => {}).on('close', () => other.destroy())
      }
      socket.pipe(onward)
      socket.on('data', question => {
        if (this.slowAfter && question.includes(this.slowAfter)) this.delayMs = Way.SLOW_MS
      })
      onward.on('data', answer => setTimeout(() => socket.write(answer), this.delayMs))
    })
    this.#server.unref()
  }

  /** The address under which an instance finds Redis. */
  to({ port }: RedisServer): string {
    this.#redisPort = port
    return `redis://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  cut(): void {
    this.#isCut = true
    for (const socket of this.#sockets) socket.destroy()
    this.#sockets.clear()
  }

  mend(): void {
    this.#isCut = false
  }
}
