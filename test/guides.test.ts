import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { GUIDES } from '../src/guides/guide-routes.ts'
import { inBrowser } from './support/browser.ts'
import { assertRefused, call } from './support/call.ts'
import { FAINT_TEXTS } from './support/faint-texts.ts'
import { addressesOf, assertWellFormed, idsOf } from './support/html.ts'
import { startTestService } from './support/service.ts'
import { buildVisit } from './support/visit.ts'

// The guides, asked for by hand and read in a browser. Its public address leads nowhere: a page that called it would fail.

const IN_BROWSER = inBrowser('test/guides.test.ts')
const visit = buildVisit({ after })
const baseUrl = 'https://animals.test/shop/v1'
const service = await startTestService({ after }, { config: { publicUrls: { production: baseUrl } } })
const PAGES = ['/docs/guides', ...GUIDES.map(name => `/docs/guides/${name}`)]

/** Adds a word of every kind that code.css has a colour for, whether or not a sample has one, to the page's first sample. */
const SHOW_ALL_CODE_COLOURS = `(() => {
  const sample = document.querySelector('.sample code')
  const rules = [...document.styleSheets].flatMap(sheet => [...sheet.cssRules])
  for (const rule of rules) {
    for (const [, kind] of (rule.selectorText ?? '').matchAll(/\\.(hljs-\\w+)/g)) {
      const word = document.createElement('span')
      word.className = kind
      word.textContent = kind
      sample?.append(word)
    }
  }
})()`

test('the list has every guide with what it is about', async () => {
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

test('every link and every anchor leads somewhere', async () => {
  const pages = new Map<string, string>()
  async function read(path: string): Promise<string> {
    const known = pages.get(path)
    if (known !== undefined) return known
    const { status, text } = await call(service, { path })
    assert.equal(status, 200, path)
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

test("the texts name the service's own address", async () => {
  const { text } = await call(service, { path: '/docs/guides/quick-start' })
  assert.match(text, /PETSTORE_URL[^\n]*https:\/\/animals\.test\/shop\/v1\n/)
  for (const path of PAGES) assert.doesNotMatch((await call(service, { path })).text, /https:\/\/petstore\.example\//)
})

test("a page is sent in the best encoding, to be revalidated, and may load nothing but what is the service's", async () => {
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
  for (const name of ['', '/', '/nothing', '/Limits', '/limits/', '/limits.md', '/..%2fcontract', '/__proto__']) {
    const path = `/docs/guides${name}`
    if (name) assertRefused(await call(service, { path }), 'route_not_found')
    assert.equal((await fetch(service.operatorUrl + path)).status, 404)
  }
})

test('a reader searches all guides with the keyboard alone', IN_BROWSER, async t => {
  const { page, requests, complaints } = await visit(t, `${service.url}/docs/guides`)
  await page.keyboard.press('/')
  const field = page.getByRole('combobox')
  await field.fill('replay')
  await page.getByRole('option').first().waitFor()
  await field.fill('zebra')
  await page.getByText('Nothing found for “zebra”.').waitFor()
  await field.fill('rate_limit_exc')
  const found = page.getByRole('option', { selected: true })
  await found.getByText('Errors › rate_limit_exceeded').waitFor()
  await field.press('ArrowDown')
  assert.equal(await page.getByRole('option').nth(1).getAttribute('aria-selected'), 'true')
  assert.equal(await field.getAttribute('aria-activedescendant'), 'found-1')
  await field.press('ArrowUp')
  await field.press('Enter')

  await page.waitForURL(`${service.url}/docs/guides/errors#rate_limit_exceeded`)
  const heading = page.getByRole('heading', { name: 'rate_limit_exceeded' })
  const { y = -1 } = (await heading.boundingBox()) ?? {}
  assert.ok(y >= 56 && y < 200, `the heading stands below the bar, not at ${y}`)
  await page.keyboard.press('Control+k')
  await field.waitFor()
  await page.keyboard.press('Escape')
  await field.waitFor({ state: 'hidden' })
  assert.deepEqual([...new Set(requests.map(url => new URL(url).origin))], [service.url])
  assert.deepEqual(complaints, [])
})

test('a reader chooses a language once, and finds it on every page', IN_BROWSER, async t => {
  const { page, complaints } = await visit(t, `${service.url}/docs/guides/quick-start`, {
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const tabs = page.getByRole('tablist').first()
  const shown = () => page.getByRole('tab', { selected: true }).allInnerTexts()
  assert.ok((await shown()).every(label => label === 'curl'))
  await tabs.getByRole('tab', { name: 'TypeScript' }).click()
  for (const [key, label] of [
    ['End', 'Python'],
    ['ArrowRight', 'curl'],
    ['ArrowRight', 'TypeScript'],
    ['Home', 'curl'],
    ['ArrowLeft', 'Python'],
  ] as const) {
    await page.keyboard.press(key)
    assert.ok(
      (await shown()).every(one => one === label),
      `${key} chooses ${label}`,
    )
  }
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'Python')
  const panel = page.getByRole('tabpanel', { name: 'Python' }).first()
  await panel.waitFor()
  assert.equal(await page.getByRole('tabpanel', { name: 'curl' }).count(), 0)
  await page.locator('.samples').first().getByRole('button', { name: 'Copy' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  const code = (await panel.innerText()).trim()
  assert.equal((await page.evaluate<string>('navigator.clipboard.readText()')).trim(), code)

  await page.getByRole('navigation', { name: 'Guides' }).getByRole('link', { name: 'Idempotency' }).click()
  await page.getByRole('heading', { name: 'Idempotency', level: 1 }).waitFor()
  assert.ok((await shown()).length > 0)
  assert.ok((await shown()).every(label => label === 'Python'))
  assert.deepEqual(complaints, [])
})

test('the table of headings leads to them, and shows where the reader is', IN_BROWSER, async t => {
  const { page } = await visit(t, `${service.url}/docs/guides/limits`, { viewport: { width: 1400, height: 800 } })
  const contents = page.getByRole('navigation', { name: 'On this page' })
  await contents.getByRole('link', { name: 'Pace' }).click()
  await contents.locator('[aria-current]', { hasText: 'Pace' }).waitFor()
  assert.equal(new URL(page.url()).hash, '#pace')
  await page.getByRole('link', { name: 'Next' }).click()
  await page.waitForURL(`${service.url}/docs/guides/${GUIDES[GUIDES.indexOf('limits') + 1]}`)
})

test('without JavaScript every sample is shown, and nothing that needs it', IN_BROWSER, async t => {
  const { page } = await visit(t, `${service.url}/docs/guides/quick-start`, { javaScriptEnabled: false })
  const samples = page.locator('.sample')
  const visible = await Promise.all((await samples.all()).map(sample => sample.isVisible()))
  assert.ok(visible.length > 3 && visible.every(Boolean))
  for (const label of ['curl', 'TypeScript', 'Python']) await page.getByText(label, { exact: true }).first().waitFor()
  assert.equal(await page.getByRole('button').count(), 0)
})

test('on a phone nothing sticks out, and every text is readable in light and in dark', IN_BROWSER, async t => {
  const { page, complaints } = await visit(t, `${service.url}/docs/guides`, {
    viewport: { width: 360, height: 740 },
    isMobile: true,
  })
  for (const path of PAGES) {
    await page.goto(service.url + path)
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360, path)
    if (path === '/docs/guides') {
      await page.getByRole('button', { name: 'Search the guides' }).click()
      await page.getByRole('combobox').fill('limit')
      await page.getByRole('option').first().waitFor()
    }
    await page.evaluate(SHOW_ALL_CODE_COLOURS)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const [behind] =
        (await page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor')).match(/\d+/) ?? []
      assert.equal(Number(behind) > 128, colorScheme === 'light')
      assert.deepEqual(await page.evaluate(FAINT_TEXTS), [], `${path} in ${colorScheme}`)
    }
  }
  assert.deepEqual(complaints, [])
})
