import { assetRoute } from './docs-assets/asset-route.ts'
import type { BarLink } from './docs-assets/bar.ts'
import { fileRoute } from './docs-assets/file-route.ts'
import { FRAME_FILES, renderFrame } from './docs-assets/frame.ts'
import { pageHeaders } from './docs-assets/page-headers.ts'
import { SCALAR } from './docs-assets/scalar.ts'
import { formatDocument } from './openapi/format.ts'
import type { Route } from './routes.ts'

interface Documentation {
  loadDocument(): Promise<object>
  /** Where else than on its own host the page's console may call. */
  origins?: readonly string[]
  /** What stands in the bar. */
  links?: readonly BarLink[]
}

const REFERENCE = 'docs'
export const REFERENCE_LINKS: readonly BarLink[] = [
  [REFERENCE, 'Reference'],
  ['openapi.json', 'openapi.json'],
]

const STYLE = fileRoute('page.css', new URL('docs-assets/page.css', import.meta.url))
const START = fileRoute('start.js', new URL('docs-assets/start.js', import.meta.url))

/** What a reader sees until the reference has taken its place, or sees for good without JavaScript. */
const NOTE = `<div id="reference">
<main class="note" id="content" tabindex="-1">
<h1>Petstore API</h1>
<p>The reference appears here in a moment, with JavaScript. Without it, the <a href="openapi.json">OpenAPI document</a> says the same.</p>
</main>
</div>`

/** An OpenAPI document, and a page to read it and to try it in. Everything comes from this machine. */
export function documentationRoutes({ loadDocument, origins = [], links = REFERENCE_LINKS }: Documentation): Route[] {
  async function loadPage(): Promise<string> {
    const [style, scalar, start] = await Promise.all([STYLE, SCALAR, START].map(file => file.loadAddress()))
    return renderFrame({
      root: '',
      title: 'Petstore API',
      description: 'Reference of the Petstore API, with a console to try it in',
      links,
      current: REFERENCE,
      styles: [style as string],
      scripts: `<script src="${scalar}" defer></script>\n<script src="${start}" type="module"></script>`,
      content: NOTE,
    })
  }
  // Scalar makes its styles in the browser.
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
