import type { Route } from '../http/routes.ts'
import { formatDocument } from '../schema/openapi/format.ts'
import { assetRoute } from './asset-route.ts'
import { fileRoute } from './file-route.ts'
import { type BarLink, FRAME_FILES, renderFrame } from './frame.ts'
import { loadInThread } from './load-in-thread.ts'
import { pageHeaders } from './page-headers.ts'

interface Documentation {
  loadDocument(): Promise<object>
  /** Other origins that the page's console may call. */
  origins?: readonly string[]
  /** Links in the bar. */
  links?: readonly BarLink[]
}

const REFERENCE = 'docs'
export const REFERENCE_LINKS: readonly BarLink[] = [
  [REFERENCE, 'Reference'],
  ['openapi.json', 'openapi.json'],
]

const STYLE = fileRoute('page.css', new URL('assets/page.css', import.meta.url))
const SCALAR = assetRoute('/docs/scalar.js', {
  type: 'text/javascript; charset=utf-8',
  load: () => loadInThread<Uint8Array>(new URL('scalar-thread.ts', import.meta.url)),
})
const START = fileRoute('start.js', new URL('assets/start.js', import.meta.url))

/** Shown until the reference has loaded, and without JavaScript. */
const NOTE = `<div id="reference">
<main class="note" id="content" tabindex="-1">
<h1>Petstore API</h1>
<p>Loading the reference. It needs JavaScript; the <a href="openapi.json">OpenAPI document</a> has the same content.</p>
</main>
</div>`

/** An OpenAPI document, and a page to read it and to send calls from. It loads nothing from other hosts. */
export function documentationRoutes({ loadDocument, origins = [], links = REFERENCE_LINKS }: Documentation): Route[] {
  async function loadPage(): Promise<string> {
    const [style, scalar, start] = await Promise.all([STYLE, SCALAR, START].map(file => file.loadAddress()))
    return renderFrame({
      root: '',
      title: 'Petstore API',
      description: 'Reference of the Petstore API, with a console to try it',
      links,
      current: REFERENCE,
      styles: [style as string],
      scripts: `<script src="${scalar}" defer></script>\n<script src="${start}" type="module"></script>`,
      content: NOTE,
    })
  }
  // Scalar creates its styles in the browser.
  const headers = pageHeaders({ styles: ["'unsafe-inline'"], data: ['data:'], origins })
  return [
    assetRoute('/openapi.json', { type: 'application/json', load: async () => formatDocument(await loadDocument()) }),
    assetRoute('/docs', { type: 'text/html; charset=utf-8', load: loadPage, headers }),
    ...FRAME_FILES,
    STYLE,
    START,
    SCALAR,
  ]
}
