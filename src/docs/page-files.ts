import { readFile } from 'node:fs/promises'
import { assetRoute } from './asset-route.ts'
import { fileRoute } from './file-route.ts'
import { mediaTypeOf } from './media-type.ts'

// Files that pages load. Browsers cache all of them except the favicon; see assetRoute.

const STYLES = ['colours', 'text', 'bar', 'foot', 'code', 'search', 'guides', 'home', 'claim', 'reference']

export const ICON = fileRoute('icon.svg', asset('icon.svg'))
/** One style sheet for all pages, so that it is loaded only once. */
export const STYLE = fileRoute('pages.css', ...STYLES.map(name => asset(`${name}.css`)))
/** These two scripts change the first paint, so the browser waits for them. */
export const THEME = fileRoute('theme.js', asset('theme.js'))
export const SAMPLES = fileRoute('samples.js', asset('samples.js'))
/** These scripts may run later. */
export const SEARCH = fileRoute('search.js', asset('search.js'))
export const CONTENTS = fileRoute('contents.js', asset('contents.js'))
export const CONSOLE = fileRoute('console.js', asset('console.js'))
/** Only for the operators' listener. */
export const SIGN_IN = fileRoute('sign-in.js', asset('sign-in.js'))
/** Only for the page of an open claim link. */
export const CLAIM = fileRoute('claim.js', asset('claim.js'))
/** The library that search.js uses. */
export const SEARCH_ENGINE = fileRoute('minisearch.js', new URL(import.meta.resolve('minisearch')))
/** Browsers request it if no page names another icon, such as for a JSON response. */
const FAVICON = assetRoute('/favicon.ico', {
  type: mediaTypeOf('/favicon.ico'),
  load: () => readFile(asset('favicon.ico')),
})

export const PAGE_FILES = [ICON, STYLE, THEME, SAMPLES, SEARCH, CONTENTS, CONSOLE, CLAIM, SEARCH_ENGINE, FAVICON]

function asset(name: string): URL {
  return new URL(`assets/${name}`, import.meta.url)
}
