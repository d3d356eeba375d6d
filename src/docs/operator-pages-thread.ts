import { parentPort, workerData } from 'node:worker_threads'
import { contentAddress } from './asset-route.ts'
import type { Frame } from './frame.ts'
import { renderNotFoundPage } from './not-found-page.ts'
import { renderOperatorHome } from './operator-home.ts'
import { NOT_FOUND, type Pages } from './pages.ts'
import type { Document } from './reference/document.ts'
import { buildReference } from './reference/reference-page.ts'
import { buildSearchIndex } from './search-index.ts'

const SEARCH_INDEX = '/docs/search.json'
const SET_UP = `export ADMIN_URL=http://127.0.0.1:8081/admin/v1\nexport TOKEN='your operator token'`

parentPort?.postMessage(await buildOperatorPages(workerData))

/** Everything that the operators' listener serves for people. */
async function buildOperatorPages({ document }: { document: Document }): Promise<Pages> {
  const reference = buildReference(document, {
    url: 'ADMIN_URL',
    credential: 'TOKEN',
    credentialName: 'Operator token',
    base: 'admin/v1',
    setUp: SET_UP,
  })
  const index = buildSearchIndex(reference.places)
  const frame: Frame = {
    name: 'Petstore for operators',
    links: [
      ['docs', 'Reference'],
      ['readyz', 'Health'],
      ['metrics', 'Metrics'],
    ],
    searchIndex: contentAddress(SEARCH_INDEX, index),
  }
  return {
    '/': await renderOperatorHome(SET_UP, frame),
    '/docs': await reference.render(frame),
    [SEARCH_INDEX]: index,
    [NOT_FOUND]: await renderNotFoundPage(frame),
  }
}
