import { parentPort, workerData } from 'node:worker_threads'
import { shellWord } from '../domain/shell-quote.ts'
import { contentAddress } from './asset-route.ts'
import type { Frame } from './frame.ts'
import { markdownPages, renderGuidePages } from './guides/guide-pages.ts'
import { placesOfGuide } from './guides/guide-places.ts'
import { readGuides } from './guides/read-guides.ts'
import { formatLlmsText } from './llms-text.ts'
import { renderNotFoundPage } from './not-found-page.ts'
import { NOT_FOUND, type Pages, SEARCH_INDEX } from './pages.ts'
import { renderPublicHome } from './public-home.ts'
import type { PublicSources } from './public-site.ts'
import type { Document } from './reference/document.ts'
import { buildReference } from './reference/reference-page.ts'
import { buildSearchIndex } from './search-index.ts'

const SUMMARY = 'How to call the Petstore API: from the first call to what a production client needs.'

parentPort?.postMessage(await buildPublicPages(workerData))

/** Builds all pages of the public listener, and their texts for programs. */
async function buildPublicPages(sources: PublicSources & { document: Document }): Promise<Pages> {
  const { deployment, baseUrl, deploymentUrls, clientSamples, document } = sources
  const texts = await readGuides(baseUrl, deploymentUrls)
  const guides = texts.map(({ guide }) => guide)
  const setUp = formatSetUp(baseUrl)
  const reference = buildReference(document, {
    url: 'PETSTORE_URL',
    credential: 'PETSTORE_API_KEY',
    credentialName: 'API key',
    base: 'v1',
    setUp,
    client: clientSamples,
  })
  const index = buildSearchIndex([...guides.flatMap(placesOfGuide), ...reference.places])
  const frame: Frame = {
    name: 'Petstore API',
    links: [
      ['docs/guides', 'Guides'],
      ['docs', 'Reference'],
    ],
    searchIndex: contentAddress(SEARCH_INDEX, index),
  }
  return {
    '/': await renderPublicHome({ deployment, baseUrl, stagingUrl: deploymentUrls.staging, setUp, guides }, frame),
    '/docs': await reference.render(frame),
    ...(await renderGuidePages({ guides, summary: SUMMARY, footer: [['llms.txt', 'llms.txt']] }, frame)),
    ...markdownPages(texts),
    [SEARCH_INDEX]: index,
    '/llms.txt': formatLlmsText(baseUrl, guides),
    [NOT_FOUND]: await renderNotFoundPage(frame),
  }
}

function formatSetUp(baseUrl: string): string {
  return `export PETSTORE_URL=${shellWord(baseUrl)}\nexport PETSTORE_API_KEY='the key you were given'`
}
