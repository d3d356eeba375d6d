import assert from 'node:assert/strict'
import type { Cleanup } from '../cleanup.ts'
import { eventually } from '../eventually.ts'
import { findFreePort } from './private-server.ts'
import { type RedisServer, startRedis } from './redis.ts'

/** After this time without a response, a node is considered dead and its replica takes over. */
const NODE_TIMEOUT_MS = 1_000
/** No node is ever considered dead. */
const NEVER_MS = 60_000

export const THREE_RANGES = ['0 5460', '5461 10922', '10923 16383'] as const

/**
 * A cluster that ends with the test, in which no replica takes over automatically.
 * @param ranges the slots of each node; undefined for a future replica
 * @param options of each node, in turn
 */
export function startCluster(
  t: Cleanup,
  ranges: readonly (string | undefined)[],
  options: (index: number) => readonly string[] = () => [],
): Promise<RedisServer[]> {
  return startNodes(t, ranges, NEVER_MS, options)
}

export interface ReplicatedCluster {
  primaries: RedisServer[]
  /** Each follows the primary with the same index. */
  replicas: RedisServer[]
}

/**
 * Three primaries, each with a replica that takes over when it dies.
 * @param coverage with Redis's default, "yes", all nodes refuse all keys until the replica has taken over
 */
export async function startReplicatedCluster(t: Cleanup, coverage: 'yes' | 'no' = 'no'): Promise<ReplicatedCluster> {
  const ranges = [...THREE_RANGES, ...THREE_RANGES.map(() => undefined)]
  const options = {
    '--cluster-replica-validity-factor': '0',
    '--cluster-allow-replica-migration': 'no',
    '--cluster-require-full-coverage': coverage,
  }
  const nodes = await startNodes(t, ranges, NODE_TIMEOUT_MS, () => Object.entries(options).flat())
  const [primaries, replicas] = [nodes.slice(0, THREE_RANGES.length), nodes.slice(THREE_RANGES.length)]
  for (const [index, replica] of replicas.entries()) {
    await replicate(replica, primaries[index] as RedisServer)
  }
  // A replica takes over only if the primaries know that it is one.
  for (const node of primaries) {
    await eventually(async () => {
      const followers = (await node.command('CLUSTER NODES')).match(/ (?:myself,)?slave /g) ?? []
      assert.equal(followers.length, replicas.length)
    })
  }
  return { primaries, replicas }
}

/** Makes a node the replica of a primary, and waits until it follows. */
export async function replicate(replica: RedisServer, primary: RedisServer): Promise<void> {
  const id = await idOf(primary)
  await eventually(async () => assert.match(await replica.command(`CLUSTER REPLICATE ${id}`), /^\+OK/))
  await eventually(async () => assert.match(await replica.command('INFO replication'), /master_link_status:up/))
}

/**
 * Moves a slot with its keys to another node while both serve, as `redis-cli --cluster reshard` does.
 * @param primaries of the cluster, which are all informed
 */
export async function moveSlot(
  slot: number,
  from: RedisServer,
  to: RedisServer,
  primaries: readonly RedisServer[],
): Promise<void> {
  const [source, target] = [await idOf(from), await idOf(to)]
  await succeed(to, `CLUSTER SETSLOT ${slot} IMPORTING ${source}`)
  await succeed(from, `CLUSTER SETSLOT ${slot} MIGRATING ${target}`)
  for (;;) {
    const keys = [...(await from.command(`CLUSTER GETKEYSINSLOT ${slot} 10`)).matchAll(/\r\n(petstore:\S+)/g)]
    if (keys.length === 0) break
    for (const [, key] of keys) {
      // A key may have expired in the meantime.
      assert.match(await from.command(`MIGRATE 127.0.0.1 ${to.port} ${key} 0 5000`), /^\+(?:OK|NOKEY)/)
    }
  }
  const others = primaries.filter(node => node !== to && node !== from)
  for (const node of [to, from, ...others]) await succeed(node, `CLUSTER SETSLOT ${slot} NODE ${target}`)
}

/** Waits until the nodes know the same epoch, and each has one of its own: a node that takes a slot then gets the highest. */
export async function untilEpochsAgree(nodes: readonly RedisServer[]): Promise<void> {
  await eventually(async () => {
    const infos = await Promise.all(nodes.map(node => node.command('CLUSTER INFO')))
    const all = (name: string) => new Set(infos.map(info => new RegExp(`${name}:(\\d+)`).exec(info)?.[1])).size
    assert.deepEqual([all('cluster_current_epoch'), all('cluster_my_epoch')], [1, nodes.length])
  })
}

export async function slotOf(node: RedisServer, key: string): Promise<number> {
  return numberOf(await node.command(`CLUSTER KEYSLOT ${key}`))
}

/** Parses a number in a reply of Redis. */
export function numberOf(answer: string): number {
  return Number(answer.replace(/^:/, ''))
}

async function startNodes(
  t: Cleanup,
  ranges: readonly (string | undefined)[],
  timeoutMs: number,
  options: (index: number) => readonly string[],
): Promise<RedisServer[]> {
  const nodes: RedisServer[] = []
  t.after(() => Promise.all(nodes.map(node => node.close())))
  const ports: number[] = []
  for (const [index, range] of ranges.entries()) {
    const port = await findFreePort()
    const cluster = ['--cluster-enabled', 'yes', '--cluster-port', String(port)]
    const node = await startRedis([...cluster, '--cluster-node-timeout', String(timeoutMs), ...options(index)])
    nodes.push(node)
    ports.push(port)
    if (range) await succeed(node, `CLUSTER ADDSLOTSRANGE ${range}`)
  }
  const [first, ...others] = nodes as [RedisServer, ...RedisServer[]]
  for (const [index, node] of others.entries()) {
    await succeed(first, `CLUSTER MEET 127.0.0.1 ${node.port} ${ports[index + 1]}`)
  }
  for (const node of nodes) {
    await eventually(async () => {
      const info = await node.command('CLUSTER INFO')
      assert.match(info, /cluster_state:ok/)
      assert.ok(info.includes(`cluster_known_nodes:${ranges.length}`))
    })
  }
  return nodes
}

async function idOf(node: RedisServer): Promise<string> {
  return (await node.command('CLUSTER MYID')).split('\r\n')[1] as string
}

async function succeed(node: RedisServer, command: string): Promise<void> {
  assert.match(await node.command(command), /^\+OK/, command)
}
