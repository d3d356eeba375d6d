import { Redis } from 'ioredis'
import { credentialsOf, type PlaceOptions, placeOptions } from './connection.ts'

/** The state of a Redis server. */
export interface RedisServer {
  product: 'Redis' | 'Valkey'
  version: string
  isReplica: boolean
  isOfCluster: boolean
  /** Whether the cluster serves all of its keys; undefined without a cluster. */
  isClusterWhole: boolean | undefined
  /** Whether the cluster node is known to refuse all keys while some are not available. */
  refusesUnlessWhole: boolean
  usedBytes: number
  /** The memory limit; 0 if there is none. */
  boundBytes: number
  /** Such as noeviction. */
  evictionPolicy: string
  /** Whether the data is written to disk; undefined if unknown. */
  isPersistent: boolean | undefined
  /** Whether the last attempt to write to disk failed. The server may then refuse writes. */
  hasSavingFailed: boolean
  /** How far its clock is ahead of this machine's; negative if it is behind. */
  clockAheadMs: number
}

const TIMEOUT_MS = 3_000

/**
 * Inspects one server without writing to it.
 * @param urls the server, or the Sentinels that know it (connection.ts)
 * @throws Error of the connection or the server; it does not contain the password
 */
export async function inspectRedis(urls: readonly string[]): Promise<RedisServer> {
  const places = urls.map(url => new URL(url))
  return withConnection({ ...credentialsOf(places[0] as URL), ...placeOptions(places) }, inspect)
}

/**
 * Checks whether a Sentinel can fail over: it knows the primary, and enough other Sentinels can be reached.
 * @throws Error of the connection, or the Sentinel's reason
 */
export async function inspectSentinel(url: string): Promise<void> {
  const place = new URL(url)
  const { name, sentinelUsername, sentinelPassword, sentinelTLS, sentinels } = placeOptions([place])
  const options = {
    ...sentinels?.[0],
    ...(sentinelUsername && { username: sentinelUsername }),
    ...(sentinelPassword && { password: sentinelPassword }),
    ...(sentinelTLS && { tls: sentinelTLS }),
  }
  await withConnection(options, redis => redis.call('SENTINEL', 'CKQUORUM', name as string))
}

async function withConnection<Result>(options: PlaceOptions, use: (redis: Redis) => Promise<Result>): Promise<Result> {
  const redis = new Redis({
    ...options,
    lazyConnect: true,
    connectTimeout: TIMEOUT_MS,
    commandTimeout: TIMEOUT_MS,
    disconnectTimeout: 0,
    enableReadyCheck: false,
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

async function inspect(redis: Redis): Promise<RedisServer> {
  const info = parseInfo(await redis.info())
  const isOfCluster = info.get('cluster_enabled') === '1'
  const cluster = isOfCluster ? String(await redis.call('CLUSTER', 'INFO')) : undefined
  const save = await readSetting(redis, 'save')
  const valkey = info.get('valkey_version')
  return {
    product: valkey ? 'Valkey' : 'Redis',
    version: valkey ?? info.get('redis_version') ?? 'of unknown version',
    isReplica: info.get('role') === 'slave',
    isOfCluster,
    isClusterWhole: cluster === undefined ? undefined : parseInfo(cluster).get('cluster_state') === 'ok',
    refusesUnlessWhole: isOfCluster && (await readSetting(redis, 'cluster-require-full-coverage')) === 'yes',
    usedBytes: Number(info.get('used_memory') ?? 0),
    boundBytes: Number(info.get('maxmemory') ?? 0),
    evictionPolicy: info.get('maxmemory_policy') ?? 'unknown',
    isPersistent: info.get('aof_enabled') === '1' || (save === undefined ? undefined : save !== ''),
    hasSavingFailed: ['rdb_last_bgsave_status', 'aof_last_bgrewrite_status', 'aof_last_write_status'].some(
      status => info.get(status) === 'err',
    ),
    clockAheadMs: await measureClock(redis),
  }
}

/** Lines such as `used_memory:1048576`. */
function parseInfo(text: string): Map<string, string> {
  const lines = text.matchAll(/^(\w+):(.*?)\r?$/gm)
  return new Map([...lines].map(([, name = '', value = '']) => [name, value]))
}

/** Hosted servers often do not allow reading the configuration. */
async function readSetting(redis: Redis, name: string): Promise<string | undefined> {
  try {
    const [, value] = (await redis.config('GET', name)) as string[]
    return value
  } catch {
    return undefined
  }
}

/** Uses a script, as the limiters do, to check whether this user may run one. */
async function measureClock(redis: Redis): Promise<number> {
  const askedAt = Date.now()
  const [seconds, microseconds] = (await redis.eval("return redis.call('TIME')", 0)) as [string, string]
  const middle = (askedAt + Date.now()) / 2
  return Number(seconds) * 1_000 + Number(microseconds) / 1_000 - middle
}
