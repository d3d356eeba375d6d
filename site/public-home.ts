import { type Frame, renderFrame } from './frame.ts'
import type { Guide } from './guides/guide.ts'
import { renderGuideCards } from './guides/guide-pages.ts'
import { renderSample } from './markdown/samples.ts'

interface Content {
  /** With /v1. */
  baseUrl: string
  /** HTML that says where to try things out. */
  stagingNote: string
  /** Sets the variables of samples, for the shell. */
  setUp: string
  guides: readonly Guide[]
}

const DESCRIPTION =
  'The animals of this store, as an HTTP API: list them page by page, add one, and keep your own catalogue up to date.'
const FIRST_CALL = `curl -sS --fail-with-body "$PETSTORE_URL/pets?limit=2" \\
  -H "Authorization: Bearer $PETSTORE_API_KEY"`
const RESPONSE = `[
  { "id": 1, "name": "Rex", "categoryId": 1, "status": "available" },
  { "id": 2, "name": "Bella", "categoryId": 1, "status": "available" }
]`

/** Renders the public home page: a summary, the base address, the first call, and links to further reading. */
export function renderPublicHome({ baseUrl, stagingNote, setUp, guides }: Content, frame: Frame): string {
  return renderFrame(frame, {
    root: '',
    title: frame.name,
    description: DESCRIPTION,
    footer: [],
    content: `<main class="home" id="content" tabindex="-1">
<div class="hero">
<div>
<h1>Petstore API</h1>
<p class="summary">${DESCRIPTION}</p>
<p class="actions"><a class="primary" href="docs/guides/quick-start">Quick start</a> <a href="docs">Reference</a></p>
${renderSample({ lang: 'text', text: baseUrl }, 'Base address')}${stagingNote}</div>
<section aria-labelledby="first-call">
<h2 id="first-call">Your first call</h2>
<p>You need an API key from the operator of this service.</p>
${renderSample({ lang: 'console', text: `${setUp}\n\n${FIRST_CALL}` })}${renderSample({ lang: 'json', text: RESPONSE }, 'Response')}</section>
</div>
<section aria-labelledby="guides">
<h2 id="guides">Guides</h2>
${renderGuideCards(guides, 'docs/guides/')}
</section>
<section aria-labelledby="programs">
<h2 id="programs">For your programs</h2>
<ul class="facts">
<li><a href="clients/">Clients</a><p>For TypeScript, JavaScript and Python: typed, exact, and they wait and retry for you.</p></li>
<li><a href="openapi.json">OpenAPI document</a><p>Every operation, schema and error code, for generating clients and tests.</p></li>
<li><a href="llms.txt">llms.txt</a><p>An overview for language models. Every guide is also available as Markdown.</p></li>
</ul>
</section>
</main>`,
  })
}
