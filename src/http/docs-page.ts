import { readFile } from 'node:fs/promises'
import { assetRoute } from './docs-assets/asset-route.ts'
import { type BarLink, renderBar } from './docs-assets/bar.ts'
import { pageHeaders } from './docs-assets/page-headers.ts'
import { loadScalar } from './docs-assets/scalar.ts'
import type { Route } from './routes.ts'

interface Documentation {
  /** The OpenAPI document, as JSON text. */
  loadDocument(): Promise<string>
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

/** An OpenAPI document, and a page to read it and to try it in. Everything comes from this machine. */
export function documentationRoutes({ loadDocument, origins = [], links = REFERENCE_LINKS }: Documentation): Route[] {
  async function loadPage(): Promise<string> {
    const page = await readAsset('page.html')
    return page.toString().replace('<!-- bar -->', renderBar({ root: '', links, current: REFERENCE }))
  }
  // Scalar makes its styles in the browser.
  const headers = pageHeaders({ styles: ["'unsafe-inline'"], data: ['data:'], origins })
  return [
    assetRoute('/openapi.json', { type: 'application/json', load: loadDocument }),
    assetRoute('/docs', { type: 'text/html; charset=utf-8', load: loadPage, headers }),
    ownAsset('bar.css', 'text/css; charset=utf-8'),
    ownAsset('page.css', 'text/css; charset=utf-8'),
    ownAsset('icon.svg', 'image/svg+xml'),
    ownAsset('start.js', 'text/javascript; charset=utf-8'),
    assetRoute('/docs/scalar.js', { type: 'text/javascript; charset=utf-8', load: loadScalar }),
  ]
}

function ownAsset(name: string, type: string): Route {
  return assetRoute(`/docs/${name}`, { type, load: () => readAsset(name) })
}

function readAsset(name: string): Promise<Buffer> {
  return readFile(new URL(`docs-assets/${name}`, import.meta.url))
}
