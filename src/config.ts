import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { BanPolicy } from './domain/ban.ts'
import { DEPLOYMENTS, type Deployment } from './domain/deployment.ts'

/** How this process runs. */
export interface Config {
  host: string
  /** 0: any free port. */
  port: number
  operatorHost: string
  operatorPort: number
  /** Names that the operators' listener may be called by. */
  operatorHosts: string[]
  dataFolder: string
  /** Undefined: the embedded store. */
  databaseUrl: string | undefined
  /** One server, or several nodes of one cluster. None: calls are counted in this process. */
  redisUrls: string[]
  deployment: Deployment
  /** Public base addresses, with /v1 and without a trailing slash. A missing one: the listener's own address. */
  publicUrls: Partial<Record<Deployment, string>>
  /** Addresses and CIDR ranges. */
  trustedProxies: string[]
  /** Whether connections from trusted proxies begin with a PROXY header. */
  proxyProtocol: boolean
  corsOrigins: string[]
  anonymousPerMinute: number
  ban: BanPolicy
  /** For how many days usage is kept. */
  usageDays: number
  /** For how long the service goes on after it was told to stop. */
  stopDelaySeconds: number
  logLevel: string
}

/** Settings that cannot be used; the message tells every mistake, one a line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** One environment variable. */
interface Setting<Value = unknown> {
  name: string
  /** What an unset variable means; empty: nothing. */
  default: string
  /** For the person who sets it. */
  meaning: string
  /** Reads the variable's text, or throws a `ConfigError` that says what it must be, as "must be …". */
  parse(text: string): Value
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']
const HIGHEST_PORT = 65_535
const HIGHEST_COUNT = 1_000_000_000
const YEAR_SECONDS = 31_536_000
const LONGEST_STOP_DELAY_SECONDS = 300

/** Every setting. Help and documentation are made from this table. */
export const SETTINGS = {
  host: {
    name: 'PETSTORE_HOST',
    default: '127.0.0.1',
    meaning: 'Address that the public service listens on; 0.0.0.0 for all of them.',
    parse: parseHost,
  },
  port: {
    name: 'PETSTORE_PORT',
    default: '8080',
    meaning: 'Port that the public service listens on; 0 for any free one.',
    parse: parsePort,
  },
  operatorHost: {
    name: 'PETSTORE_OPERATOR_HOST',
    default: '127.0.0.1',
    meaning: "Address that the operators' side listens on: admin API, health, metrics. Keep it off the internet.",
    parse: parseHost,
  },
  operatorPort: {
    name: 'PETSTORE_OPERATOR_PORT',
    default: '8081',
    meaning: "Port that the operators' side listens on; 0 for any free one.",
    parse: parsePort,
  },
  operatorHosts: {
    name: 'PETSTORE_OPERATOR_HOSTS',
    default: '',
    meaning:
      "Host names, separated by commas, by which the operators' side may be called besides IP addresses and names without a dot, such as operators.example.com, or *.example.com for all below it. A call by another name is refused with 421.",
    parse: listOf(parseHostPattern),
  },
  dataFolder: {
    name: 'PETSTORE_DATA',
    default: './data',
    meaning: 'Folder of the store; made if it is missing.',
    parse: (text: string) => text,
  },
  databaseUrl: {
    name: 'PETSTORE_DATABASE_URL',
    default: '',
    meaning:
      'PostgreSQL database that holds the store, as postgres://user:password@host/database, or postgres:///database?host=/var/run/postgresql for a socket of this machine; several instances may share it. Unset: the embedded store in PETSTORE_DATA.',
    parse: parseDatabaseUrl,
  },
  redisUrl: {
    name: 'PETSTORE_REDIS_URL',
    default: '',
    meaning:
      'Redis or Valkey server in which instances count calls together, as redis://user:password@host; of a cluster, several nodes separated by commas. Unset: calls are counted in this process, which then must be the only one.',
    parse: parseRedisUrl,
  },
  deployment: {
    name: 'PETSTORE_DEPLOYMENT',
    default: 'production',
    meaning: 'production or staging. The two share nothing: give each a store of its own.',
    parse: oneOf(DEPLOYMENTS),
  },
  productionUrl: {
    name: 'PETSTORE_PRODUCTION_URL',
    default: '',
    meaning:
      'Public base address of production, such as https://api.example.com/v1. Unset: the address that the service listens on.',
    parse: parsePublicUrl,
  },
  stagingUrl: {
    name: 'PETSTORE_STAGING_URL',
    default: '',
    meaning: 'Public base address of staging, likewise.',
    parse: parsePublicUrl,
  },
  trustedProxies: {
    name: 'PETSTORE_TRUSTED_PROXIES',
    default: '',
    meaning:
      'Addresses or CIDR ranges, separated by commas, of the proxies whose X-Forwarded-For is believed. Unset: none.',
    parse: listOf(parseProxy),
  },
  proxyProtocol: {
    name: 'PETSTORE_PROXY_PROTOCOL',
    default: 'off',
    meaning:
      "on: every connection from PETSTORE_TRUSTED_PROXIES to the public service begins with a PROXY header, version 1 or 2, that tells the client's address. off: none does.",
    parse: oneOf(['on', 'off']),
  },
  corsOrigins: {
    name: 'PETSTORE_CORS_ORIGINS',
    default: '',
    meaning:
      'Origins, separated by commas, whose web pages may call the service, such as https://app.example.com. Unset: none.',
    parse: listOf(parseOrigin),
  },
  anonymousPerMinute: {
    name: 'PETSTORE_ANONYMOUS_PER_MINUTE',
    default: '600',
    meaning: 'Calls a minute that one client address may make without a valid key.',
    parse: wholeNumber(1, HIGHEST_COUNT),
  },
  banAfter: {
    name: 'PETSTORE_BAN_AFTER',
    default: '10',
    meaning: 'How many ignored 429 answers get a key banned.',
    parse: wholeNumber(1, 1_000),
  },
  banWithin: {
    name: 'PETSTORE_BAN_WITHIN',
    default: '600',
    meaning: 'Within how many seconds those 429 answers count together.',
    parse: wholeNumber(1, YEAR_SECONDS),
  },
  banFor: {
    name: 'PETSTORE_BAN_FOR',
    default: '900',
    meaning: 'Seconds that a first ban lasts; each further one lasts twice as long.',
    parse: wholeNumber(1, YEAR_SECONDS),
  },
  banMax: {
    name: 'PETSTORE_BAN_MAX',
    default: '86400',
    meaning: 'Seconds that no ban exceeds.',
    parse: wholeNumber(1, YEAR_SECONDS),
  },
  usageDays: {
    name: 'PETSTORE_USAGE_DAYS',
    default: '400',
    meaning: 'For how many days it is kept who called what, and how often.',
    parse: wholeNumber(1, 36_500),
  },
  stopDelay: {
    name: 'PETSTORE_STOP_DELAY',
    default: '0',
    meaning:
      'For how many seconds the service goes on when told to stop: /readyz answers 503 and every answer ends its connection, so that balancers and clients move on.',
    parse: wholeNumber(0, LONGEST_STOP_DELAY_SECONDS),
  },
  logLevel: {
    name: 'PETSTORE_LOG_LEVEL',
    default: 'info',
    meaning: `What is logged: ${LOG_LEVELS.join(', ')}.`,
    parse: oneOf(LOG_LEVELS),
  },
} satisfies Record<string, Setting>

export type Environment = Record<string, string | undefined>

type Values = { [Key in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[Key]['parse']> }

/**
 * Reads the settings. An empty variable counts as unset.
 * @throws ConfigError that tells every mistake at once
 */
export function parseConfig(env: Environment): Config {
  const mistakes: string[] = []
  const read = ({ name, default: fallback, parse }: Setting) => {
    try {
      return parse(env[name]?.trim() || fallback)
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      mistakes.push(`${name} ${error.message}`)
      return undefined
    }
  }
  const values = Object.fromEntries(Object.entries(SETTINGS).map(([key, setting]) => [key, read(setting)])) as Values
  if (values.banMax < values.banFor) {
    mistakes.push(
      `${SETTINGS.banMax.name} (${values.banMax}) must be at least ${SETTINGS.banFor.name} (${values.banFor}).`,
    )
  }
  const isShared = [values.host, values.operatorHost].some(host => host === '0.0.0.0' || host === '::')
  if (values.port !== 0 && values.port === values.operatorPort && (isShared || values.host === values.operatorHost)) {
    mistakes.push(`${SETTINGS.operatorPort.name} (${values.operatorPort}) must differ from ${SETTINGS.port.name}.`)
  }
  const proxyProtocol = values.proxyProtocol === 'on'
  if (proxyProtocol && values.trustedProxies?.length === 0) {
    mistakes.push(
      `${SETTINGS.proxyProtocol.name} is on, so ${SETTINGS.trustedProxies.name} must list the proxies that speak it.`,
    )
  }
  if (mistakes.length > 0) throw new ConfigError(mistakes.join('\n'))

  const { host, port, operatorHost, operatorPort, operatorHosts, dataFolder, deployment, trustedProxies, corsOrigins } =
    values
  return {
    host,
    port,
    operatorHost,
    operatorPort,
    operatorHosts,
    dataFolder,
    databaseUrl: values.databaseUrl,
    redisUrls: values.redisUrl,
    deployment,
    publicUrls: {
      ...(values.productionUrl && { production: values.productionUrl }),
      ...(values.stagingUrl && { staging: values.stagingUrl }),
    },
    trustedProxies,
    proxyProtocol,
    corsOrigins,
    anonymousPerMinute: values.anonymousPerMinute,
    ban: {
      after: values.banAfter,
      withinSeconds: values.banWithin,
      forSeconds: values.banFor,
      maxSeconds: values.banMax,
    },
    usageDays: values.usageDays,
    stopDelaySeconds: values.stopDelay,
    logLevel: values.logLevel,
  }
}

/** A line for every variable that looks like a setting and is none: most likely a slip of the keyboard. */
export function findUnknownSettings(env: Environment): string[] {
  const known = Object.values(SETTINGS).map(setting => setting.name)
  return Object.entries(env)
    .filter(([name, value]) => name.startsWith('PETSTORE_') && !known.includes(name) && !isForeign(name, value))
    .map(([name]) => {
      const meant = known.find(other => distance(name, other) <= 2)
      return `unknown setting ${name}${meant ? `; did you mean ${meant}?` : ''}`
    })
}

/** What else is told in such variables; by Kubernetes to every pod, where a Service named petstore, or petstore-something, is. */
function isForeign(name: string, value = ''): boolean {
  return (
    name === 'PETSTORE_COMMAND' ||
    name.startsWith('PETSTORE_TEST_') ||
    /_SERVICE_(HOST|PORT)(_|$)/.test(name) ||
    /_PORT_\d+_(TCP|UDP|SCTP)(_|$)/.test(name) ||
    isKubernetesLink(value)
  )
}

function isKubernetesLink(value: string): boolean {
  return /^(tcp|udp|sctp):\/\//.test(value)
}

/** How many letters must be typed, dropped or replaced to make one text the other (Levenshtein). */
function distance(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (const [row, letter] of [...from].entries()) {
    const line = [row + 1]
    for (const [column, other] of [...to].entries()) {
      const replaced = (above[column] ?? 0) + (letter === other ? 0 : 1)
      line.push(Math.min(replaced, (above[column + 1] ?? 0) + 1, (line[column] ?? 0) + 1))
    }
    above = line
  }
  return above[to.length] ?? 0
}

function parseHost(text: string): string {
  if (isIP(text) || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text)) return text
  throw new ConfigError(`must be an IP address or a host name, without a port, not "${text}".`)
}

function parseHostPattern(text: string): string {
  if (/^(?:\*\.)?[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?$/i.test(text)) return text.toLowerCase()
  throw new ConfigError(
    `must list host names without a port, such as operators.example.com or *.example.com, not "${text}".`,
  )
}

function parsePort(text: string): number {
  if (isKubernetesLink(text)) {
    throw new ConfigError(
      `is "${text}", which Kubernetes sets for a Service of that name; set enableServiceLinks: false in the pod.`,
    )
  }
  return wholeNumber(0, HIGHEST_PORT)(text)
}

/** Never repeats the text: it might hold a password. */
function parseDatabaseUrl(text: string): string | undefined {
  if (text === '') return undefined
  if (isUrlOf(text, ['postgres:', 'postgresql:'])) return text
  throw new ConfigError(`must be a URL such as postgres://user:password@db.example.com:5432/petstore; ${ENCODING}`)
}

/** Never repeats the text: it might hold a password. */
function parseRedisUrl(text: string): string[] {
  const urls = listOf(url => url)(text)
  if (urls.every(url => isUrlOf(url, ['redis:', 'rediss:']))) return urls
  throw new ConfigError(
    `must be a URL such as redis://user:password@redis.example.com:6379, or several of one cluster; ${ENCODING}`,
  )
}

const ENCODING = 'characters such as # / ? @ in a password must be percent-encoded, as %23 %2F %3F %40.'

/**
 * Where a password has one of those characters as it is, the URL ends there for whoever reads it: the host would be a piece of the
 * password. What follows then has the @ that was to end it.
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

/** Never repeats the text: it might hold a password. */
function parsePublicUrl(text: string): string | undefined {
  if (text === '') return undefined
  const url = /^https?:\/\/[^/]/i.test(text) ? URL.parse(text) : null
  const path = url?.pathname.replace(/\/$/, '')
  if (!url || !path?.endsWith('/v1') || /[?#]/.test(text) || url.username !== '' || url.password !== '') {
    throw new ConfigError(
      'must be an absolute http or https URL whose path ends in /v1, such as https://api.example.com/v1, without credentials, query or fragment.',
    )
  }
  return url.origin + path
}

/** The widest ranges that one owner can hold are 10.0.0.0/8 and fc00::/7. */
const SHORTEST_PREFIX = 7

function parseProxy(text: string): string {
  const [address = '', prefix] = text.split('/')
  const isRange = prefix !== undefined
  // Alone, ipaddr.js would also read 10.1 and 0x7f.1 as addresses.
  if (!isIP(address) || (isRange && !ipaddr.isValidCIDR(text))) {
    throw new ConfigError(`must list IP addresses or CIDR ranges, such as 10.0.0.0/8; "${text}" is neither.`)
  }
  if (isRange && Number(prefix) < SHORTEST_PREFIX) {
    throw new ConfigError(`must not trust everyone: "${text}" is too wide; list your proxies' own addresses.`)
  }
  const parsed = ipaddr.parse(address)
  if (isRange && parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress()) {
    throw new ConfigError(`must list IPv4 ranges as such, for example 10.0.0.0/8; "${text}" would match nothing.`)
  }
  return text
}

function parseOrigin(text: string): string {
  if (text.includes('*')) {
    throw new ConfigError('must name each origin, such as https://app.example.com; * is not allowed.')
  }
  const url = /^https?:\/\/[^/]/i.test(text) ? URL.parse(text) : null
  if (url?.origin === text) return text
  throw new ConfigError(
    `must list origins as browsers send them, scheme://host[:port] and no more; "${text}" is none${url ? `, "${url.origin}" would be` : ''}.`,
  )
}

function oneOf<Value extends string>(values: readonly Value[]): (text: string) => Value {
  return text => {
    const value = values.find(known => known === text)
    if (value === undefined) throw new ConfigError(`must be one of ${values.join(', ')}, not "${text}".`)
    return value
  }
}

function wholeNumber(lowest: number, highest: number): (text: string) => number {
  return text => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
    if (value >= lowest && value <= highest) return value
    throw new ConfigError(`must be a whole number from ${lowest} to ${highest}, not "${text}".`)
  }
}

function listOf(parse: (text: string) => string): (text: string) => string[] {
  return text => {
    const parts = text.split(',').map(part => part.trim())
    return parts.filter(part => part !== '').map(parse)
  }
}
