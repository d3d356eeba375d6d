import { readFile } from 'node:fs/promises'
import { contentAddress } from '../http/docs-assets/asset-route.ts'
import type { BarLink } from '../http/docs-assets/bar.ts'
import { type Guide, parseGuide } from './guide.ts'
import { renderGuidePage, renderListPage } from './layout.ts'
import { type DeploymentUrls, nameAddresses } from './name-addresses.ts'
import { SEARCH_INDEX } from './page-files.ts'
import { buildSearchIndex } from './search-index.ts'

/** All that is sent of the guides, as text. */
export interface Library {
  /** HTML of the list of all guides. */
  list: string
  /** HTML of each guide, by its name. */
  pages: Record<string, string>
  /** What search.js searches, as JSON. */
  index: string
}

interface Sources {
  names: readonly string[]
  /** The service's own base address, with /v1. */
  baseUrl: string
  /** Those of the deployments, as far as they are known. */
  deploymentUrls: DeploymentUrls
  links: readonly BarLink[]
}

const FOLDER = new URL('../../docs/guides/', import.meta.url)
/** The guide that speaks of both deployments; the others speak of the one that serves them. */
const OF_BOTH = 'staging'

export async function buildLibrary({ names, baseUrl, deploymentUrls, links }: Sources): Promise<Library> {
  const guides = await Promise.all(names.map(readGuide))
  const index = buildSearchIndex(guides)
  const shared = { guides, links, searchIndex: contentAddress(SEARCH_INDEX, index) }
  const pages = guides.map(async ({ name }, place) => [name, await renderGuidePage({ ...shared, index: place })])
  return { list: await renderListPage(shared), pages: Object.fromEntries(await Promise.all(pages)), index }

  async function readGuide(name: string): Promise<Guide> {
    const markdown = await readFile(new URL(`${name}.md`, FOLDER), 'utf8')
    return parseGuide(name, nameAddresses(markdown, name === OF_BOTH ? deploymentUrls : { production: baseUrl }))
  }
}
