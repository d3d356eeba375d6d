import { guidePaths } from './guides/guide-paths.ts'
import { GUIDES } from './guides/guides.ts'
import type { DeploymentUrls } from './guides/name-addresses.ts'
import { SEARCH_INDEX } from './pages.ts'
import { buildSite, type Site } from './site.ts'

export interface PublicSources {
  deployment: keyof DeploymentUrls
  /** The service's own base URL, with /v1. */
  baseUrl: string
  /** The known base URLs of the deployments. */
  deploymentUrls: DeploymentUrls
  /** TypeScript samples by the ids of their operations. */
  clientSamples: Readonly<Record<string, string>>
}

/** The pages of the public listener: landing page, guides and reference. */
export function buildPublicSite(sources: PublicSources, loadDocument: () => Promise<object>): Site {
  return buildSite({
    paths: ['/', '/docs', ...guidePaths(GUIDES), SEARCH_INDEX, '/llms.txt'],
    thread: new URL('public-pages-thread.ts', import.meta.url),
    sources,
    loadDocument,
  })
}
