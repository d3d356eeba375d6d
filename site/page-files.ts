import { readFileSync } from 'node:fs'
import { contentAddress } from '../src/pages/asset-route.ts'
import { OPERATOR_PICTURES } from './guides/guides.ts'

// Files that pages load. Browsers cache all of them except the favicon; see assetRoute.

const STYLES = ['colours', 'text', 'bar', 'foot', 'code', 'search', 'guides', 'home', 'claim', 'reference']
const SCRIPTS = ['theme', 'samples', 'search', 'contents', 'console', 'claim']

/** The files of all listeners, by path. One style sheet for all pages, so that it is loaded only once. */
export const SHARED_FILES: ReadonlyMap<string, Buffer> = new Map([
  ['/docs/icon.svg', asset('icon.svg')],
  ['/docs/pages.css', Buffer.concat(STYLES.map(name => asset(`${name}.css`)))],
  ...SCRIPTS.map(name => [`/docs/${name}.js`, asset(`${name}.js`)] as const),
  // The library that search.js uses.
  ['/docs/minisearch.js', readFileSync(new URL(import.meta.resolve('minisearch')))],
  // Browsers request it if no page names another icon, such as for a JSON response.
  ['/favicon.ico', asset('favicon.ico')],
])

export const OPERATOR_FILES: ReadonlyMap<string, Buffer> = new Map(
  OPERATOR_PICTURES.flatMap(name => [`${name}.webp`, `${name}-dark.webp`]).map(
    name => [`/docs/${name}`, readFileSync(new URL(`../docs/guides/operators/${name}`, import.meta.url))] as const,
  ),
)

/** The address of such a file, relative to the root of the service. */
export function addressOf(name: string): string {
  const path = `/docs/${name}`
  const content = SHARED_FILES.get(path) ?? OPERATOR_FILES.get(path)
  if (!content) throw new Error(`There is no file ${path}.`)
  return contentAddress(path, content)
}

function asset(name: string): Buffer {
  return readFileSync(new URL(`../src/pages/assets/${name}`, import.meta.url))
}
