import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Cluster } from 'ioredis'
import { eventually, until } from '../../test/support/eventually.ts'
import { skip } from '../../test/support/servers/needs.ts'
import { noRedis, type RedisServer } from '../../test/support/servers/redis.ts'
import { numberOf, replicate, slotOf, startCluster, THREE_RANGES } from '../../test/support/servers/redis-cluster.ts'
import { createCaller, openLimiters, type TestLimiters } from '../../test/support/servers/redis-limiters.ts'
import { SOURCE } from '../../test/support/source.ts'
import { openStore } from '../../test/support/store.ts'
import type { Caller } from '../domain/account.ts'
import { GRACE_MS } from '../domain/ban.ts'
import type { Store } from '../domain/store.ts'
import { connect } from './connection.ts'
import { keysOf, probeKeyOf } from './keys.ts'

test('on a cluster of three nodes', async t => {
  if (noRedis) return void skip(t, noRedis)
  const nodes = await startCluster(t, THREE_RANGES)
  const store = await openStore(t)
  const instances = await Promise.all(
    // Each instance is given a different node and discovers the others.
    nodes.map(async ({ url }) => {
      const limiters = await openLimiters([`${url}?cluster=true`], { store, instances: nodes.length })
      t.after(() => limiters.close())
      return limiters
    }),
  )
  const at = (index: number) => instances[index % instances.length] as TestLimiters

  await t.test('parallel calls are admitted exactly, on every node', async () => {
    for (const caller of await createCallers(store, 9)) {
      const decisions = await Promise.all(
        Array.from({ length: 60 }, (_, call) => at(call).accounts.consume(caller, SOURCE, 0)),
      )
      const admitted = decisions.filter(({ outcome }) => outcome === 'admitted')
      assert.deepEqual(
        admitted.map(({ shown }) => shown.remaining).toSorted((one, other) => one - other),
        Array.from({ length: 40 }, (_, remaining) => remaining),
      )
    }
  })

  await t.test('every node holds some of the accounts', async () => {
    const held = await Promise.all(nodes.map(async ({ command }) => numberOf(await command('DBSIZE'))))
    assert.ok(
      held.every(keys => keys > 0),
      held.join(', '),
    )
  })

  await t.test('a ban holds on every instance', async () => {
    const [caller] = (await createCallers(store, 1, 1)) as [Caller]
    await at(0).accounts.consume(caller, SOURCE, 0)
    await at(1).accounts.consume(caller, SOURCE, 0)
    await sleep(GRACE_MS + 50)
    const outcomes: string[] = []
    for (let call = 0; call < 12; call += 1) outcomes.push((await at(call).accounts.consume(caller, SOURCE, 0)).outcome)
    assert.deepEqual(outcomes, [...Array(9).fill('refused'), ...Array(3).fill('banned')])
    assert.equal((await store.listBans()).length, 1)
  })

  await t.test('addresses are counted together', async () => {
    const decisions = await Promise.all(
      Array.from({ length: 700 }, (_, call) => at(call).addresses.consume('192.0.2.1', 0)),
    )
    assert.equal(decisions.filter(({ outcome }) => outcome === 'admitted').length, 600)
  })

  await t.test('all keys of one account or address are in the same slot', async () => {
    const [first] = nodes as [RedisServer, ...RedisServer[]]
    const { account, address, trial } = keysOf(store)
    for (const key of [account(1n), account(42n), address('2001:db8:0:1'), trial]) {
      assert.equal(await slotOf(first, key), await slotOf(first, probeKeyOf(key)))
    }
    assert.notEqual(await slotOf(first, account(1n)), await slotOf(first, account(2n)))
    assert.deepEqual(
      instances.flatMap(({ lost }) => lost),
      [],
    )
  })

  await t.test('while one node hangs, its accounts are counted alone and all others together', async t => {
    const [stopped] = nodes as [RedisServer, ...RedisServer[]]
    const callers = await createCallers(store, 12, 1_000)
    const slots = await Promise.all(callers.map(({ accountId }) => slotOf(stopped, keysOf(store).account(accountId))))
    const own = callers.filter((_, index) => (slots[index] ?? 0) <= 5_460)
    const others = callers.filter(caller => !own.includes(caller))
    assert.ok(own.length > 0 && others.length > 0)
    for (const caller of callers)
      await Promise.all(instances.map(({ accounts }) => accounts.consume(caller, SOURCE, 0)))
    await stopped.signal('SIGSTOP')
    for (const caller of own) {
      const decisions = await Promise.all(instances.map(({ accounts }) => accounts.consume(caller, SOURCE, 0)))
      assert.ok(decisions.every(({ outcome }) => outcome === 'admitted'))
    }
    assert.deepEqual(
      instances.map(({ lost }) => lost.length),
      [1, 1, 1],
    )
    const alone = () => instances.reduce((sum, { decidedAlone }) => sum + decidedAlone, 0)
    const before = alone()
    const remaining: number[] = []
    for (const caller of others) {
      for (const { accounts } of instances) remaining.push((await accounts.consume(caller, SOURCE, 0)).shown.remaining)
    }
    assert.deepEqual(
      remaining,
      others.flatMap(() => [996, 995, 994]),
    )
    assert.equal(alone(), before)
    await stopped.signal('SIGCONT')
    await eventually(() =>
      assert.deepEqual(
        instances.map(({ returned }) => returned),
        [1, 1, 1],
      ),
    )
    for (const caller of own) {
      const { shown } = await at(0).accounts.consume(caller, SOURCE, 0)
      assert.ok(shown.limit === 1_000)
      const used = await stopped.command(`HGET ${keysOf(store).account(caller.accountId)} used1`)
      assert.equal(numberOf(used.split('\r\n')[1] ?? ''), 7, 'three calls before the outage, three alone, one after')
    }
    t.diagnostic(`${own.length} of ${callers.length} accounts were on the node that stood still`)
  })
})

test('a replica that takes over from a dead primary receives reports of the calls admitted in between', async t => {
  if (noRedis) return void skip(t, noRedis)
  const [primary, replica] = (await startCluster(t, ['0 16383', undefined])) as [RedisServer, RedisServer]
  await replicate(replica, primary)
  const store = await openStore(t)
  const instances = await Promise.all(
    [primary, replica].map(async () => {
      const limiters = await openLimiters([primary.url, replica.url], { store, instances: 2 })
      t.after(() => limiters.close())
      return limiters
    }),
  )
  const [caller] = (await createCallers(store, 1)) as [Caller]
  const outcomes: string[] = []
  const ask = async (times: number) => {
    for (let call = 0; call < times; call += 1) {
      for (const { accounts } of instances) outcomes.push((await accounts.consume(caller, SOURCE, Date.now())).outcome)
    }
  }
  await ask(5)
  // A call that the replica lacks may be admitted once more: an instance that does not know it may report first.
  await eventually(async () => assert.equal(await offsetOf(replica), await offsetOf(primary)))
  await primary.signal('SIGKILL')
  await ask(10)
  assert.match(await replica.command('CLUSTER FAILOVER TAKEOVER'), /^\+OK/)
  // Each has its share of the 30 remaining calls, even if the other has already reported that they are used up.
  await eventually(async () => {
    await ask(20)
    for (const { returned } of instances) assert.equal(returned, 1)
  })
  await ask(10)
  const admitted = outcomes.filter(outcome => outcome === 'admitted').length
  // A call whose reply is lost while the nodes change counts twice. The limit is kept, with one call less.
  assert.ok(admitted === 40 || admitted === 39, `${admitted} of 40 calls were admitted`)
  await eventually(async () => {
    assert.match(await replica.command(`HGET ${keysOf(store).account(caller.accountId)} used1`), /\r\n40\r\n/)
  })
  const decided = instances.map(({ decidedAlone }) => decidedAlone)
  await sleep(2_500)
  await ask(1)
  assert.deepEqual(
    instances.map(({ decidedAlone, lost }) => [decidedAlone, lost.length]),
    decided.map(before => [before, 1]),
    'Redis decides again',
  )
})

test('a connection that is closed while it reads which node has which slots keeps no process running', async t => {
  if (noRedis) return void skip(t, noRedis)
  const nodes = await startCluster(t, THREE_RANGES)
  const timers = () => process.getActiveResourcesInfo().filter(type => type === 'Timeout').length
  const before = timers()
  const connection = connect(
    nodes.map(({ url }) => url),
    () => {},
  )
  t.after(() => connection.close())
  // It has read them once.
  await until(() => connection.nodeOf('petstore') !== '')
  const reading = t.mock.method(Cluster.prototype, 'refreshSlotsCache').mock
  for (const node of nodes) await node.signal('SIGSTOP')
  await until(() => reading.callCount() > 0)
  connection.close()
  for (const node of nodes) await node.signal('SIGCONT')
  await until(() => timers() <= before)
})

/** How much of the primary's writes a node has. */
async function offsetOf(node: RedisServer): Promise<string | undefined> {
  return /master_repl_offset:(\d+)/.exec(await node.command('INFO replication'))?.[1]
}

function createCallers(store: Store, count: number, perMinute = 40): Promise<Caller[]> {
  const limits = { perMinute, perDay: 100_000 }
  return Promise.all(Array.from({ length: count }, () => createCaller(store, limits)))
}
