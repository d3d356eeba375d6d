import { fileRoute } from '../file-route.ts'

// Files that only the guides load.

export const STYLE = fileRoute('guides.css', ...['text.css', 'guides.css', 'code.css', 'search.css'].map(own))
export const SCRIPTS = ['contents.js', 'samples.js', 'search.js'].map(name => fileRoute(name, own(name)))
/** The library that search.js uses. */
export const SEARCH_ENGINE = fileRoute('minisearch.js', new URL(import.meta.resolve('minisearch')))
/** Path of the search index. */
export const SEARCH_INDEX = '/docs/search.json'

function own(name: string): URL {
  return new URL(`assets/${name}`, import.meta.url)
}
