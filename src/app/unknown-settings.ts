import { closestMatch } from 'leven'
import { isKubernetesLink } from './setting-values.ts'
import { type Environment, SETTINGS } from './settings.ts'

const MAX_TYPING_ERRORS = 2
const REDIS_PARAMETERS = ['cluster', 'sentinel', 'sentinelUsername', 'sentinelPassword']

/** Returns a line for every variable that looks like a setting but is unknown, most likely a typo, and for such parts of a Redis URL. */
export function findUnknownSettings(env: Environment): string[] {
  const known = Object.values(SETTINGS).map(({ name }) => name)
  const unknown = Object.entries(env)
    .filter(([name, value]) => name.startsWith('PETSTORE_') && !known.includes(name) && !isForeign(name, value))
    .map(([name]) => {
      const meant = closestMatch(name, known, { maxDistance: MAX_TYPING_ERRORS })
      return `unknown setting ${name}${meant ? `; did you mean ${meant}?` : ''}`
    })
  const { name } = SETTINGS.redisUrls
  const hint = `in ${name}; write rediss:// for TLS, and a path such as /2 for database 2`
  return [...unknown, ...unknownInRedisUrls(env[name] ?? '').map(what => `unknown ${what} ${hint}`)]
}

function unknownInRedisUrls(urls: string): string[] {
  return urls.split(',').flatMap(text => {
    const url = URL.parse(text.trim())
    if (!url) return []
    const parameters = [...url.searchParams.keys()].filter(name => !REDIS_PARAMETERS.includes(name))
    return [
      ...parameters.map(name => `parameter ${name}`),
      ...(/^\/?\d*$/.test(url.pathname) ? [] : [`database ${url.pathname}`]),
    ]
  })
}

/** Variables with another purpose. Kubernetes sets some in every pod, for each Service named petstore or petstore-something. */
function isForeign(name: string, value = ''): boolean {
  return (
    name === 'PETSTORE_COMMAND' ||
    name.startsWith('PETSTORE_TEST_') ||
    /_SERVICE_(HOST|PORT)(_|$)/.test(name) ||
    /_PORT_\d+_(TCP|UDP|SCTP)(_|$)/.test(name) ||
    isKubernetesLink(value)
  )
}
