import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { Answer } from '../http/answer.ts'
import type { Call } from '../http/call.ts'
import { Refusal } from '../http/refusal.ts'
import type { Route } from '../http/routes.ts'
import { assetRoute } from '../pages/asset-route.ts'
import { mediaTypeOf } from '../pages/media-type.ts'
import { PAGE_HEADERS } from '../pages/page-headers.ts'
import { CONSOLE_PATH } from '../pages/paths.ts'

/** Shown to programs. */
export const NO_SUCH_PATH = 'This path does not exist; the admin API is described at /docs.'

/** The output of `console/build.ts`, which releases and the container image include. */
export const BUILT_CONSOLE = new URL('../../console/dist/', import.meta.url)

/** The maximum number of path segments after /console in the address of a screen, such as /console/accounts/1/keys. */
const MAX_DEPTH = 4

/** The page sets a base address on its own origin, from which it loads its files. */
const HEADERS = PAGE_HEADERS.map(header => header.replace("base-uri 'none'", "base-uri 'self'"))

/**
 * The web console. All of its addresses return the same page, whose script shows the screen. The names of its files contain a hash of their
 * content, so browsers can cache them permanently.
 */
export function buildConsoleRoutes(folder: URL): Route[] {
  if (!existsSync(new URL('index.html', folder))) return screenPaths().map(redirectRoute)
  const html = readFileSync(new URL('index.html', folder), 'utf8')
  const screens = [CONSOLE_PATH, `${CONSOLE_PATH}/`, ...screenPaths()]
  return [...fileRoutes(folder), ...screens.map(path => screenRoute(path, html))]
}

function screenPaths(): string[] {
  return Array.from({ length: MAX_DEPTH }, (_, index) => CONSOLE_PATH + '/{place}'.repeat(index + 1))
}

function fileRoutes(folder: URL): Route[] {
  const names = readdirSync(new URL('assets/', folder))
  const files = names
    .filter(name => !name.endsWith('.br'))
    .map(name => {
      const path = `${CONSOLE_PATH}/assets/${name}`
      // Read up front: a later build may replace them while the service runs.
      const identity = readFileSync(new URL(`assets/${name}`, folder))
      const br = names.includes(`${name}.br`) ? readFileSync(new URL(`assets/${name}.br`, folder)) : undefined
      const load = async () => ({ identity, br })
      return assetRoute(path, { type: mediaTypeOf(name), load, isKept: true })
    })
  return [...files, { path: `${CONSOLE_PATH}/assets/{file}`, operations: { GET: { handle: refuseFile } } }]
}

/** During an upgrade, a page of one version may request its files from an instance of another version. */
function refuseFile(): never {
  throw new Refusal('route_not_found', NO_SUCH_PATH, { headers: { 'Cache-Control': 'no-cache' } })
}

function screenRoute(path: string, html: string): Route {
  const page = Buffer.from(html.replace('<base href="./">', `<base href="${rootFrom(path)}">`))
  return assetRoute(path, { type: mediaTypeOf('/'), load: async () => ({ identity: page }), headers: HEADERS })
}

/** The relative address of /console/ from one of the console's paths. Relative, because a proxy may serve it under a path prefix. */
function rootFrom(path: string): string {
  const depth = path.split('/').length - 3
  return depth < 0 ? 'console/' : `./${'../'.repeat(depth)}`
}

/** Redirects from a screen to the page that explains that the console has not been built. The `#` drops the secret of a sign-in link. */
function redirectRoute(path: string): Route {
  const location = `${'../'.repeat(path.split('/').length - 2)}console#`
  const headers = ['Location', location, 'Content-Length', '0', 'Cache-Control', 'no-cache']
  const handle = (_: Call): Answer => ({ status: 302, headers, body: '' })
  return { path, operations: { GET: { handle } } }
}
