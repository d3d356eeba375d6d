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
  const anchors = new Anchors()
  const headings = new Map<Token, Heading>()
  for (const block of blocks.filter(isHeading)) {
    const text = textOf(block)
    headings.set(block, { depth: block.depth, text, anchor: anchors.make(text) })
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

/** Makes the ids of a page's headings. They are the same as on GitHub, so that links work in both places. */
class Anchors {
  readonly #taken = new Set<string>()

  make(heading: string): string {
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
      .replaceAll(' ', '-')
    let anchor = slug
    for (let repeated = 1; this.#taken.has(anchor); repeated++) anchor = `${slug}-${repeated}`
    this.#taken.add(anchor)
    return anchor
  }
}
