import { parentPort, workerData } from 'node:worker_threads'
import { contentAddress } from './asset-route.ts'
import { renderUnbuiltConsole } from './console-pages.ts'
import type { Frame } from './frame.ts'
import { markdownPages, renderGuidePages } from './guides/guide-pages.ts'
import { placesOfGuide } from './guides/guide-places.ts'
import { loadPictures } from './guides/pictures.ts'
import { readOperatorGuides } from './guides/read-guides.ts'
import { renderNotFoundPage } from './not-found-page.ts'
import { renderOperatorHome } from './operator-home.ts'
import type { OperatorSources } from './operator-site.ts'
import { NOT_FOUND, type Pages, SEARCH_INDEX } from './pages.ts'
import type { Document } from './reference/document.ts'
import { buildReference } from './reference/reference-page.ts'
import { buildSearchIndex } from './search-index.ts'

const SUMMARY = 'How to use the console: for staff who care for animals, and for admins who run the service.'

parentPort?.postMessage(await buildOperatorPages(workerData))

/** Builds all pages of the operators' listener, and their Markdown. */
async function buildOperatorPages({
  document,
  url,
  hasConsole,
}: OperatorSources & { document: Document }): Promise<Pages> {
  const setUp = `export ADMIN_URL=${url}/admin/v1\nexport TOKEN='your operator token'`
  const reference = buildReference(document, {
    url: 'ADMIN_URL',
    credential: 'TOKEN',
    credentialName: 'Operator token',
    base: 'admin/v1',
    setUp,
  })
  const texts = await readOperatorGuides(await loadPictures())
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
    '/': await renderOperatorHome({ setUp, guides }, frame),
    ...(hasConsole ? {} : await renderUnbuiltConsole(frame)),
    '/docs': await reference.render(frame),
    ...(await renderGuidePages({ guides, summary: SUMMARY, footer: [] }, frame)),
    ...markdownPages(texts),
    [SEARCH_INDEX]: index,
    [NOT_FOUND]: await renderNotFoundPage(frame),
  }
}
