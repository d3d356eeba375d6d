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

test('after an update, the page says so, keeps the input, and reloads on request', IN_BROWSER, async t => {
  await service.call('POST', '/pets', { body: { name: 'Momo', categoryId: 1 } })
  const page = await visit(t, service, '/animals', { mayComplain: /404/ })
  await changeAnimal(page, 'Momo', 'Momo the Great')
  await page.route(FILES, route => route.fulfill({ status: 404 }))
  await page.getByRole('link', { name: 'Health' }).click()
  await page.getByText('Petstore has been updated.').waitFor()
  await page.getByText('Momo', { exact: true }).waitFor()

  const reload = page.getByRole('button', { name: 'Reload' })
  page.once('dialog', dialog => dialog.dismiss())
  await reload.click()
  await page.getByRole('link', { name: 'Animals' }).click()
  await page.getByText('Momo', { exact: true }).click()
  assert.equal(await page.getByRole('region', { name: 'Momo' }).getByLabel('Name').inputValue(), 'Momo the Great')
  await page.keyboard.press('Escape')

  await page.unroute(FILES)
  page.once('dialog', dialog => dialog.accept())
  await reload.click()
  await page.getByRole('button', { name: 'Reload' }).waitFor({ state: 'detached' })
  await page.getByRole('heading', { name: 'Animals', level: 1 }).waitFor()
})

test('a part that is needed while the service is stopped is shown when it is back', IN_BROWSER, async t => {
  const page = await visit(t, service, '/accounts', { mayComplain: /ERR_/ })
  await page.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor()
  await page.evaluate('window.isSamePage = true')
  await page.route(FILES, route => route.abort('connectionrefused'))
  await page.route('**/admin/v1/**', route => route.abort('connectionrefused'))
  await page.getByRole('link', { name: 'Health' }).click()
  await page.getByText('Petstore cannot be reached.').waitFor()
  await page.unroute(FILES)
  await page.unroute('**/admin/v1/**')
  await page.getByRole('heading', { name: 'Health', level: 1 }).waitFor()
  assert.ok(await page.evaluate('window.isSamePage'), 'the page was not reloaded')
  assert.equal(await page.getByText('Petstore has been updated.').count(), 0)
  await untilTrue(page, '[...document.querySelectorAll("link[rel=stylesheet]")].every(link => link.sheet)')
})

/** Changes the name of an open animal, and does not save it. */
async function changeAnimal(page: Page, name: string, next: string): Promise<void> {
  await page.getByText(name, { exact: true }).click()
  const animal = page.getByRole('region', { name })
  await animal.getByLabel('Name').fill(next)
  await page.keyboard.press('Escape')
  await animal.waitFor({ state: 'detached' })
}
