import { readFileSync } from 'node:fs'
import { placeholder } from '../../src/pages/placeholders.ts'
import type { Pictures } from '../markdown/markdown.ts'
import { type Guide, parseGuide } from './guide.ts'
import { GUIDES, OPERATOR_GUIDES } from './guides.ts'
import { nameAddresses } from './name-addresses.ts'

/** A guide and its Markdown, with placeholders for the addresses of the service. */
export interface GuideText {
  guide: Guide
  markdown: string
}

const FOLDER = new URL('../../docs/guides/', import.meta.url)
/** This guide has the addresses of both deployments; the others have only that of the deployment that serves them. */
const OF_BOTH = 'staging'

export function readGuides(): GuideText[] {
  const both = { production: placeholder('production'), staging: placeholder('staging') }
  return GUIDES.map(name => {
    const roots = name === OF_BOTH ? both : { production: placeholder('service') }
    const markdown = nameAddresses(readFileSync(new URL(`${name}.md`, FOLDER), 'utf8'), roots)
    return { guide: parseGuide(name, markdown), markdown }
  })
}

export function readOperatorGuides(pictures: Pictures): GuideText[] {
  return OPERATOR_GUIDES.map(name => {
    const markdown = readFileSync(new URL(`operators/${name}.md`, FOLDER), 'utf8')
    return { guide: parseGuide(name, markdown, pictures), markdown }
  })
}
