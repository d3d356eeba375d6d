import type { Deployment } from '../domain/deployment.ts'
import { assetRoute } from '../pages/asset-route.ts'
import { BUILT_PAGES, CLIENTS_PART } from '../pages/built-files.ts'
import { downloadRoutes } from '../pages/download-routes.ts'
import { escapeHtml } from '../pages/html.ts'
import { mediaTypeOf } from '../pages/media-type.ts'
import { CLIENTS_PATH } from '../pages/paths.ts'
import { shellWordHtml } from '../pages/placeholders.ts'
import { buildSite, type Site } from '../pages/site.ts'
import { formatDocument } from '../schema/openapi/format.ts'

export interface PublicAddresses {
  deployment: Deployment
  /** The service's own base URL, with /v1. */
  baseUrl: string
  /** The public base addresses of the deployments, with /v1, if set. */
  publicUrls: Partial<Record<Deployment, string>>
}

/**
 * The pages of the public listener: landing page, guides, reference, the clients with their files, and the OpenAPI document, which lists the addresses
 * of the deployments.
 */
export function buildPublicSite({ deployment, baseUrl, publicUrls }: PublicAddresses, folder = BUILT_PAGES): Site {
  const service = baseUrl.replace(/v1$/, '')
  const urls: PublicAddresses['publicUrls'] = { [deployment]: baseUrl, ...publicUrls }
  const staging = rootOf(urls.staging)
  const site = buildSite({
    part: 'public',
    values: {
      service,
      production: rootOf(urls.production) ?? 'https://petstore.example/',
      staging: staging ?? 'https://staging.petstore.example/',
      'shell-service': shellWordHtml(service),
      'shell-base': shellWordHtml(baseUrl),
      'staging-note': { html: formatStagingNote(deployment, staging) },
    },
    folder,
  })
  const document = assetRoute('/openapi.json', {
    type: mediaTypeOf('/openapi.json'),
    async load() {
      const { buildOpenApi } = await import('./openapi.ts')
      return { identity: Buffer.from(formatDocument(buildOpenApi(urls))) }
    },
  })
  const downloads = downloadRoutes(CLIENTS_PATH, new URL(`${CLIENTS_PART}/`, folder))
  return { ...site, routes: [...site.routes, ...downloads, document] }
}

function rootOf(baseUrl: string | undefined): string | undefined {
  return baseUrl?.replace(/v1$/, '')
}

/** Helps people to try things out on the right deployment. */
function formatStagingNote(deployment: Deployment, staging: string | undefined): string {
  if (deployment === 'staging') {
    return '<p class="hint">This is <a href="docs/guides/staging">staging</a>, for trying things out: it has its own animals and keys.</p>\n'
  }
  if (!staging) return ''
  return `<p class="hint">To try things out, use <a href="${escapeHtml(staging)}">staging</a>, which has its own animals and keys.</p>\n`
}
