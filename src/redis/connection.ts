import { readFileSync } from 'node:fs'
import { Cluster, Command, Redis, type Result } from 'ioredis'
import { LRUCache } from 'lru-cache'

/** The scripts that run in Redis, each on one key. */
const SCRIPTS = { consume: read('consume.lua'), settleBan: read('settle-ban.lua'), probe: read('probe.lua') }

declare module 'ioredis' {
  interface RedisCommander<Context>
    extends Record<ScriptName, (...args: ScriptArguments) => Result<unknown, Context>> {}
}

export type ScriptName = keyof typeof SCRIPTS
export type ScriptArguments = [key: string, ...args: (string | number)[]]

/** A Redis or Valkey server, or a cluster of them. Nothing waits for a connection: without one, what is asked fails at once. */
export interface Connection {
  /** What works or fails as one: the node of a cluster that holds the key; of a single server, always the same. */
  partOf(key: string): string
  /** Settled when the first attempt to connect has succeeded or failed. */
  readonly opened: Promise<void>
  run(script: ScriptName, ...args: ScriptArguments): Promise<unknown>
  /** Ends the connection to a part, and makes another one. */
  reconnect(part: string): void
  /** Ends at once, whatever is under way. */
  close(): void
}

const CONNECT_MS = 3_000
const SINGLE_SERVER = ''
/** Of so many keys it is known in which slot of a cluster they are. */
const SLOTS_KNOWN = 65_536

/**
 * Begins to connect, and goes on trying for as long as it takes.
 * @param urls redis://user:password@host:port/database, rediss:// for TLS. Several, or one with ?cluster=true: nodes of a cluster
 * @param onLost is told which part has lost its connection, and why
 */
export function connect(urls: readonly string[], onLost: (part: string, reason: Error) => void): Connection {
  const addresses = urls.map(url => new URL(url))
  const [first] = addresses
  if (!first) throw new RangeError('There must be the address of a Redis server.')
  return namesCluster(urls) ? connectCluster(addresses, first, onLost) : connectServer(first, onLost)
}

/** Whether these addresses are meant as nodes of a cluster. */
export function namesCluster(urls: readonly string[]): boolean {
  return urls.length > 1 || urls.some(url => new URL(url).searchParams.get('cluster') === 'true')
}

function connectServer(address: URL, onLost: (part: string, reason: Error) => void): Connection {
  const redis = new Redis({
    ...serverOptions(address),
    ...place(address),
    db: Number(address.pathname.slice(1)) || 0,
    enableOfflineQueue: false,
    retryStrategy: retryAfter,
  })
  let reason: Error | undefined
  redis.on('error', error => {
    reason = withoutCommand(error)
  })
  redis.on('close', () => {
    onLost(SINGLE_SERVER, reason ?? new Error('The connection to Redis has ended.'))
    reason = undefined
  })
  return {
    partOf: () => SINGLE_SERVER,
    opened: readyOrClosed(redis),
    run: (script, ...args) => redis[script](...args),
    reconnect: () => redis.disconnect(true),
    close: () => redis.disconnect(),
  }
}

function connectCluster(
  addresses: readonly URL[],
  first: URL,
  onLost: (part: string, reason: Error) => void,
): Connection {
  const cluster = new Cluster(addresses.map(place), {
    scripts: scriptOptions(),
    redisOptions: serverOptions(first),
    enableOfflineQueue: false,
    enableReadyCheck: false,
    clusterRetryStrategy: retryAfter,
    slotsRefreshTimeout: CONNECT_MS,
    slotsRefreshInterval: 5_000,
    // What fails is decided without Redis: nobody waits for another try.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    maxRedirections: 4,
  })
  const slots = new LRUCache<string, number>({ max: SLOTS_KNOWN, memoMethod: slotOf })
  const reasons = new Map<string, Error>()
  // That no node can be reached is told of each of them.
  cluster.on('error', () => {})
  cluster.on('node error', (error: Error, node: string) => reasons.set(node, withoutCommand(error)))
  cluster.on('-node', (redis: Redis) => {
    const node = nameOf(redis)
    onLost(node, reasons.get(node) ?? new Error('The connection to a node of the Redis cluster has ended.'))
    reasons.delete(node)
  })
  return {
    partOf: key => cluster.slots[slots.memo(key)]?.[0] ?? '',
    opened: readyOrClosed(cluster),
    run: (script, ...args) => cluster[script](...args),
    reconnect: part =>
      cluster
        .nodes()
        .find(node => nameOf(node) === part)
        ?.disconnect(),
    close: () => cluster.disconnect(),
  }
}

/** The driver's errors bear the command that failed; if that was the one with the password, it would stand in the log. */
export function withoutCommand({ message }: Error): Error {
  return new Error(message)
}

function serverOptions(address: URL) {
  const { username, password, protocol } = address
  return {
    scripts: scriptOptions(),
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' && { tls: {} }),
    connectionName: 'petstore',
    // Whether a server can be used is found by writing to it; the driver's own check would wait for one that is still loading.
    enableReadyCheck: false,
    // RESP2 is what every server and proxy speaks; the scripts answer with nothing that needs more.
    protocol: 2 as const,
    connectTimeout: CONNECT_MS,
    // Whoever ends a connection does not wait for the other side, which may be gone.
    disconnectTimeout: 0,
    // What was under way when a connection ended has failed, and is not sent again.
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
  }
}

function place({ hostname, port }: URL): { host: string; port: number } {
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || 6_379 }
}

/** As a cluster names its nodes. */
function nameOf({ options }: Redis): string {
  return `${options.host}:${options.port}`
}

function scriptOptions() {
  return Object.fromEntries(Object.entries(SCRIPTS).map(([name, lua]) => [name, { lua, numberOfKeys: 1 }]))
}

/** Milliseconds; not the same for all instances, which would all come back at one moment. */
function retryAfter(): number {
  return 50 + Math.floor(Math.random() * 100)
}

function readyOrClosed(client: Redis | Cluster): Promise<void> {
  return new Promise(resolve => {
    client.once('ready', resolve)
    client.once('close', resolve)
  })
}

function slotOf(key: string): number {
  return new Command('get', [key]).getSlot()
}

function read(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8')
}
