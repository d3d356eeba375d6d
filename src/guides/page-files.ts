import { fileRoute } from '../http/docs-assets/file-route.ts'

// The files that the guides' pages load besides those of every page.

export const STYLE = fileRoute('guides.css', ...['text.css', 'guides.css', 'code.css', 'search.css'].map(own))
export const SCRIPTS = ['contents.js', 'samples.js', 'search.js'].map(name => fileRoute(name, own(name)))
/** What search.js searches with. */
export const SEARCH_ENGINE = fileRoute('minisearch.js', new URL(import.meta.resolve('minisearch')))
/** The path of what it searches, which is made of the guides. */
export const SEARCH_INDEX = '/docs/search.json'

function own(name: string): URL {
  return new URL(`assets/${name}`, import.meta.url)
}
