import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createAccount } from '../src/domain/administration/accounts.ts'
import { createClaimLink } from '../src/domain/administration/claim-links.ts'
import { AXE } from '../tools/axe.ts'
import type { Page } from '../tools/playwright.ts'
import { inReverse } from './support/cleanup.ts'
import { IN_BROWSER } from './support/servers/browser.ts'
import { canRunInstances, makeSharedStore, startInstances } from './support/servers/instances.ts'
import { buildVisit } from './support/servers/visit.ts'
import { startTestService } from './support/service.ts'

// The page of a claim link in a real browser, and links that are claimed on several instances at once.

const service = await startTestService({ after })
const visit = buildVisit({ after })

const FORM = { Accept: 'text/html', 'Content-Type': 'application/x-www-form-urlencoded' }
const KEY = /petstore_live_[0-9A-Za-z]{36}/
/** For a page to evaluate. The second press comes while the browser waits for the response to the first. */
const PRESS_TWICE = `new Promise(resolve => {
  const button = document.querySelector('button')
  button.click()
  setTimeout(() => resolve(button.click()), 200)
})`
const BUTTON = { name: 'Show the API key' }

let made = 0

async function createLink(name?: string): Promise<string> {
  made += 1
  const operator = service.adminContext()
  const { id } = await createAccount(operator, { name: `shop ${made}`, plan: 'free', limits: {} })
  const { secret } = await createClaimLink(operator, { account: String(id), terms: { name }, validForSeconds: 3_600 })
  return `${service.url}/claim/${secret}`
}

const headingOf = (page: Page) => page.locator('h1').innerText()

test('a browser without JavaScript gets the key; reloading and going back do not get another', IN_BROWSER, async t => {
  const link = await createLink('till')
  const { page, requests, complaints } = await visit(t, link, { javaScriptEnabled: false })
  assert.equal(await headingOf(page), 'Your API key is ready')
  await page.getByRole('button', BUTTON).click()
  assert.equal(await headingOf(page), 'Your API key')
  const [key] = KEY.exec(await page.locator('.claim-key').innerText()) ?? []
  assert.ok(key)
  const answer = await fetch(`${service.url}/v1/pets`, { headers: { Authorization: `Bearer ${key}` } })
  assert.equal(answer.status, 200)
  for (const url of requests) assert.ok(url.startsWith(service.url), url)
  assert.deepEqual(complaints, [])

  await page.reload()
  assert.equal(await headingOf(page), 'This link has already been used')
  await page.goBack()
  assert.equal(await headingOf(page), 'This link has already been used')
  assert.equal((await service.store.listKeys()).length, 1)
})

test('a second press of the button, while the first is in flight, does not lose the key', IN_BROWSER, async t => {
  const before = (await service.store.listKeys()).length
  const { page, complaints } = await visit(t, await createLink())
  const pressed = Promise.withResolvers<void>()
  let posts = 0
  await page.route('**/claim/**', async route => {
    if (route.request().method() === 'POST') {
      posts += 1
      await pressed.promise
    }
    await route.continue()
  })
  await page.evaluate(PRESS_TWICE)
  pressed.resolve()
  await page.getByRole('heading', { name: 'Your API key', exact: true }).waitFor()
  assert.match(await page.locator('.claim-key').innerText(), KEY)
  assert.equal(posts, 1)
  assert.equal((await service.store.listKeys()).length, before + 1)
  assert.deepEqual(complaints, [])
})

test('no page that is opened from it learns the address of a link', IN_BROWSER, async t => {
  const { page } = await visit(t, await createLink())
  await page.getByRole('button', BUTTON).click()
  const loaded = page.waitForRequest(request => request.url().includes('/docs/guides/quick-start'))
  await page.getByRole('link', { name: 'quick start' }).click()
  const headers = await (await loaded).allHeaders()
  assert.equal(headers.referer, undefined)
  await page.waitForLoadState()
  assert.equal(await page.evaluate('document.referrer'), '')
})

for (const width of [390, 1440]) {
  test(`axe finds nothing on the pages of a link ${width} wide`, IN_BROWSER, async t => {
    const link = await createLink('till')
    const options = { viewport: { width, height: 844 }, bypassCSP: true }
    const { page } = await visit(t, link, options)
    const check = async () => {
      await page.addScriptTag({ content: AXE })
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        const found = await page.evaluate('axe.run().then(({ violations }) => violations.map(({ id }) => id))')
        assert.deepEqual(found, [], `${await headingOf(page)} in ${colorScheme}`)
      }
      const isScrolled = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
      assert.equal(isScrolled, false, `${await headingOf(page)} fits`)
    }
    await check()
    await page.getByRole('button', BUTTON).click()
    await check()
    await page.goto(link)
    await check()
    await page.goto(`${service.url}/claim/x`)
    await check()
  })
}

test('of claims on three instances at once exactly one gets a key, which works everywhere at once', async t => {
  if (!canRunInstances(t)) return
  const end = inReverse(t)
  const store = await makeSharedStore(end)
  await store.act(context => createAccount(context, { name: 'acme', plan: 'business', limits: {} }))
  const instances = await startInstances(end, store)
  for (let round = 1; round <= 5; round += 1) {
    const { secret } = await store.act(context => createClaimLink(context, { account: 'acme', validForSeconds: 3_600 }))
    const claims = [...instances, ...instances, ...instances].map(async ({ url }) => {
      const answer = await fetch(`${url}/claim/${secret}`, { method: 'POST', headers: FORM, body: '' })
      return { status: answer.status, key: KEY.exec(await answer.text())?.[0] }
    })
    const shown = await Promise.all(claims)
    const [won, ...others] = shown.filter(({ key }) => key !== undefined)
    assert.ok(won)
    assert.deepEqual(others, [])
    assert.equal(shown.filter(({ status }) => status === 410).length, 8)
    for (const { url } of instances) {
      const answer: Response = await fetch(`${url}/v1/pets`, { headers: { Authorization: `Bearer ${won.key}` } })
      assert.equal(answer.status, 200, 'the key works on every instance')
    }
    assert.equal((await store.json('key', 'list')).length, round)
  }
})
