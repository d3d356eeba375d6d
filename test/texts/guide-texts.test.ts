import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { posix } from 'node:path'
import { test } from 'node:test'
import { errorOf } from '../../client/src/answer.ts'
import * as client from '../../client/src/index.ts'
import { GUIDES, OPERATOR_GUIDES } from '../../site/guides/guides.ts'
import { PUBLIC_ERRORS, type PublicErrorCode } from '../../src/schema/error-codes.ts'
import { CODE } from '../samples/sample-texts.ts'
import {
  codesIn,
  GUIDE_FILES,
  ROOT,
  readPage,
  sectionOf,
  TEXTS,
  tableIn,
  tablesIn,
  textOf,
} from '../support/guide-texts.ts'

/** The number of characters that fit between the side columns of a page. */
const LONGEST_LINE = 84

test('every link to another document or a file has a target', () => {
  const lost = [...TEXTS].flatMap(([page, text]) =>
    linksOf(text)
      .filter(link => !leadsSomewhere(page, link))
      .map(link => `${page}: ${link}`),
  )
  assert.deepEqual(lost, [])
})

test('every guide in the folder is served', () => {
  assert.deepEqual(GUIDE_FILES.toSorted(), [...GUIDES, ...OPERATOR_GUIDES.map(name => `operators/${name}`)].toSorted())
})

test('the guide to errors has a section for every code, beginning with its status', () => {
  const statuses = Object.keys(PUBLIC_ERRORS).map(code => {
    const [, status] = /^Status (\d+)\. .+ What to do: /s.exec(sectionOf('errors', code)) ?? []
    return [code, Number(status)]
  })
  assert.deepEqual(
    statuses,
    Object.entries(PUBLIC_ERRORS).map(([code, { status }]) => [code, status]),
  )
  const codes = [...textOf('errors').matchAll(/^### (.+)$/gm)].map(([, code]) => code)
  assert.deepEqual(codes.toSorted(), Object.keys(PUBLIC_ERRORS).toSorted())
})

test('the guide to errors names the error classes of the client for each status', () => {
  const named = tableIn('errors', 'What to do, by status').map(([status, , names = '']) => [status, codesIn(names)])
  assert.deepEqual(named, [
    ['401', [clientErrorOf('invalid_api_key')]],
    ['403', [clientErrorOf('insufficient_scope'), clientErrorOf('https_required')]],
    ['404', [clientErrorOf('pet_not_found')]],
    ['408', [clientErrorOf('request_timeout')]],
    ['409', [clientErrorOf('idempotency_in_progress')]],
    ['429', [clientErrorOf('rate_limit_exceeded'), clientErrorOf('api_key_banned')]],
    ['any other 4xx', [clientErrorOf('invalid_body')]],
    ['any 5xx', [clientErrorOf('service_unavailable')]],
    ['none', [client.NetworkError.name, client.TimeoutError.name]],
  ])
})

test("the client's README lists every error class", () => {
  const [errors = []] = tablesIn(TEXTS.get('client/README.md') ?? '')
  const classes = Object.keys(client).filter(name => name.endsWith('Error') && name !== client.PetstoreError.name)
  assert.deepEqual(
    errors
      .slice(1)
      .flatMap(([name = '']) => codesIn(name))
      .toSorted(),
    classes.toSorted(),
  )
})

test('only the guides to authentication and staging show the prefixes of keys, because guides are read on every deployment', () => {
  const telling = GUIDES.filter(guide => /petstore_(?:live|test)_/.test(textOf(guide)))
  assert.deepEqual(telling, ['authentication', 'staging'])
})

test('only the guide to staging names the address of staging', () => {
  assert.deepEqual(
    GUIDES.filter(guide => textOf(guide).includes('staging.petstore.example')),
    ['staging'],
  )
})

test('no document installs a client by its name alone, which anyone may register', () => {
  const byName = /(?:npm (?:i|install)|pip install) ['"]?(?:@petstore\/client|petstore[-_]client(?!\S*\.(?:tgz|whl)))/
  for (const [page, text] of TEXTS) assert.doesNotMatch(text, byName, page)
})

test('no line of a sample is too long for its page', () => {
  const samples = CODE.flatMap(code => code.samples).filter(({ file }) => file.startsWith('docs/guides/'))
  const lines = samples.flatMap(({ place, code }) => code.split('\n').map(line => ({ place, line })))
  assert.deepEqual(
    lines.filter(({ line }) => line.length > LONGEST_LINE),
    [],
  )
})

function linksOf(text: string): string[] {
  const prose = text.replaceAll(/^```.*?^```$|`[^`\n]*`/gms, '')
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link).filter(link => !/^https?:/.test(link))
}

function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  // As in a repository, an absolute link starts at the root.
  const base = path.startsWith('/') ? '' : posix.dirname(page)
  const target = path === '' ? page : posix.join(base, path).replace(/^\//, '')
  if (anchor === undefined) return globSync(target.replace(/\/$/, ''), { cwd: ROOT }).length > 0
  return TEXTS.has(target) && readPage(target).headings.some(heading => heading.anchor === anchor)
}

function clientErrorOf(code: PublicErrorCode): string {
  const { status } = PUBLIC_ERRORS[code]
  const text = JSON.stringify({ code, message: '', status })
  const baseUrl = 'https://petstore.example/v1'
  return errorOf({ baseUrl, status, headers: new Headers(), text, receivedAt: 0, maxWaitMs: 0, requestId: '' }).name
}
