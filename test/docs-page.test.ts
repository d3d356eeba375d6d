import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { call } from './support/call.ts'
import { addressesOf } from './support/html.ts'
import { startTestService } from './support/service.ts'

// The documentation without a browser; docs-page.servers.test.ts opens it in one.

const publicUrls = { production: 'https://api.petstore.test/v1', staging: 'https://staging.petstore.test/v1' }
const service = await startTestService({ after }, { config: { publicUrls } })

const FILES: [path: string, type: string][] = [
  ['/docs', 'text/html; charset=utf-8'],
  ['/docs/bar.css', 'text/css; charset=utf-8'],
  ['/docs/page.css', 'text/css; charset=utf-8'],
  ['/docs/icon.svg', 'image/svg+xml'],
  ['/docs/start.js', 'text/javascript; charset=utf-8'],
  ['/docs/scalar.js', 'text/javascript; charset=utf-8'],
  ['/openapi.json', 'application/json'],
]

test('the page and what it loads are served with their types, to be revalidated', async t => {
  for (const [path, type] of FILES) {
    await t.test(path, async () => {
      const answer = await call(service, { path })
      assert.equal(answer.status, 200)
      assert.equal(answer.header('content-type'), type)
      assert.equal(answer.header('x-content-type-options'), 'nosniff')
      assert.equal(answer.header('cache-control'), 'no-cache')
      assert.equal(answer.header('vary'), 'Accept-Encoding')
      const again = await call(service, { path, headers: { 'If-None-Match': answer.header('etag') ?? '' } })
      assert.equal(again.status, 304)
      assert.equal(again.body.length, 0)
    })
  }
})

test('what the page loads may be kept by the address it is loaded from', async () => {
  const { text } = await call(service, { path: '/docs' })
  const loaded = new Set(addressesOf(text).filter(address => address.includes('?')))
  assert.deepEqual(
    [...loaded].map(address => `/${address.split('?')[0]}`).toSorted(),
    FILES.map(([path]) => path)
      .filter(path => path.startsWith('/docs/'))
      .toSorted(),
  )
  for (const address of loaded) {
    const answer = await call(service, { path: `/${address}` })
    assert.equal(answer.header('cache-control'), 'public, max-age=31536000, immutable', address)
  }
})

test('everything is sent in the best encoding that the client accepts, each under an entity tag of its own', async t => {
  const plain = await call(service, { path: '/docs' })
  const offers: [accepted: string, encoding: string | undefined, decode: (body: Buffer) => Buffer][] = [
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['gzip;q=1.0, br;q=0', 'gzip', gunzipSync],
    ['GZIP', 'gzip', gunzipSync],
    ['deflate', undefined, body => body],
    ['', undefined, body => body],
  ]
  for (const [accepted, encoding, decode] of offers) {
    await t.test(accepted || '(none)', async () => {
      const answer = await call(service, { path: '/docs', headers: { 'Accept-Encoding': accepted } })
      assert.equal(answer.header('content-encoding'), encoding)
      assert.equal(decode(answer.body).toString(), plain.text)
      assert.equal(answer.header('etag') === plain.header('etag'), encoding === undefined)
    })
  }
})

test('the page refers to no other host, and its policy lets it reach none but the public addresses', async () => {
  const page = await call(service, { path: '/docs' })
  assert.doesNotMatch(page.text, /\/\//)
  assert.doesNotMatch(page.text, /<script(?![^>]* src=)|<style| style=| on[a-z]+=/, 'nothing inline')
  const policy = page.header('content-security-policy') ?? ''
  const hosts = policy.match(/https?:\/\/[^ ;]+/g)
  assert.deepEqual(hosts, ['https://api.petstore.test', 'https://staging.petstore.test'])
  for (const rule of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"]) {
    assert.ok(policy.split('; ').includes(rule), rule)
  }
})

test("the document's first server is the deployment that runs", async t => {
  const staging = await startTestService(t, { config: { publicUrls, deployment: 'staging' } })
  const servers = async (one: typeof service) =>
    (await call(one, { path: '/openapi.json' })).json.servers.map(({ url }: { url: string }) => url)
  assert.deepEqual(await servers(service), [publicUrls.production, publicUrls.staging])
  assert.deepEqual(await servers(staging), [publicUrls.staging, publicUrls.production])
})

test('the document leads to the guides of the deployment that runs', async t => {
  const staging = await startTestService(t, { config: { publicUrls, deployment: 'staging' } })
  const { json } = await call(staging, { path: '/openapi.json' })
  assert.equal(json.externalDocs.url, 'https://staging.petstore.test/docs/guides')
  assert.equal((await call(staging, { path: new URL(json.externalDocs.url).pathname })).status, 200)
})

test('a deployment whose address nobody has set is not among the servers', async t => {
  const alone = await startTestService(t)
  const { json } = await call(alone, { path: '/openapi.json' })
  assert.deepEqual(json.servers, [{ url: alone.baseUrl, description: 'Production' }])
})
