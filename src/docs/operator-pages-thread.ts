import { parentPort, workerData } from 'node:worker_threads'
import { contentAddress } from './asset-route.ts'
import { renderUnbuiltConsole } from './console-pages.ts'
import type { Frame } from './frame.ts'
import { renderNotFoundPage } from './not-found-page.ts'
import { renderOperatorHome } from './operator-home.ts'
import type { OperatorSources } from './operator-site.ts'
import { NOT_FOUND, type Pages, SEARCH_INDEX } from './pages.ts'
import type { Document } from './reference/document.ts'
import { buildReference } from './reference/reference-page.ts'
import { buildSearchIndex } from './search-index.ts'

parentPort?.postMessage(await buildOperatorPages(workerData))

/** Everything that the operators' listener serves for people. */
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
  const index = buildSearchIndex(reference.places)
  const frame: Frame = {
    name: 'Petstore for operators',
    links: [
      ['console', 'Console'],
      ['docs', 'Reference'],
      ['readyz', 'Health'],
    ],
    searchIndex: contentAddress(SEARCH_INDEX, index),
  }
  return {
    '/': await renderOperatorHome(setUp, frame),
    ...(hasConsole ? {} : await renderUnbuiltConsole(frame)),
    '/docs': await reference.render(frame),
    [SEARCH_INDEX]: index,
    [NOT_FOUND]: await renderNotFoundPage(frame),
  }
}
