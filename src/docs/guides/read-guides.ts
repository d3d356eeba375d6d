import { readFile } from 'node:fs/promises'
import type { Pictures } from '../markdown/markdown.ts'
import { type Guide, parseGuide } from './guide.ts'
import { GUIDES, OPERATOR_GUIDES } from './guides.ts'
import { type DeploymentUrls, nameAddresses } from './name-addresses.ts'

/** A guide and its Markdown, with the addresses of this service. */
export interface GuideText {
  guide: Guide
  markdown: string
}

const FOLDER = new URL('../../../docs/guides/', import.meta.url)
/** This guide has the addresses of both deployments; the others have only that of the deployment that serves them. */
const OF_BOTH = 'staging'

/** @param baseUrl the service's own base URL, with /v1 */
export function readGuides(baseUrl: string, deploymentUrls: DeploymentUrls): Promise<GuideText[]> {
  return Promise.all(
    GUIDES.map(async name => {
      const source = await readFile(new URL(`${name}.md`, FOLDER), 'utf8')
      const markdown = nameAddresses(source, name === OF_BOTH ? deploymentUrls : { production: baseUrl })
      return { guide: parseGuide(name, markdown), markdown }
    }),
  )
}

export function readOperatorGuides(pictures: Pictures): Promise<GuideText[]> {
  return Promise.all(
    OPERATOR_GUIDES.map(async name => {
      const markdown = await readFile(new URL(`operators/${name}.md`, FOLDER), 'utf8')
      return { guide: parseGuide(name, markdown, pictures), markdown }
    }),
  )
}
