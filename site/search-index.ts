import MiniSearch, { type Options } from 'minisearch'
import { hasPlaceholder } from '../src/pages/placeholders.ts'

/** The path of the search index, which every site has. */
export const SEARCH_INDEX = '/docs/search.json'

export interface Place {
  /** Relative to the root of the service. */
  href: string
  page: string
  heading: string
  text: string
  /** Other words that readers may search for. */
  words: string
}

/** search.js needs the same options to load the index, so they are sent with it. */
const OPTIONS: Options<Place & { id: number }> = {
  fields: ['page', 'heading', 'text', 'words'],
  storeFields: ['href', 'page', 'heading', 'text'],
}

/**
 * The index of all pages of a listener, as JSON for search.js.
 * @throws Error if a text contains an address that is only known when the service runs: a search could not find it
 */
export function buildSearchIndex(places: readonly Place[]): string {
  const index = new MiniSearch(OPTIONS)
  index.addAll(places.map((place, id) => ({ id, ...place })))
  const json = JSON.stringify({ options: OPTIONS, index })
  if (hasPlaceholder(json))
    throw new Error('A text that is searched contains an address of the service; move it into a sample.')
  return json
}
