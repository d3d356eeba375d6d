import { secretIn } from '../../../src/domain/secret-forms.ts'

/**
 * Why a text must not be searched for or be in an address, where the browser, a proxy or a log would keep it; undefined if it may. The text contains
 * a secret.
 */
export function secretRefusal(text: string): string | undefined {
  const secret = secretIn(text)
  if (secret === undefined) return undefined
  const hint = secret === 'an API key' ? ' To find the key, search the keys for its last four characters.' : ''
  return `This is ${secret}. It was not sent.${hint}`
}

/**
 * Removes secrets from the address of the page, so that neither the history of the browser nor a bookmark keeps them.
 * @param home where to go if the path contains one
 * @returns what was removed, such as "an API key"
 */
export function cleanAddress(home: URL): string | undefined {
  const { origin, pathname, search, hash } = location
  const path = pathname.slice(home.pathname.length)
  const found = secretIn(`${path} ${search} ${hash}`)
  if (found === undefined) return undefined
  const kept = [...new URLSearchParams(search)].filter(([name, value]) => !secretIn(`${name} ${value}`))
  const clean = new URL(secretIn(path) ? home : origin + pathname)
  clean.search = new URLSearchParams(kept).toString()
  clean.hash = secretIn(hash) ? '' : hash
  history.replaceState(history.state, '', clean)
  return found
}
