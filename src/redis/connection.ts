import { Cluster, Command, Redis, type Result } from 'ioredis'
import { LRUCache } from 'lru-cache'
import { reasonOf } from '../domain/system-error.ts'
import {
  addressOf,
  CONNECT_TIMEOUT_MS,
  credentialsOf,
  DRIVER_OPTIONS,
  hostsOf,
  kindOf,
  reconnectDelay,
  serverOptions,
} from './driver-options.ts'
import type { ScriptName } from './scripts.ts'

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

type Opening = PromiseWithResolvers<Error | undefined>

const SINGLE_SERVER = ''
/** The number of keys whose cluster slot is cached. */
const MAX_SLOTS = 65_536
const READ_SLOTS_EVERY_MS = 5_000

/**
 * Starts to connect, and keeps trying until it succeeds.
 * @param urls redis://user:password@host:port/database, or rediss:// for TLS. With ?sentinel=NAME they are Sentinels, which know the
 * primary of that name. Several other URLs, or one with ?cluster=true, are nodes of a cluster.
 */
export function connect(urls: readonly string[], onLost: OnLost): Connection {
  const places = urls.map(url => new URL(url))
  return kindOf(urls) === 'cluster' ? connectCluster(places, onLost) : connectServer(places, onLost)
}

function connectServer(urls: readonly URL[], onLost: OnLost): Connection {
  const redis = new Redis({ ...DRIVER_OPTIONS, ...serverOptions(urls) })
  const opening: Opening = Promise.withResolvers()
  reportLosses(redis, 'Redis', hostsOf(urls), reason => {
    opening.resolve(reason)
    onLost(SINGLE_SERVER, reason)
  })
  return connectionOf(redis, opening, () => SINGLE_SERVER, new Map([[SINGLE_SERVER, redis]]))
}

function connectCluster(urls: readonly URL[], onLost: OnLost): Connection {
  const cluster = new Cluster(
    urls.map(url => addressOf(url)),
    {
      scripts: DRIVER_OPTIONS.scripts,
      redisOptions: { ...DRIVER_OPTIONS, ...credentialsOf(urls[0] as URL) },
      enableReadyCheck: false,
      clusterRetryStrategy: reconnectDelay,
      slotsRefreshTimeout: CONNECT_TIMEOUT_MS,
      // A failed script is not retried: the call is decided without Redis.
      retryDelayOnFailover: 0,
      retryDelayOnClusterDown: 0,
      maxRedirections: 4,
    },
  )
  // The driver's own timer would run forever, and with it the process, if the connection is closed while the slots are read.
  const reading = setInterval(() => cluster.refreshSlotsCache(), READ_SLOTS_EVERY_MS)
  const opening: Opening = Promise.withResolvers()
  // The driver does not say which node failed first, or that a host name cannot be resolved.
  const nowhere = `Redis at ${hostsOf(urls)} cannot be used: no node of the cluster responds.`
  cluster.once('close', () => opening.resolve(new Error(nowhere)))
  // If no node can be reached, that is reported once for each node.
  cluster.on('error', () => {})
  const nodes = new Map<string, Redis>()
  cluster.on('+node', (redis: Redis) => {
    // The name that a cluster uses for the node.
    const node = `${redis.options.host}:${redis.options.port}`
    nodes.set(node, redis)
    reportLosses(redis, 'a node of the Redis cluster', node, reason => onLost(node, reason))
    redis.once('end', () => {
      if (nodes.get(node) === redis) nodes.delete(node)
    })
  })
  const slots = new LRUCache<string, number>({ max: MAX_SLOTS, memoMethod: key => new Command('get', [key]).getSlot() })
  const nodeOf = (key: string) => cluster.slots[slots.memo(key)]?.[0] ?? ''
  return connectionOf(cluster, opening, nodeOf, nodes, () => clearInterval(reading))
}

function connectionOf(
  client: Redis | Cluster,
  opening: Opening,
  nodeOf: Connection['nodeOf'],
  nodes: ReadonlyMap<string, Redis>,
  onClose = () => {},
): Connection {
  client.once('ready', () => opening.resolve(undefined))
  return {
    nodeOf,
    opened: opening.promise,
    run(script, ...args) {
      // A cluster would keep the scripts of a whole outage, and then run them all.
      if (client.status !== 'ready') return Promise.reject(new Error('Redis is not connected.'))
      sendTogether(nodes.get(nodeOf(args[0])))
      return client[script](...args)
    },
    reconnect(node) {
      const redis = nodes.get(node)
      // While a connection is being opened, the driver would stop and never try again.
      if (redis?.status === 'connect' || redis?.status === 'ready') redis.disconnect(true)
    },
    close() {
      onClose()
      client.disconnect()
    },
  }
}

/** @param name of the server, for sentences */
function reportLosses(redis: Redis, name: string, place: string, lose: (reason: Error) => void): void {
  redis.on('error', error => lose(cannotBeUsed(place, error)))
  redis.on('close', () => lose(new Error(`The connection to ${name} was closed.`)))
}

/** Why a server cannot be used, as a sentence. @param place its host, without user and password */
export function cannotBeUsed(place: string, error: Error): Error {
  const isNowhere = error.message.startsWith('All sentinels are unreachable')
  const reason = isNowhere ? 'no Sentinel names a primary' : reasonOf(error)
  return new Error(`Redis at ${place} cannot be used: ${reason}.`)
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

/**
 * Calls back for each message on a channel, which every node of a cluster knows. Messages are lost while the connection is: for hints only.
 * @returns with the result of the first attempt
 */
export function subscribe(urls: readonly string[], channel: string, onMessage: () => void) {
  const places = urls.map(url => new URL(url))
  const isCluster = kindOf(urls) === 'cluster'
  const { promise: subscribed, resolve, reject } = Promise.withResolvers<void>()
  subscribed.catch(() => {})
  const redis: Redis = new Redis({
    ...DRIVER_OPTIONS,
    ...serverOptions(places),
    autoResubscribe: false,
    // Nothing is sent on this connection: if its other end is gone, only the kernel notices, after about 11 s.
    keepAlive: 1_000,
    retryStrategy(attempts) {
      if (isCluster) Object.assign(redis.options, addressOf(places[attempts % places.length] as URL))
      return reconnectDelay()
    },
  })
  redis.on('error', () => {})
  redis.on('ready', () => redis.subscribe(channel).then(() => resolve(), reject))
  redis.on('message', onMessage)
  return { subscribed, close: () => redis.disconnect() }
}
