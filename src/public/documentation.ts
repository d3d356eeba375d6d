import type { Deployment } from '../domain/deployment.ts'
import { GUIDES_LINK, guideRoutes } from '../guides/guide-routes.ts'
import { documentationRoutes, REFERENCE_LINKS } from '../http/docs-page.ts'
import type { Route } from '../http/routes.ts'

/**
 * The public API's description of itself, and guides to it. The reference's console may also call the other deployment's address, should it
 * be another than the page's own.
 * @param baseUrl the deployment's own public base address, with /v1
 * @param publicUrls those that are set, likewise
 */
export function publicDocumentation(
  deployment: Deployment,
  baseUrl: string,
  publicUrls: Partial<Record<Deployment, string>>,
): Route[] {
  const others = Object.entries(publicUrls).filter(([, url]) => url !== baseUrl)
  const known = { [deployment]: baseUrl, ...Object.fromEntries(others) }
  async function loadDocument(): Promise<object> {
    const { buildOpenApi } = await import('./openapi.ts')
    return buildOpenApi(known)
  }
  const origins = new Set(Object.values(known).map(url => new URL(url).origin))
  const links = [GUIDES_LINK, ...REFERENCE_LINKS]
  return [
    ...documentationRoutes({ loadDocument, origins: [...origins], links }),
    ...guideRoutes({ baseUrl, deploymentUrls: known, links }),
  ]
}
