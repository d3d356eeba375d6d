import { MAX_CLAIM_LINK_SECONDS, MIN_CLAIM_LINK_SECONDS } from '../domain/claim-link.ts'
import { DEPLOYMENTS } from '../domain/deployment.ts'
import {
  listOf,
  oneOf,
  optional,
  parseDatabaseUrl,
  parseHost,
  parseHostPattern,
  parseInterval,
  parseOrigin,
  parsePath,
  parsePort,
  parseProxy,
  parsePublicUrl,
  parseRedisUrls,
  parseSwitch,
  showServer,
  showServers,
  wholeNumber,
} from './setting-values.ts'

/** One environment variable. */
export interface Setting<Value = unknown> {
  name: string
  topic: string
  default?: string
  meaning: string
  /** Parses the variable, or throws a `ConfigError` whose message continues its name: "must be …". */
  parse(text: string): Value
  /** The text without secrets, for display. */
  show?(text: string): string
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']
const LOG_FORMATS = ['auto', 'json', 'text']
const MAX_COUNT = 1_000_000_000
const YEAR_SECONDS = 31_536_000
const MAX_HSTS_SECONDS = 2 * YEAR_SECONDS
const MAX_STOP_DELAY_SECONDS = 300

/** All settings. Their type, the help and the table in the handbook are generated from this object. */
export const SETTINGS = {
  ...about('File', {
    envFile: {
      name: 'PETSTORE_ENV_FILE',
      meaning:
        'File with settings, one KEY=value on each line; what the environment has wins. Unset: petstore.env in the current folder, or else /etc/petstore/petstore.env. Empty: none.',
      parse: text => text,
    },
  }),
  ...about('Addresses', {
    host: {
      name: 'PETSTORE_HOST',
      default: '127.0.0.1',
      meaning:
        'Address of the public listener: 0.0.0.0 for all IPv4 addresses, :: for all IPv4 and IPv6 addresses. Any address that other machines can reach needs the public base address of the deployment.',
      parse: parseHost,
    },
    port: {
      name: 'PETSTORE_PORT',
      default: '8080',
      meaning: 'Port of the public listener; 0 for any free port.',
      parse: parsePort,
    },
    operatorHost: {
      name: 'PETSTORE_OPERATOR_HOST',
      default: '127.0.0.1',
      meaning:
        "Address of the operators' listener (admin API, health, metrics), as in PETSTORE_HOST. Keep it off the internet.",
      parse: parseHost,
    },
    operatorPort: {
      name: 'PETSTORE_OPERATOR_PORT',
      default: '8081',
      meaning: "Port of the operators' listener; 0 for any free port.",
      parse: parsePort,
    },
    operatorHosts: {
      name: 'PETSTORE_OPERATOR_HOSTS',
      meaning:
        "Host names of the operators' listener, separated by commas, such as operators.example.com, or *.example.com for all its subdomains. IP addresses and names without a dot are always accepted; calls to other names are refused with 421.",
      parse: listOf(parseHostPattern),
    },
  }),
  ...about('HTTPS', {
    tlsCert: {
      name: 'PETSTORE_TLS_CERT',
      meaning:
        'PEM file with the certificate of the public listener, followed by its intermediate certificates (fullchain.pem). With it and PETSTORE_TLS_KEY, the listener uses HTTPS. Renewed files are used within 20 seconds, without a restart. Unset: HTTP.',
      parse: parsePath,
    },
    tlsKey: {
      name: 'PETSTORE_TLS_KEY',
      meaning: 'PEM file with the private key of PETSTORE_TLS_CERT, without a password.',
      parse: parsePath,
    },
    operatorTlsCert: {
      name: 'PETSTORE_OPERATOR_TLS_CERT',
      meaning:
        "PEM file like PETSTORE_TLS_CERT for the operators' listener, to encrypt its pages and tokens, too. Unset: HTTP.",
      parse: parsePath,
    },
    operatorTlsKey: {
      name: 'PETSTORE_OPERATOR_TLS_KEY',
      meaning: 'PEM file with the private key of PETSTORE_OPERATOR_TLS_CERT, without a password.',
      parse: parsePath,
    },
    redirectPort: {
      name: 'PETSTORE_REDIRECT_PORT',
      meaning:
        'Port on PETSTORE_HOST, such as 80, that redirects browsers from plain HTTP to the public base address and refuses API calls with 403 https_required. Unset: none.',
      parse: optional(parsePort),
    },
    acmeFolder: {
      name: 'PETSTORE_ACME_WEBROOT',
      meaning:
        'Folder where certbot or acme.sh puts its proof for the certificate authority (--webroot). PETSTORE_REDIRECT_PORT serves it below /.well-known/acme-challenge/. Unset: not served.',
      parse: parsePath,
    },
    hstsSeconds: {
      name: 'PETSTORE_HSTS',
      default: '0',
      meaning:
        'Seconds for which browsers use only HTTPS for this host name, on all of its ports (Strict-Transport-Security on every HTTPS response). Start with 300; 31536000 is a year. 0: not sent.',
      parse: wholeNumber(0, MAX_HSTS_SECONDS),
    },
  }),
  ...about('Data', {
    dataFolder: {
      name: 'PETSTORE_DATA',
      default: './data',
      meaning: 'Folder of the embedded store; created if missing.',
      parse: (text: string) => text,
    },
    databaseUrl: {
      name: 'PETSTORE_DATABASE_URL',
      meaning:
        'PostgreSQL database for the store, such as postgres://user:password@host/database, or postgres:///database?host=/var/run/postgresql for a local socket. Where PostgreSQL fails over, its host must always lead to the primary. Several instances may share it. Unset: the embedded store in PETSTORE_DATA.',
      parse: optional(parseDatabaseUrl),
      show: showServer,
    },
    backupTo: {
      name: 'PETSTORE_BACKUP_TO',
      meaning:
        'Folder, best on another disk, to which the running service writes backups of the embedded store. It must exist. Unset: none are written.',
      parse: parsePath,
    },
    backupEverySeconds: {
      name: 'PETSTORE_BACKUP_EVERY',
      default: '24h',
      meaning: 'Time from one backup in PETSTORE_BACKUP_TO to the next, such as 90m, 24h or 7d.',
      parse: parseInterval,
    },
    backupKeep: {
      name: 'PETSTORE_BACKUP_KEEP',
      default: '7',
      meaning: 'How many of these backups are kept. The oldest one is deleted once a newer one is verified.',
      parse: wholeNumber(1, 10_000),
    },
    redisUrls: {
      name: 'PETSTORE_REDIS_URL',
      meaning:
        'Redis or Valkey server that instances share to count calls, such as redis://user:password@host; for a cluster, several nodes separated by commas; for Sentinel, the Sentinel servers, each with ?sentinel=NAME. Unset: calls are counted in this process, which must then be the only instance.',
      parse: parseRedisUrls,
      show: showServers,
    },
  }),
  ...about('Deployment', {
    deployment: {
      name: 'PETSTORE_DEPLOYMENT',
      default: 'production',
      meaning: 'production or staging. They share nothing: give each its own store.',
      parse: oneOf(DEPLOYMENTS),
    },
    productionUrl: {
      name: 'PETSTORE_PRODUCTION_URL',
      meaning:
        'Public base address of production, such as https://api.example.com/v1. Unset: the address of the listener, if PETSTORE_HOST is a loopback address.',
      parse: optional(parsePublicUrl),
    },
    stagingUrl: {
      name: 'PETSTORE_STAGING_URL',
      meaning:
        'Public base address of staging, such as https://staging.example.com/v1. Unset: the address of the listener, if PETSTORE_HOST is a loopback address.',
      parse: optional(parsePublicUrl),
    },
  }),
  ...about('Proxies and web pages', {
    trustedProxies: {
      name: 'PETSTORE_TRUSTED_PROXIES',
      meaning:
        'IP addresses or CIDR ranges, separated by commas, of the proxies whose X-Forwarded-For header is trusted. Unset: none.',
      parse: listOf(parseProxy),
    },
    proxyProtocol: {
      name: 'PETSTORE_PROXY_PROTOCOL',
      default: 'off',
      meaning:
        "on: every connection from PETSTORE_TRUSTED_PROXIES to the public listener begins with a PROXY header (version 1 or 2) that contains the client's address. off: none does.",
      parse: parseSwitch,
    },
    keepAliveSeconds: {
      name: 'PETSTORE_KEEP_ALIVE',
      default: '65',
      meaning:
        'How long a connection stays open between two calls, in seconds, as shown in Keep-Alive: timeout=. Make it longer than an HTTP proxy or load balancer keeps idle connections: otherwise a call may arrive on a connection that is just being closed, and callers get 502.',
      parse: wholeNumber(1, 86_400),
    },
    corsOrigins: {
      name: 'PETSTORE_CORS_ORIGINS',
      meaning:
        'Origins, separated by commas, whose web pages may call the API, such as https://app.example.com. Unset: none.',
      parse: listOf(parseOrigin),
    },
  }),
  ...about('Limits and bans', {
    anonymousPerMinute: {
      name: 'PETSTORE_ANONYMOUS_PER_MINUTE',
      default: '600',
      meaning: 'Calls per minute that one client address may make without a valid key.',
      parse: wholeNumber(1, MAX_COUNT),
    },
    overloadWaitMs: {
      name: 'PETSTORE_OVERLOAD_WAIT',
      default: '100',
      meaning:
        'Longest acceptable wait of a call, in milliseconds. When all calls of a second have waited longer, calls that have waited more than half as long are refused with 503 until no call is waiting. 0: no call is refused.',
      parse: wholeNumber(0, 60_000),
    },
    banAfter: {
      name: 'PETSTORE_BAN_AFTER',
      meaning:
        'Calls from one address that ignore a 429 response, in one minute or exhausted day, before the key is banned for that address. Unset: the calls per minute of the account, but at least 60 and at most 300.',
      parse: optional(wholeNumber(1, 1_000)),
    },
    banWithin: {
      name: 'PETSTORE_BAN_WITHIN',
      default: '600',
      meaning: 'Period in which these calls are counted together, in seconds.',
      parse: wholeNumber(1, YEAR_SECONDS),
    },
    banFor: {
      name: 'PETSTORE_BAN_FOR',
      default: '900',
      meaning:
        'Length of a first ban, in seconds. Each further ban lasts twice as long, and a ban earned in an exhausted day ends with that day.',
      parse: wholeNumber(1, YEAR_SECONDS),
    },
    banMax: {
      name: 'PETSTORE_BAN_MAX',
      default: '86400',
      meaning: 'Longest possible ban, in seconds.',
      parse: wholeNumber(1, YEAR_SECONDS),
    },
  }),
  ...about('Keys and usage', {
    claimLinkSeconds: {
      name: 'PETSTORE_CLAIM_LINK_FOR',
      default: '86400',
      meaning: 'How long a claim link works, in seconds, unless its creator chooses another time; up to 30 days.',
      parse: wholeNumber(MIN_CLAIM_LINK_SECONDS, MAX_CLAIM_LINK_SECONDS),
    },
    usageDays: {
      name: 'PETSTORE_USAGE_DAYS',
      default: '400',
      meaning: 'How many days usage statistics are kept.',
      parse: wholeNumber(1, 36_500),
    },
  }),
  ...about('Stopping and logging', {
    stopDelaySeconds: {
      name: 'PETSTORE_STOP_DELAY',
      default: '0',
      meaning:
        'Seconds that the service keeps running after a signal to stop. During this time, /readyz returns 503 and every response closes its connection, so that load balancers and clients switch to other instances.',
      parse: wholeNumber(0, MAX_STOP_DELAY_SECONDS),
    },
    logLevel: {
      name: 'PETSTORE_LOG_LEVEL',
      default: 'info',
      meaning: `Lowest level to log: ${LOG_LEVELS.join(', ')}.`,
      parse: oneOf(LOG_LEVELS),
    },
    logFormat: {
      name: 'PETSTORE_LOG_FORMAT',
      default: 'auto',
      meaning:
        'json: one JSON document per line; text: human-readable lines, in colour on a terminal unless NO_COLOR is set; auto: text on a terminal, json elsewhere.',
      parse: oneOf(LOG_FORMATS),
    },
  }),
}

/** In the order in which they are shown. */
export const TOPICS = [...new Set(Object.values(SETTINGS).map(({ topic }) => topic))]

function about<Settings extends Record<string, Omit<Setting, 'topic'>>>(topic: string, settings: Settings) {
  const entries = Object.entries(settings).map(([key, setting]) => [key, { ...setting, topic }])
  return Object.fromEntries(entries) as { [Key in keyof Settings]: Settings[Key] & { topic: string } }
}

export type SettingValues = { [Key in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[Key]['parse']> }

export type Environment = Record<string, string | undefined>
