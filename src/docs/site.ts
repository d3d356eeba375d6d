import type { Answer } from '../http/answer.ts'
import type { Call } from '../http/call.ts'
import { Refusal } from '../http/refusal.ts'
import type { Route } from '../http/routes.ts'
import { formatDocument } from '../schema/openapi/format.ts'
import { type AssetRoute, assetRoute } from './asset-route.ts'
import { loadInThread } from './load-in-thread.ts'
import { loadOnce } from './load-once.ts'
import { mediaTypeOf } from './media-type.ts'
import { PAGE_FILES } from './page-files.ts'
import { PAGE_HEADERS } from './page-headers.ts'
import { NOT_FOUND, type Pages, ROOT_MARK, rootFrom } from './pages.ts'
import { wantsPage } from './wants-page.ts'

/** The pages of a listener, for people. */
export interface Site {
  /** The pages, the files that they load, and the OpenAPI document. */
  routes: readonly Route[]
  /** The refusal of a call to an unknown path: a page for browsers, JSON for programs. */
  notFound(call: Call): Promise<Refusal>
}

interface Parts<Sources> {
  /** The paths of the pages and of their texts for programs. */
  paths: readonly string[]
  /** Files that only pages of this site load. */
  files?: readonly AssetRoute[]
  /** The file of the thread that builds and posts the pages. */
  thread: URL
  /** The inputs for the thread, in addition to the OpenAPI document. */
  sources: Sources
  loadDocument(): Promise<object>
  /** The message for programs that call an unknown path. */
  notFoundMessage?: string
}

/** The pages of a listener. They are built in a thread when the first one is requested, and then cached. */
export function buildSite<Sources>(parts: Parts<Sources>): Site {
  const { paths, files = [], thread, sources, loadDocument, notFoundMessage } = parts
  const loadPages = loadOnce(async () => loadInThread<Pages>(thread, { ...sources, document: await loadDocument() }))

  function pageRoute(path: string): AssetRoute {
    const type = mediaTypeOf(path)
    const headers = isPage(path) ? PAGE_HEADERS : []
    return assetRoute(path, { type, headers, load: async () => (await loadPages())[path] as string })
  }

  /** Only for browsers: programs get a refusal at the root. */
  function homeRoute(): Route {
    const { operations, ...page } = pageRoute('/')
    async function handle(call: Call): Promise<Answer> {
      // The route adds Vary.
      if (!wantsPage(call)) throw new Refusal('route_not_found', notFoundMessage, { headers: NO_CACHE })
      return operations.GET.handle(call)
    }
    return { ...page, headers: [...PAGE_HEADERS, ...BY_ACCEPT], operations: { GET: { handle } } }
  }

  async function notFound(call: Call): Promise<Refusal> {
    // With the same Vary as the page, so that a cache never serves one of the two forms to a client that wants the other.
    if (!wantsPage(call))
      return new Refusal('route_not_found', notFoundMessage, { headers: { ...NO_CACHE, Vary: 'Accept' } })
    const html = (await loadPages())[NOT_FOUND] as string
    const body = html.replaceAll(ROOT_MARK, rootFrom(call.target?.path ?? '/'))
    const content = ['Content-Type', mediaTypeOf('/'), 'Content-Length', String(Buffer.byteLength(body))]
    const headers = [...content, 'Cache-Control', 'no-cache', ...BY_ACCEPT, ...PAGE_HEADERS]
    return new Refusal('route_not_found', notFoundMessage, { page: { headers, body } })
  }

  const pages = paths.filter(path => path !== '/')
  return {
    routes: [
      homeRoute(),
      ...pages.map(pageRoute),
      ...pages.filter(isPage).map(redirectRoute),
      ...PAGE_FILES,
      ...files,
      assetRoute('/openapi.json', {
        type: mediaTypeOf('/openapi.json'),
        load: async () => formatDocument(await loadDocument()),
      }),
    ],
    notFound,
  }
}

/** The response depends on the Accept header. */
const BY_ACCEPT = ['Vary', 'Accept']
/** A page that is added there later must be visible immediately. */
const NO_CACHE = { 'Cache-Control': 'no-cache' }

function isPage(path: string): boolean {
  return mediaTypeOf(path) === mediaTypeOf('/')
}

/** Redirects from a page's path with a trailing slash to the page. The address is relative: a proxy may serve us under a path prefix. */
function redirectRoute(path: string): Route {
  const address = `..${path.slice(path.lastIndexOf('/'))}`
  function handle({ target }: Call): Answer {
    const query = target?.query ? `?${target.query}` : ''
    const headers = ['Location', address + query, 'Content-Length', '0', 'Cache-Control', 'no-cache']
    return { status: 301, headers, body: '' }
  }
  return { path: `${path}/`, operations: { GET: { handle } } }
}
