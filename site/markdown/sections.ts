import type { Token, Tokens } from 'marked'
import type { Heading } from './markdown.ts'
import { textOf } from './text.ts'

/** The text below a heading, up to the next one. */
export interface Section {
  /** Undefined before the first heading. */
  heading: Heading | undefined
  text: string
}

export function isHeading(token: Token | undefined): token is Tokens.Heading {
  return token?.type === 'heading'
}

/** The headings among the blocks, each with a unique anchor. */
export function findHeadings(blocks: readonly Token[]): ReadonlyMap<Token, Heading> {
  const taken = new Set<string>()
  const headings = new Map<Token, Heading>()
  for (const block of blocks.filter(isHeading)) {
    const text = textOf(block)
    headings.set(block, { depth: block.depth, text, anchor: makeAnchor(text, taken) })
  }
  return headings
}

/** The text of blocks, split at these headings. The first section comes before any heading. */
export function splitSections(blocks: readonly Token[], headings: ReadonlyMap<Token, Heading>): Section[] {
  const parts: { heading: Heading | undefined; texts: string[] }[] = [{ heading: undefined, texts: [] }]
  for (const block of blocks) {
    const heading = headings.get(block)
    if (heading) parts.push({ heading, texts: [] })
    else parts.at(-1)?.texts.push(textOf(block))
  }
  return parts.map(({ heading, texts }) => ({ heading, text: texts.filter(Boolean).join(' ') }))
}

/** Makes the id of a heading, other than those of the page's earlier headings. It is the same as on GitHub, so that links work in both places. */
function makeAnchor(heading: string, taken: Set<string>): string {
  const slug = heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
    .replaceAll(' ', '-')
  let anchor = slug
  for (let repeated = 1; taken.has(anchor); repeated++) anchor = `${slug}-${repeated}`
  taken.add(anchor)
  return anchor
}
