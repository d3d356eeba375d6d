import { closestMatch } from 'leven'
import { isKubernetesLink } from './setting-values.ts'
import { type Environment, SETTINGS } from './settings.ts'

const MAX_TYPING_ERRORS = 2

/** Returns a line for every variable that looks like a setting but is unknown, most likely a typo. */
export function findUnknownSettings(env: Environment): string[] {
  const known = Object.values(SETTINGS).map(({ name }) => name)
  return Object.entries(env)
    .filter(([name, value]) => name.startsWith('PETSTORE_') && !known.includes(name) && !isForeign(name, value))
    .map(([name]) => {
      const meant = closestMatch(name, known, { maxDistance: MAX_TYPING_ERRORS })
      return `unknown setting ${name}${meant ? `; did you mean ${meant}?` : ''}`
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
