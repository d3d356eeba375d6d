import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Locator, Page } from '../tools/playwright.ts'
import { call } from './support/call.ts'
import { startOperatorService } from './support/operator.ts'
import { createPet } from './support/pets.ts'
import { IN_BROWSER } from './support/servers/browser.ts'
import { startPrefixProxy } from './support/servers/prefix-proxy.ts'
import { buildVisit } from './support/servers/visit.ts'

// The landing pages and the reference of both APIs in a browser. The public addresses do not exist: a page that called them would fail.

const publicUrls = { production: 'https://api.petstore.test/v1', staging: 'https://staging.petstore.test/v1' }
const service = await startOperatorService({ after }, { config: { publicUrls } })

const visit = buildVisit({ after })

test('a visitor lists animals with the console, and sees large ids digit for digit', IN_BROWSER, async t => {
  const { key } = await service.createCaller()
  for (const name of ['Rex', 'Mimi', 'Balou']) {
    await createPet(service, key, { name: JSON.stringify(name), categoryId: '9223372036854775807' })
  }
  const { page, requests, complaints } = await visit(t, `${service.url}/docs`)
  const form = await openConsole(page, 'List animals')
  await form.getByLabel('API key').fill(key)
  await form.getByLabel('limit').fill('2')
  await form.getByRole('button', { name: 'Send' }).click()
  await form.getByText(/^200 OK in \d+ ms$/).waitFor()
  const shown = await responseOf(form).innerText()
  for (const part of ['"Rex"', '"Mimi"', '"categoryId": 9223372036854775807']) {
    assert.ok(shown.includes(part), `${part} in ${shown}`)
  }
  assert.ok(!shown.includes('"Balou"'))
  await form.getByText('Response headers').click()
  await form.getByText(/^x-ratelimit-remaining: \d+$/m).waitFor()

  const other = await openConsole(page, 'Get an animal')
  assert.equal(await other.getByLabel('API key').inputValue(), key, 'the key need not be entered again')
  assert.deepEqual([...new Set(requests.map(url => new URL(url).origin))], [service.url])
  assert.deepEqual(complaints, [])
})

test('the console forgets the key when the page is left, even if the browser keeps the page', IN_BROWSER, async t => {
  const { page } = await visit(t, `${service.url}/docs`)
  const form = await openConsole(page, 'List animals')
  const other = await openConsole(page, 'Get an animal')
  await form.getByLabel('API key').fill('petstore_live_1')
  await form.getByLabel('limit').fill('2')
  assert.equal(await other.getByLabel('API key').inputValue(), 'petstore_live_1')
  await page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
  for (const one of [form, other]) assert.equal(await one.getByLabel('API key').inputValue(), '')
  assert.equal(await form.getByLabel('limit').inputValue(), '2')
})

test('the console sends no call whose path would lead to another operation', IN_BROWSER, async t => {
  const { page, requests } = await visit(t, `${service.url}/docs`)
  const form = await openConsole(page, 'Get an animal')
  await form.getByLabel('API key').fill('petstore_live_1')
  for (const id of ['.', '..']) {
    await form.getByLabel('petId').fill(id)
    await form.getByRole('button', { name: 'Send' }).click()
    await form.getByText(`Not sent: petId cannot be "${id}" in an address.`).waitFor()
  }
  assert.ok(!requests.some(url => new URL(url).pathname.startsWith('/v1')))
})

test('a visitor adds an animal with the console, and sees why a call was refused', IN_BROWSER, async t => {
  const { key } = await service.createCaller()
  const { page } = await visit(t, `${service.url}/docs`)
  const form = await openConsole(page, 'Add an animal')
  const body = form.getByLabel('Body')
  assert.equal(JSON.parse(await body.inputValue()).name, 'Bruno')
  await form.getByRole('button', { name: 'Send' }).click()
  assert.equal(await page.evaluate('document.activeElement.name'), 'credential', 'the browser asks for the key')
  await form.getByLabel('API key').fill(` ${key} `)
  await body.fill('{"name": "Ida", "categoryId": -9223372036854775808}')
  await form.getByRole('button', { name: 'Send' }).click()
  await form.getByText(/^201 Created in/).waitFor()
  assert.match(await responseOf(form).innerText(), /"categoryId": -9223372036854775808/)
  await body.fill('{"name": "Ida"')
  await form.getByRole('button', { name: 'Send' }).click()
  await form.getByText(/^400 Bad Request in/).waitFor()
  assert.match(await responseOf(form).innerText(), /"invalid_json"/)
  await page.route('**/v1/pets', route => route.abort())
  await form.getByRole('button', { name: 'Send' }).click()
  await form.getByText(/^No response: /).waitFor()
})

test(
  'an operator lists accounts with the console, and deletes nothing by sending a form as it is',
  IN_BROWSER,
  async t => {
    await service.call('POST', '/accounts', { body: { name: 'The Bakery', plan: 'free' } })
    const { page, requests, complaints } = await visit(t, `${service.operatorUrl}/docs`)
    const form = await openConsole(page, 'List and search accounts')
    await form.getByLabel('Operator token').fill(service.admin.token)
    await form.getByRole('button', { name: 'Send' }).click()
    await form.getByText('200 OK').waitFor()
    await form.getByText('"The Bakery"').waitFor()

    const deletion = await openConsole(page, 'Delete an account')
    await deletion.getByRole('button', { name: 'Send' }).click()
    assert.equal(await page.evaluate('document.activeElement.name'), 'accountId')
    assert.ok(!requests.some(url => url.includes('/admin/v1/accounts/')))
    assert.deepEqual([...new Set(requests.map(url => new URL(url).origin))], [service.operatorUrl])
    assert.deepEqual(complaints, [])
  },
)

test('a reader searches guides and reference from the landing page', IN_BROWSER, async t => {
  const { page, complaints } = await visit(t, service.url)
  await page.keyboard.press('/')
  const field = page.getByRole('combobox', { name: 'Search' })
  const found = page.getByRole('listbox', { name: 'Results' }).getByRole('option', { selected: true })
  await field.fill('ban')
  await found.getByText('Limits › Bans').waitFor()
  await field.fill('createPet')
  await found.getByText('Reference › Add an animal').waitFor()
  await field.press('Enter')
  await page.waitForURL(`${service.url}/docs#createPet`)
  await page.keyboard.press('/')
  await field.fill('PetStatus')
  await found.getByText('Reference › PetStatus').waitFor()
  assert.deepEqual(complaints, [])
})

test('an operator searches the reference', IN_BROWSER, async t => {
  const { page } = await visit(t, service.operatorUrl)
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByRole('combobox', { name: 'Search' }).fill('suspend')
  await page
    .getByRole('listbox', { name: 'Results' })
    .getByRole('option', { selected: true })
    .getByText('Reference › Suspend an account')
    .click()
  await page.waitForURL(`${service.operatorUrl}/docs#suspendAccount`)
})

test('a reader chooses the colours once, and finds them on every page', IN_BROWSER, async t => {
  const { page, complaints } = await visit(t, service.url, { colorScheme: 'light' })
  const background = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
  const choice = page.getByRole('combobox', { name: 'Colours' })
  const [light, chosen] = [await background(), await choice.inputValue()]
  assert.equal(chosen, 'system')
  await choice.selectOption('dark')
  const dark = await background()
  assert.notEqual(dark, light)
  for (const path of ['/docs', '/docs/guides', '/docs/guides/limits', '/nothing']) {
    await page.goto(service.url + path)
    assert.equal(await background(), dark, path)
    assert.equal(await choice.inputValue(), 'dark')
  }
  await choice.selectOption('light')
  await page.emulateMedia({ colorScheme: 'dark' })
  assert.equal(await background(), light)
  await choice.selectOption('system')
  assert.equal(await background(), dark)
  await page.reload()
  assert.equal(await choice.inputValue(), 'system')
  assert.deepEqual(
    complaints.filter(one => !one.includes('404')),
    [],
  )
})

test('the choice of colours works where storage is blocked', IN_BROWSER, async t => {
  const { page, complaints } = await visit(t, 'about:blank', { colorScheme: 'light' })
  await page.addInitScript(`Object.defineProperty(window, 'localStorage', {
    get() { throw new DOMException('Access is denied for this document.', 'SecurityError') },
  })`)
  await page.goto(service.url)
  await page.getByRole('combobox', { name: 'Colours' }).selectOption('dark')
  assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark')
  assert.deepEqual(complaints, [])
})

test('the bar links everywhere, and past all menus to the content', IN_BROWSER, async t => {
  const { page } = await visit(t, `${service.url}/docs`)
  await page.keyboard.press('Tab')
  const { y = -1 } = (await page.locator(':focus', { hasText: 'Skip to the content' }).boundingBox()) ?? {}
  assert.ok(y >= 0, `it is seen, not at ${y}`)
  await page.keyboard.press('Enter')
  assert.equal(await page.evaluate('document.activeElement.id'), 'content')
  await page.keyboard.press('Tab')
  assert.ok(await page.evaluate("document.activeElement.matches('main *')"))

  const bar = page.getByRole('banner').getByRole('link')
  assert.deepEqual(await bar.allInnerTexts(), ['Petstore', 'Guides', 'Reference', 'Clients'])
  await bar.getByText('Guides').click()
  await page.getByRole('heading', { name: 'Guides', level: 1 }).waitFor()
  await bar.getByText('Petstore').click()
  await page.getByRole('heading', { name: 'Petstore API', level: 1 }).waitFor()
  assert.equal(page.url(), `${service.url}/`)
})

test('reading the reference again costs one call', IN_BROWSER, async t => {
  const { page } = await visit(t, `${service.url}/docs`)
  const callsLeft = async () => Number((await call(service, { path: '/docs' })).header('x-ratelimit-remaining'))
  const before = await callsLeft()
  await page.reload()
  assert.equal(before - (await callsLeft()) - 1, 1)
})

test('behind a proxy that adds a path, every page, the search and the console work', IN_BROWSER, async t => {
  const { key } = await service.createCaller()
  const { page, requests, complaints } = await visit(t, `${await startPrefixProxy(t, service.url)}/shop/`)
  await page.getByRole('link', { name: 'Quick start' }).first().click()
  await page.getByRole('heading', { name: 'Quick start', level: 1 }).waitFor()
  await page.keyboard.press('/')
  await page.getByRole('combobox', { name: 'Search' }).fill('listPets')
  await page.getByRole('option', { name: 'Reference › List animals' }).click()
  await page.waitForURL('**/shop/docs#listPets')
  const form = await openConsole(page, 'List animals')
  await form.getByLabel('API key').fill(key)
  await form.getByRole('button', { name: 'Send' }).click()
  await form.getByText('200 OK').waitFor()
  await page.goto(new URL('/shop/docs/guides/limits/', page.url()).href)
  await page.waitForURL('**/shop/docs/guides/limits')
  assert.deepEqual(complaints, [])
  await page.goto(new URL('/shop/a/b/c', page.url()).href)
  await page.getByRole('main').getByRole('link', { name: 'Home' }).click()
  await page.getByRole('heading', { name: 'Petstore API', level: 1 }).waitFor()
  const paths = requests.map(url => new URL(url).pathname)
  assert.deepEqual(
    paths.filter(path => !path.startsWith('/shop/')),
    [],
  )
})

test('without JavaScript the reference and its samples are shown, and the console is not', IN_BROWSER, async t => {
  const { page } = await visit(t, `${service.url}/docs`, { javaScriptEnabled: false })
  await page.getByRole('heading', { name: 'List animals' }).waitFor()
  for (const text of [
    'await petstore.pets.list({ limit: 2 })',
    '"$PETSTORE_URL/pets?limit=2"',
    'petstore.pets.list(limit=2)',
  ]) {
    assert.ok(await page.getByText(text).first().isVisible(), text)
  }
  assert.equal(await page.getByText('Try it').first().isVisible(), false)
  assert.equal(await page.getByRole('combobox', { name: 'Colours' }).count(), 0)
})

for (const width of [320, 390, 768, 1440]) {
  test(`no page is wider than a screen of ${width}`, IN_BROWSER, async t => {
    const { page } = await visit(t, 'about:blank', { viewport: { width, height: 740 }, isMobile: width < 500 })
    for (const url of [service.url, service.operatorUrl]) {
      for (const path of ['/', '/docs', '/nothing']) {
        await page.goto(url + path)
        await page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true")
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width, url + path)
      }
    }
  })
}

function responseOf(form: Locator): Locator {
  return form.getByRole('region', { name: 'Response', exact: true })
}

/** Opens the form of the operation with this title. */
async function openConsole(page: Page, title: string): Promise<Locator> {
  const section = page.locator('section.operation', { has: page.getByRole('heading', { name: title, exact: true }) })
  await section.getByText('Try it', { exact: true }).click()
  return section.getByRole('form')
}
