import { shellQuote } from '../../src/domain/shell-quote.ts'
import type { Sample } from '../markdown/samples.ts'
import { JSON_TYPE, type Operation } from './document.ts'
import { type Example, successOf } from './example.ts'

export interface Variables {
  /** Contains the base address. */
  url: string
  /** Contains the API key or the token. */
  credential: string
}

/** The same call with curl and with Python's requests library. Each sample is complete except for the variables. */
export function requestSamples(operation: Operation, example: Example, variables: Variables): Sample[] {
  return [
    { lang: 'sh', text: curl(operation, example, variables) },
    { lang: 'python', text: python(operation, example, variables) },
  ]
}

function curl(
  operation: Operation,
  { path, query, headers, body, bodyType }: Example,
  { url, credential }: Variables,
): string {
  const { method, isOpen } = operation
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
  const address = `$${url}${fillIn(operation.path, path)}${search.size > 0 ? `?${search}` : ''}`
  const isImplied = method === 'GET' || (method === 'POST' && body)
  const program = `curl -sS${isEndless(operation) ? 'N' : ''} --fail-with-body${isImplied ? '' : ` -X ${method}`}`
  const opening = `${program} "${address}"`
  const lines = [
    ...(opening.length <= MAX_OPENING ? [opening] : [program, `"${address}"`]),
    ...(isOpen ? [] : [`-H "Authorization: Bearer $${credential}"`]),
    ...Object.entries(headers).map(([name, value]) => `-H ${shellQuote(`${name}: ${value}`)}`),
    ...(body ? [`-H 'Content-Type: ${bodyType}'`, shellBody(body, credential)] : []),
  ]
  return lines.join(' \\\n  ')
}

/** Replaces a placeholder in the body with the credential. */
function shellBody(body: unknown, credential: string): string {
  if (typeof body === 'string') return `--data-binary ${shellQuote(body)}`
  const text = JSON.stringify(body, null, 2)
  const line = text.replaceAll(/\n */g, ' ')
  return `-d ${shellQuote(line.length <= MAX_LINE ? line : text).replaceAll(PLACEHOLDER, `"'"$${credential}"'"`)}`
}

function python(
  operation: Operation,
  { path, query, headers, body, bodyType }: Example,
  { url, credential }: Variables,
): string {
  const isText = typeof body === 'string'
  const sent = [
    ...(operation.isOpen ? [] : [`'Authorization': f'Bearer {${CREDENTIAL}}'`]),
    ...entriesOf(isText ? { ...headers, 'Content-Type': bodyType } : headers),
  ]
  const options = [
    ...(sent.length > 0 ? [`headers={${sent.join(', ')}},`] : []),
    ...(Object.keys(query).length > 0 ? [`params=${literal(withoutBooleans(query), 1)},`] : []),
    ...(body ? [`${isText ? 'data' : 'json'}=${literal(body, 1)},`] : []),
    ...(isEndless(operation) ? ['stream=True,'] : []),
    'timeout=30,',
  ]
  const { content } = operation.responses[successOf(operation)] ?? {}
  const answer = !content ? 'response.status_code' : content[JSON_TYPE] ? 'response.json()' : 'response.text'
  return [
    'import os',
    'import requests',
    '',
    `${CREDENTIAL} = os.environ['${credential}']`,
    `response = requests.${operation.method.toLowerCase()}(`,
    `    os.environ['${url}'] + '${fillIn(operation.path, path)}',`,
    ...options.map(option => `    ${option}`),
    ')',
    'response.raise_for_status()',
    ...(isEndless(operation)
      ? ['for line in response.iter_lines(decode_unicode=True):', '    print(line)']
      : [`print(${answer})`]),
  ].join('\n')
}

/** Python would send `True`. */
function withoutBooleans(query: Example['query']): Example['query'] {
  const entries = Object.entries(query).map(([name, value]) => [
    name,
    typeof value === 'boolean' ? String(value) : value,
  ])
  return Object.fromEntries(entries)
}

function isEndless(operation: Operation): boolean {
  const { content = {} } = operation.responses[successOf(operation)] ?? {}
  return 'text/event-stream' in content
}

/** Longer values are split into several lines, because samples share the page width with the text. */
const MAX_LINE = 48
const MAX_OPENING = 58
/** The variable for the key or the token in Python samples. */
const CREDENTIAL = 'secret'
const PLACEHOLDER = /"<[A-Z_]+>"/g

/** A value in Python syntax. A long object has one line per member. */
function literal(value: unknown, depth = 0): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'string') {
    const text = JSON.stringify(value)
    if (new RegExp(PLACEHOLDER).test(text)) return CREDENTIAL
    return /['\\]/.test(text.slice(1, -1)) ? text : `'${value}'`
  }
  if (Array.isArray(value)) return `[${value.map(item => literal(item, depth)).join(', ')}]`
  if (typeof value !== 'object') return String(value)
  const line = `{${entriesOf(value).join(', ')}}`
  if (line.length <= MAX_LINE) return line
  const indent = '    '.repeat(depth + 1)
  const members = entriesOf(value, depth + 1).map(entry => `${indent}${entry},\n`)
  return `{\n${members.join('')}${'    '.repeat(depth)}}`
}

function entriesOf(values: object, depth = 0): string[] {
  return Object.entries(values).map(([name, value]) => `${literal(name)}: ${literal(value, depth)}`)
}

function fillIn(path: string, values: Readonly<Record<string, unknown>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name) => String(values[name]))
}
