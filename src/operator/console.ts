import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { assetRoute } from '../docs/asset-route.ts'
import { CONSOLE_PATH } from '../docs/console-paths.ts'
import { mediaTypeOf } from '../docs/media-type.ts'
import { NO_SUCH_PATH } from '../docs/operator-site.ts'
import { PAGE_HEADERS } from '../docs/page-headers.ts'
import type { Answer } from '../http/answer.ts'
import type { Call } from '../http/call.ts'
import { Refusal } from '../http/refusal.ts'
import type { Route } from '../http/routes.ts'

/** What `console/build.ts` makes; releases and the container image contain it. */
export const BUILT_CONSOLE = new URL('../../console/dist/', import.meta.url)

/** The addresses of screens, such as /console/accounts/1/keys, have no more segments below /console than this. */
const MAX_DEPTH = 4

/** The page has a base address of its own origin, below which its files are. */
const HEADERS = PAGE_HEADERS.map(header => header.replace("base-uri 'none'", "base-uri 'self'"))

export function isConsoleBuilt(folder: URL): boolean {
  return existsSync(new URL('index.html', folder))
}

/**
 * The web console. Each of its addresses gets the same page, whose script shows the screen. Its files have their content's hash in their names,
 * so that browsers keep them.
 */
export function buildConsoleRoutes(folder: URL): Route[] {
  if (!isConsoleBuilt(folder)) return screenPaths().map(redirectRoute)
  const html = readFileSync(new URL('index.html', folder), 'utf8')
  const screens = [CONSOLE_PATH, `${CONSOLE_PATH}/`, ...screenPaths()]
  return [...fileRoutes(folder), ...screens.map(path => screenRoute(path, html))]
}

function screenPaths(): string[] {
  return Array.from({ length: MAX_DEPTH }, (_, index) => CONSOLE_PATH + '/{place}'.repeat(index + 1))
}

function fileRoutes(folder: URL): Route[] {
  const names = readdirSync(new URL('assets/', folder))
  // Read at once: a later build may replace them while the service runs.
  const read = (name: string) => readFileSync(new URL(`assets/${name}`, folder))
  const files = names
    .filter(name => !name.endsWith('.br'))
    .map(name => {
      const path = `${CONSOLE_PATH}/assets/${name}`
      const content = read(name)
      const brotli = names.includes(`${name}.br`) ? read(`${name}.br`) : undefined
      return assetRoute(path, { type: mediaTypeOf(name), load: async () => content, brotli, isKept: true })
    })
  return [...files, { path: `${CONSOLE_PATH}/assets/{file}`, operations: { GET: { handle: refuseFile } } }]
}

/** During an upgrade, a page of one version may ask an instance of another version for its files. */
function refuseFile(): never {
  throw new Refusal('route_not_found', NO_SUCH_PATH, { headers: { 'Cache-Control': 'no-cache' } })
}

function screenRoute(path: string, html: string): Route {
  const page = html.replace('<base href="./">', `<base href="${rootFrom(path)}">`)
  return assetRoute(path, { type: mediaTypeOf('/'), load: async () => page, headers: HEADERS })
}

/** The relative address of /console/ from one of the console's own paths: a proxy may serve it under a path prefix. */
function rootFrom(path: string): string {
  const depth = path.split('/').length - 3
  return depth < 0 ? 'console/' : `./${'../'.repeat(depth)}`
}

/** Leads from a screen to the page that explains that the console is not built. */
function redirectRoute(path: string): Route {
  const location = `${'../'.repeat(path.split('/').length - 2)}console`
  const headers = ['Location', location, 'Content-Length', '0', 'Cache-Control', 'no-cache']
  const handle = (_: Call): Answer => ({ status: 302, headers, body: '' })
  return { path, operations: { GET: { handle } } }
}
