import type { RedisOptions } from 'ioredis'
import { SCRIPTS } from './scripts.ts'

export const CONNECT_TIMEOUT_MS = 3_000
/** A Sentinel that takes longer is skipped. */
const SENTINEL_TIMEOUT_MS = 1_000
const PORT = 6_379
const SENTINEL_PORT = 26_379

export const DRIVER_OPTIONS = {
  scripts: Object.fromEntries(Object.entries(SCRIPTS).map(([name, lua]) => [name, { lua, numberOfKeys: 1 }])),
  connectionName: 'petstore',
  // A probe that writes determines whether a server can be used; the driver's own check would wait for a server that is still loading.
  enableReadyCheck: false,
  // Every server and proxy supports RESP2, and the scripts need nothing newer.
  protocol: 2 as const,
  connectTimeout: CONNECT_TIMEOUT_MS,
  retryStrategy: reconnectDelay,
  sentinelRetryStrategy: reconnectDelay,
  sentinelCommandTimeout: SENTINEL_TIMEOUT_MS,
  // Closing does not wait for the other side, which may be gone.
  disconnectTimeout: 0,
  enableOfflineQueue: false,
  // A script that was running when a connection ended has failed and is not resent.
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
}

/** Milliseconds. Random, so that instances do not all reconnect at the same moment. */
export function reconnectDelay(): number {
  return 50 + Math.floor(Math.random() * 100)
}

export function kindOf(urls: readonly string[]): 'server' | 'sentinels' | 'cluster' {
  const parameters = urls.map(url => new URL(url).searchParams)
  if (parameters.some(of => of.has('sentinel'))) return 'sentinels'
  return urls.length > 1 || parameters.some(of => of.get('cluster') === 'true') ? 'cluster' : 'server'
}

/** Address and credentials of a single server, or those of the Sentinels that know it. */
export function serverOptions(urls: readonly URL[]) {
  const url = urls[0] as URL
  const db = Number(url.pathname.slice(1)) || 0
  const name = url.searchParams.get('sentinel')
  if (name === null) return { ...addressOf(url), ...credentialsOf(url), db }
  const { username, password, tls } = sentinelOptions(url)
  return {
    ...credentialsOf(url),
    db,
    name,
    sentinels: urls.map(place => addressOf(place, SENTINEL_PORT)),
    sentinelUsername: username,
    sentinelPassword: password,
    ...(tls && { enableTLSForSentinelMode: true, sentinelTLS: tls }),
  }
}

/** Address and credentials of a Sentinel itself. */
export function sentinelOptions(url: URL) {
  const username = url.searchParams.get('sentinelUsername') ?? ''
  const password = url.searchParams.get('sentinelPassword') ?? ''
  return { ...addressOf(url, SENTINEL_PORT), ...credentialsOf(url), username, password }
}

export function addressOf({ hostname, port }: URL, defaultPort = PORT): { host: string; port: number } {
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || defaultPort }
}

/** User, password and TLS of a server. Empty texts are none. */
export function credentialsOf({
  username,
  password,
  protocol,
}: URL): Pick<RedisOptions, 'username' | 'password' | 'tls'> {
  return {
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
    ...(protocol === 'rediss:' && { tls: {} }),
  }
}

export function hostsOf(urls: readonly URL[]): string {
  return urls.map(({ host }) => host).join(', ')
}
