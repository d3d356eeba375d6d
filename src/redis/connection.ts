import { Cluster, Command, Redis, type RedisOptions, type Result } from 'ioredis'
import { LRUCache } from 'lru-cache'
import { reasonOf } from '../domain/system-error.ts'
import { SCRIPTS, type ScriptName } from './scripts.ts'

declare module 'ioredis' {
  interface RedisCommander<Context>
    extends Record<ScriptName, (...args: ScriptArguments) => Result<unknown, Context>> {}
}

export type ScriptArguments = [key: string, ...args: (string | number)[]]

/**
 * A Redis or Valkey server, the one that Sentinels name, or a cluster. Without a connection, scripts fail immediately instead of waiting.
 */
export interface Connection {
  /** The name of the node that holds the key. A single server is one node. */
  nodeOf(key: string): string
  /** Settles when the first attempt to connect has succeeded or failed. */
  readonly opened: Promise<void>
  /** Why the first attempt to connect failed, if it did. */
  failure(): Error | undefined
  run(script: ScriptName, ...args: ScriptArguments): Promise<unknown>
  /** Deletes keys that one node holds. */
  remove(...keys: string[]): Promise<unknown>
  /** Closes the connection to a node and opens another one. */
  reconnect(node: string): void
  /** Closes immediately, without waiting for running scripts. */
  close(): void
}

type Scripts = Readonly<Record<ScriptName, string>>

/** @param reason why the connection to the node was lost */
type OnLost = (node: string, reason: Error) => void

const CONNECT_TIMEOUT_MS = 3_000
/** A Sentinel that takes longer is skipped. */
const SENTINEL_TIMEOUT_MS = 1_000
const SINGLE_SERVER = ''
/** The number of keys whose cluster slot is cached. */
const MAX_SLOTS = 65_536

/**
 * Starts to connect, and keeps trying until it succeeds.
 * @param urls redis://user:password@host:port/database, or rediss:// for TLS. With ?sentinel=NAME they are Sentinels, which know the
 * primary of that name. Several other URLs, or one with ?cluster=true, are nodes of a cluster.
 */
export function connect(urls: readonly string[], onLost: OnLost, scripts: Scripts = SCRIPTS): Connection {
  const addresses = urls.map(url => new URL(url))
  const [first] = addresses
  if (!first) throw new RangeError('At least one Redis address is required.')
  if (kindOf(urls) === 'cluster') return connectCluster(addresses, first, onLost, scripts)
  return connectServer(addresses, onLost, scripts)
}

/** Whether these URLs are a server, the Sentinels that monitor one, or nodes of a cluster. */
export function kindOf(urls: readonly string[]): 'server' | 'sentinels' | 'cluster' {
  const has = (name: string, isRight: (value: string | null) => boolean) =>
    urls.some(url => isRight(new URL(url).searchParams.get(name)))
  if (has('sentinel', value => value !== null)) return 'sentinels'
  return urls.length > 1 || has('cluster', value => value === 'true') ? 'cluster' : 'server'
}

function connectServer(urls: readonly URL[], onLost: OnLost, scripts: Scripts): Connection {
  const redis = new Redis({
    ...serverOptions(urls[0] as URL, scripts),
    ...placeOptions(urls),
    enableOfflineQueue: false,
    retryStrategy: reconnectDelay,
  })
  let failure: Error | undefined
  let reason: Error | undefined
  redis.on('error', error => {
    reason = cannotBeUsed(hostsOf(urls), error)
    failure = reason
  })
  redis.on('ready', () => {
    reason = undefined
  })
  giveUpSilentServers(redis)
  redis.on('close', () => {
    onLost(SINGLE_SERVER, reason ?? new Error('The connection to Redis was closed.'))
    reason = undefined
  })
  return {
    nodeOf: () => SINGLE_SERVER,
    // If no Sentinel responds, there is an error but no 'close' event, because no connection was open.
    opened: Promise.race([readyOrClosed(redis), new Promise<void>(resolve => redis.once('error', () => resolve()))]),
    failure: () => failure,
    run(script, ...args) {
      sendTogether(redis)
      return redis[script](...args)
    },
    remove: (...keys) => redis.del(...keys),
    reconnect: () => redis.disconnect(true),
    close: () => redis.disconnect(),
  }
}

/**
 * A hanging server accepts connections, but does not respond to the first commands. The driver would wait forever, even if the Sentinels
 * already know another primary.
 */
function giveUpSilentServers(redis: Redis): void {
  let timer: NodeJS.Timeout | undefined
  redis.on('connect', () => {
    timer = setTimeout(() => redis.disconnect(true), CONNECT_TIMEOUT_MS)
  })
  redis.on('ready', () => clearTimeout(timer))
  redis.on('close', () => clearTimeout(timer))
}

function connectCluster(urls: readonly URL[], first: URL, onLost: OnLost, scripts: Scripts): Connection {
  const cluster = new Cluster(
    urls.map(url => hostAndPort(url)),
    {
      scripts: scriptOptions(scripts),
      redisOptions: serverOptions(first, scripts),
      enableOfflineQueue: false,
      enableReadyCheck: false,
      clusterRetryStrategy: reconnectDelay,
      slotsRefreshTimeout: CONNECT_TIMEOUT_MS,
      slotsRefreshInterval: 5_000,
      // A failed script is not retried: the call is decided without Redis.
      retryDelayOnFailover: 0,
      retryDelayOnClusterDown: 0,
      maxRedirections: 4,
    },
  )
  const slots = new LRUCache<string, number>({ max: MAX_SLOTS, memoMethod: slotOf })
  const reasons = new Map<string, Error>()
  // If no node can be reached, that is reported once for each node.
  cluster.on('error', () => {})
  cluster.on('node error', (error: Error, node: string) => reasons.set(node, cannotBeUsed(node, error)))
  // The driver does not say which node failed first, or that a host name cannot be resolved.
  let failure: Error | undefined
  cluster.once('close', () => {
    failure = new Error(`Redis at ${hostsOf(urls)} cannot be used: no node of the cluster responds.`)
  })
  const nodes = new Map<string, Redis>()
  cluster.on('+node', (redis: Redis) => nodes.set(nameOf(redis), redis))
  cluster.on('-node', (redis: Redis) => {
    const node = nameOf(redis)
    if (nodes.get(node) === redis) nodes.delete(node)
    onLost(node, reasons.get(node) ?? new Error('The connection to a node of the Redis cluster was closed.'))
    reasons.delete(node)
  })
  const nodeOf = (key: string) => cluster.slots[slots.memo(key)]?.[0] ?? ''
  return {
    nodeOf,
    opened: readyOrClosed(cluster),
    failure: () => failure,
    run(script, ...args) {
      sendTogether(nodes.get(nodeOf(args[0])))
      return cluster[script](...args)
    },
    remove: (...keys) => cluster.del(...keys),
    reconnect: node => nodes.get(node)?.disconnect(),
    close: () => cluster.disconnect(),
  }
}

/**
 * Sends the scripts of one event loop turn together. Sent separately, each would cost a system call here and one in Redis, which take longer
 * than the script.
 */
function sendTogether(redis: Redis | undefined): void {
  const stream = redis?.stream
  if (!stream || stream.writableCorked > 0) return
  stream.cork()
  setImmediate(() => stream.uncork())
}

/** Why a server cannot be used, as a sentence. @param place its host, without user and password */
export function cannotBeUsed(place: string, error: Error): Error {
  const isNowhere = error.message.startsWith('All sentinels are unreachable')
  const reason = isNowhere ? 'no Sentinel names a primary' : reasonOf(error)
  return new Error(`Redis at ${place} cannot be used: ${reason}.`)
}

/** The driver's errors contain the failed command. It may contain the password, which must not be logged. */
export function withoutCommand({ message }: Error): Error {
  return new Error(message)
}

/** User, password and TLS of a server. */
export function credentialsOf({ username, password, protocol }: URL) {
  return {
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' && { tls: {} }),
  }
}

function serverOptions(url: URL, scripts: Scripts) {
  return {
    scripts: scriptOptions(scripts),
    ...credentialsOf(url),
    connectionName: 'petstore',
    // A probe that writes determines whether a server can be used; the driver's own check would wait for a server that is still loading.
    enableReadyCheck: false,
    // Every server and proxy supports RESP2, and the scripts need nothing newer.
    protocol: 2 as const,
    connectTimeout: CONNECT_TIMEOUT_MS,
    // Closing does not wait for the other side, which may be gone.
    disconnectTimeout: 0,
    // A script that was running when a connection ended has failed and is not resent.
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
  }
}

export type PlaceOptions = Omit<RedisOptions, 'protocol' | 'replyMapping'>

/** The address of a single server: that of the URL, or the one that the Sentinels return. */
export function placeOptions(urls: readonly URL[]): PlaceOptions {
  const first = urls[0] as URL
  const db = Number(first.pathname.slice(1)) || 0
  const [name, username, password] = ['sentinel', 'sentinelUsername', 'sentinelPassword'].map(
    parameter => first.searchParams.get(parameter) ?? undefined,
  )
  if (name === undefined) return { ...hostAndPort(first), db }
  return {
    db,
    name,
    sentinels: urls.map(url => hostAndPort(url, SENTINEL_PORT)),
    ...(username && { sentinelUsername: username }),
    ...(password && { sentinelPassword: password }),
    ...(first.protocol === 'rediss:' && { enableTLSForSentinelMode: true, sentinelTLS: {} }),
    sentinelRetryStrategy: reconnectDelay,
    sentinelCommandTimeout: SENTINEL_TIMEOUT_MS,
    // A former primary that has become a replica, or has lost its replicas: the Sentinels may already know another one. Redis 6 includes
    // the reason in the error of the script.
    reconnectOnError: ({ message }) => /(?:^|[\s-])(?:READONLY|NOREPLICAS)\b/.test(message),
  }
}

const PORT = 6_379
const SENTINEL_PORT = 26_379

function hostAndPort({ hostname, port }: URL, defaultPort = PORT): { host: string; port: number } {
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || defaultPort }
}

function hostsOf(urls: readonly URL[]): string {
  return urls.map(({ host }) => host).join(', ')
}

/** The name that a cluster uses for the node. */
function nameOf({ options }: Redis): string {
  return `${options.host}:${options.port}`
}

function scriptOptions(scripts: Scripts) {
  return Object.fromEntries(Object.entries(scripts).map(([name, lua]) => [name, { lua, numberOfKeys: 1 }]))
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
