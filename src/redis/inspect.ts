import { Redis } from 'ioredis'

/** What a Redis server says of itself. */
export interface RedisServer {
  product: 'Redis' | 'Valkey'
  version: string
  /** A replica cannot be written. */
  isReplica: boolean
  isOfCluster: boolean
  /** Whether a cluster serves all of its keys; undefined where there is none. */
  isClusterWhole: boolean | undefined
  usedBytes: number
  /** 0: no bound. */
  boundBytes: number
  /** What it does when the bound is reached, such as noeviction. */
  evictionPolicy: string
  /** Whether what it holds is written to its disk; undefined where it does not say. */
  isPersistent: boolean | undefined
  /** Whether its last attempt to write to its disk failed, after which it may refuse to be written itself. */
  hasSavingFailed: boolean
  /** By how much its clock is ahead of this machine's; less than 0 where it is behind. */
  clockAheadMs: number
}

const TIMEOUT_MS = 3_000

/**
 * Asks one server, and writes nothing.
 * @throws Error of the connection or of the server, which names no password
 */
export async function inspectRedis(url: string): Promise<RedisServer> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: TIMEOUT_MS,
    commandTimeout: TIMEOUT_MS,
    disconnectTimeout: 0,
    enableReadyCheck: false,
    retryStrategy: () => null,
  })
  // Why there is no connection is told here, not by what waits for it.
  let failure: Error | undefined
  redis.on('error', error => {
    failure ??= error
  })
  try {
    await redis.connect()
    return await ask(redis)
  } catch (error) {
    throw failure ?? error
  } finally {
    redis.disconnect()
  }
}

async function ask(redis: Redis): Promise<RedisServer> {
  const told = parseInfo(await redis.info())
  const isOfCluster = told.get('cluster_enabled') === '1'
  const cluster = isOfCluster ? String(await redis.call('CLUSTER', 'INFO')) : undefined
  const valkey = told.get('valkey_version')
  const writesLog = told.get('aof_enabled') === '1'
  return {
    product: valkey ? 'Valkey' : 'Redis',
    version: valkey ?? told.get('redis_version') ?? 'of unknown version',
    isReplica: told.get('role') === 'slave',
    isOfCluster,
    isClusterWhole: cluster === undefined ? undefined : parseInfo(cluster).get('cluster_state') === 'ok',
    usedBytes: Number(told.get('used_memory') ?? 0),
    boundBytes: Number(told.get('maxmemory') ?? 0),
    evictionPolicy: told.get('maxmemory_policy') ?? 'unknown',
    isPersistent: writesLog || (await savesSnapshots(redis)),
    hasSavingFailed: ['rdb_last_bgsave_status', 'aof_last_bgrewrite_status', 'aof_last_write_status'].some(
      status => told.get(status) === 'err',
    ),
    clockAheadMs: await measureClock(redis),
  }
}

/** Lines such as `used_memory:1048576`. */
function parseInfo(text: string): Map<string, string> {
  const lines = text.matchAll(/^(\w+):(.*?)\r?$/gm)
  return new Map([...lines].map(([, name = '', value = '']) => [name, value]))
}

/** Hosted servers often do not tell their configuration. */
async function savesSnapshots(redis: Redis): Promise<boolean | undefined> {
  try {
    const [, value] = (await redis.config('GET', 'save')) as string[]
    return value === undefined ? undefined : value !== ''
  } catch {
    return undefined
  }
}

/** By a script, as limits are counted: whether this user may run one shows as well. */
async function measureClock(redis: Redis): Promise<number> {
  const askedAt = Date.now()
  const [seconds, microseconds] = (await redis.eval("return redis.call('TIME')", 0)) as [string, string]
  const middle = (askedAt + Date.now()) / 2
  return Number(seconds) * 1_000 + Number(microseconds) / 1_000 - middle
}
