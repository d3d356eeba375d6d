import { secretIn } from '../../../src/domain/secret-forms.ts'

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
