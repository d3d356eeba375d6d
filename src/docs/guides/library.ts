import { readFile } from 'node:fs/promises'
import { contentAddress } from '../asset-route.ts'
import type { BarLink } from '../frame.ts'
import { type Guide, parseGuide } from './guide.ts'
import { renderGuidePage, renderListPage } from './layout.ts'
import { type DeploymentUrls, nameAddresses } from './name-addresses.ts'
import { SEARCH_INDEX } from './page-files.ts'
import { buildSearchIndex } from './search-index.ts'

/** Everything the guides' routes serve, as text. */
export interface Library {
  /** HTML of the list of guides. */
  list: string
  /** HTML of each guide, by name. */
  pages: Record<string, string>
  /** The search index, as JSON. */
  index: string
}

interface Sources {
  names: readonly string[]
  /** The service's own base URL, with /v1. */
  baseUrl: string
  /** Base URLs of the deployments that are known. */
  deploymentUrls: DeploymentUrls
  links: readonly BarLink[]
}

const FOLDER = new URL('../../../docs/guides/', import.meta.url)
/** This guide names the addresses of both deployments; the others name only the one that serves them. */
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
