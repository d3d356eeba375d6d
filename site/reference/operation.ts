import { escapeHtml } from '../../src/pages/html.ts'
import type { ClientSample } from '../client-samples.ts'
import { renderHeading } from '../markdown/markdown.ts'
import { renderSample, renderSamples } from '../markdown/samples.ts'
import { renderConsole, type Target } from './console.ts'
import { type Body, JSON_TYPE, type Operation, type Response, type Schema } from './document.ts'
import { examplesOf, successOf } from './example.ts'
import { requestSamples, type Variables } from './request-samples.ts'
import { renderParameters, renderSchema, renderType } from './schema.ts'
import { renderText } from './text.ts'

export interface Sampling extends Variables, Target {
  /** Shell commands that set the variables. */
  setUp: string
  /** By the ids of their operations, where the API has clients. */
  client?: Readonly<Record<string, ClientSample>>
}

const PLACES = { path: 'Path', query: 'Query', header: 'Headers' } as const

/** Renders an operation: its inputs and responses, and next to them samples with their response. */
export function renderOperation(
  operation: Operation,
  schemas: Readonly<Record<string, Schema>>,
  sampling: Sampling,
): string {
  const { operationId, summary, description, method, path, deprecated, requestBody } = operation
  const badge = deprecated ? ' <span class="deprecated">deprecated</span>' : ''
  return `<section class="operation beside">
<div>
${renderHeading(escapeHtml(summary), 3, { anchor: operationId, text: summary })}<p class="endpoint">${renderMethod(method)} <code>${breakable(`/${sampling.base}${path}`)}</code>${badge}</p>
${description === summary ? '' : `<p>${renderText(description)}</p>`}
${renderInputs(operation)}
${requestBody ? renderBody(requestBody, schemas) : ''}
${renderResponses(operation)}
${renderConsole(operation, sampling)}
</div>
<div class="samples-beside">
${renderExamples(operation, sampling)}</div>
</section>
`
}

function renderBody({ description, content }: Body, schemas: Readonly<Record<string, Schema>>): string {
  const text = description ? `<p>${renderText(description)}</p>\n` : ''
  const json = content[JSON_TYPE]
  return `<h4>Body</h4>\n${text}${json ? renderSchema(json.schema, schemas) : `<p>${renderTypes(content)}</p>\n`}`
}

function renderTypes(content: Body['content']): string {
  return Object.keys(content)
    .map(type => `<code>${escapeHtml(type)}</code>`)
    .join(' or ')
}

export function renderMethod(method: string): string {
  return `<span class="method ${method.toLowerCase()}">${method}</span>`
}

function renderInputs({ parameters = [] }: Operation): string {
  return Object.entries(PLACES)
    .map(([place, title]) => {
      const own = parameters.filter(parameter => parameter.in === place)
      return own.length === 0 ? '' : `<h4>${title}</h4>\n${renderParameters(own)}`
    })
    .join('\n')
}

function renderResponses(operation: Operation): string {
  const success = successOf(operation)
  const { [success]: answer, ...others } = operation.responses
  const { content, headers = {}, description } = answer as Response
  const json = content?.[JSON_TYPE]
  const type = content ? ` <span class="type">${json ? renderType(json.schema) : renderTypes(content)}</span>` : ''
  const text = description === operation.summary ? '' : `<p>${renderText(description)}</p>`
  return `<h4>Responses</h4>
<ul class="members"><li><span class="status">${success}</span>${type}${text}</li></ul>
${renderHeaders(headers)}
${renderErrors(others)}`
}

function renderHeaders(headers: NonNullable<Response['headers']>): string {
  const items = Object.entries(headers).map(
    ([name, { description }]) => `<li><code class="member">${name}</code><p>${renderText(description)}</p></li>`,
  )
  return `<details class="more"><summary>Response headers</summary><ul class="members">${items.join('\n')}</ul></details>`
}

function renderErrors(responses: Readonly<Record<string, Response>>): string {
  const items = Object.entries(responses).map(
    ([status, { description }]) => `<li><span class="status">${status}</span><p>${renderText(description)}</p></li>`,
  )
  const statuses = Object.keys(responses).join(', ')
  return `<details class="more"><summary>Other responses: ${statuses}</summary><ul class="members">${items.join('\n')}</ul></details>`
}

/** Renders the first example as a call in every language, with its response; of other examples, only the bodies. */
function renderExamples(operation: Operation, sampling: Sampling): string {
  const [first, ...furtherExamples] = examplesOf(operation)
  if (!first) return ''
  const ours = Object.entries(sampling.client?.[operation.operationId] ?? {}).map(([lang, text]) => ({ lang, text }))
  const others = requestSamples(operation, first, sampling).filter(({ lang }) => !ours.some(our => our.lang === lang))
  const bodies = furtherExamples.flatMap(({ name, summary = name, body, response }) => [
    ...(body ? [renderValue(`Body: ${summary}`, body)] : []),
    ...(response ? [renderValue(`Response: ${summary}`, response)] : []),
  ])
  const more =
    bodies.length > 0 ? `<details class="more"><summary>More examples</summary>${bodies.join('')}</details>\n` : ''
  const response = first.response ? renderValue(`Response ${successOf(operation)}`, first.response) : ''
  return renderSamples([...ours, ...others]) + response + more
}

function renderValue(caption: string, value: unknown): string {
  if (typeof value === 'string') return renderSample({ lang: 'text', text: value }, caption)
  return renderSample({ lang: 'json', text: JSON.stringify(value, null, 2) }, caption)
}

/** Allows line breaks after the slashes of a path. */
function breakable(path: string): string {
  return escapeHtml(path).replaceAll(/\/(?=.)/g, '/<wbr>')
}
