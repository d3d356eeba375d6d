import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { GUIDES } from '../src/docs/guides/guides.ts'
import { assertRefused, call } from './support/call.ts'
import { addressesOf, assertWellFormed, idsOf } from './support/html.ts'
import { startTestService } from './support/service.ts'

// The guides without a browser; guides.servers.test.ts opens them in one.

const publicUrls = { production: 'https://animals.test/shop/v1', staging: 'https://try.animals.test/v1' }
const service = await startTestService({ after }, { config: { publicUrls } })
const PAGES = ['/docs/guides', ...GUIDES.map(name => `/docs/guides/${name}`)]

test('the list has every guide with its summary', async () => {
  const { text: list } = await call(service, { path: '/docs/guides' })
  for (const name of GUIDES) {
    const { text: guide } = await call(service, { path: `/docs/guides/${name}` })
    const title = /<h1>(.+)<\/h1>/.exec(guide)?.[1]
    assert.match(list, new RegExp(`<a href="guides/${name}">${title}</a><p>[^]{20,300}?</p>`))
    assert.ok(guide.includes(`<title>${title} · Petstore API</title>`))
  }
})

test('the pages are well formed, and have nothing inline', async () => {
  for (const path of PAGES) {
    const { text } = await call(service, { path })
    assertWellFormed(text)
    assert.doesNotMatch(text, /<script(?![^>]* src=)|<style|<[^>]* (?:style|on[a-z]+)=/, path)
  }
})

test('every link and every anchor has a target', async () => {
  const pages = new Map<string, string>()
  async function read(path: string): Promise<string> {
    const known = pages.get(path)
    if (known !== undefined) return known
    const response = await fetch(service.url + path, { headers: { Accept: 'text/html' } })
    const text = await response.text()
    assert.equal(response.status, 200, path)
    pages.set(path, text)
    return text
  }
  for (const path of PAGES) {
    for (const address of addressesOf(await read(path))) {
      const { host, pathname, hash } = new URL(address, service.url + path)
      if (host !== new URL(service.url).host) continue
      const target = await read(pathname)
      if (hash) assert.ok(idsOf(target).includes(decodeURIComponent(hash.slice(1))), `${path} leads to ${address}`)
    }
  }
})

test("the guides name the service's own address, and the guide to staging those of both deployments", async t => {
  const example = { production: 'https://petstore.example/v1', staging: 'https://staging.petstore.example/v1' }
  const staging = await startTestService(t, { config: { publicUrls, deployment: 'staging' } })
  const unnamed = await startTestService(t)
  for (const [one, known] of [
    [service, publicUrls],
    [staging, publicUrls],
    [unnamed, { production: unnamed.baseUrl, staging: example.staging }],
  ] as const) {
    const { text } = await call(one, { path: '/docs/guides/quick-start' })
    assert.match(text, new RegExp(`PETSTORE_URL[^\\n]*${RegExp.escape(one.baseUrl)}`))
    for (const path of PAGES) {
      assert.doesNotMatch((await call(one, { path })).text, /https:\/\/petstore\.example\//, path)
    }
    const source = await readFile(new URL('../docs/guides/staging.md', import.meta.url), 'utf8')
    const page = (await call(one, { path: '/docs/guides/staging' })).text.replaceAll(/<[^>]*>/g, '')
    for (const deployment of ['production', 'staging'] as const) {
      assert.equal(timesIn(page, known[deployment]), timesIn(source, example[deployment]), deployment)
    }
  }
})

test('the files of a page may be cached under the address in the page, and under no other', async () => {
  const pages = await Promise.all(PAGES.map(async path => [path, (await call(service, { path })).text] as const))
  const addresses = new Set(
    pages.flatMap(([path, page]) => addressesOf(page).map(address => new URL(address, service.url + path))).map(String),
  )
  const loaded = [...addresses].map(address => new URL(address)).filter(({ search }) => search)
  assert.deepEqual(
    loaded.map(({ pathname }) => pathname).toSorted(),
    ['contents.js', 'icon.svg', 'minisearch.js', 'pages.css', 'samples.js', 'search.js', 'search.json', 'theme.js'].map(
      name => `/docs/${name}`,
    ),
  )
  for (const { pathname, search } of loaded) {
    const kept = await call(service, { path: pathname + search })
    assert.equal(kept.status, 200)
    assert.equal(kept.header('cache-control'), 'public, max-age=31536000, immutable')
    for (const query of ['', '?', `${search}x`, '?AAAAAAAAAAAAAAAAAAAAAAAA']) {
      const answer = await call(service, { path: pathname + query })
      assert.equal(answer.header('cache-control'), 'no-cache', pathname + query)
      assert.deepEqual(answer.body, kept.body)
    }
  }
})

test("a page is sent in the best encoding, is revalidated, and may load only the service's own files", async () => {
  const path = '/docs/guides/limits'
  const plain = await call(service, { path })
  assert.equal(plain.header('content-type'), 'text/html; charset=utf-8')
  assert.equal(plain.header('cache-control'), 'no-cache')
  assert.equal(plain.header('x-content-type-options'), 'nosniff')
  const policy = plain.header('content-security-policy') ?? ''
  assert.doesNotMatch(policy, /unsafe|data:|http|\*/)
  for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"]) {
    assert.ok(policy.split('; ').includes(rule), rule)
  }
  for (const [encoding, decode] of [
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const) {
    const answer = await call(service, { path, headers: { 'Accept-Encoding': encoding } })
    assert.equal(answer.header('content-encoding'), encoding)
    assert.equal(decode(answer.body).toString(), plain.text)
  }
  const again = await call(service, { path, headers: { 'If-None-Match': plain.header('etag') ?? '' } })
  assert.equal(again.status, 304)
  assert.equal(again.body.length, 0)
})

test('there are no other guides, and none for operators', async () => {
  for (const name of ['', '/nothing', '/Limits', '/limits.html', '/Limits.md', '/..%2fcontract', '/__proto__']) {
    const path = `/docs/guides${name}`
    if (name) assertRefused(await call(service, { path }), 'route_not_found')
    assert.equal((await fetch(service.operatorUrl + path)).status, 404)
  }
})

function timesIn(text: string, part: string): number {
  return text.split(part).length - 1
}
