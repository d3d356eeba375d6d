import { hash } from 'node:crypto'
import type { Answer } from '../http/answer.ts'
import type { Call } from '../http/call.ts'
import { compress } from '../http/compress.ts'
import { unlessNoneMatch } from '../http/conditional.ts'
import { chooseCoding } from '../http/content-coding.ts'
import type { Route } from '../http/routes.ts'
import { loadOnce } from './load-once.ts'

/** A content, and its compressed forms if a build has made them. */
interface Content {
  identity: Buffer
  br?: Buffer | undefined
  gzip?: Buffer | undefined
}

interface Options {
  /** Value of Content-Type. */
  type: string
  /** Loads the content on first use, so that it does not delay the start of the service. */
  load(): Promise<Content>
  /** Whether browsers may cache it by its path alone, because the path identifies the content. */
  isKept?: boolean
  headers?: readonly string[]
}

export interface AssetRoute extends Route {
  operations: { GET: { handle(call: Call): Promise<Answer> } }
}

const CODINGS = ['br', 'gzip'] as const
/** Strong validators differ between encodings. */
const SUFFIXES = { br: '-br', gzip: '-gz', identity: '' }

/**
 * A path that serves one file, the same to every client. Requested by its path alone, a browser must revalidate it. Requested by its
 * content address, a browser caches it, so that readers do not spend calls on files that every page loads.
 */
export function assetRoute(path: string, { type, load, isKept = false, headers: own = [] }: Options): AssetRoute {
  const loadAsset = loadOnce(async () => {
    const forms = { ...(await load()) }
    return { forms, tag: tagOf(forms.identity) }
  })

  async function handle(call: Call): Promise<Answer> {
    const { forms, tag } = await loadAsset()
    const encoding = chooseCoding(call.request.headers['accept-encoding'], CODINGS)
    // A form that the build has not made is made once.
    if (encoding !== 'identity') forms[encoding] ??= compress(forms.identity, encoding)
    const bytes = forms[encoding] as Buffer
    const etag = `"${tag}${SUFFIXES[encoding]}"`
    const encoded = encoding === 'identity' ? [] : ['Content-Encoding', encoding]
    const content = ['Content-Type', type, ...encoded, 'Content-Length', String(bytes.length)]
    // During an upgrade, a page of one version may request its files from an instance of another version.
    const isOwn = isKept || call.target?.query === tag
    const cacheControl = isOwn ? 'public, max-age=31536000, immutable' : 'no-cache'
    const headers = [...content, 'ETag', etag, 'Cache-Control', cacheControl, 'Vary', 'Accept-Encoding']
    return unlessNoneMatch(call, etag, { status: 200, headers, body: bytes })
  }

  return { path, headers: own, operations: { GET: { handle } } }
}

/** The address of this content at a path of `assetRoute`, relative to the root of the service. */
export function contentAddress(path: string, content: string | Uint8Array): string {
  return `${path.slice(1)}?${tagOf(content)}`
}

/** Identifies content; safe in a URL. */
function tagOf(content: string | Uint8Array): string {
  return hash('sha256', content, 'base64url').slice(0, 24)
}
