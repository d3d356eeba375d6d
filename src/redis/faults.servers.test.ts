import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { type TestContext, test } from 'node:test'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { eventually } from '../../test/support/eventually.ts'
import { inTime } from '../../test/support/in-time.ts'
import { skip } from '../../test/support/servers/needs.ts'
import { noRedis, type RedisServer, startRedis } from '../../test/support/servers/redis.ts'
import { createCaller, openLimiters, type TestLimiters } from '../../test/support/servers/redis-limiters.ts'
import { SOURCE } from '../../test/support/source.ts'
import { openStore } from '../../test/support/store.ts'
import type { Caller } from '../domain/account.ts'
import { type Ban, GRACE_MS } from '../domain/ban.ts'
import type { Decision } from '../domain/rate-limiter.ts'
import type { Store } from '../domain/store.ts'
import { keysOf } from './keys.ts'

// Three instances share one Redis, which fails in different links. Every call is decided quickly and within the limits.

const LIMITS = { perMinute: 300, perDay: 1_000_000 }
const INSTANCES = 3
const CALLS_BEFORE = 60
/** The longest wait of a call: a second for Redis, and a moment for the store. */
const EXTRA_MS = 1_100
/** Less than the timeout. */
const SLOW_MS = 700
/** More than the timeout. */
const HELD_UP_MS = 1_500

interface Fault {
  name: string
  /** Its duration. */
  ms: number
  begin(server: RedisServer, redis: Redis): Promise<unknown>
  end(server: RedisServer, redis: Redis): Promise<unknown>
  /** Set if Redis then loses its data. */
  forgets?: true
}

/** Faults that make Redis unusable. */
const OUTAGES: readonly Fault[] = [
  {
    name: 'killed and started again, empty',
    ms: 1_000,
    begin: server => server.signal('SIGKILL'),
    end: server => server.start(),
    forgets: true,
  },
  {
    name: 'hanging for 5 seconds',
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

/** Makes 60 calls one by one, then without Redis more calls than are left, and after its return still more, until it is used again. */
async function surviveOutage(t: TestContext, { ms, begin, end, forgets }: Fault): Promise<void> {
  const stage = await openStage(t)
  const { instances, redis, server } = stage
  await stage.callInTurn(CALLS_BEFORE)
  await stage.save()

  await begin(server, redis)
  const begunAt = performance.now()
  await Promise.all(
    instances.map(async instance => {
      // Some calls come right at the start of the fault; the others are spread over it.
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
    'the loss of Redis is reported once',
  )
  assert.equal(alone.admitted, LIMITS.perMinute, 'each instance has admitted its share of the rest')
  await stage.save()

  await end(server, redis)
  await eventually(() =>
    assert.deepEqual(
      instances.map(({ returned }) => returned),
      [1, 1, 1],
    ),
  )
  // Redis may or may not have counted the calls in flight when the fault came.
  const used = Number(await redis.hget(stage.key, 'used1'))
  assert.ok(used >= LIMITS.perMinute && used <= LIMITS.perMinute + (forgets ? 0 : 30), `Redis knows of ${used} calls`)
  if (ms === 5_000) assert.equal(used, LIMITS.perMinute, 'no call is counted after its timeout')
  for (const instance of instances) for (let call = 0; call < 10; call += 1) await stage.call(instance)
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
    const { shown } = await accounts.consume(other, SOURCE, Date.now())
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

test('a call that Redis answers after the timeout is counted once', async t => {
  if (noRedis) return void skip(t, noRedis)
  const stage = await openStage(t)
  await stage.callInTurn(CALLS_BEFORE)
  await stage.server.signal('SIGSTOP')
  const calls = stage.instances.flatMap(instance => Array.from({ length: 10 }, () => stage.call(instance)))
  await eventually(() => assert.ok(stage.instances.every(({ lost }) => lost.length === 1)))
  // Earlier than the deadline of the commands.
  await stage.server.signal('SIGCONT')
  await Promise.all(calls)
  await eventually(() => assert.ok(stage.instances.every(({ returned }) => returned === 1)))
  assert.equal(stage.countOutcomes().admitted, CALLS_BEFORE + calls.length)
  assert.equal(Number(await stage.redis.hget(stage.key, 'used1')), CALLS_BEFORE + calls.length)
})

test('calls wait up to a second for a slow answer, which is not an outage', async t => {
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

test('a blocked event loop is not mistaken for an outage of Redis', async t => {
  if (noRedis) return void skip(t, noRedis)
  const stage = await openStage(t)
  await stage.callInTurn(CALLS_BEFORE)
  for (let round = 0; round < 3; round += 1) {
    const calls = stage.instances.flatMap(instance => Array.from({ length: 50 }, () => stage.call(instance)))
    // Timers are due before the answers are read.
    const until = performance.now() + HELD_UP_MS
    while (performance.now() < until);
    await Promise.all(calls)
  }
  stage.checkExact()
})

test('an instance that returns first keeps to its share until the others have reported their calls', async t => {
  if (noRedis) return void skip(t, noRedis)
  const links = await Promise.all(Array.from({ length: INSTANCES }, () => Link.open()))
  const stage = await openStage(t, links)
  const [first, second, third] = stage.instances as [TestLimiters, TestLimiters, TestLimiters]
  const call = async (instance: TestLimiters, times: number) => {
    for (let left = times; left > 0; left -= 1) await stage.call(instance)
    return stage.last()
  }
  for (const link of links) link.cut()
  const share = LIMITS.perMinute / INSTANCES
  assert.equal((await call(first, share + 20)).outcome, 'refused')
  assert.equal((await call(second, 60)).shown.remaining, share - 60)
  assert.equal((await call(third, 60)).shown.remaining, share - 60)

  links[0]?.restore()
  await eventually(async () => assert.equal(await stage.redis.hget(stage.key, 'used1'), String(share)))
  assert.equal((await call(first, 20)).outcome, 'refused', 'the others have not handed over their calls yet')
  for (const link of links) link.restore()
  await eventually(async () => assert.equal(await stage.redis.hget(stage.key, 'used1'), String(share + 120)))
  assert.equal((await call(second, 1)).shown.remaining, share - 61, 'no more calls remain than before')
  assert.equal((await call(third, 1)).shown.remaining, share - 61)
  await eventually(() => assert.deepEqual([first.returned, second.returned, third.returned], [1, 1, 1]))
  assert.equal(stage.countOutcomes().admitted, share + 122)

  assert.equal((await call(first, 1)).shown.remaining, LIMITS.perMinute - share - 123)
  await stage.callInTurn(LIMITS.perMinute)
  assert.equal(stage.countOutcomes().admitted, LIMITS.perMinute)
})

test('if a single instance loses Redis, it admits no more than its share beyond the limit', async t => {
  if (noRedis) return void skip(t, noRedis)
  const links = await Promise.all(Array.from({ length: INSTANCES }, () => Link.open()))
  const stage = await openStage(t, links)
  const [first, second] = stage.instances as [TestLimiters, TestLimiters]
  links[0]?.cut()
  for (let left = 400; left > 0; left -= 1) {
    await stage.call(first)
    await stage.call(second)
  }
  assert.equal(stage.countOutcomes().admitted, LIMITS.perMinute + LIMITS.perMinute / INSTANCES)
  assert.deepEqual([first.lost.length, second.lost.length], [1, 0])
  stage.checkAnswers()
})

test('an instance that loses Redis divides the rest by the counts in the store, not by what Redis returned last', async t => {
  if (noRedis) return void skip(t, noRedis)
  const links = await Promise.all(Array.from({ length: INSTANCES }, () => Link.open()))
  const stage = await openStage(t, links)
  const [first, second] = stage.instances as [TestLimiters, TestLimiters]
  await stage.call(first)
  for (let call = 0; call < 200; call += 1) await stage.call(second)
  await second.accounts.save(Date.now())
  links[0]?.cut()
  await eventually(() => assert.equal(first.lost.length, 1))
  for (let call = 0; call < 120; call += 1) await stage.call(first)
  assert.equal(stage.countOutcomes().admitted, 201 + (LIMITS.perMinute - 201) / INSTANCES)
})

test('a share ends with its outage, and the next outage divides what is left then', async t => {
  if (noRedis) return void skip(t, noRedis)
  const links = await Promise.all(Array.from({ length: INSTANCES }, () => Link.open()))
  const stage = await openStage(t, links)
  const [first, second] = stage.instances as [TestLimiters, TestLimiters]
  await stage.callInTurn(CALLS_BEFORE)
  links[0]?.cut()
  await eventually(() => assert.equal(first.lost.length, 1))
  for (let call = 0; call < 5; call += 1) await stage.call(first)
  links[0]?.restore()
  await eventually(() => assert.equal(first.returned, 1))
  // The first instance gets no call of the account before it loses Redis again.
  for (let left = 210; left > 0; left -= 1) await stage.call(second)
  await second.accounts.save(Date.now())
  links[0]?.cut()
  await eventually(() => assert.equal(first.lost.length, 2))
  for (let left = 100; left > 0; left -= 1) await stage.call(first)
  const left = LIMITS.perMinute - CALLS_BEFORE - 215
  assert.equal(stage.countOutcomes().admitted, CALLS_BEFORE + 215 + Math.floor(left / INSTANCES))
  assert.equal(stage.last().shown.resetsAt, stage.resetsAt(), 'the window has not moved')
})

test('calls counted alone are counted once, even if they are saved before they are reported to Redis', async t => {
  if (noRedis) return void skip(t, noRedis)
  const stage = await openStage(t)
  const [first] = stage.instances as [TestLimiters]
  for (let call = 0; call < 10; call += 1) await stage.call(first)
  // Probes can write, so Redis seems to return again and again, but calls cannot be counted.
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
  assert.equal(first.lost.length, 1, 'one outage, however often it seems to be over')
})

test('a call that finds Redis empty before all calls are reported counts nothing twice', async t => {
  if (noRedis) return void skip(t, noRedis)
  const stage = await openStage(t)
  const [first] = stage.instances as [TestLimiters]
  // More than are reported at once, so that the last ones are reported late.
  const limits = { perMinute: 1_000_000, perDay: 1_000_000 }
  const last = { ...stage.caller, limits }
  const callers = Array.from({ length: 1_500 }, (_, index) => ({ ...last, accountId: BigInt(index + 1_000) }))
  callers.push(last)
  const callAll = () => Promise.all(callers.map(caller => first.accounts.consume(caller, SOURCE, Date.now())))
  await callAll()
  await stage.server.signal('SIGKILL')
  await callAll()
  await callAll()
  await first.accounts.save(Date.now())
  await stage.server.start()
  let calls = 3
  while (first.returned === 0) {
    await first.accounts.consume(last, SOURCE, Date.now())
    calls += 1
    await setImmediate()
  }
  // The next call hands over those that came after the last report.
  await first.accounts.consume(last, SOURCE, Date.now())
  assert.equal(Number(await stage.redis.hget(stage.key, 'used1')), calls + 1)
})

test('calls that Redis received are not reported again, even if it confirmed them too late', async t => {
  if (noRedis) return void skip(t, noRedis)
  const links = await Promise.all(Array.from({ length: INSTANCES }, () => Link.open()))
  const stage = await openStage(t, links)
  const [first] = stage.instances as [TestLimiters]
  const [link] = links as [Link]
  const known = async () => Number(await stage.redis.hget(stage.key, 'used1'))
  await stage.call(first)
  link.cut()
  await eventually(() => assert.equal(first.lost.length, 1))
  for (let call = 0; call < 5; call += 1) await stage.call(first)
  link.slowAfter = 'peek'
  link.restore()
  await eventually(async () => assert.equal(await known(), 6))
  // The answer has come by then.
  await sleep(2 * Link.SLOW_MS)
  link.slowAfter = undefined
  link.delayMs = 0
  await eventually(() => assert.equal(first.returned, 1))
  assert.equal(await known(), 6)
})

test('counts that the store returns late still reduce the share', async t => {
  if (noRedis) return void skip(t, noRedis)
  const { server, store, caller } = await openWithoutRedis(t)
  const resetsAt = Date.now() + 40_000
  await store.saveCounts([{ accountId: caller.accountId, counts: { minute: { used: 240, resetsAt } } }])
  const answer = Promise.withResolvers<void>()
  const slow = answeringAfter(answer.promise, store)
  const { accounts, close } = await openLimiters([server.url], { store: slow, instances: INSTANCES })
  t.after(close)
  const ask = async () => (await accounts.consume(caller, SOURCE, Date.now())).windows[0]
  assert.equal((await ask())?.remaining, LIMITS.perMinute / INSTANCES - 1)
  const saving = accounts.save(Date.now())
  answer.resolve()
  await saving
  await eventually(async () => assert.equal((await ask())?.resetsAt, resetsAt))
  const outcomes: string[] = []
  for (let call = 0; call < 20; call += 1) outcomes.push((await accounts.consume(caller, SOURCE, Date.now())).outcome)
  assert.equal(outcomes.at(-1), 'refused', 'a third of the 60 calls that are left')
})

test('calls counted while saved counts are loading are saved too, by the last save', async t => {
  if (noRedis) return void skip(t, noRedis)
  const { server, store, caller } = await openWithoutRedis(t)
  const answer = Promise.withResolvers<void>()
  const slow = answeringAfter(answer.promise, store)
  const { accounts, close } = await openLimiters([server.url], { store: slow })
  t.after(close)
  for (let call = 0; call < 7; call += 1) await accounts.consume(caller, SOURCE, Date.now())
  const saving = accounts.save(Date.now())
  setTimeout(() => answer.resolve(), 100)
  await saving
  assert.equal((await store.findCounts(caller.accountId)).minute?.used, 7)
})

test('a window that an instance begins alone does not move the one in Redis', async t => {
  if (noRedis) return void skip(t, noRedis)
  const links = await Promise.all(Array.from({ length: INSTANCES }, () => Link.open()))
  const stage = await openStage(t, links)
  const [first, second] = stage.instances as [TestLimiters, TestLimiters]
  await stage.call(first)
  const { resetsAt } = stage.last().shown
  await sleep(100)
  links[1]?.cut()
  await eventually(() => assert.equal(second.lost.length, 1))
  await stage.call(second)
  assert.ok(stage.last().shown.resetsAt > resetsAt, 'it does not know of the window')
  links[1]?.restore()
  await eventually(() => assert.equal(second.returned, 1))
  await stage.call(first)
  assert.deepEqual([stage.last().shown.resetsAt, stage.last().shown.remaining], [resetsAt, LIMITS.perMinute - 3])
})

test('a Redis that takes more than a second for each answer counts as down, however steadily it answers', async t => {
  if (noRedis) return void skip(t, noRedis)
  const links = await Promise.all(Array.from({ length: INSTANCES }, () => Link.open()))
  const stage = await openStage(t, links)
  const [first] = stage.instances as [TestLimiters]
  const [link] = links as [Link]
  const calls: Promise<void>[] = []
  link.delayMs = Link.SLOW_MS
  while (first.lost.length === 0) {
    calls.push(stage.call(first))
    await sleep(5)
  }
  await Promise.all(calls)
  stage.checkLatency()
  stage.forgetAnswers()
  for (let call = 0; call < 20; call += 1) await stage.call(first)
  // Later calls do not wait.
  stage.checkLatency(EXTRA_MS / 2)
  link.delayMs = 0
  await eventually(() => assert.equal(first.returned, 1))
})

test('counts lost by Redis are not given back, and are not an outage', async t => {
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
  // Between two flushes, an instance may have admitted a call that the others have not seen; the store has it half a second later.
  assert.ok(admitted >= LIMITS.perMinute && admitted <= LIMITS.perMinute + 2 * (INSTANCES - 1), `${admitted} admitted`)
  stage.checkLatency()
  for (const { lost, decidedAlone } of stage.instances) assert.deepEqual([lost, decidedAlone], [[], 0])
  t.diagnostic(`${admitted} calls admitted of a limit of ${LIMITS.perMinute}, ${refused} refused, none failed`)
})

test('what an account has used can be read while Redis is lost or empty, and costs no call', async t => {
  if (noRedis) return void skip(t, noRedis)
  const links = await Promise.all(Array.from({ length: INSTANCES }, () => Link.open()))
  const stage = await openStage(t, links)
  const [first, second] = stage.instances as [TestLimiters, TestLimiters]
  const read = async ({ accounts }: TestLimiters) => {
    const { counts, isComplete } = await accounts.read(stage.caller, Date.now())
    return [counts.minute?.used, isComplete]
  }
  await stage.callInTurn(CALLS_BEFORE)
  await stage.save()
  for (const instance of stage.instances) assert.deepEqual(await read(instance), [CALLS_BEFORE, true])
  await stage.redis.call('FLUSHALL')
  for (const instance of stage.instances) assert.deepEqual(await read(instance), [CALLS_BEFORE, true], 'from the store')

  for (const link of links) link.cut()
  for (let call = 0; call < 5; call += 1) await stage.call(first)
  assert.deepEqual(await read(first), [CALLS_BEFORE + 5, false])
  assert.deepEqual(await read(second), [CALLS_BEFORE, false], 'the other has not saved its calls yet')
  await first.accounts.save(Date.now())
  assert.deepEqual(await read(second), [CALLS_BEFORE + 5, false])

  for (const link of links) link.restore()
  for (const instance of stage.instances) await eventually(() => assert.equal(instance.returned, 1))
  for (const instance of stage.instances) assert.deepEqual(await read(instance), [CALLS_BEFORE + 5, true])
  await stage.callInTurn(LIMITS.perMinute)
  assert.equal(stage.countOutcomes().admitted, LIMITS.perMinute, 'reading has cost no call')
})

test('connections that are cut again and again fail no call and cannot be used to exceed the limits', async t => {
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
  await stage.callInTurn(400)
  const { admitted, refused } = stage.countOutcomes()
  // A call in flight when a connection is cut is counted twice if Redis has already counted it.
  const outages = stage.instances.map(({ lost, returned, decidedAlone }) => ({
    lost: lost.length,
    returned,
    decidedAlone,
  }))
  assert.ok(
    admitted <= LIMITS.perMinute && admitted >= LIMITS.perMinute - 5 * INSTANCES,
    `${admitted} admitted; ${JSON.stringify(outages)}`,
  )
  stage.checkLatency()
  t.diagnostic(`${admitted} calls admitted of a limit of ${LIMITS.perMinute}, ${refused} refused, none failed`)
})

test('refusals by Redis are not mistaken for an outage', async t => {
  if (noRedis) return void skip(t, noRedis)
  const stage = await openStage(t)
  await stage.callInTurn(LIMITS.perMinute + 300)
  await sleep(GRACE_MS)
  await stage.callInTurn(60)
  const { admitted, banned } = stage.countOutcomes()
  assert.deepEqual([admitted, banned], [LIMITS.perMinute, 51])
  for (const { lost, decidedAlone } of stage.instances) assert.deepEqual([lost, decidedAlone], [[], 0])
})

test('without Redis, bans hold on every instance, and no new bans begin', async t => {
  if (noRedis) return void skip(t, noRedis)
  const stage = await openStage(t)
  const [first, second] = stage.instances as [TestLimiters, TestLimiters]
  const store = stage.store
  const banned = await createCaller(store, { perMinute: 1, perDay: 100 })
  const loud = await createCaller(store, { perMinute: 3, perDay: 100 })
  await first.accounts.consume(banned, SOURCE, Date.now())
  await first.accounts.consume(banned, SOURCE, Date.now())
  for (let call = 0; call < 4; call += 1) await first.accounts.consume(loud, SOURCE, Date.now())
  await sleep(GRACE_MS + 50)
  for (let call = 0; call < 10; call += 1) await first.accounts.consume(banned, SOURCE, Date.now())
  const [ban] = (await store.listBans()) as [Ban]
  const withBan = (known: Partial<Ban>) => ({ ...banned, bans: [{ ...ban, ...known }] })
  await stage.server.signal('SIGKILL')
  // Callers carry the ban from the moment it is stored.
  const decisions = [
    await first.accounts.consume(withBan({}), SOURCE, Date.now()),
    await second.accounts.consume(withBan({}), SOURCE, Date.now()),
  ]
  for (const { outcome, shown } of decisions) assert.deepEqual([outcome, shown.resetsAt], ['banned', ban.endsAt])
  const ending = withBan({ id: ban.id + 1n, endsAt: Date.now() + 150 })
  assert.equal((await second.accounts.consume(ending, SOURCE, Date.now())).outcome, 'banned', 'until its last moment')
  for (let call = 0; call < 40; call += 1) {
    assert.equal((await first.accounts.consume(loud, SOURCE, Date.now())).outcome, 'refused')
  }
  assert.equal((await store.listBans()).length, 1)
  const lifted = withBan({ liftedAt: Date.now() })
  assert.notEqual((await second.accounts.consume(lifted, SOURCE, Date.now())).outcome, 'banned')

  await stage.server.start()
  await eventually(() => assert.deepEqual([first.returned, second.returned], [1, 1]))
  assert.equal((await second.accounts.consume(withBan({}), SOURCE, Date.now())).outcome, 'banned')
})

test('addresses are counted without Redis, by each instance against its share, and never fail', async t => {
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
  assert.match(await stage.server.command(`EXISTS ${key}`), /^:0/, 'an address is reported with its next call')
  await other.addresses.consume('192.0.2.9', Date.now())
  assert.match(await stage.server.command(`HGET ${key} used1`), /\r\n2\r\n/)
  assert.ok(60 + alone + (await ask(20)) <= 660)
  t.diagnostic(`${60 + alone} calls of an address admitted of a limit of 600`)
})

test('an instance that starts without Redis counts alone, uses Redis when it returns, and closes at once', async t => {
  if (noRedis) return void skip(t, noRedis)
  const { server, store, caller } = await openWithoutRedis(t)
  const limiters = await openLimiters([server.url], { store, instances: INSTANCES })
  assert.equal(limiters.lost.length, 1)
  const { outcome, shown } = await limiters.accounts.consume(caller, SOURCE, Date.now())
  assert.deepEqual([outcome, shown.limit, shown.remaining], ['admitted', LIMITS.perMinute, LIMITS.perMinute / 3 - 1])
  await server.start()
  await eventually(() => assert.equal(limiters.returned, 1))
  assert.match(await server.command(`HGET ${keysOf(store).account(caller.accountId)} used1`), /\r\n1\r\n/)
  await server.signal('SIGSTOP')
  const calls = Array.from({ length: 5 }, () => limiters.accounts.consume(caller, SOURCE, Date.now()))
  await inTime(EXTRA_MS, 'closing', limiters.close())
  assert.ok((await Promise.all(calls)).every(decision => decision.outcome === 'admitted'))
  await server.signal('SIGCONT')
})

/** The same store, but its saved counts are not returned before this moment. */
function answeringAfter(moment: Promise<void>, store: Store): Store {
  return new Proxy(store, {
    get(target, name) {
      if (name === 'findCounts') return (accountId: bigint) => moment.then(() => target.findCounts(accountId))
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** A store with one caller, and a Redis that does not run yet. */
async function openWithoutRedis(t: TestContext): Promise<{ server: RedisServer; store: Store; caller: Caller }> {
  const server = await startRedis()
  t.after(() => server.close())
  await server.signal('SIGKILL')
  const store = await openStore(t)
  return { server, store, caller: await createCaller(store, LIMITS) }
}

/** Three instances on a private Redis, and all their decisions for one account. */
async function openStage(t: TestContext, links: readonly Link[] = []) {
  const server = await startRedis()
  const redis = new Redis(server.url, { retryStrategy: () => 50 })
  redis.on('error', () => {})
  const store = await openStore(t)
  const instances = await Promise.all(
    Array.from({ length: INSTANCES }, (_, index) =>
      openLimiters([links[index]?.to(server) ?? server.url], { store, instances: INSTANCES }),
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
  /** The test's own connection. */
  readonly redis: Redis
  readonly store: Store
  readonly instances: readonly TestLimiters[]
  readonly caller: Caller
  /** The key of the account in Redis. */
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
    const decision = await instance.accounts.consume(this.caller, SOURCE, Date.now())
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

  /** The end of the first call's window. */
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

  /** All instances are in this process, so a delay of its event loop also delays calls, up to three times each. */
  checkLatency(extraMs = EXTRA_MS): void {
    const boundMs = extraMs + 3 * this.#longestDelayMs()
    assert.ok(this.slowestMs() <= boundMs, `a call took ${this.slowestMs()} of at most ${Math.round(boundMs)} ms`)
  }

  /** Checks that Redis has decided every call: of more calls than the limit, each Remaining value came once. */
  checkExact(): void {
    const admitted = this.#answers.filter(({ decision }) => decision.outcome === 'admitted')
    assert.deepEqual(
      admitted.map(({ decision }) => decision.shown.remaining).toSorted((one, other) => one - other),
      Array.from({ length: LIMITS.perMinute }, (_, remaining) => remaining),
    )
    for (const { lost, decidedAlone } of this.instances) assert.deepEqual([lost, decidedAlone], [[], 0])
  }

  /** Checks the promises of every decision, by Redis or alone. */
  checkAnswers(): void {
    this.checkLatency()
    for (const instance of this.instances) {
      let last = { remaining: Number.POSITIVE_INFINITY, resetsAt: 0 }
      for (const { decision } of this.#answers.filter(answer => answer.instance === instance)) {
        const [minute, day] = decision.windows
        assert.deepEqual([minute?.limit, day?.limit], [LIMITS.perMinute, LIMITS.perDay])
        assert.ok(minute && minute.resetsAt >= last.resetsAt)
        if (minute.resetsAt === last.resetsAt) assert.ok(minute.remaining <= last.remaining, 'Remaining never rises')
        if (decision.outcome === 'refused') assert.equal(decision.shown.remaining, 0)
        last = minute
      }
    }
  }
}

/** A link to Redis for one instance, which can be cut or slowed down. */
class Link {
  /** Longer than the timeout. */
  static readonly SLOW_MS = 1_300
  /** The delay of each answer. */
  delayMs = 0
  /** Answers become slow after a question that contains this word. */
  slowAfter: string | undefined
  readonly #server = createServer()
  readonly #sockets = new Set<Socket>()
  #redisPort = 0
  #isCut = false

  static async open(): Promise<Link> {
    const link = new Link()
    link.#server.listen(0, '127.0.0.1')
    await once(link.#server, 'listening')
    return link
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
        if (this.slowAfter && question.includes(this.slowAfter)) this.delayMs = Link.SLOW_MS
      })
      onward.on('data', answer => setTimeout(() => socket.write(answer), this.delayMs))
    })
    this.#server.unref()
  }

  /** The address of Redis for an instance. */
  to({ port }: RedisServer): string {
    this.#redisPort = port
    return `redis://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  cut(): void {
    this.#isCut = true
    for (const socket of this.#sockets) socket.destroy()
    this.#sockets.clear()
  }

  restore(): void {
    this.#isCut = false
  }
}
