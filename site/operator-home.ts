import { type Frame, renderFrame } from './frame.ts'
import type { Guide } from './guides/guide.ts'
import { renderGuideCards } from './guides/guide-pages.ts'
import { renderSample } from './markdown/samples.ts'

const DESCRIPTION = 'Manage animals, accounts and API keys, and see how the service is doing.'
const FIRST_CALL = `curl -sS --fail-with-body "$ADMIN_URL/accounts" \\
  -H "Authorization: Bearer $TOKEN"`

interface Content {
  /** Sets the variables of samples, for the shell. */
  setUp: string
  guides: readonly Guide[]
}

export function renderOperatorHome({ setUp, guides }: Content, frame: Frame): string {
  return renderFrame(frame, {
    root: '',
    title: frame.name,
    description: DESCRIPTION,
    footer: [['openapi.json', 'OpenAPI document']],
    content: `<main class="home" id="content" tabindex="-1">
<div class="hero">
<div>
<h1>Petstore for operators</h1>
<p class="summary">${DESCRIPTION}</p>
<p class="actions"><a class="primary" href="console">Console</a> <a href="docs">Admin API reference</a></p>
<p>This listener is only for the people who run the service. Keep it off the internet.</p>
</div>
<section aria-labelledby="first-call">
<h2 id="first-call">Your first call</h2>
<p>You need an operator token: <code>petstore token create "Anna" --role staff</code> prints one.</p>
${renderSample({ lang: 'console', text: `${setUp}\n\n${FIRST_CALL}` })}</section>
</div>
<section aria-labelledby="guides">
<h2 id="guides">Guides</h2>
${renderGuideCards(guides, 'docs/guides/')}
</section>
<section aria-labelledby="more">
<h2 id="more">On this listener</h2>
<ul class="facts">
<li><a href="console">Console</a><p>Animals, accounts, keys, usage and health in the browser, for staff and admins.</p></li>
<li><a href="docs">Admin API</a><p>Every operation with samples in curl and Python, and a form to try it.</p></li>
<li><a href="readyz">Readiness</a><p>Whether this instance can serve calls. For load balancers.</p></li>
<li><a href="livez">Liveness</a><p>Whether the process is alive. For process supervisors.</p></li>
<li><a href="metrics">Metrics</a><p>Calls, durations, limits and storage, in Prometheus format.</p></li>
<li><a href="openapi.json">OpenAPI document</a><p>The admin API in machine-readable form, for generating clients and tests.</p></li>
</ul>
</section>
</main>`,
  })
}
