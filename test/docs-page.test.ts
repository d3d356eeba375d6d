import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { inBrowser } from './support/browser.ts'
import { call } from './support/call.ts'
import { addressesOf } from './support/html.ts'
import { createPet } from './support/pets.ts'
import { startTestService } from './support/service.ts'
import { buildVisit } from './support/visit.ts'

// The documentation, asked for by hand and by a browser. Its public addresses lead nowhere: a page that called them would fail.

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

const IN_BROWSER = inBrowser('test/docs-page.test.ts')
const visit = buildVisit({ after })

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

test('a visitor reads the three operations, and lists animals with the console', IN_BROWSER, async t => {
  const { key } = await service.createCaller()
  for (const name of ['Rex', 'Mimi', 'Balou']) await createPet(service, key, { name: JSON.stringify(name) })
  const { page, requests, complaints } = await visit(t, `${service.url}/docs`)

  const sidebar = page.getByRole('complementary')
  for (const title of ['List animals', 'Add an animal', 'Read one animal']) {
    await sidebar.getByRole('link', { name: title }).waitFor()
  }
  await page.getByPlaceholder('Token').first().fill(key)
  await sidebar.getByRole('link', { name: 'List animals' }).click()
  await page.getByRole('button', { name: /^Test Request\s*\(get \/pets\)/ }).click()
  const console = page.getByRole('dialog')
  await console.getByRole('row', { name: 'limit' }).getByRole('combobox', { name: 'Value' }).click()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('2')
  // The console fills in the example of the status.
  const answer = page.waitForResponse(`${service.url}/v1/pets?limit=2&status=available`)
  await console.getByRole('button', { name: 'Send' }).first().click()

  assert.equal((await answer).status(), 200)
  await console.getByText('200 OK').waitFor()
  for (const name of ['Rex', 'Mimi']) await console.getByText(`"${name}"`).waitFor()
  assert.equal(await console.getByText('"Balou"').count(), 0)
  assert.deepEqual(hostsOf(requests), [new URL(service.url).host])
  assert.deepEqual(complaints, [])
})

for (const width of [320, 360]) {
  test(`the page fits a phone ${width} wide, and follows the colours that its reader prefers`, IN_BROWSER, async t => {
    const { page } = await visit(t, `${service.url}/docs`, {
      viewport: { width, height: 740 },
      isMobile: true,
      colorScheme: 'dark',
    })
    await page.getByRole('heading', { name: 'Rate limits' }).waitFor()
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width)
    assert.ok(await page.evaluate("document.body.classList.contains('dark-mode')"))
  })
}

test('the page leads to the guides, and past all menus to the reference', IN_BROWSER, async t => {
  const { page } = await visit(t, `${service.url}/docs`)
  await page.getByRole('heading', { name: 'Rate limits' }).waitFor()
  await page.keyboard.press('Tab')
  const { y = -1 } = (await page.locator(':focus', { hasText: 'Skip to the content' }).boundingBox()) ?? {}
  assert.ok(y >= 0, `it is seen, not at ${y}`)
  await page.keyboard.press('Enter')
  assert.ok(await page.evaluate("document.activeElement.matches('main')"))
  await page.keyboard.press('Tab')
  assert.ok(await page.evaluate("document.activeElement.matches('main *')"))

  const bar = page.getByRole('banner').getByRole('link')
  assert.deepEqual(await bar.allInnerTexts(), ['Petstore', 'Guides', 'Reference', 'openapi.json'])
  await bar.getByText('Guides').click()
  await page.getByRole('heading', { name: 'Guides', level: 1 }).waitFor()
})

test('whoever reads the page again spends two calls: for the page, and for the document', IN_BROWSER, async t => {
  const { page } = await visit(t, `${service.url}/docs`)
  const read = () => page.getByRole('heading', { name: 'Rate limits' }).waitFor()
  const callsLeft = async () => Number((await call(service, { path: '/docs' })).header('x-ratelimit-remaining'))
  await read()
  const before = await callsLeft()
  await page.reload()
  await read()
  assert.equal(before - (await callsLeft()) - 1, 2)
})

test('without JavaScript the page leads to the document', IN_BROWSER, async t => {
  const { page } = await visit(t, `${service.url}/docs`, { javaScriptEnabled: false })
  await page.getByRole('link', { name: 'OpenAPI document' }).click()
  assert.equal(page.url(), `${service.url}/openapi.json`)
})

function hostsOf(urls: readonly string[]): string[] {
  return [...new Set(urls.map(url => new URL(url).host))]
}
