import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { listsHosts } from '../postgres/address.ts'

/** Invalid settings; the message has one line for each problem. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

export function parseHost(text: string): string {
  if (isIP(text) || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text)) return text
  throw new ConfigError(`must be an IP address or a host name, without a port, not "${text}".`)
}

export function parseHostPattern(text: string): string {
  if (/^(?:\*\.)?[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?$/i.test(text)) return text.toLowerCase()
  throw new ConfigError(
    `must list host names without a port, such as operators.example.com or *.example.com, not "${text}".`,
  )
}

const MAX_PORT = 65_535

export function parsePort(text: string): number {
  if (isKubernetesLink(text)) {
    throw new ConfigError(
      `is "${text}", which Kubernetes sets for a Service of that name; set enableServiceLinks: false in the pod.`,
    )
  }
  return wholeNumber(0, MAX_PORT)(text)
}

export function parsePath(text: string): string | undefined {
  return text === '' ? undefined : text
}

/** The error does not repeat the text: it might contain a password. */
export function parseDatabaseUrl(text: string): string {
  if (listsHosts(text)) throw new ConfigError(ONE_HOST)
  if (isUrlOf(text, ['postgres:', 'postgresql:'])) return text
  throw new ConfigError(`must be a URL such as postgres://user:password@db.example.com:5432/petstore; ${ENCODING}`)
}

/** An instance that chose among hosts could stay on a former primary. */
const ONE_HOST =
  'must have one host, which always leads to the primary, not a list; see "PostgreSQL" in docs/operations/failover.md.'

/** The error does not repeat the text: it might contain a password. */
export function parseRedisUrls(text: string): string[] {
  const urls = listOf(url => url)(text)
  if (!urls.every(url => isUrlOf(url, ['redis:', 'rediss:']))) {
    throw new ConfigError(
      `must be a URL such as redis://user:password@redis.example.com:6379, or several of one cluster; ${ENCODING}`,
    )
  }
  const sentinels = urls.map(url => new URL(url).searchParams.get('sentinel'))
  if (new Set(sentinels).size > 1 || sentinels[0] === '') {
    throw new ConfigError('must have the same ?sentinel=NAME in each URL, with the name of the primary.')
  }
  return urls
}

/** URLs of servers without users, passwords and options. */
export function showServers(text: string): string {
  return listOf(showServer)(text).join(',')
}

/** The URL of a server without user, password and options, except for the folder of a local socket. */
export function showServer(url: string): string {
  const { protocol, host, pathname, searchParams } = new URL(url)
  const socket = searchParams.get('host')
  return `${protocol}//${host}${pathname}${socket === null ? '' : `?host=${socket}`}`
}

const ENCODING = 'characters such as # / ? @ in a password must be percent-encoded, as %23 %2F %3F %40.'

/**
 * A URL parser ends the host at such a character, and would read part of the password as the host. The @ after the password is then
 * in the path or the query.
 */
function isUrlOf(text: string, protocols: readonly string[]): boolean {
  const url = URL.parse(text)
  if (!url || !protocols.includes(url.protocol) || text.includes('#')) return false
  const hasHost = url.hostname !== '' || (url.protocol.startsWith('postgres') && url.searchParams.has('host'))
  return hasHost && !/@/.test(url.pathname + url.search) && isEncoded(url.username) && isEncoded(url.password)
}

function isEncoded(text: string): boolean {
  return !/%(?![0-9a-f]{2})/i.test(text)
}

/** The error does not repeat the text: it might contain a password. */
export function parsePublicUrl(text: string): string {
  const url = /^https?:\/\/[^/]/i.test(text) ? URL.parse(text) : null
  const path = url?.pathname.replace(/\/$/, '')
  if (!url || !path?.endsWith('/v1') || /[?#]/.test(text) || url.username !== '' || url.password !== '') {
    throw new ConfigError(
      'must be an absolute http or https URL whose path ends in /v1, such as https://api.example.com/v1, without credentials, query or fragment.',
    )
  }
  return url.origin + path
}

/** The largest private ranges are 10.0.0.0/8 and fc00::/7. */
const MIN_PREFIX = 7

export function parseProxy(text: string): string {
  const [address = '', prefix] = text.split('/')
  const isRange = prefix !== undefined
  // ipaddr.js alone would also accept 10.1 and 0x7f.1 as addresses.
  if (!isIP(address) || (isRange && !ipaddr.isValidCIDR(text))) {
    throw new ConfigError(`must list IP addresses or CIDR ranges, such as 10.0.0.0/8; "${text}" is neither.`)
  }
  if (isRange && Number(prefix) < MIN_PREFIX) {
    throw new ConfigError(`must not trust everyone: "${text}" is too wide; list the addresses of your proxies.`)
  }
  const parsed = ipaddr.parse(address)
  if (isRange && parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress()) {
    throw new ConfigError(`must list IPv4 ranges in IPv4 notation, such as 10.0.0.0/8; "${text}" would match nothing.`)
  }
  return text
}

export function parseOrigin(text: string): string {
  if (text.includes('*')) {
    throw new ConfigError('must list each origin, such as https://app.example.com; * is not allowed.')
  }
  const url = /^https?:\/\/[^/]/i.test(text) ? URL.parse(text) : null
  if (url?.origin === text) return text
  throw new ConfigError(
    `must list origins as browsers send them (scheme://host[:port]); "${text}" is not one${url ? `, use "${url.origin}"` : ''}.`,
  )
}

export function parseSwitch(text: string): boolean {
  return oneOf(['on', 'off'])(text) === 'on'
}

export function oneOf<Value extends string>(values: readonly Value[]): (text: string) => Value {
  return text => {
    const value = values.find(known => known === text)
    if (value === undefined) throw new ConfigError(`must be one of ${values.join(', ')}, not "${text}".`)
    return value
  }
}

export function wholeNumber(min: number, max: number): (text: string) => number {
  return text => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
    if (value >= min && value <= max) return value
    throw new ConfigError(`must be a whole number from ${min} to ${max}, not "${text}".`)
  }
}

const INTERVAL_UNITS = { m: 60, h: 3_600, d: 86_400 }
const MAX_INTERVAL_SECONDS = 365 * INTERVAL_UNITS.d

/** Returns seconds. */
export function parseInterval(text: string): number {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  const seconds = Number(count) * INTERVAL_UNITS[unit as keyof typeof INTERVAL_UNITS]
  if (seconds > 0 && seconds <= MAX_INTERVAL_SECONDS) return seconds
  throw new ConfigError(`must be a length of time from 1m to 365d, such as 90m, 24h or 7d, not "${text}".`)
}

/** Undefined unless the setting is set. */
export function optional<Value>(parse: (text: string) => Value): (text: string) => Value | undefined {
  return text => (text === '' ? undefined : parse(text))
}

export function listOf(parse: (text: string) => string): (text: string) => string[] {
  return text => {
    const parts = text.split(',').map(part => part.trim())
    return parts.filter(part => part !== '').map(parse)
  }
}

/** Kubernetes sets such a value for every Service; for one named petstore, in PETSTORE_PORT. */
export function isKubernetesLink(value: string): boolean {
  return /^(tcp|udp|sctp):\/\//.test(value)
}
