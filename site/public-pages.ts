import { contentAddress } from '../src/pages/asset-route.ts'
import { CLIENTS_PATH, NOT_FOUND } from '../src/pages/paths.ts'
import { placeholder } from '../src/pages/placeholders.ts'
import { buildOpenApi } from '../src/public/openapi.ts'
import { CLIENT_SAMPLES } from './client-samples.ts'
import type { ClientPackages } from './clients/client-packages.ts'
import { CLIENTS_PLACE, installLines, renderClientsPage } from './clients/clients-page.ts'
import type { Frame } from './frame.ts'
import type { Guide } from './guides/guide.ts'
import { markdownPages, renderGuidePages } from './guides/guide-pages.ts'
import { placesOfGuide } from './guides/guide-places.ts'
import { readGuides } from './guides/read-guides.ts'
import { renderNotFoundPage } from './not-found-page.ts'
import { renderPublicHome } from './public-home.ts'
import type { Document } from './reference/document.ts'
import { buildReference } from './reference/reference-page.ts'
import { buildSearchIndex, SEARCH_INDEX } from './search-index.ts'

const SUMMARY = 'How to call the Petstore API: from the first call to what a production client needs.'

/** All pages of the public listener, and their texts for programs, by path. */
export function renderPublicPages(clients: ClientPackages): Record<string, string> {
  const root = placeholder('service')
  const baseUrl = `${root}v1`
  const texts = readGuides()
  const guides = texts.map(({ guide }) => guide)
  const setUp = `export PETSTORE_URL=${placeholder('shell-base')}\nexport PETSTORE_API_KEY='the key you were given'`
  const reference = buildReference(buildOpenApi({ production: baseUrl }) as Document, {
    url: 'PETSTORE_URL',
    credential: 'PETSTORE_API_KEY',
    credentialName: 'API key',
    base: 'v1',
    setUp,
    client: CLIENT_SAMPLES,
  })
  const index = buildSearchIndex([...guides.flatMap(placesOfGuide), ...reference.places, CLIENTS_PLACE])
  const frame: Frame = {
    name: 'Petstore API',
    links: [
      ['docs/guides', 'Guides'],
      ['docs', 'Reference'],
      [CLIENTS_PATH.slice(1), 'Clients'],
    ],
    searchIndex: contentAddress(SEARCH_INDEX, index),
  }
  return {
    '/': renderPublicHome({ baseUrl, stagingNote: placeholder('staging-note'), setUp, guides }, frame),
    '/docs': reference.render(frame),
    [CLIENTS_PATH]: renderClientsPage(clients, setUp, frame),
    ...renderGuidePages({ guides, summary: SUMMARY, footer: [['llms.txt', 'llms.txt']] }, frame),
    ...markdownPages(texts),
    [SEARCH_INDEX]: index,
    '/llms.txt': formatLlmsText(root, guides, clients),
    [NOT_FOUND]: renderNotFoundPage(frame),
  }
}

/**
 * An overview for language models, in the format of llmstxt.org.
 * @param root the root of the service, with a slash at its end
 */
function formatLlmsText(root: string, guides: readonly Guide[], clients: ClientPackages): string {
  const install = installLines(clients, root)
  const list = guides.map(({ name, title, summary }) => `- [${title}](${root}docs/guides/${name}.md): ${summary}`)
  return `# Petstore API

> A store's catalogue of animals as an HTTP/JSON API: list animals, add one, get one.

The base address is ${root}v1. Every call needs an API key, which the operator of the service issues:
\`Authorization: Bearer <API_KEY>\`. Ids of animals and categories are 64-bit integers; do not round them.

## Guides

${list.join('\n')}

## Reference

- [OpenAPI document](${root}openapi.json): every operation, parameter, schema, example and error code
- [Reference](${root}docs): the same as a page

## Clients

The clients handle waiting, retries and pagination. Install them from the service, because they are in no public registry:

- TypeScript (\`import { PetstoreClient } from '@petstore/client'\`): \`${install.typescript}\`
- Python (\`from petstore_client import Petstore\`, or \`AsyncPetstore\` for asyncio): \`${install.python}\`
- [Clients](${root}${CLIENTS_PATH.slice(1)}): the same as a page, with samples
`
}
