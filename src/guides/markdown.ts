import { Marked, type Token, type Tokens } from 'marked'
import { escapeHtml } from '../http/docs-assets/html.ts'
import type { Heading } from './guide.ts'
import { groupSamples, renderSample, renderSamples, type SampleGroup } from './samples.ts'

/** Where a link may lead: another site, or a place of these pages. */
const SAFE_ADDRESS = /^(?:https?:\/\/|[#/.]|[\w-]+(?:\.md)?(?:#|$))/

/** HTML of a guide's blocks; consecutive samples in several languages become one. */
export function renderBlocks(blocks: readonly Token[], headings: ReadonlyMap<Token, Heading>): string {
  const marked = new Marked({
    renderer: {
      html: ({ raw }) => escapeHtml(raw),
      image: ({ raw }) => escapeHtml(raw),
      code: renderSample,
      heading(token) {
        return renderHeading(this.parser.parseInline(token.tokens), token.depth, headings.get(token)?.anchor)
      },
      link({ href, tokens }) {
        return renderLink(href, this.parser.parseInline(tokens))
      },
      table(token) {
        return renderTable(token, cell => this.parser.parseInline(cell.tokens))
      },
    },
  })
  return groupSamples(blocks)
    .map(block => (isGroup(block) ? renderSamples(block) : marked.parser([block])))
    .join('')
}

export function renderInline(tokens: Token[] = []): string {
  const paragraph = renderBlocks([{ type: 'paragraph', raw: '', text: '', tokens }], new Map())
  return paragraph.replace(/^<p>(.*)<\/p>\s*$/s, '$1')
}

function isGroup(block: Token | SampleGroup): block is SampleGroup {
  return block.type === 'samples'
}

function renderHeading(html: string, depth: number, anchor = ''): string {
  const link = `<a class="anchor" href="#${anchor}" aria-label="Link to this section">#</a>`
  return `<h${depth} id="${anchor}">${html}${link}</h${depth}>\n`
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
  return `<div class="table"><table>
<thead>${row(header, 'th')}</thead>
<tbody>${body}</tbody>
</table></div>\n`
}
