import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { eventually } from '../../test/support/eventually.ts'
import { skip } from '../../test/support/servers/needs.ts'
import { noRedis, startRedis } from '../../test/support/servers/redis.ts'
import { startCluster, THREE_RANGES } from '../../test/support/servers/redis-cluster.ts'
import { openLimiters } from '../../test/support/servers/redis-limiters.ts'
import { startWatchedRedis } from '../../test/support/servers/redis-sentinel.ts'
import { openStore } from '../../test/support/store.ts'
import type { Store } from '../domain/store.ts'

test('news of one instance reaches the others, also after Redis has restarted, and none of another store', async t => {
  if (noRedis) return void skip(t, noRedis)
  const server = await startRedis()
  t.after(() => server.close())
  const others = await openInstances(t, [server.url])
  const [one, other] = await openInstances(t, [server.url])
  await assertHeard(one, other)
  await server.signal('SIGKILL')
  await server.start()
  await assertHeard(other, one)
  assert.deepEqual(
    others.map(({ heard }) => heard),
    [0, 0],
  )
})

test('news reaches all instances of a cluster, whichever node they are connected to', async t => {
  if (noRedis) return void skip(t, noRedis)
  const nodes = await startCluster(t, THREE_RANGES)
  const urls = nodes.map(({ url }) => url)
  const store = await openStore(t)
  const instances: Instance[] = []
  for (const [index] of urls.entries())
    instances.push(await openInstance(t, store, [...urls.slice(index), ...urls.slice(0, index)]))
  for (const one of instances) for (const other of instances) await assertHeard(one, other)
})

test('news follows a failover of Sentinels', async t => {
  if (noRedis) return void skip(t, noRedis)
  const { primary, urls } = await startWatchedRedis(t)
  const [one, other] = await openInstances(t, urls)
  await assertHeard(one, other)
  await primary.signal('SIGKILL')
  await assertHeard(one, other)
})

interface Instance {
  announce(): void
  heard: number
}

/** Two instances on one store. */
async function openInstances(t: TestContext, urls: readonly string[]): Promise<[Instance, Instance]> {
  const store = await openStore(t)
  return [await openInstance(t, store, urls), await openInstance(t, store, urls)]
}

async function openInstance(t: TestContext, store: Store, urls: readonly string[]): Promise<Instance> {
  const instance: Instance = { announce() {}, heard: 0 }
  const newsArrived = () => {
    instance.heard += 1
  }
  const { announce, close } = await openLimiters(urls, { store, newsArrived })
  t.after(close)
  return Object.assign(instance, { announce })
}

/** Repeats it, because news may be lost while a connection is being opened. */
async function assertHeard(one: Instance, other: Instance): Promise<void> {
  const before = other.heard
  await eventually(() => {
    one.announce()
    assert.ok(other.heard > before)
  })
}
