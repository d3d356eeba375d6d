import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { GUIDES, OPERATOR_GUIDES, OPERATOR_PICTURES } from '../site/guides/guides.ts'
import { assertRefused, call } from './support/call.ts'
import { addressesOf, assertWellFormed, idsOf } from './support/html.ts'
import { startTestService } from './support/service.ts'

// The guides without a browser; guides.servers.test.ts opens them in one.

const publicUrls = { production: 'https://animals.test/shop/v1', staging: 'https://try.animals.test/v1' }
const service = await startTestService({ after }, { config: { publicUrls } })
const PAGES = ['/docs/guides', ...GUIDES.map(name => `/docs/guides/${name}`)]

/** The guides of both listeners. */
const LISTENERS = [
  { url: service.url, guides: GUIDES, site: 'Petstore API' },
  { url: service.operatorUrl, guides: OPERATOR_GUIDES, site: 'Petstore for operators' },
]
const URLS = LISTENERS.flatMap(({ url, guides }) => [
  `${url}/docs/guides`,
  ...guides.map(name => `${url}/docs/guides/${name}`),
])

test('the list has every guide with its summary', async () => {
  for (const { url, guides, site } of LISTENERS) {
    const list = await read(`${url}/docs/guides`)
    for (const name of guides) {
      const guide = await read(`${url}/docs/guides/${name}`)
      const title = /<h1>(.+)<\/h1>/.exec(guide)?.[1]
      assert.match(list, new RegExp(`<a href="guides/${name}">${title}</a><p>[^]{20,300}?</p>`))
      assert.ok(guide.includes(`<title>${title} · ${site}</title>`))
    }
  }
})

test('the pages are well formed, and have nothing inline', async () => {
  for (const url of URLS) {
    const text = await read(url)
    assertWellFormed(text)
    assert.doesNotMatch(text, /<script(?![^>]* src=)|<style|<[^>]* (?:style|on[a-z]+)=/, url)
  }
})

test('every link and every anchor has a target', async () => {
  const pages = new Map<string, string>()
  async function readOnce(url: string): Promise<string> {
    const text = pages.get(url) ?? (await read(url))
    pages.set(url, text)
    return text
  }
  for (const url of URLS) {
    for (const address of addressesOf(await readOnce(url))) {
      const { origin, pathname, hash } = new URL(address, url)
      if (origin !== new URL(url).origin) continue
      const target = await readOnce(origin + pathname)
      if (hash) assert.ok(idsOf(target).includes(decodeURIComponent(hash.slice(1))), `${url} leads to ${address}`)
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

test('every picture is in a guide, for light and for dark pages, and is loaded only when it is seen', async () => {
  const pages = await Promise.all(OPERATOR_GUIDES.map(name => read(`${service.operatorUrl}/docs/guides/${name}`)))
  const pictures = pages.flatMap(page => page.match(/<img class="picture .*?>/g) ?? [])
  const names = OPERATOR_PICTURES.flatMap(name => [name, `${name}-dark`])
  assert.deepEqual(
    pictures.map(picture => /\/([\w-]+)\.webp\?/.exec(picture)?.[1] ?? picture).toSorted(),
    names.toSorted(),
  )
  for (const picture of pictures) assert.match(picture, / alt="[^"]{20,}" width="\d+" height="\d+" loading="lazy"/)
  for (const name of names) {
    const response = await fetch(`${service.operatorUrl}/docs/${name}.webp`)
    assert.equal(response.headers.get('content-type'), 'image/webp')
    const size = (await response.arrayBuffer()).byteLength
    assert.ok(size < 100_000, `${name} has ${size} bytes`)
    assert.equal((await fetch(`${service.url}/docs/${name}.webp`)).status, 404)
  }
})

test('there are no other guides, and each listener has only its own', async () => {
  for (const name of ['', '/nothing', '/Limits', '/limits.html', '/Limits.md', '/..%2fcontract', '/__proto__']) {
    const path = `/docs/guides${name}`
    if (name) assertRefused(await call(service, { path }), 'route_not_found')
    if (name) assert.equal((await fetch(service.operatorUrl + path)).status, 404)
  }
  for (const { url, guides } of LISTENERS) {
    for (const name of [...GUIDES, ...OPERATOR_GUIDES]) {
      for (const path of [`/docs/guides/${name}`, `/docs/guides/${name}.md`]) {
        const { status } = await fetch(url + path)
        assert.equal(status, (guides as readonly string[]).includes(name) ? 200 : 404, url + path)
      }
    }
  }
})

async function read(url: string): Promise<string> {
  const response = await fetch(url, { headers: { Accept: 'text/html' } })
  assert.equal(response.status, 200, url)
  return response.text()
}

function timesIn(text: string, part: string): number {
  return text.split(part).length - 1
}
