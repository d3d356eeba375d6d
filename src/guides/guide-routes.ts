import { assetRoute } from '../http/docs-assets/asset-route.ts'
import type { BarLink } from '../http/docs-assets/bar.ts'
import { loadInThread } from '../http/docs-assets/load-in-thread.ts'
import { pageHeaders } from '../http/docs-assets/page-headers.ts'
import { keep } from '../http/keep.ts'
import type { Route } from '../http/routes.ts'
import type { Library } from './library.ts'
import type { DeploymentUrls } from './name-addresses.ts'
import { SCRIPTS, SEARCH_ENGINE, SEARCH_INDEX, STYLE } from './page-files.ts'

/** The guides, as one reads them in turn; each is a file of docs/guides. */
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
  /** The service's own base address, with /v1. */
  baseUrl: string
  /** Those of the deployments, as far as they are known. */
  deploymentUrls: DeploymentUrls
  /** What stands in the bar of every page. */
  links: readonly BarLink[]
}

const HTML = 'text/html; charset=utf-8'

/** The guides as pages, their list, and the search over them. */
export function guideRoutes(guides: Guides): Route[] {
  const thread = new URL('library-thread.ts', import.meta.url)
  const loadLibrary = keep(() => loadInThread<Library>(thread, { ...guides, names: GUIDES }))
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
