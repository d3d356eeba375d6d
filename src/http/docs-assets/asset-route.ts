import type { Answer, Call } from '../call.ts'
import { unlessNoneMatch } from '../conditional.ts'
import { keep } from '../keep.ts'
import type { Route } from '../routes.ts'
import { chooseBody, packAsset } from './asset.ts'

interface Content {
  /** The value of Content-Type. */
  type: string
  /** What is sent; not loaded before it is asked for, so that the service starts no later. */
  load(): Promise<string | Uint8Array>
  /** Headers besides those that every file has. */
  headers?: readonly string[]
}

/** A path that answers with one file, the same for everybody, to be revalidated. */
export function assetRoute(path: string, { type, load, headers: own = [] }: Content): Route {
  const loadAsset = keep(async () => packAsset(await load()))

  async function handle(call: Call): Promise<Answer> {
    const { encoding, bytes, etag } = chooseBody(await loadAsset(), call.request.headers['accept-encoding'])
    const encoded = encoding === 'identity' ? [] : ['Content-Encoding', encoding]
    const content = ['Content-Type', type, ...encoded, 'Content-Length', String(bytes.length)]
    const headers = [...content, 'ETag', etag, 'Cache-Control', 'no-cache', 'Vary', 'Accept-Encoding']
    return unlessNoneMatch(call, etag, { status: 200, headers, body: bytes })
  }

  return { path, headers: ['X-Content-Type-Options', 'nosniff', ...own], operations: { GET: { handle } } }
}
