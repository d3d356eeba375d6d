import { contentAddress } from '../src/pages/asset-route.ts'
import { NOT_FOUND } from '../src/pages/paths.ts'
import { placeholder } from '../src/pages/placeholders.ts'
import { buildOpenApi } from '../src/public/openapi.ts'
import { CLIENT_SAMPLES } from './client-samples.ts'
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
export function renderPublicPages(): Record<string, string> {
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
    '/': renderPublicHome({ baseUrl, stagingNote: placeholder('staging-note'), setUp, guides }, frame),
    '/docs': reference.render(frame),
    ...renderGuidePages({ guides, summary: SUMMARY, footer: [['llms.txt', 'llms.txt']] }, frame),
    ...markdownPages(texts),
    [SEARCH_INDEX]: index,
    '/llms.txt': formatLlmsText(root, guides),
    [NOT_FOUND]: renderNotFoundPage(frame),
  }
}

/**
 * An overview for language models, in the format of llmstxt.org.
 * @param root the root of the service, with a slash at its end
 */
function formatLlmsText(root: string, guides: readonly Guide[]): string {
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

The clients for TypeScript (\`@petstore/client\`) and Python (\`petstore-client\`) handle waiting, retries and pagination; see
[Quick start](${root}docs/guides/quick-start.md).
`
}
