import { Lexer } from 'marked'
import { type Heading, type Pictures, renderBlocks, renderInline } from '../markdown/markdown.ts'
import { findHeadings, isHeading, type Section, splitSections } from '../markdown/sections.ts'
import { textOf } from '../markdown/text.ts'

/** One guide, read from its Markdown. */
export interface Guide {
  /** The last segment of its path. */
  name: string
  title: string
  /** Its first paragraph, as text and as HTML. */
  summary: string
  summaryHtml: string
  /** HTML of everything after the summary. */
  html: string
  /** Its headings below the title, in order. */
  headings: readonly Heading[]
  /** Its text, split at the headings; the first section comes before any heading. */
  sections: readonly Section[]
}

/**
 * @param pictures the pictures, by file name; any other image is shown as its Markdown
 * @throws Error if the Markdown does not begin with a title and a summary
 */
export function parseGuide(name: string, markdown: string, pictures: Pictures = {}): Guide {
  const [title, summary, ...blocks] = Lexer.lex(markdown).filter(({ type }) => type !== 'space')
  if (!isHeading(title) || title.depth !== 1) throw new Error(`The guide ${name} does not begin with a title.`)
  if (summary?.type !== 'paragraph') throw new Error(`The guide ${name} has no summary below its title.`)

  const headings = findHeadings(blocks)
  return {
    name,
    title: textOf(title),
    summary: textOf(summary),
    summaryHtml: renderInline(summary.tokens ?? [], pageAddress),
    html: renderBlocks(blocks, pageAddress, { headings, pictures }),
    headings: [...headings.values()],
    sections: splitSections([summary, ...blocks], headings),
  }
}

/** Allowed link targets: other sites, and these pages. */
const SAFE_ADDRESS = /^(?:https?:\/\/|[#/.]|[\w-]+(?:\.md)?(?:#|$))/

/** In Markdown, guides link to each other's files, so that the links also work in the repository. */
function pageAddress(href: string): string | undefined {
  if (!SAFE_ADDRESS.test(href)) return undefined
  if (href.startsWith('/')) return `../..${href}`
  return href.replace(/^(?:\.\/)?([\w-]+)\.md(?=#|$)/, '$1')
}
