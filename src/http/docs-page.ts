import { readFile } from 'node:fs/promises'
import type { Answer, Call } from './call.ts'
import { unlessNoneMatch } from './conditional.ts'
import { type Asset, chooseBody, packAsset } from './docs-assets/asset.ts'
import { loadScalar } from './docs-assets/scalar.ts'
import type { Route } from './routes.ts'

interface Documentation {
  /** The OpenAPI document, as JSON text. */
  loadDocument(): Promise<string>
  /** Where else than on its own host the page's console may call. */
  origins?: readonly string[]
}

/**
 * An OpenAPI document, and a page to read it and to try it in. Everything comes from this machine; nothing of it is loaded before
 * it is asked for, so that the service starts no later.
 */
export function documentationRoutes({ loadDocument, origins = [] }: Documentation): Route[] {
  const pageHeaders = ['Content-Security-Policy', contentSecurityPolicy(origins), 'Referrer-Policy', 'no-referrer']
  const page = route('/docs', 'text/html; charset=utf-8', () => readAsset('page.html'))
  return [
    route('/openapi.json', 'application/json', loadDocument),
    { ...page, headers: [...(page.headers ?? []), ...pageHeaders] },
    route('/docs/page.css', 'text/css; charset=utf-8', () => readAsset('page.css')),
    route('/docs/icon.svg', 'image/svg+xml', () => readAsset('icon.svg')),
    route('/docs/start.js', 'text/javascript; charset=utf-8', () => readAsset('start.js')),
    route('/docs/scalar.js', 'text/javascript; charset=utf-8', loadScalar),
  ]
}

/** Nothing from any other host, and no script but ours. Scalar makes its styles in the browser. */
function contentSecurityPolicy(origins: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    ["connect-src 'self'", ...origins].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

function readAsset(name: string): Promise<Buffer> {
  return readFile(new URL(`docs-assets/${name}`, import.meta.url))
}

function route(path: string, type: string, load: () => Promise<string | Uint8Array>): Route {
  let loading: Promise<Asset> | undefined

  async function handle(call: Call): Promise<Answer> {
    loading ??= load().then(packAsset)
    const asset = await loading.catch(error => {
      loading = undefined
      throw error
    })
    const { encoding, bytes, etag } = chooseBody(asset, call.request.headers['accept-encoding'])
    const encoded = encoding === 'identity' ? [] : ['Content-Encoding', encoding]
    const content = ['Content-Type', type, ...encoded, 'Content-Length', String(bytes.length)]
    const headers = [...content, 'ETag', etag, 'Cache-Control', 'no-cache', 'Vary', 'Accept-Encoding']
    return unlessNoneMatch(call, etag, { status: 200, headers, body: bytes })
  }

  return { path, headers: ['X-Content-Type-Options', 'nosniff'], operations: { GET: { handle } } }
}
