import { readFile } from 'node:fs/promises'
import type { BarLink } from '../http/docs-assets/bar.ts'
import { type Guide, parseGuide } from './guide.ts'
import { renderGuidePage, renderListPage } from './layout.ts'
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
  /** The service's own base address, with /v1, which the pages have in place of the one in the texts. */
  baseUrl: string
  links: readonly BarLink[]
}

const FOLDER = new URL('../../docs/guides/', import.meta.url)
/** Where the service is in the texts. */
const EXAMPLE = 'https://petstore.example/'

export async function buildLibrary({ names, baseUrl, links }: Sources): Promise<Library> {
  const root = baseUrl.replace(/v1$/, '')
  const guides = await Promise.all(names.map(readGuide))
  const pages = guides.map((guide, index) => [guide.name, renderGuidePage({ guides, index, links })])
  return {
    list: renderListPage({ guides, links }),
    pages: Object.fromEntries(pages),
    index: buildSearchIndex(guides),
  }

  async function readGuide(name: string): Promise<Guide> {
    const markdown = await readFile(new URL(`${name}.md`, FOLDER), 'utf8')
    return parseGuide(name, markdown.replaceAll(EXAMPLE, root))
  }
}
