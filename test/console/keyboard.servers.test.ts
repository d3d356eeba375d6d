import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startOperatorService } from '../support/operator.ts'
import { IN_BROWSER } from '../support/servers/browser.ts'
import { buildConsoleVisit } from '../support/servers/console.ts'

// Everything without a mouse.

const service = await startOperatorService({ after })
const visit = buildConsoleVisit({ after })

test('keys lead to the screens and begin what they offer', IN_BROWSER, async t => {
  const page = await visit(t, service)
  await page.keyboard.press('g')
  await page.keyboard.press('a')
  await page.getByRole('heading', { name: 'Animals', level: 1 }).waitFor()
  await page.keyboard.press('/')
  const search = page.getByRole('searchbox', { name: /Search/ })
  await search.and(page.locator(':focus')).waitFor()
  await page.keyboard.type('gan/')
  assert.equal(await search.inputValue(), 'gan/', 'keys are text where one types')
  await search.blur()
  await page.keyboard.press('Control+n')
  await page.keyboard.press('Alt+n')
  await page.keyboard.press('Shift+N')
  assert.equal(await page.getByRole('dialog').count(), 0)
  await page.keyboard.press('n')
  await page.getByRole('dialog', { name: 'Add an animal' }).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).focus()
  await page.keyboard.press('g')
  await page.keyboard.press('k')
  await page.keyboard.press('n')
  assert.equal(await page.getByRole('dialog').count(), 1, 'an open dialog has the keyboard for itself')
  assert.equal(new URL(page.url()).pathname, '/console/animals')
})

test('staff have no keys for what they may not do', IN_BROWSER, async t => {
  const page = await visit(t, service, '/accounts', { token: service.staff.token })
  await page.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor()
  await page.keyboard.press('n')
  await page.keyboard.press('g')
  await page.keyboard.press('t')
  await page.keyboard.press('g')
  await page.keyboard.press('h')
  await page.getByRole('heading', { name: 'Health', level: 1 }).waitFor()
  assert.equal(await page.getByRole('dialog').count(), 0)
})

test('each screen has a title, and its heading gets the focus', IN_BROWSER, async t => {
  const page = await visit(t, service)
  await page.getByRole('link', { name: 'Bans', exact: true }).click()
  await page.getByRole('heading', { name: 'Bans', level: 1 }).and(page.locator(':focus')).waitFor()
  assert.equal(await page.title(), 'Bans · Petstore')
  await page.locator('.nav-link[aria-current="page"]', { hasText: 'Bans' }).waitFor()
})

test('on a phone, the menu closes with Esc and by choosing', IN_BROWSER, async t => {
  const page = await visit(t, service, '/', { viewport: { width: 390, height: 844 } })
  const menu = page.getByRole('button', { name: 'Menu' })
  const link = page.getByRole('link', { name: 'Bans', exact: true })
  await menu.click()
  await link.waitFor()
  await page.keyboard.press('Escape')
  await link.waitFor({ state: 'hidden' })
  await menu.and(page.locator(':focus')).waitFor()
  await menu.click()
  await link.click()
  await page.getByRole('heading', { name: 'Bans', level: 1 }).waitFor()
  await link.waitFor({ state: 'hidden' })
})
