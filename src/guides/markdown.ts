import { Marked, Parser, type Token, type Tokens } from 'marked'
import { escapeHtml } from '../http/docs-assets/html.ts'
import type { Heading } from './guide.ts'
import { groupSamples, renderSample, renderSamples, type SampleGroup } from './samples.ts'
import { cellText } from './text.ts'

/** Where a link may lead: another site, or a place of these pages. */
const SAFE_ADDRESS = /^(?:https?:\/\/|[#/.]|[\w-]+(?:\.md)?(?:#|$))/

/** HTML of a guide's blocks; consecutive samples in several languages become one. */
export function renderBlocks(blocks: readonly Token[], headings: ReadonlyMap<Token, Heading>): string {
  const { defaults } = buildMarked(headings)
  return groupSamples(blocks)
    .map(block => (isGroup(block) ? renderSamples(block) : Parser.parse([block], defaults)))
    .join('')
}

export function renderInline(tokens: Token[] = []): string {
  return Parser.parseInline(tokens, buildMarked().defaults)
}

function buildMarked(headings?: ReadonlyMap<Token, Heading>): Marked {
  return new Marked({
    renderer: {
      html: ({ raw }) => escapeHtml(raw),
      image: ({ raw }) => escapeHtml(raw),
      code: renderSample,
      heading(token) {
        return renderHeading(this.parser.parseInline(token.tokens), token.depth, headings?.get(token))
      },
      link({ href, tokens }) {
        return renderLink(href, this.parser.parseInline(tokens))
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

/** The link to it stands beside it, so that the heading's name is its text alone. */
function renderHeading(html: string, depth: number, heading?: Heading): string {
  if (!heading) return `<h${depth}>${html}</h${depth}>\n`
  const { anchor, text } = heading
  const label = escapeHtml(`Link to “${text}”`)
  return `<div class="heading"><h${depth} id="${anchor}">${html}</h${depth}><a class="anchor" href="#${anchor}" aria-label="${label}">#</a></div>\n`
}

function renderLink(href: string, html: string): string {
  if (!SAFE_ADDRESS.test(href)) return html
  return `<a href="${escapeHtml(pageAddress(href))}">${html}</a>`
}

/** Guides refer to each other by their files, so that the links work where the files are read, too. */
function pageAddress(href: string): string {
  if (href.startsWith('/')) return `../..${href}`
  return href.replace(/^(?:\.\/)?([\w-]+)\.md(?=#|$)/, '$1')
}

function renderTable({ header, rows }: Tokens.Table, renderCell: (cell: Tokens.TableCell) => string): string {
  const row = (cells: readonly Tokens.TableCell[], tag: 'th' | 'td') =>
    `<tr>${cells.map(cell => `<${tag}>${renderCell(cell)}</${tag}>`).join('')}</tr>`
  const body = rows.map(cells => row(cells, 'td')).join('\n')
  // Where it is too wide after all, it can be scrolled by keyboard, too.
  const label = escapeHtml(`Table: ${header.map(cellText).join(', ')}`)
  return `<div class="table" role="group" aria-label="${label}" tabindex="0"><table>
<thead>${row(header, 'th')}</thead>
<tbody>${body}</tbody>
</table></div>\n`
}

/** A name of several words may be broken between them, where a column is narrower than the name; at a hyphen it may be anyway. */
function breakNames(html: string): string {
  return html.replaceAll(/<code>[^<-]*</g, code => code.replaceAll(/(?<=[a-z])(?=[A-Z])|(?<=_)/g, '<wbr>'))
}
