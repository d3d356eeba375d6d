import type { Deployment } from '../domain/deployment.ts'
import { formatDocument } from '../schema/openapi/format.ts'
import { assetRoute } from './asset-route.ts'
import { escapeHtml } from './html.ts'
import { mediaTypeOf } from './media-type.ts'
import { shellWordHtml } from './placeholders.ts'
import { buildSite, type Site } from './site.ts'

interface PublicAddresses {
  deployment: Deployment
  /** The service's own base URL, with /v1. */
  baseUrl: string
  /** The known base URLs of the deployments, with /v1. */
  deploymentUrls: Partial<Record<Deployment, string>>
}

/** The pages of the public listener: landing page, guides, reference, and the OpenAPI document, which lists the addresses of the deployments. */
export function buildPublicSite(
  { deployment, baseUrl, deploymentUrls }: PublicAddresses,
  loadDocument: () => Promise<object>,
  folder?: URL,
): Site {
  const staging = rootOf(deploymentUrls.staging)
  const site = buildSite({
    parts: ['public'],
    values: {
      service: baseUrl.replace(/v1$/, ''),
      production: rootOf(deploymentUrls.production) ?? 'https://petstore.example/',
      staging: staging ?? 'https://staging.petstore.example/',
      'shell-base': shellWordHtml(baseUrl),
      'staging-note': { html: formatStagingNote(deployment, staging) },
    },
    folder,
  })
  const document = assetRoute('/openapi.json', {
    type: mediaTypeOf('/openapi.json'),
    load: async () => ({ identity: Buffer.from(formatDocument(await loadDocument())) }),
  })
  return { ...site, routes: [...site.routes, document] }
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
