import { Marked, Parser, type Token, type Tokens } from 'marked'
import { escapeHtml } from '../../src/pages/html.ts'
import { groupSamples, renderSample, renderSamples, type SampleGroup } from './samples.ts'
import { cellText } from './text.ts'

export interface Heading {
  depth: number
  text: string
  /** Its id on the page. */
  anchor: string
}

/** Returns the address on the page for a link in the Markdown; undefined if it must not become a link. */
export type ResolveLink = (href: string) => string | undefined

export interface Picture {
  light: string
  dark: string
}

export type Pictures = Readonly<Record<string, Picture>>

interface Parts {
  headings?: ReadonlyMap<Token, Heading>
  pictures?: Pictures
}

/** Renders blocks as HTML; consecutive samples in several languages become one group. */
export function renderBlocks(blocks: readonly Token[], resolveLink: ResolveLink, parts: Parts = {}): string {
  const { defaults } = buildMarked(resolveLink, parts)
  return groupSamples(blocks)
    .map(block => (isGroup(block) ? renderSamples(block.samples) : Parser.parse([block], defaults)))
    .join('')
}

export function renderInline(tokens: Token[], resolveLink: ResolveLink): string {
  return Parser.parseInline(tokens, buildMarked(resolveLink).defaults)
}

function buildMarked(resolveLink: ResolveLink, { headings, pictures = {} }: Parts = {}): Marked {
  return new Marked({
    renderer: {
      html: ({ raw }) => escapeHtml(raw),
      image: ({ raw, href, text }) =>
        Object.hasOwn(pictures, href) ? renderPicture(text, pictures[href] as Picture) : escapeHtml(raw),
      code: token => renderSample(token),
      heading(token) {
        return renderHeading(this.parser.parseInline(token.tokens), token.depth, headings?.get(token))
      },
      link({ href, tokens }) {
        const html = this.parser.parseInline(tokens)
        const address = resolveLink(href)
        return address === undefined ? html : `<a href="${escapeHtml(address)}">${html}</a>`
      },
      table(token) {
        return renderTable(token, cell => breakNames(this.parser.parseInline(cell.tokens)))
      },
    },
  })
}

function isGroup(block: Token | SampleGroup): block is SampleGroup {
  return block.type === 'samples'
}

/** The link to a heading is next to it, not in it, so that the heading's accessible name is only its text. */
export function renderHeading(html: string, depth: number, heading?: Omit<Heading, 'depth'>): string {
  if (!heading) return `<h${depth}>${html}</h${depth}>\n`
  const { anchor, text } = heading
  const label = escapeHtml(`Link to “${text}”`)
  return `<div class="heading"><h${depth} id="${anchor}">${html}</h${depth}><a class="anchor" href="#${anchor}" aria-label="${label}">#</a></div>\n`
}

/** The page contains both images, and CSS shows one, because readers can choose the theme. The hidden one is not loaded. */
function renderPicture(text: string, { light, dark }: Picture): string {
  const image = (address: string, theme: string) =>
    `<img class="picture on-${theme}" src="${escapeHtml(address)}" alt="${escapeHtml(text)}" width="1200" height="750" loading="lazy">`
  return image(light, 'light') + image(dark, 'dark')
}

function renderTable({ header, rows }: Tokens.Table, renderCell: (cell: Tokens.TableCell) => string): string {
  const row = (cells: readonly Tokens.TableCell[], tag: 'th' | 'td') =>
    `<tr>${cells.map(cell => `<${tag}>${renderCell(cell)}</${tag}>`).join('')}</tr>`
  const body = rows.map(cells => row(cells, 'td')).join('\n')
  // A wide table can be scrolled, also with the keyboard.
  const label = escapeHtml(`Table: ${header.map(cellText).join(', ')}`)
  return `<div class="table" role="group" aria-label="${label}" tabindex="0"><table>
<thead>${row(header, 'th')}</thead>
<tbody>${body}</tbody>
</table></div>\n`
}

/** Allows line breaks between the words of a long name, for narrow columns. Browsers already break at hyphens. */
function breakNames(html: string): string {
  return html.replaceAll(/<code>[^<-]*</g, code => code.replaceAll(/(?<=[a-z])(?=[A-Z])|(?<=_)/g, '<wbr>'))
}
