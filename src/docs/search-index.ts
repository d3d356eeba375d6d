import MiniSearch, { type Options } from 'minisearch'

/** A section that the search can find. */
export interface Place {
  /** Relative to the root of the service. */
  href: string
  /** The title of its page. */
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

/** The index of all pages of a listener, as JSON for search.js. */
export function buildSearchIndex(places: readonly Place[]): string {
  const index = new MiniSearch(OPTIONS)
  index.addAll(places.map((place, id) => ({ id, ...place })))
  return JSON.stringify({ options: OPTIONS, index })
}
