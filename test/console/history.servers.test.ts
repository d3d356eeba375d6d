import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from '../../tools/playwright.ts'
import { eventually } from '../support/eventually.ts'
import { startOperatorService } from '../support/operator.ts'
import { BY_HAND, IN_BROWSER } from '../support/servers/browser.ts'
import { buildConsoleVisit } from '../support/servers/console.ts'

// The history of the browser, and the records that open over a list or beside it.

const service = await startOperatorService({ after })
const visit = buildConsoleVisit({ after })

const { value: account } = await service.call('POST', '/accounts', { body: { name: 'Acme Pets', plan: 'pro' } })
await service.call('POST', `/accounts/${account.id}/keys`, { body: { name: 'Till' } })
await service.call('POST', '/sources', { body: { name: 'riverside' } })
for (const name of ['Rex', 'Bella', 'Max']) await service.call('POST', '/pets', { body: { name, categoryId: 1 } })

for (const [path, row] of [
  ['/animals', 'Rex'],
  ['/keys', 'Till'],
  [`/accounts/${account.id}`, 'Till'],
  ['/audit', 'Key issued'],
  ['/sources', 'riverside'],
] as const) {
  test(`the back button does not open again what was closed on ${path}`, IN_BROWSER, async t => {
    const page = await visit(t, service, '/health', { viewport: { width: 820, height: 844 } })
    await page.getByRole('heading', { name: 'Health', level: 1 }).waitFor()
    await openScreen(page, path)
    const drawer = page.getByRole('dialog')
    // In the middle of the row, there may be a link.
    await page
      .getByRole('row', { name: new RegExp(row) })
      .getByText(row)
      .first()
      .click()
    await drawer.waitFor()
    await drawer.getByRole('button', { name: 'Close' }).click()
    await drawer.waitFor({ state: 'detached' })
    await untilAt(page, path)
    await page.goBack()
    await page.getByRole('heading', { name: 'Health', level: 1 }).waitFor()
    await untilAt(page, '/health')
    assert.equal(await drawer.count(), 0)
  })
}

test('after a reload, what was opened before it closes without loading the page again', IN_BROWSER, async t => {
  const page = await visit(t, service, '/keys')
  const drawer = page.getByRole('dialog', { name: 'Till' })
  await page.getByRole('row', { name: /Till/ }).click()
  await drawer.waitFor()
  const before = await lengthOf(page)
  await page.reload()
  await drawer.waitFor()
  await page.evaluate('window.isSamePage = true')
  await drawer.getByRole('button', { name: 'Close' }).click()
  await drawer.waitFor({ state: 'detached' })
  await untilAt(page, '/keys')
  assert.equal(await page.evaluate('window.isSamePage'), true)
  assert.equal(await lengthOf(page), before)
})

test('what an address opens closes without a step back', IN_BROWSER, async t => {
  const page = await visit(t, service, '/keys?key=1')
  const before = await lengthOf(page)
  await page.getByRole('dialog', { name: 'Till' }).getByRole('button', { name: 'Close' }).click()
  await untilAt(page, '/keys')
  assert.equal(await lengthOf(page), before)
})

test('what is pressed before the browser has gone back from a closed record is not lost', IN_BROWSER, async t => {
  const page = await visit(t, service, '/health', { viewport: { width: 1440, height: 844 } })
  await openScreen(page, '/animals')
  const animal = (name: string) => page.getByRole('region', { name, exact: true })
  await page.getByText('Rex', { exact: true }).click()
  await animal('Rex').waitFor()

  // Each in one task, after which the browser goes back.
  await page.evaluate(`${CLOSE}; ${CLOSE}; document.querySelector('tr[data-index="1"] td:last-child').click()`)
  await animal('Bella').waitFor()
  await page.evaluate(`history.back(); ${CLOSE}`)
  await animal('Bella').waitFor({ state: 'detached' })
  await page.getByText('Max', { exact: true }).click()
  await animal('Max').waitFor()
  await page.goBack()
  await animal('Max').waitFor({ state: 'detached' })
  await untilAt(page, '/animals')
  await page.getByText('Max', { exact: true }).click()
  await animal('Max').waitFor()
  await page.evaluate(`${CLOSE}; ${linkTo('/keys')}`)
  await untilAt(page, '/keys')
  await page.goBack()
  await untilAt(page, '/animals')
})

test('beside the list, closing skips all animals that were opened, but no filter', IN_BROWSER, async t => {
  const page = await visit(t, service, '/animals', { viewport: { width: 1440, height: 844 } })
  const animal = (name: string) => page.getByRole('region', { name, exact: true })
  const before = await lengthOf(page)
  for (const name of ['Rex', 'Bella', 'Max']) {
    await page.getByText(name, { exact: true }).click()
    await animal(name).waitFor()
  }
  await page.keyboard.press('j', BY_HAND)
  await animal('Bella').waitFor()
  await page.keyboard.press('Escape')
  await animal('Bella').waitFor({ state: 'detached' })
  await untilAt(page, '/animals')
  await page.locator('tr[data-key]:focus', { hasText: 'Bella' }).waitFor()
  await page.getByText('Rex', { exact: true }).click()
  await animal('Rex').waitFor()
  assert.equal(await lengthOf(page), before + 1)
  await page.getByRole('button', { name: /^Available/ }).click()
  await animal('Rex').getByRole('button', { name: 'Close' }).click()
  await untilAt(page, '/animals?status=available')
  assert.equal(await lengthOf(page), before + 2)
})

/** For a page to evaluate. */
const CLOSE = `document.querySelector('.beside .dialog-close').click()`
const linkTo = (path: string) => `document.querySelector('.nav-link[href$="${path}"]').click()`

/** Without reloading the page. */
async function openScreen(page: Page, path: string): Promise<void> {
  if (!path.startsWith('/accounts/')) {
    await page.evaluate(linkTo(path))
    return
  }
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search or go to' }).fill('Acme')
  await page.getByRole('option', { name: /Acme Pets pro/ }).click()
}

function lengthOf(page: Page): Promise<number> {
  return page.evaluate('history.length') as Promise<number>
}

function untilAt(page: Page, path: string): Promise<void> {
  return eventually(async () => {
    const { pathname, search } = new URL(page.url())
    assert.equal(pathname + search, `/console${path}`)
  })
}
