import { escapeHtml } from '../src/pages/html.ts'
import { addressOf } from './page-files.ts'

export interface Frame {
  /** The name of the site, in the title of every page. */
  name: string
  links: readonly Link[]
  /** Address of the search index, relative to the root of the service. */
  searchIndex: string
}

/** An address, relative to the root of the service, and its label. */
export type Link = readonly [path: string, label: string]

interface Page {
  /** The relative path from the page to the root of the service, such as `../../`. */
  root: string
  title: string
  description: string
  /** The path of the bar's link for this page. */
  current?: string
  /** The address of the page's text as Markdown, relative to the page. */
  markdown?: string
  /** Links at the end of the page, in addition to the Markdown. */
  footer: readonly Link[]
  /** Whether the page has forms for trying calls. */
  hasConsole?: boolean
  /** HTML below the bar; the element with the id `content` is the main part. */
  content: string
}

/** Renders a page. Its addresses are relative, because a proxy may serve it under a path prefix. */
export function renderFrame({ name, links, searchIndex }: Frame, page: Page): string {
  const { root, title, description, markdown, hasConsole, content } = page
  const file = (name: string) => root + addressOf(name)
  const icon = file('icon.svg')
  const later = ['search.js', 'contents.js', ...(hasConsole ? ['console.js'] : [])].map(file)
  // The browser waits for the first two scripts, because they change the first paint.
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escapeHtml(description)}">
<title>${escapeHtml(title === name ? name : `${title} · ${name}`)}</title>
<link rel="icon" href="${icon}" type="image/svg+xml">
<link rel="stylesheet" href="${file('pages.css')}">
<script src="${file('theme.js')}"></script>
<script type="module" src="${file('samples.js')}" blocking="render"></script>
${later.map(address => `<script type="module" src="${address}"></script>`).join('\n')}
${markdown ? `<link rel="alternate" type="text/markdown" href="${markdown}">\n` : ''}</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
${renderBar(page, links, icon)}
${content}
${renderFooter(page)}
${renderSearch(file('minisearch.js'), root + searchIndex)}
</body>
</html>
`
}

const SEARCH_BUTTON = `<button type="button" class="search-button" aria-label="Search" aria-keyshortcuts="/ Control+K" hidden>
<svg viewBox="0 0 20 20" width="16" height="16" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" aria-hidden="true"><circle cx="8.5" cy="8.5" r="5.5"/><path d="m13 13 4.5 4.5"/></svg>
<span>Search</span><kbd>/</kbd>
</button>`

const THEME_CHOICE = `<label class="theme" hidden>
<svg viewBox="0 0 20 20" width="16" height="16" fill="none" stroke="currentColor" stroke-width="2" aria-hidden="true"><circle cx="10" cy="10" r="7"/><path fill="currentColor" d="M10 3a7 7 0 0 1 0 14z"/></svg>
<select aria-label="Colours"><option value="system">System</option><option value="light">Light</option><option value="dark">Dark</option></select>
</label>`

function renderBar({ root, current }: Page, links: readonly Link[], icon: string): string {
  const items = links.map(([path, label]) => {
    const mark = path === current ? ' aria-current="page"' : ''
    return `<li><a href="${root}${path}"${mark}>${label}</a></li>`
  })
  return `<header class="bar">
<a class="bar-name" href="${root}."><img src="${icon}" alt="" width="24" height="24"><span>Petstore</span></a>
<nav aria-label="Documentation"><ul>${items.join('')}</ul></nav>
${SEARCH_BUTTON}
${THEME_CHOICE}
</header>`
}

function renderFooter({ root, markdown, footer }: Page): string {
  const own = markdown ? [`<li><a href="${markdown}">This page as Markdown</a></li>`] : []
  const items = [...own, ...footer.map(([path, label]) => `<li><a href="${root}${path}">${label}</a></li>`)]
  return `<footer class="foot"><ul>${items.join('')}</ul></footer>`
}

function renderSearch(engine: string, index: string): string {
  return `<dialog class="search" aria-label="Search" data-engine="${engine}" data-index="${index}">
<div class="search-field"><input type="search" role="combobox" aria-label="Search" aria-expanded="false" aria-controls="found" aria-autocomplete="list" autocomplete="off" spellcheck="false" placeholder="Search guides and reference" maxlength="100"><button type="button" class="search-close">Close</button></div>
<div id="found" role="listbox" aria-label="Results"></div>
<p class="search-note" role="status"></p>
</dialog>`
}
