import { type BarLink, renderFrame } from '../frame.ts'
import { escapeHtml } from '../html.ts'
import type { Guide } from './guide.ts'
import type { Heading } from './markdown.ts'
import { SCRIPTS, SEARCH_ENGINE, STYLE } from './page-files.ts'

interface ListPage {
  guides: readonly Guide[]
  links: readonly BarLink[]
  /** Address of the search index, relative to the service's root. */
  searchIndex: string
}

interface GuidePage extends ListPage {
  /** Index of this guide. */
  index: number
}

interface Page extends ListPage {
  /** The relative path to the service's root. */
  root: string
  title: string
  description: string
  content: string
}

const SEARCH_BUTTON = `<button type="button" class="search-button" aria-label="Search the guides" aria-keyshortcuts="/ Control+K" hidden>
    <svg viewBox="0 0 20 20" width="16" height="16" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" aria-hidden="true"><circle cx="8.5" cy="8.5" r="5.5"/><path d="m13 13 4.5 4.5"/></svg>
    <span>Search</span><kbd>/</kbd>
  </button>`

export function renderListPage(list: ListPage): Promise<string> {
  const items = list.guides.map(
    ({ name, title, summaryHtml }) =>
      `<li><a href="guides/${name}">${escapeHtml(title)}</a><p>${withoutLinks(summaryHtml)}</p></li>`,
  )
  const description = 'How to call the Petstore API: from the first call to what a production client needs.'
  return renderPage({
    ...list,
    root: '../../',
    title: 'Guides',
    description,
    content: `<main class="list" id="content" tabindex="-1">
<h1>Guides</h1>
<p class="summary">${description}</p>
<ol class="guides">
${items.join('\n')}
</ol>
</main>`,
  })
}

export function renderGuidePage(page: GuidePage): Promise<string> {
  const { guides, index } = page
  const guide = guides[index] as Guide
  const menu = renderMenu(guides, guide)
  const contents = renderContents(guide.headings)
  return renderPage({
    ...page,
    root: '../../',
    title: guide.title,
    description: guide.summary,
    content: `<div class="columns">
<nav class="menu wide" aria-label="Guides">${menu}</nav>
<main>
<div class="narrow">
<details class="of-guides"><summary>All guides</summary><nav aria-label="Guides">${menu}</nav></details>
<details><summary>On this page</summary><nav aria-label="On this page">${contents}</nav></details>
</div>
<article id="content" tabindex="-1">
<h1>${escapeHtml(guide.title)}</h1>
<p class="summary">${guide.summaryHtml}</p>
${guide.html}</article>
${renderNeighbours(guides[index - 1], guides[index + 1])}
</main>
<nav class="contents wide" aria-label="On this page"><p>On this page</p>${contents}</nav>
</div>`,
  })
}

async function renderPage({ root, title, description, links, searchIndex, content }: Page): Promise<string> {
  const scripts = await Promise.all(SCRIPTS.map(script => script.loadAddress()))
  return renderFrame({
    root,
    title: `${title} · Petstore API`,
    description,
    links,
    current: 'docs/guides',
    tools: SEARCH_BUTTON,
    styles: [await STYLE.loadAddress()],
    scripts: scripts
      .map(script => `<script type="module" src="${root}${script}" blocking="render"></script>`)
      .join('\n'),
    content: `${content}
<dialog class="search" aria-label="Search the guides" data-engine="${root}${await SEARCH_ENGINE.loadAddress()}" data-index="${root}${searchIndex}">
<div class="search-field"><input type="search" role="combobox" aria-label="Search the guides" aria-expanded="false" aria-controls="found" aria-autocomplete="list" autocomplete="off" spellcheck="false" placeholder="Search the guides" maxlength="100"><button type="button" class="search-close">Close</button></div>
<ul id="found" role="listbox" aria-label="Results"></ul>
<p class="search-note" role="status"></p>
</dialog>`,
  })
}

function renderMenu(guides: readonly Guide[], current: Guide): string {
  const items = guides.map(guide => {
    const mark = guide === current ? ' aria-current="page"' : ''
    return `<li><a href="${guide.name}"${mark}>${escapeHtml(guide.title)}</a></li>`
  })
  return `<ul class="links">${items.join('')}</ul>`
}

function renderContents(headings: readonly Heading[]): string {
  const items = headings
    .filter(({ depth }) => depth <= 3)
    .map(({ depth, text, anchor }) => `<li class="depth-${depth}"><a href="#${anchor}">${breakable(text)}</a></li>`)
  return `<ul class="links">${items.join('')}</ul>`
}

/** Lets long error codes break in the narrow column. */
function breakable(text: string): string {
  return escapeHtml(text).replaceAll('_', '_<wbr>')
}

function renderNeighbours(previous: Guide | undefined, next: Guide | undefined): string {
  const link = (guide: Guide | undefined, relation: 'prev' | 'next', label: string) =>
    guide ? `<a rel="${relation}" href="${guide.name}"><span>${label}</span>${escapeHtml(guide.title)}</a>` : ''
  return `<nav class="neighbours" aria-label="Previous and next guide">${link(previous, 'prev', 'Previous')}${link(next, 'next', 'Next')}</nav>`
}

/** In the list, the summary's own links would point to the wrong place. */
function withoutLinks(html: string): string {
  return html.replaceAll(/<\/?a\b[^>]*>/g, '')
}
