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
 * A Redis or Valkey server, the one that Sentinels name, or a cluster. Without a connection, scripts fail immediately; those of a cluster wait
 * for the connection to a new node.
 */
export interface Connection {
  /** The name of the node that holds the key. A single server is one node. */
  nodeOf(key: string): string
  /** Settles when the first attempt to connect has succeeded, or failed for this reason. */
  readonly opened: Promise<Error | undefined>
  run(script: ScriptName, ...args: ScriptArguments): Promise<unknown>
  /** If the connection to a node is open, closes it and opens another one. Sentinels are asked again where to. */
  reconnect(node: string): void
  /** Closes immediately, without waiting for running scripts. */
  close(): void
}

/** @param reason why the connection to the node was lost. It may be reported several times; the first reason is the most precise. */
type OnLost = (node: string, reason: Error) => void

export const CONNECT_TIMEOUT_MS = 3_000
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
export function connect(urls: readonly string[], onLost: OnLost): Connection {
  const open = kindOf(urls) === 'cluster' ? connectCluster : connectServer
  return open(
    urls.map(url => new URL(url)),
    onLost,
  )
}

/** Whether these URLs are a server, the Sentinels that monitor one, or nodes of a cluster. */
export function kindOf(urls: readonly string[]): 'server' | 'sentinels' | 'cluster' {
  const parameters = urls.map(url => new URL(url).searchParams)
  if (parameters.some(of => of.has('sentinel'))) return 'sentinels'
  return urls.length > 1 || parameters.some(of => of.get('cluster') === 'true') ? 'cluster' : 'server'
}

function connectServer(urls: readonly URL[], onLost: OnLost): Connection {
  const redis = new Redis({
    ...COMMON_OPTIONS,
    ...serverOptions(urls),
    enableOfflineQueue: false,
    retryStrategy: reconnectDelay,
    sentinelRetryStrategy: reconnectDelay,
    sentinelCommandTimeout: SENTINEL_TIMEOUT_MS,
  })
  const { promise: opened, resolve: open } = Promise.withResolvers<Error | undefined>()
  const lose = (reason: Error) => {
    open(reason)
    onLost(SINGLE_SERVER, reason)
  }
  redis.on('error', error => lose(cannotBeUsed(hostsOf(urls), error)))
  redis.on('close', () => lose(new Error('The connection to Redis was closed.')))
  redis.once('ready', () => open(undefined))
  return {
    nodeOf: () => SINGLE_SERVER,
    opened,
    run(script, ...args) {
      sendTogether(redis)
      return redis[script](...args)
    },
    reconnect: () => reconnect(redis),
    close: () => redis.disconnect(),
  }
}

function connectCluster(urls: readonly URL[], onLost: OnLost): Connection {
  const cluster = new Cluster(
    urls.map(url => hostAndPort(url, PORT)),
    {
      scripts: COMMON_OPTIONS.scripts,
      redisOptions: { ...COMMON_OPTIONS, ...credentialsOf(urls[0] as URL) },
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
  const { promise: opened, resolve: open } = Promise.withResolvers<Error | undefined>()
  cluster.once('ready', () => open(undefined))
  // The driver does not say which node failed first, or that a host name cannot be resolved.
  const nowhere = `Redis at ${hostsOf(urls)} cannot be used: no node of the cluster responds.`
  cluster.once('close', () => open(new Error(nowhere)))
  // If no node can be reached, that is reported once for each node.
  cluster.on('error', () => {})
  // Not each of them ends the connection.
  const reasons = new Map<string, Error>()
  cluster.on('node error', (error: Error, node: string) => reasons.set(node, cannotBeUsed(node, error)))
  const nodes = new Map<string, Redis>()
  cluster.on('+node', (redis: Redis) => nodes.set(nameOf(redis), redis))
  cluster.on('-node', (redis: Redis) => {
    const node = nameOf(redis)
    if (nodes.get(node) === redis) nodes.delete(node)
    onLost(node, reasons.get(node) ?? new Error('The connection to a node of the Redis cluster was closed.'))
    reasons.delete(node)
  })
  const slots = new LRUCache<string, number>({ max: MAX_SLOTS, memoMethod: slotOf })
  const nodeOf = (key: string) => cluster.slots[slots.memo(key)]?.[0] ?? ''
  return {
    nodeOf,
    opened,
    run(script, ...args) {
      // The driver would keep the scripts of a whole outage, and then run them all.
      if (cluster.status !== 'ready') return Promise.reject(new Error('The Redis cluster is not connected.'))
      sendTogether(nodes.get(nodeOf(args[0])))
      return cluster[script](...args)
    },
    reconnect: node => reconnect(nodes.get(node)),
    close: () => cluster.disconnect(),
  }
}

/**
 * Calls back for each message on a channel, which every node of a cluster knows. Messages are lost while the connection is: for hints only.
 * @returns with the result of the first attempt
 */
export function subscribe(urls: readonly string[], channel: string, onMessage: () => void) {
  const places = urls.map(url => new URL(url))
  const { promise: subscribed, resolve, reject } = Promise.withResolvers<void>()
  let attempts = 0
  const redis: Redis = new Redis({
    ...COMMON_OPTIONS,
    ...serverOptions(places),
    enableOfflineQueue: false,
    autoResubscribe: false,
    // Nothing is sent on this connection: if its other end is gone, only the kernel notices, after about 11 s.
    keepAlive: 1_000,
    retryStrategy() {
      attempts += 1
      if (kindOf(urls) === 'cluster')
        Object.assign(redis.options, hostAndPort(places[attempts % urls.length] as URL, PORT))
      return reconnectDelay()
    },
    sentinelRetryStrategy: reconnectDelay,
    sentinelCommandTimeout: SENTINEL_TIMEOUT_MS,
  })
  redis.on('error', () => {})
  redis.on('ready', () => redis.subscribe(channel).then(() => resolve(), reject))
  redis.on('message', onMessage)
  subscribed.catch(() => {})
  return { subscribed, close: () => redis.disconnect() }
}

/**
 * Sends the scripts of one event loop turn together. Sent separately, each would cost a system call here and one in Redis, which take longer
 * than the script. (The driver's own pipelines need the right to run SCRIPT EXISTS.)
 */
function sendTogether(redis: Redis | undefined): void {
  const stream = redis?.stream
  if (!stream || stream.writableCorked > 0) return
  stream.cork()
  setImmediate(() => stream.uncork())
}

/** Only a connection that is open: while it is being opened, the driver would stop and never try again. */
function reconnect(redis: Redis | undefined): void {
  if (redis?.status === 'connect' || redis?.status === 'ready') redis.disconnect(true)
}

/** Why a server cannot be used, as a sentence. @param place its host, without user and password */
export function cannotBeUsed(place: string, error: Error): Error {
  const isNowhere = error.message.startsWith('All sentinels are unreachable')
  const reason = isNowhere ? 'no Sentinel names a primary' : reasonOf(error)
  return new Error(`Redis at ${place} cannot be used: ${reason}.`)
}

const COMMON_OPTIONS = {
  scripts: Object.fromEntries(Object.entries(SCRIPTS).map(([name, lua]) => [name, { lua, numberOfKeys: 1 }])),
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

/** Address and credentials of a single server, or those of the Sentinels that know it. */
export function serverOptions(urls: readonly URL[]) {
  const url = urls[0] as URL
  const db = Number(url.pathname.slice(1)) || 0
  const name = url.searchParams.get('sentinel')
  if (name === null) return { ...hostAndPort(url, PORT), ...credentialsOf(url), db }
  const { username, password, tls } = sentinelOptions(url)
  return {
    ...credentialsOf(url),
    db,
    name,
    sentinels: urls.map(place => hostAndPort(place, SENTINEL_PORT)),
    ...(username && { sentinelUsername: username }),
    ...(password && { sentinelPassword: password }),
    ...(tls && { enableTLSForSentinelMode: true, sentinelTLS: tls }),
  }
}

/** Address and credentials of a Sentinel itself. */
export function sentinelOptions(url: URL) {
  const username = url.searchParams.get('sentinelUsername')
  const password = url.searchParams.get('sentinelPassword')
  const tls = credentialsOf(url).tls
  return {
    ...hostAndPort(url, SENTINEL_PORT),
    ...(username && { username }),
    ...(password && { password }),
    ...(tls && { tls }),
  }
}

const PORT = 6_379
const SENTINEL_PORT = 26_379

function hostAndPort({ hostname, port }: URL, defaultPort: number): { host: string; port: number } {
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || defaultPort }
}

/** User, password and TLS of a server. */
function credentialsOf({ username, password, protocol }: URL): Pick<RedisOptions, 'username' | 'password' | 'tls'> {
  return {
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' && { tls: {} }),
  }
}

function hostsOf(urls: readonly URL[]): string {
  return urls.map(({ host }) => host).join(', ')
}

/** The name that a cluster uses for the node. */
function nameOf({ options }: Redis): string {
  return `${options.host}:${options.port}`
}

/** Milliseconds. Random, so that instances do not all reconnect at the same moment. */
function reconnectDelay(): number {
  return 50 + Math.floor(Math.random() * 100)
}

function slotOf(key: string): number {
  return new Command('get', [key]).getSlot()
}
