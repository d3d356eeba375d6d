import type { Answer } from '../http/answer.ts'
import type { Call } from '../http/call.ts'
import { unlessNoneMatch } from '../http/conditional.ts'
import type { Route } from '../http/routes.ts'
import { type Content, packAsset, tagOf } from './asset.ts'
import { loadOnce } from './load-once.ts'

interface Options {
  /** Value of Content-Type. */
  type: string
  /** Loads the content on first use, so that it does not delay the start of the service. */
  load(): Promise<Content>
  /** Whether browsers may cache it by its path alone, because the path identifies the content. */
  isKept?: boolean
  /** Further headers. */
  headers?: readonly string[]
}

export interface AssetRoute extends Route {
  operations: { GET: { handle(call: Call): Promise<Answer> } }
  /** The address of this version of the content, relative to the root of the service. Responses from it never expire. */
  loadAddress(): Promise<string>
}

/**
 * A path that serves one file, the same to every client. Requested by its path alone, a browser must revalidate it. Requested by its
 * content address, a browser caches it, so that readers do not spend calls on files that every page loads.
 */
export function assetRoute(path: string, { type, load, isKept = false, headers: own = [] }: Options): AssetRoute {
  const loadAsset = loadOnce(async () => packAsset(await load()))

  async function handle(call: Call): Promise<Answer> {
    const asset = await loadAsset()
    const { encoding, bytes, etag } = asset.choose(call.request.headers['accept-encoding'])
    const encoded = encoding === 'identity' ? [] : ['Content-Encoding', encoding]
    const content = ['Content-Type', type, ...encoded, 'Content-Length', String(bytes.length)]
    // During an upgrade, a page of one version may request its files from an instance of another version.
    const isOwn = isKept || call.target?.query === asset.tag
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

/** The address of this content at a path of `assetRoute`, relative to the root of the service. */
export function contentAddress(path: string, content: string | Uint8Array): string {
  return addressOf(path, tagOf(content))
}

function addressOf(path: string, tag: string): string {
  return `${path.slice(1)}?${tag}`
}
