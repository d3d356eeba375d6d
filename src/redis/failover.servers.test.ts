import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../../test/support/eventually.ts'
import { inTime } from '../../test/support/in-time.ts'
import { LimitLoad } from '../../test/support/servers/limit-load.ts'
import { skip } from '../../test/support/servers/needs.ts'
import { noRedis, type RedisServer } from '../../test/support/servers/redis.ts'
import {
  moveSlot,
  slotOf,
  startCluster,
  startReplicatedCluster,
  THREE_RANGES,
  untilEpochsAgree,
} from '../../test/support/servers/redis-cluster.ts'
import { createCaller, openLimiters, type TestLimiters } from '../../test/support/servers/redis-limiters.ts'
import { PRIMARY_NAME, startWatchedRedis } from '../../test/support/servers/redis-sentinel.ts'
import { SOURCE } from '../../test/support/source.ts'
import { openStore } from '../../test/support/store.ts'
import type { Caller } from '../domain/account.ts'
import type { Store } from '../domain/store.ts'
import { keysOf } from './keys.ts'

// Redis fails over while several instances use it. Single faults are tested in faults.servers.test.ts.

const INSTANCES = 3
const ACCOUNTS = 6
const LIMIT = 400
const LIMITS = { perMinute: LIMIT, perDay: 1_000_000 }
/** Calls of each account on each instance: without shares, the accounts would exceed their limits while Redis is unavailable. */
const CALL_EVERY_MS = 20
/** The store may lack the calls of this long before an outage. */
const UNSAVED_MS = 600
/** The maximum number of those calls of an account. */
const ALLOWED = (INSTANCES * UNSAVED_MS) / CALL_EVERY_MS

test('a primary of a cluster dies under load: its replica takes over, and only its own accounts notice', async t => {
  if (noRedis) return void skip(t, noRedis)
  const { primaries } = await startReplicatedCluster(t)
  const [dead] = primaries as [RedisServer, ...RedisServer[]]
  const { store, instances } = await openStage(
    t,
    primaries.map(({ url }) => url),
  )
  const [own, others]: [Caller[], Caller[]] = [[], []]
  while (Math.min(own.length, others.length) < ACCOUNTS / 2) {
    const caller = await createCaller(store, LIMITS)
    const slot = await slotOf(dead, keysOf(store).account(caller.accountId))
    const place = slot <= 5_460 ? own : others
    if (place.length < ACCOUNTS / 2) place.push(caller)
  }
  const callers = [...own, ...others]
  const load = startLoad(t, instances, callers)
  await sleep(1_000)
  const killedAt = performance.now()
  await dead.signal('SIGKILL')
  // An instance that cannot ask Redis only knows part of the counts.
  const areComplete = async (accounts: readonly Caller[]) => {
    const readings = instances.flatMap(limiters => accounts.map(one => limiters.accounts.read(one, Date.now())))
    return (await Promise.all(readings)).every(({ isComplete }) => isComplete)
  }
  await eventually(async () => assert.equal(await areComplete(own), false))
  while (instances.some(({ returned }) => returned === 0)) {
    assert.equal(await areComplete(others), true)
    await sleep(CALL_EVERY_MS)
  }
  await untilReturned(instances)
  await untilUsedUp(load, callers)
  await load.stop()
  for (const caller of own) assertWithinAllowance(load, caller, killedAt)
  for (const caller of others) assert.equal(load.admitted(caller), LIMIT, 'the limit is exact on every other node')
})

test('a primary of a cluster that hangs is replaced, too, and limits hold while all nodes refuse calls until then', async t => {
  if (noRedis) return void skip(t, noRedis)
  const { primaries, replicas } = await startReplicatedCluster(t, 'yes')
  const [hanging] = primaries as [RedisServer, ...RedisServer[]]
  const { instances, callers } = await openStage(
    t,
    primaries.map(({ url }) => url),
  )
  const load = startLoad(t, instances, callers)
  await sleep(500)
  await hanging.signal('SIGSTOP')
  await eventually(async () => assert.match((await replicas[0]?.command('ROLE')) ?? '', /\r\nmaster\r\n/))
  await untilReturned(instances)
  await untilUsedUp(load, callers)
  await load.stop()
  for (const caller of callers) {
    const over = load.admitted(caller) - LIMIT
    assert.ok(over <= ALLOWED, `${over} calls over the limit; ${ALLOWED} are allowed`)
  }
  await hanging.signal('SIGCONT')
})

test('slots that move to another node while calls arrive change no count', async t => {
  if (noRedis) return void skip(t, noRedis)
  const nodes = await startCluster(t, THREE_RANGES)
  const { store, instances, callers } = await openStage(
    t,
    nodes.map(({ url }) => url),
  )
  const [first, second, third] = nodes as [RedisServer, RedisServer, RedisServer]
  const slots = await Promise.all(callers.map(({ accountId }) => slotOf(first, keysOf(store).account(accountId))))
  const [ofFirst, ofSecond] = [slots.filter(slot => slot <= 5_460), slots.filter(slot => slot <= 10_922)]
  await untilEpochsAgree(nodes)
  const load = startLoad(t, instances, callers)
  await sleep(500)
  for (const slot of ofFirst) await moveSlot(slot, first, second, nodes)
  await untilEpochsAgree(nodes)
  for (const slot of ofSecond) await moveSlot(slot, second, third, nodes)
  await untilUsedUp(load, callers)
  await load.stop()
  assert.deepEqual(
    callers.map(caller => load.admitted(caller)),
    callers.map(() => LIMIT),
  )
  assert.deepEqual(
    instances.flatMap(({ lost }) => lost),
    [],
  )
})

test('Sentinels name another primary when theirs has died, and again when that one hangs', async t => {
  if (noRedis) return void skip(t, noRedis)
  const { primary, replica, urls } = await startWatchedRedis(t)
  const { instances, callers } = await openStage(t, urls)
  const load = startLoad(t, instances, callers)
  await sleep(1_000)
  const killedAt = performance.now()
  await primary.signal('SIGKILL')
  await untilReturned(instances)
  await untilUsedUp(load, callers)
  await load.stop()
  for (const caller of callers) assertWithinAllowance(load, caller, killedAt)
  assert.match(await replica.command('ROLE'), /\r\nmaster\r\n/)

  await primary.start()
  // The Sentinels would do that, too, but after ten seconds.
  await primary.command(`REPLICAOF 127.0.0.1 ${replica.port}`)
  await eventually(async () => assert.match(await primary.command('ROLE'), /\r\nslave\r\n.*\r\nconnected\r\n/s))
  await replica.signal('SIGSTOP')
  await eventually(async () => {
    assert.match(await primary.command('ROLE'), /\r\nmaster\r\n/)
  })
  await eventually(async () => {
    for (const { accounts } of instances) await accounts.consume(callers[0] as Caller, SOURCE, Date.now())
    for (const { returned } of instances) assert.equal(returned, 2)
  })
  await replica.signal('SIGCONT')
})

test('an instance starts alone while no Sentinel answers, or none knows the name, and joins later', async t => {
  if (noRedis) return void skip(t, noRedis)
  const { sentinels, urls } = await startWatchedRedis(t)
  const store = await openStore(t)
  const unknown = await openLimiters([(urls[0] as string).replace(PRIMARY_NAME, 'cats')], { store })
  t.after(() => unknown.close())
  assert.match(
    String(unknown.lost[0]),
    /^Error: Redis at 127\.0\.0\.1:\d+ cannot be used: no Sentinel names a primary\.$/,
  )

  for (const sentinel of sentinels) await sentinel.signal('SIGKILL')
  // A start waits at most three seconds for a connection and one for a response. The rest is for the other parts of it.
  const limiters = await inTime(4_000 + 1_000, 'the start', openLimiters(urls, { store }))
  t.after(() => limiters.close())
  assert.match(String(limiters.lost[0]), /no Sentinel names a primary/)
  await sentinels[2]?.start()
  await eventually(() => assert.equal(limiters.returned, 1))
})

/** Instances on one Redis, and accounts with the same limit. */
async function openStage(t: TestContext, urls: readonly string[]) {
  const store: Store = await openStore(t)
  const instances = await Promise.all(
    Array.from({ length: INSTANCES }, async () => {
      const limiters = await openLimiters(urls, { store, instances: INSTANCES })
      t.after(() => limiters.close())
      return limiters
    }),
  )
  const callers = await Promise.all(Array.from({ length: ACCOUNTS }, () => createCaller(store, LIMITS)))
  return { store, instances, callers }
}

function startLoad(t: TestContext, instances: readonly TestLimiters[], callers: readonly Caller[]): LimitLoad {
  const load = new LimitLoad(instances, callers, CALL_EVERY_MS)
  t.after(() => load.stop())
  return load
}

/** Calls that instances admitted just before an outage may be admitted once more by the others (docs/scale.md, known limits). */
function assertWithinAllowance(load: LimitLoad, caller: Caller, lostAt: number): void {
  const over = load.admitted(caller) - LIMIT
  const allowed = load.admitted(caller, lostAt - UNSAVED_MS, lostAt)
  assert.ok(over <= allowed, `${over} calls over the limit; ${allowed} are allowed`)
}

/** Waits until every instance has lost Redis and uses it again. */
async function untilReturned(instances: readonly TestLimiters[]): Promise<void> {
  await eventually(() => {
    for (const { lost, returned } of instances) assert.deepEqual([lost.length, returned], [1, 1])
  })
}

/** Waits until no account has calls left, and each instance has reported what it counted alone. */
async function untilUsedUp(load: LimitLoad, callers: readonly Caller[]): Promise<void> {
  await eventually(() => {
    for (const caller of callers) assert.ok(load.admitted(caller) >= LIMIT, `${load.admitted(caller)} of ${LIMIT}`)
  })
  await sleep(SETTLE_MS)
}

/** After an outage, each instance keeps to its share for this time. */
const SETTLE_MS = 2_500
