import { Lexer, type Token } from 'marked'
import { escapeHtml } from '../../src/pages/html.ts'
import { CLIENTS_PATH } from '../../src/pages/paths.ts'
import { type Frame, renderFrame } from '../frame.ts'
import { type Heading, renderBlocks, renderHeading } from '../markdown/markdown.ts'
import { renderSample } from '../markdown/samples.ts'
import { findHeadings, isHeading, splitSections } from '../markdown/sections.ts'
import { textOf } from '../markdown/text.ts'
import type { Place } from '../search-index.ts'
import { type Document, type Operation, operationsOf, type Schema } from './document.ts'
import { renderMethod, renderOperation, type Sampling } from './operation.ts'
import { renderSchema } from './schema.ts'
import { renderText, resolveLink } from './text.ts'

/** The reference of an API, built from its OpenAPI document: a page, and entries for the search. */
export interface Reference {
  places: readonly Place[]
  render(frame: Frame): string
}

const SCHEMAS = { anchor: 'schemas', text: 'Schemas' }
const RULES = { anchor: 'all-operations', text: 'All operations' }

export function buildReference(document: Document, sampling: Sampling): Reference {
  const operations = operationsOf(document)
  const { schemas } = document.components
  const rules = readRules(document.info.description)

  function render(frame: Frame): string {
    const menu = renderMenu(document, operations, rules)
    return renderFrame(frame, {
      root: '',
      title: 'Reference',
      description: document.info.summary,
      current: 'docs',
      footer: [['openapi.json', 'OpenAPI document']],
      hasConsole: true,
      content: `<div class="columns reference">
<nav class="menu contents wide" aria-label="Reference">${menu}</nav>
<main>
<div class="narrow"><details><summary>On this page</summary><nav aria-label="On this page">${menu}</nav></details></div>
<article id="content" tabindex="-1">
<h1>Reference</h1>
<div class="beside">
<div class="introduction">
${renderBlocks(rules.before, resolveLink)}</div>
<div>
<p>The samples read two environment variables${sampling.client ? `, and those in TypeScript and Python use our <a href="${CLIENTS_PATH.slice(1)}">clients</a>` : ''}:</p>
${renderSample({ lang: 'console', text: sampling.setUp })}</div>
</div>
${renderOverview(operations)}
${document.tags.map(renderTag).join('')}
${renderHeading(SCHEMAS.text, 2, SCHEMAS)}
${Object.entries(schemas).map(renderNamed).join('')}
${rules.blocks.length > 0 ? renderHeading(RULES.text, 2, RULES) : ''}${renderBlocks(rules.blocks, resolveLink, { headings: rules.headings })}
</article>
</main>
</div>`,
    })
  }
  return { places: placesOf(operations, schemas, rules), render }

  function renderTag({ name, description }: Document['tags'][number]): string {
    const own = operations.filter(({ tags }) => tags.includes(name))
    const heading = renderHeading(escapeHtml(name), 2, { anchor: anchorOfTag(name), text: name })
    return `${heading}<p>${renderText(description)}</p>\n${own.map(one => renderOperation(one, schemas, sampling)).join('')}`
  }

  function renderNamed([name, schema]: [string, Schema]): string {
    const text = schema.description ? `<p>${renderText(schema.description)}</p>` : ''
    const heading = renderHeading(`<code>${name}</code>`, 3, { anchor: anchorOfSchema(name), text: name })
    return `<section class="schema">${heading}${text}\n${renderSchema(schema, {})}</section>\n`
  }
}

function anchorOfTag(name: string): string {
  return `tag-${name.toLowerCase().replaceAll(' ', '-')}`
}

function anchorOfSchema(name: string): string {
  return `schema-${name}`
}

/** The rules that apply to all operations, from the description of the document. */
interface Rules {
  /** The text before the first heading. */
  before: readonly Token[]
  blocks: readonly Token[]
  headings: ReadonlyMap<Token, Heading>
}

function readRules(description: string): Rules {
  // On the page, the headings of the description are one level deeper.
  const tokens = Lexer.lex(description).map(token => (isHeading(token) ? { ...token, depth: token.depth + 1 } : token))
  const headings = findHeadings(tokens)
  const first = tokens.findIndex(isHeading)
  return first < 0
    ? { before: tokens, blocks: [], headings }
    : { before: tokens.slice(0, first), blocks: tokens.slice(first), headings }
}

function renderMenu({ tags, components }: Document, operations: readonly Operation[], { headings }: Rules): string {
  const link = (anchor: string, label: string, depth: number) =>
    `<li class="depth-${depth}"><a href="#${anchor}">${escapeHtml(label)}</a></li>`
  const items = [
    ...tags.flatMap(({ name }) => [
      link(anchorOfTag(name), name, 2),
      ...operations
        .filter(operation => operation.tags.includes(name))
        .map(({ operationId, summary }) => link(operationId, summary, 3)),
    ]),
    link(SCHEMAS.anchor, SCHEMAS.text, 2),
    ...Object.keys(components.schemas).map(name => link(anchorOfSchema(name), name, 3)),
    ...(headings.size > 0 ? [link(RULES.anchor, RULES.text, 2)] : []),
    ...[...headings.values()].map(({ anchor, text, depth }) => link(anchor, text, depth)),
  ]
  return `<ul class="links">${items.join('')}</ul>`
}

function renderOverview(operations: readonly Operation[]): string {
  const items = operations.map(
    ({ operationId, summary, method, path, deprecated }) =>
      `<li>${renderMethod(method)} <a href="#${operationId}"><code>${escapeHtml(path)}</code></a> <span>${escapeHtml(summary)}${deprecated ? ' (deprecated)' : ''}</span></li>`,
  )
  return `<ul class="overview">${items.join('\n')}</ul>`
}

function placesOf(operations: readonly Operation[], schemas: Readonly<Record<string, Schema>>, rules: Rules): Place[] {
  const place = (anchor: string, heading: string, text: string, words = ''): Place => ({
    href: `docs#${anchor}`,
    page: 'Reference',
    heading,
    text,
    words,
  })
  return [
    ...operations.map(({ operationId, summary, description, method, path, parameters = [] }) => {
      const own = description === summary ? '' : plain(description)
      return place(
        operationId,
        summary,
        `${method} ${path}. ${own}`,
        [operationId, ...parameters.map(({ name }) => name)].join(' '),
      )
    }),
    ...Object.entries(schemas).map(([name, { description = '', properties = {} }]) =>
      place(anchorOfSchema(name), name, plain(description), Object.keys(properties).join(' ')),
    ),
    ...splitSections(rules.blocks, rules.headings).flatMap(({ heading, text }) =>
      heading ? [place(heading.anchor, heading.text, text)] : [],
    ),
  ]
}

function plain(markdown: string): string {
  return Lexer.lexInline(markdown).map(textOf).join('')
}
