import type { Route } from '../../http/routes.ts'
import { assetRoute } from '../asset-route.ts'
import type { BarLink } from '../frame.ts'
import { loadInThread } from '../load-in-thread.ts'
import { loadOnce } from '../load-once.ts'
import { pageHeaders } from '../page-headers.ts'
import type { Library } from './library.ts'
import type { DeploymentUrls } from './name-addresses.ts'
import { SCRIPTS, SEARCH_ENGINE, SEARCH_INDEX, STYLE } from './page-files.ts'

/** The guides in reading order; each is a file in docs/guides. */
export const GUIDES = [
  'quick-start',
  'authentication',
  'pages',
  'limits',
  'idempotency',
  'errors',
  'deprecation',
  'versioning',
  'staging',
] as const

export const GUIDES_LINK: BarLink = ['docs/guides', 'Guides']

interface Guides {
  /** The service's own base URL, with /v1. */
  baseUrl: string
  /** Base URLs of the deployments that are known. */
  deploymentUrls: DeploymentUrls
  /** Links in the bar of every page. */
  links: readonly BarLink[]
}

const HTML = 'text/html; charset=utf-8'

/** The guides as pages, a list of them, and their search. */
export function guideRoutes(guides: Guides): Route[] {
  const thread = new URL('library-thread.ts', import.meta.url)
  const loadLibrary = loadOnce(() => loadInThread<Library>(thread, { ...guides, names: GUIDES }))
  const headers = pageHeaders()

  function guideRoute(name: string): Route {
    const load = async () => (await loadLibrary()).pages[name] as string
    return assetRoute(`/docs/guides/${name}`, { type: HTML, load, headers })
  }

  return [
    assetRoute('/docs/guides', { type: HTML, load: async () => (await loadLibrary()).list, headers }),
    ...GUIDES.map(guideRoute),
    assetRoute(SEARCH_INDEX, { type: 'application/json', load: async () => (await loadLibrary()).index }),
    STYLE,
    ...SCRIPTS,
    SEARCH_ENGINE,
  ]
}
