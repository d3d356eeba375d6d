import { escapeHtml } from '../../src/pages/html.ts'
import { rootFrom } from '../../src/pages/paths.ts'
import { type Frame, type Link, renderFrame } from '../frame.ts'
import type { Heading } from '../markdown/markdown.ts'
import type { Guide } from './guide.ts'
import type { GuideText } from './read-guides.ts'

/** The path of the list of guides of a listener, and the prefix of each guide's path. */
export const GUIDE_LIST = '/docs/guides'

interface GuideSet {
  /** In reading order. */
  guides: readonly Guide[]
  summary: string
  footer: readonly Link[]
}

/** The list of guides, and a page for each, by path. */
export function renderGuidePages(set: GuideSet, frame: Frame): Record<string, string> {
  const pages = set.guides.map((guide, index) => [`${GUIDE_LIST}/${guide.name}`, renderGuide(set, index, frame)])
  return { [GUIDE_LIST]: renderList(set, frame), ...Object.fromEntries(pages) }
}

export function markdownPages(texts: readonly GuideText[]): Record<string, string> {
  return Object.fromEntries(texts.map(({ guide, markdown }) => [`${GUIDE_LIST}/${guide.name}.md`, markdown]))
}

function renderList({ guides, summary, footer }: GuideSet, frame: Frame): string {
  return renderFrame(frame, {
    root: rootFrom(GUIDE_LIST),
    title: 'Guides',
    description: summary,
    current: 'docs/guides',
    footer,
    content: `<main class="list" id="content" tabindex="-1">
<h1>Guides</h1>
<p class="summary">${escapeHtml(summary)}</p>
${renderGuideCards(guides, 'guides/')}
</main>`,
  })
}

/** Every guide with its summary. @param folder the relative path to the guides */
export function renderGuideCards(guides: readonly Guide[], folder: string): string {
  const items = guides.map(
    ({ name, title, summaryHtml }) =>
      `<li><a href="${folder}${name}">${escapeHtml(title)}</a><p>${withoutLinks(summaryHtml)}</p></li>`,
  )
  return `<ol class="guides">\n${items.join('\n')}\n</ol>`
}

function renderGuide({ guides, footer }: GuideSet, index: number, frame: Frame): string {
  const guide = guides[index] as Guide
  const menu = renderMenu(guides, guide)
  const contents = renderContents(guide.headings)
  return renderFrame(frame, {
    root: rootFrom(`${GUIDE_LIST}/${guide.name}`),
    title: guide.title,
    description: guide.summary,
    current: 'docs/guides',
    markdown: `${guide.name}.md`,
    footer,
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

/** In the list, relative links in a summary would point to the wrong place. */
function withoutLinks(html: string): string {
  return html.replaceAll(/<\/?a\b[^>]*>/g, '')
}
