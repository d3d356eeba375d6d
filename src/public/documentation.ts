import type { Deployment } from '../domain/deployment.ts'
import { documentationRoutes } from '../http/docs-page.ts'
import type { Route } from '../http/routes.ts'

/**
 * The public API's description of itself. Its console may also call the public addresses, should they be others than the page's own.
 * @param publicUrls public base addresses, with /v1
 */
export function publicDocumentation(deployment: Deployment, publicUrls: Record<Deployment, string>): Route[] {
  async function loadDocument(): Promise<string> {
    const { buildOpenApi } = await import('./openapi.ts')
    const { [deployment]: own, ...others } = publicUrls
    const known = Object.entries(others).filter(([, url]) => url !== own)
    return JSON.stringify(buildOpenApi({ [deployment]: own, ...Object.fromEntries(known) }))
  }
  const origins = new Set(Object.values(publicUrls).map(url => new URL(url).origin))
  return documentationRoutes({ loadDocument, origins: [...origins] })
}
