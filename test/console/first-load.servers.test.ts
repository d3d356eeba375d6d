import assert from 'node:assert/strict'
import { basename } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import type { Page } from '../../tools/playwright.ts'
import { startOperatorService } from '../support/operator.ts'
import { IN_BROWSER } from '../support/servers/browser.ts'
import { buildConsoleVisit } from '../support/servers/console.ts'
import { buildVisit, untilTrue } from '../support/servers/visit.ts'

// How much a browser loads before a screen can be used: the transferred bodies of the page, scripts, styles and images, without headers. The API's
// responses depend on the data and are not counted.

/** Brotli, which browsers accept over HTTPS and from the machine itself. */
const MAX_BROTLI_BYTES = 134_000
/** What browsers accept over plain HTTP. */
const MAX_GZIP_BYTES = 153_000
/** The files that the sign-in waits for, in Brotli. */
const MAX_SIGN_IN_BYTES = 83_600
/** The files that the frame waits for, in Brotli: a fifth of a second at 400 kbit/s. */
const MAX_FRAME_BYTES = 10_000

const LOADED = `performance.getEntries()
  .filter(({ entryType, name }) => entryType === 'navigation' || (entryType === 'resource' && !name.includes('/admin/')))
  .map(entry => ({
    name: entry.name,
    sent: entry.encodedBodySize,
    size: entry.decodedBodySize,
    transferred: entry.transferSize,
  }))`

/** Waits for a file: it is in the list once it has been loaded. */
const ALL_ARRIVED = `[...document.querySelectorAll('link:is([rel="modulepreload"], [rel="stylesheet"])')]
  .every(({ href }) => performance.getEntriesByName(href).length > 0)`

interface Loaded {
  name: string
  sent: number
  size: number
  /** With headers; 0 from the browser's cache. */
  transferred: number
}

const service = await startOperatorService({ after })
const visit = buildConsoleVisit({ after })
const visitPage = buildVisit({ after })

test('the sign-in does not wait for the screens behind it', IN_BROWSER, async t => {
  const { page } = await visitPage(t, 'about:blank')
  await page.route(/assets\/(console|style)-/, () => {})
  await page.goto(`${service.operatorUrl}/console/`)
  await page.getByLabel('Operator token').waitFor()
  const loaded = (await page.evaluate(LOADED)) as Loaded[]
  assertAtMost(t, 'Brotli', MAX_SIGN_IN_BYTES, loaded)
})

test(
  'a browser that does not report when it is idle, such as Safari, opens the sign-in and the animals',
  IN_BROWSER,
  async t => {
    const { page, complaints } = await visitPage(t, 'about:blank')
    await page.addInitScript({ content: 'delete window.requestIdleCallback' })
    await page.goto(`${service.operatorUrl}/console/animals`)
    await page.getByLabel('Operator token').fill(service.admin.token)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.locator('#screen').getByRole('heading', { name: 'Animals', level: 1 }).waitFor()
    assert.deepEqual(complaints, [])
  },
)

test('signing in and the first screen load 153 KB at most, compressed', IN_BROWSER, async t => {
  const page = await visit(t, service)
  // What is loaded while the browser is idle delays nothing.
  await page.addInitScript({ content: 'window.requestIdleCallback = () => {}' })
  await page.reload()
  const loaded = await openOverview(page)
  assert.ok(loaded.length >= 4)
  for (const { name, sent, size } of loaded.filter(one => one.size > 1_000)) {
    assert.ok(sent < size, `${name} is not compressed`)
  }
  const gzipped = await Promise.all(loaded.map(async ({ name }) => ({ name, sent: await gzippedSize(name) })))
  assertAtMost(t, 'Brotli', MAX_BROTLI_BYTES, loaded)
  assertAtMost(t, 'gzip', MAX_GZIP_BYTES, gzipped)
})

test(
  'the frame with the title is shown after two round trips and 10 KB, before all other code',
  IN_BROWSER,
  async t => {
    const page = await visit(t, service, '/accounts')
    const early = /assets\/(main-|app-.*css)/
    await page.route('**/assets/**', route => (early.test(route.request().url()) ? route.continue() : undefined))
    await page.evaluate(`localStorage.setItem('petstore-theme', 'dark')`)
    const asked = page.waitForRequest('**/admin/v1/session')
    await page.reload({ waitUntil: 'commit' })
    await page.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor()
    await asked
    assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark')
    await page.getByRole('link', { name: 'Animals' }).waitFor()
    assert.equal(await page.locator('[aria-current]').textContent(), 'Accounts')
    await untilTrue(page, `performance.getEntriesByName('first-contentful-paint').length > 0`)
    const loaded = (await page.evaluate(LOADED)) as Loaded[]
    const { text: html } = await service.ask('GET', '/console/accounts')
    for (const { name } of loaded.slice(1)) assert.ok(html.includes(basename(name)), `${name} is named by the page`)
    assertAtMost(t, 'Brotli', MAX_FRAME_BYTES, loaded)
    await page.unroute('**/assets/**')
  },
)

test('the next visit loads no file again', IN_BROWSER, async t => {
  const first = await visit(t, service)
  await openOverview(first)
  const page = await first.context().newPage()
  await page.goto(first.url())
  const files = (await openOverview(page)).filter(({ name }) => name.includes('/assets/'))
  assert.ok(files.length >= 4)
  assert.deepEqual(
    files.filter(({ transferred }) => transferred > 0),
    [],
  )
})

/** The files that were loaded by the time the first screen is complete. */
async function openOverview(page: Page): Promise<Loaded[]> {
  await page.locator('#screen').getByText('Newest actions').waitFor()
  await untilTrue(page, ALL_ARRIVED)
  return page.evaluate(LOADED) as Promise<Loaded[]>
}

async function gzippedSize(url: string): Promise<number> {
  const response = await service.ask('GET', new URL(url).pathname, { headers: { 'Accept-Encoding': 'gzip' } })
  return response.body.length
}

function assertAtMost(t: TestContext, encoding: string, max: number, files: readonly Pick<Loaded, 'name' | 'sent'>[]) {
  const sent = files.reduce((sum, one) => sum + one.sent, 0)
  const list = files.map(file => `${file.sent} ${file.name}`).join('\n')
  assert.ok(sent > 5_000 && sent <= max, `${sent} bytes in ${encoding}:\n${list}`)
  t.diagnostic(`${sent} bytes in ${encoding}`)
}
