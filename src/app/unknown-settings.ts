import { closestMatch } from 'leven'
import { isKubernetesLink } from './setting-values.ts'
import { type Environment, SETTINGS } from './settings.ts'

const MAX_TYPING_ERRORS = 2

/** Returns a line for every variable that looks like a setting but is unknown, most likely a typo, and for such parts of the URLs of servers. */
export function findUnknownSettings(env: Environment): string[] {
  const known = Object.values(SETTINGS).map(({ name }) => name)
  const unknown = Object.entries(env)
    .filter(([name, value]) => name.startsWith('PETSTORE_') && !known.includes(name) && !isForeign(name, value))
    .map(([name]) => {
      const meant = closestMatch(name, known, { maxDistance: MAX_TYPING_ERRORS })
      return `unknown setting ${name}${meant ? `; did you mean ${meant}?` : ''}`
    })
  return [...unknown, ...unknownInRedisUrls(env), ...unknownInDatabaseUrl(env)]
}

const REDIS_PARAMETERS = ['cluster', 'sentinel', 'sentinelUsername', 'sentinelPassword']

function unknownInRedisUrls(env: Environment): string[] {
  const { name } = SETTINGS.redisUrls
  const urls = (env[name] ?? '').split(',').map(readUrl)
  const unknown = urls.flatMap(url => [
    ...parametersOf(url)
      .filter(parameter => !REDIS_PARAMETERS.includes(parameter))
      .map(parameter => `parameter ${parameter}`),
    ...(/^\/?\d*$/.test(url?.pathname ?? '') ? [] : [`database ${url?.pathname}`]),
  ])
  return unknown.map(
    what => `unknown ${what} in ${name}; write rediss:// for TLS, and a path such as /2 for database 2`,
  )
}

/** Of the driver, which ignores all others. */
const DATABASE_TLS = ['ssl', 'sslmode', 'sslcert', 'sslkey', 'sslrootcert', 'sslnegotiation']

function unknownInDatabaseUrl(env: Environment): string[] {
  const { name } = SETTINGS.databaseUrl
  return parametersOf(readUrl(env[name] ?? ''))
    .filter(parameter => /ssl|tls/i.test(parameter) && !DATABASE_TLS.includes(parameter))
    .map(parameter => `unknown parameter ${parameter} in ${name}; write sslmode=verify-full for TLS`)
}

/** Nothing if it is not a URL, or if what follows the host may be the rest of a password, which must not be repeated. */
function readUrl(text: string): URL | null {
  const url = URL.parse(text.trim())
  return url && !/[@#]/.test(url.pathname + url.search + url.hash) ? url : null
}

function parametersOf(url: URL | null): string[] {
  return [...(url?.searchParams.keys() ?? [])]
}

/**
 * Variables with another purpose. The demo and the guides set PETSTORE_API_KEY. Kubernetes sets some in every pod, for each Service named petstore or
 * petstore-something.
 */
function isForeign(name: string, value = ''): boolean {
  return (
    name === 'PETSTORE_COMMAND' ||
    name === 'PETSTORE_API_KEY' ||
    name.startsWith('PETSTORE_TEST_') ||
    /_SERVICE_(HOST|PORT)(_|$)/.test(name) ||
    /_PORT_\d+_(TCP|UDP|SCTP)(_|$)/.test(name) ||
    isKubernetesLink(value)
  )
}
