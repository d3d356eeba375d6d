import { Redis, type RedisOptions, ReplyError } from 'ioredis'
import { DRIVER_OPTIONS, sentinelOptions, serverOptions } from './driver-options.ts'

export interface RedisServer {
  /** How far its clock is ahead of this machine's; negative if it is behind. */
  clockAheadMs: number
  /** Undefined if this user may not query it. */
  state: RedisState | undefined
}

export type RedisState = Awaited<ReturnType<typeof readState>>

const TIMEOUT_MS = 3_000

type ServerOptions = Omit<RedisOptions, 'protocol' | 'replyMapping'>

/**
 * Inspects one server without writing to it.
 * @param urls the server, or the Sentinels that know it (connection.ts)
 * @param asCluster whether it must be a node of a cluster
 * @throws Error of the connection or the server; it does not contain the password
 */
export async function inspectRedis(urls: readonly string[], asCluster = false): Promise<RedisServer> {
  const options = serverOptions(urls.map(url => new URL(url)))
  return withConnection(options, redis => inspect(redis, asCluster))
}

/**
 * Checks whether a Sentinel can fail over: it knows the primary, and enough other Sentinels can be reached.
 * @throws Error of the connection, or the Sentinel's reason
 */
export async function inspectSentinel(url: string): Promise<void> {
  const place = new URL(url)
  const name = place.searchParams.get('sentinel') as string
  await withConnection(sentinelOptions(place), redis => redis.call('SENTINEL', 'CKQUORUM', name))
}

async function withConnection<Result>(options: ServerOptions, use: (redis: Redis) => Promise<Result>): Promise<Result> {
  const redis = new Redis({
    ...DRIVER_OPTIONS,
    ...options,
    lazyConnect: true,
    commandTimeout: TIMEOUT_MS,
    retryStrategy: () => null,
    sentinelRetryStrategy: () => null,
  })
  // The reason for a failed connection arrives as an event; `connect` rejects without it.
  let failure: Error | undefined
  redis.on('error', error => {
    failure ??= error
  })
  try {
    await redis.connect()
    return await use(redis)
  } catch (error) {
    throw failure ?? error
  } finally {
    redis.disconnect()
  }
}

async function inspect(redis: Redis, asCluster: boolean): Promise<RedisServer> {
  const clockAheadMs = await measureClock(redis)
  const text = await unlessRefused(redis.info())
  const state = text === undefined ? undefined : await readState(redis, parseInfo(text))
  // The driver needs it to find the nodes.
  if (asCluster && state?.isOfCluster !== false) await redis.call('CLUSTER', 'SLOTS')
  return { clockAheadMs, state }
}

async function readState(redis: Redis, info: Map<string, string>) {
  const isOfCluster = info.get('cluster_enabled') === '1'
  const cluster = isOfCluster ? await unlessRefused(redis.call('CLUSTER', 'INFO')) : undefined
  const save = await readSetting(redis, 'save')
  const valkey = info.get('valkey_version')
  return {
    product: valkey ? 'Valkey' : 'Redis',
    version: valkey ?? info.get('redis_version') ?? 'of unknown version',
    isReplica: info.get('role') === 'slave',
    isOfCluster,
    /** Whether the cluster serves all of its keys; undefined without a cluster, or if unknown. */
    isClusterWhole: cluster === undefined ? undefined : parseInfo(String(cluster)).get('cluster_state') === 'ok',
    /** Whether the cluster node is known to refuse all keys while some are not available. */
    refusesUnlessWhole: isOfCluster && (await readSetting(redis, 'cluster-require-full-coverage')) === 'yes',
    usedBytes: Number(info.get('used_memory') ?? 0),
    /** The memory limit; 0 if there is none. */
    boundBytes: Number(info.get('maxmemory') ?? 0),
    /** Such as noeviction. */
    evictionPolicy: info.get('maxmemory_policy') ?? 'unknown',
    /** Whether the data is written to disk; undefined if unknown. */
    isPersistent: info.get('aof_enabled') === '1' || (save === undefined ? undefined : save !== ''),
    /** Whether the last attempt to write to disk failed. The server may then refuse writes. */
    hasSavingFailed: ['rdb_last_bgsave_status', 'aof_last_bgrewrite_status', 'aof_last_write_status'].some(
      status => info.get(status) === 'err',
    ),
  }
}

/** The reply to a command that only this report needs; undefined if the server refuses it, as hosted servers often do. */
async function unlessRefused<Reply>(reply: Promise<Reply>): Promise<Reply | undefined> {
  try {
    return await reply
  } catch (error) {
    if (error instanceof ReplyError) return undefined
    throw error
  }
}

/** Lines such as `used_memory:1048576`. */
function parseInfo(text: string): Map<string, string> {
  const lines = text.matchAll(/^(\w+):(.*?)\r?$/gm)
  return new Map([...lines].map(([, name = '', value = '']) => [name, value]))
}

async function readSetting(redis: Redis, name: string): Promise<string | undefined> {
  const reply = await unlessRefused(redis.config('GET', name))
  return (reply as string[] | undefined)?.[1]
}

async function measureClock(redis: Redis): Promise<number> {
  const askedAt = Date.now()
  const [seconds, microseconds] = (await redis.time()).map(Number) as [number, number]
  const middle = (askedAt + Date.now()) / 2
  return seconds * 1_000 + microseconds / 1_000 - middle
}
