import type { Answer } from '../http/answer.ts'
import type { Call } from '../http/call.ts'
import { Refusal } from '../http/refusal.ts'
import type { Route } from '../http/routes.ts'
import type { AssetRoute } from './asset-route.ts'
import { arePagesBuilt, BUILT_PAGES, type BuiltPart, builtRoutes, isPage, readNotFoundPage } from './built-files.ts'
import { loadOnce } from './load-once.ts'
import { mediaTypeOf } from './media-type.ts'
import { PAGE_HEADERS } from './page-headers.ts'
import { ROOT_MARK, rootFrom } from './paths.ts'
import type { Values } from './placeholders.ts'
import { wantsPage } from './wants-page.ts'

export interface Site {
  /** The pages, and the files that they load. */
  routes: readonly Route[]
  /** The refusal of a call to an unknown path: a page for browsers, JSON for programs. */
  notFound(call: Call): Promise<Refusal>
}

interface Parts {
  /** The built files to serve, in addition to those that every site has. */
  part: BuiltPart
  values: Partial<Values>
  /** The message for programs that call an unknown path. */
  notFoundMessage?: string
  folder?: URL | undefined
}

/** How to get the pages, for people who find none. */
export const PAGES_NOT_BUILT =
  'The pages of this service are not built. Run "npm ci", then "npm start" in the checkout; or use a release, which contains them.'

/** The pages of a listener. They are read from files when they are first requested, and then cached. */
export function buildSite({ part, values, notFoundMessage, folder }: Parts): Site {
  const built = folder ?? BUILT_PAGES
  const hasPages = arePagesBuilt(built)
  const files = hasPages ? (['shared', part] as const).flatMap(one => builtRoutes(built, one, values)) : []
  const loadNotFoundPage = loadOnce(() => readNotFoundPage(built, part))

  /** Only for browsers: programs get a refusal at the root. */
  function homeRoute({ operations, ...page }: AssetRoute): Route {
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
    const [path, text] = hasPages ? ['/', await loadNotFoundPage()] : ['/not-built.txt', `${PAGES_NOT_BUILT}\n`]
    const body = text.replaceAll(ROOT_MARK, rootFrom(call.target?.path ?? '/'))
    const content = ['Content-Type', mediaTypeOf(path), 'Content-Length', String(Buffer.byteLength(body))]
    const headers = [...content, 'Cache-Control', 'no-cache', ...BY_ACCEPT, ...PAGE_HEADERS]
    return new Refusal('route_not_found', notFoundMessage, { page: { headers, body } })
  }

  const pages = files.map(({ path }) => path).filter(path => path !== '/' && isPage(path))
  return {
    routes: [...files.map(route => (route.path === '/' ? homeRoute(route) : route)), ...pages.map(redirectRoute)],
    notFound,
  }
}

/** The response depends on the Accept header. */
const BY_ACCEPT = ['Vary', 'Accept']
/** A page that is added there later must be visible immediately. */
const NO_CACHE = { 'Cache-Control': 'no-cache' }

/**
 * Redirects to a page from its path with a trailing slash; to the page of a folder, from its path without one. The address is relative: a proxy may
 * serve us under a path prefix.
 */
function redirectRoute(page: string): Route {
  const isFolder = page.endsWith('/')
  const path = isFolder ? page.slice(0, -1) : `${page}/`
  const name = page.split('/').at(isFolder ? -2 : -1)
  const address = isFolder ? `${name}/` : `../${name}`
  function handle({ target }: Call): Answer {
    const query = target?.query ? `?${target.query}` : ''
    const headers = ['Location', address + query, 'Content-Length', '0', 'Cache-Control', 'no-cache']
    return { status: 301, headers, body: '' }
  }
  return { path, operations: { GET: { handle } } }
}
