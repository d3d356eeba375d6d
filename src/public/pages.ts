import type { Deployment } from '../domain/deployment.ts'
import { buildPublicSite } from '../pages/public-site.ts'
import type { Site } from '../pages/site.ts'
import type { Context } from './operation.ts'

export interface PublicContext extends Omit<Context, 'permittedWrite'> {
  deployment: Deployment
  /** The public base addresses of the deployments, if set. */
  publicUrls: Partial<Record<Deployment, string>>
}

/** The pages of the public listener, and the OpenAPI document. */
export function buildPages({ deployment, baseUrl, publicUrls }: PublicContext): Site {
  const others = Object.entries(publicUrls).filter(([, url]) => url !== baseUrl)
  const deploymentUrls = { [deployment]: baseUrl, ...Object.fromEntries(others) }
  const loadDocument = () => import('./openapi.ts').then(({ buildOpenApi }) => buildOpenApi(deploymentUrls))
  return buildPublicSite({ deployment, baseUrl, deploymentUrls }, loadDocument)
}
