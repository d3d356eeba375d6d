import { secretIn } from '../../../src/domain/secret-forms.ts'
import { createStore } from './store.ts'

/**
 * The text of the open question whose a secret is; undefined while it is not asked. Only this variable holds a secret that was pasted into a search:
 * never the field, an address, the storage or the cache.
 */
export const pastedSecret = createStore<string | undefined>(undefined)

/**
 * Opens that question if the text of a search or a filter has a secret. The caller then takes the text out of its field.
 * @returns whether it has one
 */
export function askWhose(text: string): boolean {
  const isSecret = secretIn(text) !== undefined
  if (isSecret) pastedSecret.set(text)
  return isSecret
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
