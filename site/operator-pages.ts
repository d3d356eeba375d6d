import { contentAddress } from '../src/pages/asset-route.ts'
import { CONSOLE_PATH, NOT_FOUND, rootFrom } from '../src/pages/paths.ts'
import { placeholder } from '../src/pages/placeholders.ts'
import { formatDocument } from '../src/schema/openapi/format.ts'
import { type Frame, renderFrame } from './frame.ts'
import { GUIDE_LIST, markdownPages, renderGuidePages } from './guides/guide-pages.ts'
import { placesOfGuide } from './guides/guide-places.ts'
import { OPERATOR_PICTURES } from './guides/guides.ts'
import { readOperatorGuides } from './guides/read-guides.ts'
import type { Pictures } from './markdown/markdown.ts'
import { renderSample } from './markdown/samples.ts'
import { renderNotFoundPage } from './not-found-page.ts'
import { renderOperatorHome } from './operator-home.ts'
import { buildOpenApi } from './operator-openapi.ts'
import { addressOf } from './page-files.ts'
import type { Document } from './reference/document.ts'
import { buildReference } from './reference/reference-page.ts'
import { buildSearchIndex, SEARCH_INDEX } from './search-index.ts'

const SUMMARY = 'How to use the console: for staff who care for animals, and for admins who run the service.'

/** All pages of the operators' listener, their Markdown and the OpenAPI document, by path. */
export function renderOperatorPages(): Record<string, string> {
  const setUp = `export ADMIN_URL=${placeholder('operators')}admin/v1\nexport TOKEN='your operator token'`
  const document = buildOpenApi()
  const reference = buildReference(document as unknown as Document, {
    url: 'ADMIN_URL',
    credential: 'TOKEN',
    credentialName: 'Operator token',
    base: 'admin/v1',
    setUp,
  })
  const texts = readOperatorGuides(pictures())
  const guides = texts.map(({ guide }) => guide)
  const index = buildSearchIndex([...guides.flatMap(placesOfGuide), ...reference.places])
  const frame: Frame = {
    name: 'Petstore for operators',
    links: [
      ['console', 'Console'],
      ['docs/guides', 'Guides'],
      ['docs', 'Reference'],
    ],
    searchIndex: contentAddress(SEARCH_INDEX, index),
  }
  return {
    '/': renderOperatorHome({ setUp, guides }, frame),
    [CONSOLE_PATH]: renderUnbuiltConsole(frame),
    '/docs': reference.render(frame),
    ...renderGuidePages({ guides, summary: SUMMARY, footer: [] }, frame),
    ...markdownPages(texts),
    [SEARCH_INDEX]: index,
    '/openapi.json': formatDocument(document),
    [NOT_FOUND]: renderNotFoundPage(frame),
  }
}

/** The pictures by the file names in the Markdown, with their addresses relative to the page of a guide. */
function pictures(): Pictures {
  const root = rootFrom(`${GUIDE_LIST}/name`)
  const entries = OPERATOR_PICTURES.map(name => {
    return [`${name}.webp`, { light: root + addressOf(`${name}.webp`), dark: root + addressOf(`${name}-dark.webp`) }]
  })
  return Object.fromEntries(entries)
}

function renderUnbuiltConsole(frame: Frame): string {
  return renderFrame(frame, {
    root: '',
    title: 'The console is not built',
    description: 'How to build the console of this service.',
    footer: [],
    content: `<main class="unbuilt" id="content" tabindex="-1">
<h1>The console is not built</h1>
<p class="summary">Everything else works: the API, the <a href="docs">admin API</a> and the command line.</p>
<p>The service runs from a source checkout and found no built console when it started. <code>npm ci</code> and <code>npm start</code> build the
console, and report why if they cannot. If you start the service another way, run these two commands in the checkout, then restart the service:</p>
${renderSample({ lang: 'console', text: 'npm ci\nnpm run build --workspace console' })}<p><code>npm ci --omit=dev</code> does not install the packages that the build needs. Releases and the container image contain the console.</p>
</main>`,
  })
}
