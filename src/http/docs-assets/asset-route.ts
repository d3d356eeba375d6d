import type { Answer, Call } from '../call.ts'
import { unlessNoneMatch } from '../conditional.ts'
import { keep } from '../keep.ts'
import type { Route } from '../routes.ts'
import { chooseBody, packAsset, tagOf } from './asset.ts'

interface Content {
  /** The value of Content-Type. */
  type: string
  /** What is sent; not loaded before it is asked for, so that the service starts no later. */
  load(): Promise<string | Uint8Array>
  /** Headers besides those that every file has. */
  headers?: readonly string[]
}

export interface AssetRoute extends Route {
  /** The address that is its content's alone, from the root of the service: what it answered may be kept for ever. */
  loadAddress(): Promise<string>
}

/**
 * A path that answers with one file, the same for everybody: by the path alone to be revalidated, by the address of its content to be
 * kept, so that whoever reads on spends no calls on what every page loads.
 */
export function assetRoute(path: string, { type, load, headers: own = [] }: Content): AssetRoute {
  const loadAsset = keep(async () => packAsset(await load()))

  async function handle(call: Call): Promise<Answer> {
    const asset = await loadAsset()
    const { encoding, bytes, etag } = chooseBody(asset, call.request.headers['accept-encoding'])
    const encoded = encoding === 'identity' ? [] : ['Content-Encoding', encoding]
    const content = ['Content-Type', type, ...encoded, 'Content-Length', String(bytes.length)]
    // An instance of another version is asked for what it does not have, and sends what it has.
    const isOwn = call.target?.query === asset.tag
    const cacheControl = isOwn ? 'public, max-age=31536000, immutable' : 'no-cache'
    const headers = [...content, 'ETag', etag, 'Cache-Control', cacheControl, 'Vary', 'Accept-Encoding']
    return unlessNoneMatch(call, etag, { status: 200, headers, body: bytes })
  }

  return {
    path,
    headers: own,
    operations: { GET: { handle } },
    loadAddress: async () => addressOf(path, (await loadAsset()).tag),
  }
}

/** The address of this content, from the root of the service, at a path of `assetRoute`. */
export function contentAddress(path: string, content: string | Uint8Array): string {
  return addressOf(path, tagOf(content))
}

function addressOf(path: string, tag: string): string {
  return `${path.slice(1)}?${tag}`
}
