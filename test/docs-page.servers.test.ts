import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { call } from './support/call.ts'
import { createPet } from './support/pets.ts'
import { IN_BROWSER } from './support/servers/browser.ts'
import { buildVisit } from './support/servers/visit.ts'
import { startTestService } from './support/service.ts'

// The documentation in a browser. Its public addresses lead nowhere: a page that called them would fail.

const publicUrls = { production: 'https://api.petstore.test/v1', staging: 'https://staging.petstore.test/v1' }
const service = await startTestService({ after }, { config: { publicUrls } })

const visit = buildVisit({ after })

test('a visitor reads the three operations, and lists animals with the console', IN_BROWSER, async t => {
  const { key } = await service.createCaller()
  for (const name of ['Rex', 'Mimi', 'Balou']) await createPet(service, key, { name: JSON.stringify(name) })
  const { page, requests, complaints } = await visit(t, `${service.url}/docs`)

  const sidebar = page.getByRole('complementary')
  for (const title of ['List animals', 'Add an animal', 'Get an animal']) {
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
