import { readFileSync } from 'node:fs'
import { Cluster, Command, Redis, type Result } from 'ioredis'
import { LRUCache } from 'lru-cache'
import { systemReason } from '../domain/system-error.ts'

/** The scripts that run in Redis, each on one key. */
const SCRIPTS = {
  consume: read(new URL('consume.lua', import.meta.url)),
  settleBan: read(new URL('settle-ban.lua', import.meta.url)),
  probe: read(new URL('probe.lua', import.meta.url)),
}

declare module 'ioredis' {
  interface RedisCommander<Context>
    extends Record<ScriptName, (...args: ScriptArguments) => Result<unknown, Context>> {}
}

export type ScriptName = keyof typeof SCRIPTS
export type ScriptArguments = [key: string, ...args: (string | number)[]]

/** A Redis or Valkey server, or a cluster. Without a connection a script fails at once; it does not wait for one. */
export interface Connection {
  /** The name of the node that holds the key. A single server is one node. */
  nodeOf(key: string): string
  /** Settled when the first attempt to connect has succeeded or failed. */
  readonly opened: Promise<void>
  /** Why the first attempt to connect failed, if it did. */
  failure(): Error | undefined
  run(script: ScriptName, ...args: ScriptArguments): Promise<unknown>
  /** Closes the connection to a node and opens another one. */
  reconnect(node: string): void
  /** Closes at once, without waiting for scripts that are running. */
  close(): void
}

/** @param reason why the connection to the node was lost */
type OnLost = (node: string, reason: Error) => void

const CONNECT_TIMEOUT_MS = 3_000
const SINGLE_SERVER = ''
/** Keys whose slot in a cluster is kept. */
const MAX_SLOTS = 65_536

/**
 * Starts to connect, and keeps trying until it succeeds.
 * @param urls redis://user:password@host:port/database, or rediss:// for TLS. Several URLs, or one with ?cluster=true, are nodes of a
 * cluster.
 */
export function connect(urls: readonly string[], onLost: OnLost): Connection {
  const addresses = urls.map(url => new URL(url))
  const [first] = addresses
  if (!first) throw new RangeError('At least one Redis address is required.')
  return isCluster(urls) ? connectCluster(addresses, first, onLost) : connectServer(first, onLost)
}

/** Whether these URLs name the nodes of a cluster. */
export function isCluster(urls: readonly string[]): boolean {
  return urls.length > 1 || urls.some(url => new URL(url).searchParams.get('cluster') === 'true')
}

function connectServer(url: URL, onLost: OnLost): Connection {
  const redis = new Redis({
    ...serverOptions(url),
    ...hostAndPort(url),
    db: Number(url.pathname.slice(1)) || 0,
    enableOfflineQueue: false,
    retryStrategy: reconnectDelay,
  })
  let failure: Error | undefined
  let reason: Error | undefined
  redis.on('error', error => {
    reason = cannotBeUsed(url.host, error)
    failure = reason
  })
  redis.on('close', () => {
    onLost(SINGLE_SERVER, reason ?? new Error('The connection to Redis was closed.'))
    reason = undefined
  })
  return {
    nodeOf: () => SINGLE_SERVER,
    opened: readyOrClosed(redis),
    failure: () => failure,
    run: (script, ...args) => redis[script](...args),
    reconnect: () => redis.disconnect(true),
    close: () => redis.disconnect(),
  }
}

function connectCluster(urls: readonly URL[], first: URL, onLost: OnLost): Connection {
  const cluster = new Cluster(urls.map(hostAndPort), {
    scripts: scriptOptions(),
    redisOptions: serverOptions(first),
    enableOfflineQueue: false,
    enableReadyCheck: false,
    clusterRetryStrategy: reconnectDelay,
    slotsRefreshTimeout: CONNECT_TIMEOUT_MS,
    slotsRefreshInterval: 5_000,
    // A script that fails is not tried again: the call is decided without Redis.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    maxRedirections: 4,
  })
  const slots = new LRUCache<string, number>({ max: MAX_SLOTS, memoMethod: slotOf })
  const reasons = new Map<string, Error>()
  // If no node can be reached, that is reported for each node.
  cluster.on('error', () => {})
  cluster.on('node error', (error: Error, node: string) => reasons.set(node, cannotBeUsed(node, error)))
  // The driver does not say which node failed first, or that a host name cannot be resolved.
  let failure: Error | undefined
  cluster.once('close', () => {
    const places = urls.map(({ host }) => host).join(', ')
    failure = new Error(`Redis at ${places} cannot be used: no node of the cluster answers.`)
  })
  cluster.on('-node', (redis: Redis) => {
    const node = nameOf(redis)
    onLost(node, reasons.get(node) ?? new Error('The connection to a node of the Redis cluster was closed.'))
    reasons.delete(node)
  })
  return {
    nodeOf: key => cluster.slots[slots.memo(key)]?.[0] ?? '',
    opened: readyOrClosed(cluster),
    failure: () => failure,
    run: (script, ...args) => cluster[script](...args),
    reconnect: name => {
      const node = cluster.nodes().find(one => nameOf(one) === name)
      node?.disconnect()
    },
    close: () => cluster.disconnect(),
  }
}

/** Why a server cannot be used, as a sentence. @param place its host, without user and password */
export function cannotBeUsed(place: string, error: Error): Error {
  const reason = systemReason(error) ?? error.message.replace(/\.$/, '')
  return new Error(`Redis at ${place} cannot be used: ${reason}.`)
}

/** The driver's errors contain the command that failed. That may be the one with the password, which must not be logged. */
export function withoutCommand({ message }: Error): Error {
  return new Error(message)
}

function serverOptions({ username, password, protocol }: URL) {
  return {
    scripts: scriptOptions(),
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' && { tls: {} }),
    connectionName: 'petstore',
    // A probe that writes decides whether a server can be used; the driver's own check would wait for one that is still loading.
    enableReadyCheck: false,
    // Every server and proxy supports RESP2, and the scripts need no more.
    protocol: 2 as const,
    connectTimeout: CONNECT_TIMEOUT_MS,
    // Closing does not wait for the other side, which may be gone.
    disconnectTimeout: 0,
    // A script that was running when a connection ended has failed, and is not sent again.
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
  }
}

function hostAndPort({ hostname, port }: URL): { host: string; port: number } {
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || 6_379 }
}

/** The name that a cluster uses for the node. */
function nameOf({ options }: Redis): string {
  return `${options.host}:${options.port}`
}

function scriptOptions() {
  return Object.fromEntries(Object.entries(SCRIPTS).map(([name, lua]) => [name, { lua, numberOfKeys: 1 }]))
}

/** Milliseconds. Random, so that instances do not all reconnect at the same moment. */
function reconnectDelay(): number {
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

function read(file: URL): string {
  return readFileSync(file, 'utf8')
}
