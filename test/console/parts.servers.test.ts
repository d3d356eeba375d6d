import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from '../../tools/playwright.ts'
import { startOperatorService } from '../support/operator.ts'
import { IN_BROWSER } from '../support/servers/browser.ts'
import { buildConsoleVisit } from '../support/servers/console.ts'
import { untilTrue } from '../support/servers/visit.ts'

// Parts of the console that a page loads later: the service may have been stopped or updated since the page was loaded.

const service = await startOperatorService({ after })
const visit = buildConsoleVisit({ after })
const FILES = '**/console/assets/**'
const CALLS = '**/admin/v1/**'
const HEALTH = '**/assets/HealthScreen-*.js'
/** For a page to evaluate: whether the screen of the keys, which is the last one, has been loaded with everything that it needs. */
const IS_LOADED = `[...document.querySelectorAll('link[rel="modulepreload"]'), { href: '/KeysScreen-' }]
  .every(({ href }) => performance.getEntriesByType('resource').some(({ name }) => name.includes(href)))`
/** Of what is behind the sign-in. */
const STYLES = '**/assets/style-*.css'

test('after an update, the page says so, keeps the input, and reloads on request', IN_BROWSER, async t => {
  await service.call('POST', '/pets', { body: { name: 'Momo', categoryId: 1 } })
  const page = await visit(t, service, '/animals', { mayComplain: /404/ })
  await page.route(HEALTH, route => route.fulfill({ status: 404 }))
  await page.reload()
  await changeAnimal(page, 'Momo', 'Momo the Great')
  await page.getByRole('link', { name: 'Health' }).click()
  await page.getByText('Petstore has been updated.').waitFor()

  const reload = page.getByRole('button', { name: 'Reload' })
  page.once('dialog', dialog => dialog.dismiss())
  await reload.click()
  await page.getByRole('link', { name: 'Animals' }).click()
  await page.getByText('Momo', { exact: true }).click()
  assert.equal(await page.getByRole('region', { name: 'Momo' }).getByLabel('Name').inputValue(), 'Momo the Great')
  await page.keyboard.press('Escape')

  await page.unroute(HEALTH)
  page.once('dialog', dialog => dialog.accept())
  await reload.click()
  await page.getByRole('button', { name: 'Reload' }).waitFor({ state: 'detached' })
  await page.getByRole('heading', { name: 'Animals', level: 1 }).waitFor()
})

test(
  'while the service is stopped, a screen that was never loaded says why at its address, and appears later',
  IN_BROWSER,
  async t => {
    const page = await visit(t, service, '/accounts', { mayComplain: /ERR_/ })
    await page.route(HEALTH, route => route.abort('connectionrefused'))
    await page.reload()
    await page.locator('#screen').getByRole('heading', { name: 'Accounts', level: 1 }).waitFor()
    await page.evaluate('window.isSamePage = true')
    await page.route(CALLS, route => route.abort('connectionrefused'))
    await page.getByRole('link', { name: 'Health' }).click()
    await assertSaysWhy(page, 'health', 'Health')
    for (const files of [HEALTH, CALLS]) await page.unroute(files)
    await page.getByRole('heading', { name: 'Everything works' }).waitFor()
    assert.ok(await page.evaluate('window.isSamePage'), 'the page was not reloaded')
    assert.equal(await page.getByText('Petstore has been updated.').count(), 0)
  },
)

test(
  'while the service is stopped, screens that were never opened say why, and what is known stays',
  IN_BROWSER,
  async t => {
    await service.call('POST', '/accounts', { body: { name: 'Corner Shop', plan: 'free' } })
    const page = await visit(t, service, '/accounts', { mayComplain: /ERR_/ })
    await page.getByText('Corner Shop').waitFor()
    await untilTrue(page, IS_LOADED)
    await page.route(FILES, route => route.abort('connectionrefused'))
    await page.route(CALLS, route => route.abort('connectionrefused'))
    await page.getByRole('link', { name: 'Keys' }).click()
    await assertSaysWhy(page, 'keys', 'Keys')
    assert.equal(await page.getByText('No keys yet').count(), 0)
    // Now the page knows that it cannot ask.
    await page.getByRole('link', { name: 'Bans' }).click()
    await assertSaysWhy(page, 'bans', 'Bans')
    assert.equal(await page.getByText('No key is banned').count(), 0)
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByText('Unknown while the service cannot be reached.').waitFor()
    assert.equal(await page.getByText(/Healthy|Nothing\./).count(), 0)
    await page.getByRole('link', { name: 'Accounts' }).click()
    await page.getByText('Corner Shop').waitFor()
    await page.unroute(CALLS)
    await page.getByRole('link', { name: 'Keys' }).click()
    await page.getByText('No keys yet').waitFor()
  },
)

test('the styles are requested again if that failed', IN_BROWSER, async t => {
  const page = await visit(t, service, '/accounts', { mayComplain: /ERR_/ })
  await page.route(STYLES, route => route.abort('connectionrefused'), { times: 1 })
  await page.reload()
  await page.locator('#screen').waitFor()
  await untilTrue(page, '[...document.querySelectorAll("link[rel=stylesheet]")].every(link => link.sheet)')
})

/** Within a second, plus what a busy machine takes. */
async function assertSaysWhy(page: Page, path: string, title: string): Promise<void> {
  await page.getByText('This cannot be loaded, because Petstore does not respond.').waitFor()
  assert.equal(page.url(), `${service.operatorUrl}/console/${path}`)
  assert.equal(await page.title(), `${title} · Petstore`)
  await page.getByRole('heading', { name: title, level: 1 }).waitFor()
}

/** Changes the name of an open animal, and does not save it. */
async function changeAnimal(page: Page, name: string, next: string): Promise<void> {
  await page.getByText(name, { exact: true }).click()
  const animal = page.getByRole('region', { name })
  await animal.getByLabel('Name').fill(next)
  await page.keyboard.press('Escape')
  await animal.waitFor({ state: 'detached' })
}
