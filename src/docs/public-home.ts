import { type Frame, renderFrame } from './frame.ts'
import type { Guide } from './guides/guide.ts'
import { renderGuideCards } from './guides/guide-pages.ts'
import { escapeHtml } from './html.ts'
import { renderSample } from './markdown/samples.ts'

interface Content {
  deployment: string
  /** With /v1. */
  baseUrl: string
  /** The base address of staging, if it is known. */
  stagingUrl: string | undefined
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
export function renderPublicHome(content: Content, frame: Frame): Promise<string> {
  const { baseUrl, setUp, guides } = content
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
${renderSample({ lang: 'text', text: baseUrl }, 'Base address')}${renderStagingNote(content)}</div>
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
<li><a href="docs/guides/quick-start#what-you-need">@petstore/client</a><p>The client for TypeScript and JavaScript: typed, exact, and it waits and retries for you.</p></li>
<li><a href="docs/guides/quick-start#what-you-need">petstore-client</a><p>The client for Python, with the same behaviour and no dependencies.</p></li>
<li><a href="openapi.json">OpenAPI document</a><p>Every operation, schema and error code, for generating clients and tests.</p></li>
<li><a href="llms.txt">llms.txt</a><p>An overview for language models. Every guide is also available as Markdown.</p></li>
</ul>
</section>
</main>`,
  })
}

/** Helps people to try things out on the right deployment. */
function renderStagingNote({ deployment, stagingUrl }: Content): string {
  if (deployment === 'staging') {
    return '<p class="hint">This is <a href="docs/guides/staging">staging</a>, for trying things out: it has its own animals and keys.</p>\n'
  }
  if (!stagingUrl) return ''
  const address = escapeHtml(stagingUrl.replace(/v1$/, ''))
  return `<p class="hint">To try things out, use <a href="${address}">staging</a>, which has its own animals and keys.</p>\n`
}
