import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Locator, Page } from '../../tools/playwright.ts'
import { type OperatorService, startOperatorService } from '../support/operator.ts'
import { BY_HAND, IN_BROWSER } from '../support/servers/browser.ts'
import { buildConsoleVisit, untilLoaded } from '../support/servers/console.ts'

// Everything without a mouse.

const service = await startOperatorService({ after })
const visit = buildConsoleVisit({ after })

test('keyboard shortcuts open the screens and start their actions', IN_BROWSER, async t => {
  const page = await visit(t, service)
  await page.keyboard.type('ga', BY_HAND)
  await page.getByRole('heading', { name: 'Animals', level: 1 }).waitFor()
  const search = page.getByRole('searchbox', { name: /Search/ })
  await search.waitFor()
  await page.keyboard.press('/')
  await search.and(page.locator(':focus')).waitFor()
  await page.keyboard.type('gan/')
  assert.equal(await search.inputValue(), 'gan/', 'keys are text where one types')
  await search.blur()
  await page.keyboard.press('Control+n')
  await page.keyboard.press('Alt+n', BY_HAND)
  await page.keyboard.press('Shift+N', BY_HAND)
  assert.equal(await page.getByRole('dialog').count(), 0)
  await page.keyboard.press('n', BY_HAND)
  const dialog = page.getByRole('dialog', { name: 'Add an animal' })
  const name = dialog.getByLabel('Name')
  await name.and(page.locator(':focus')).waitFor()
  assert.equal(await name.inputValue(), '', 'the key that opens a dialog is not typed into it')
  await dialog.getByRole('button', { name: 'Cancel' }).focus()
  await page.keyboard.type('gkn', BY_HAND)
  assert.equal(await page.getByRole('dialog').count(), 1, 'an open dialog has the keyboard for itself')
  assert.equal(new URL(page.url()).pathname, '/console/animals')
})

test('staff have no shortcuts for actions that they may not do', IN_BROWSER, async t => {
  const page = await visit(t, service, '/accounts', { token: service.staff.token })
  await page.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor()
  await page.keyboard.type('ngtgh', BY_HAND)
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

test('where the row or the button of a dialog is gone, the focus goes to the list', IN_BROWSER, async t => {
  const own = await startOperatorService(t)
  for (const name of ['Rex', 'Bella', 'Tom']) await own.call('POST', '/pets', { body: { name, categoryId: 1 } })
  const page = await visit(t, own, '/animals')
  const list = page.getByRole('region', { name: 'Animals' })
  await page.getByRole('row').filter({ hasText: 'Bella' }).focus()
  await page.keyboard.press('Delete')
  await focusIn(page, 'Delete “Bella”?')
  await page.getByRole('button', { name: 'Delete animal' }).press('Enter')
  await page.getByText('Bella was deleted').waitFor()
  await list.and(page.locator(':focus')).waitFor()
  await page.keyboard.press('j', BY_HAND)
  await page.locator('tr:focus').filter({ hasText: 'Rex' }).waitFor()
  await page.keyboard.press('x', BY_HAND)
  await page.getByRole('button', { name: 'Delete…' }).press('Enter')
  await focusIn(page, 'Delete animals')
  await page.getByRole('button', { name: 'Delete 1 animal' }).press('Enter')
  await page.getByText('1 animal was deleted').waitFor()
  await list.and(page.locator(':focus')).waitFor()
})

test('where a colleague takes the row of a button away, the focus goes to the list', IN_BROWSER, async t => {
  const own = await startOperatorService(t)
  for (const name of ['Rex', 'Bella', 'Tom']) await own.call('POST', '/pets', { body: { name, categoryId: 1 } })
  const { version } = (await own.call('POST', '/pets/bulk/preview', { body: { filter: {} } })).value
  const { entryId } = (await own.call('POST', '/pets/bulk/delete', { body: { filter: {}, version } })).value
  const page = await visit(t, own, '/animals?status=deleted')
  const button = page.getByRole('button', { name: 'Restore Bella' })
  await button.focus()
  await own.call('POST', '/pets/2/restore', { body: { entryId, state: 'before' } })
  await button.waitFor({ state: 'detached' })
  await page.getByRole('region', { name: 'Deleted animals' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('j', BY_HAND)
  await page.locator('tr:focus').waitFor()
})

test('an operator does the work of a day without a mouse', IN_BROWSER, async t => {
  const own = await startOperatorService(t, { now: Date.now() })
  for (const name of ['Ganymede', 'Callisto']) {
    await own.call('POST', '/pets', { body: { name, categoryId: 1n, status: 'available' } })
  }
  await ban(own, 'till')
  const page = await visit(t, own)
  const { keyboard } = page
  await go(page, 'a', 'Animals')

  await keyboard.press('/')
  await keyboard.type('gany')
  await page.getByRole('row', { name: /Callisto/ }).waitFor({ state: 'detached' })
  await tabTo(page, page.getByRole('row', { name: /Ganymede/ }))
  await keyboard.press('e', BY_HAND)
  await page.getByLabel('Name of Ganymede').and(page.locator(':focus')).waitFor()
  await keyboard.type('Ganymed')
  await keyboard.press('Enter')
  const row = page.getByRole('row', { name: /Ganymed\b/ })
  await row.and(page.locator(':focus')).waitFor()
  await keyboard.press('s', BY_HAND)
  await page.getByRole('menu').and(page.locator(':focus, :focus-within')).waitFor()
  await keyboard.type('p')
  await page.getByRole('menuitemradio', { name: 'Pending' }).and(page.locator(':focus')).waitFor()
  await keyboard.press('Enter')
  await row.getByText('Pending').waitFor()
  await row.and(page.locator(':focus')).waitFor()
  await keyboard.press('Enter')
  const drawer = page.getByRole('region', { name: 'Ganymed' })
  await drawer.getByText('History').waitFor()
  await keyboard.press('Escape')
  await drawer.waitFor({ state: 'detached' })
  await row.and(page.locator(':focus')).waitFor()

  await keyboard.press('Space')
  await tabTo(page, page.getByRole('button', { name: 'Change…' }), 'Shift+Tab')
  await keyboard.press('Enter')
  await tabTo(page, page.getByRole('dialog').getByLabel('Status'))
  await keyboard.type('sold')
  await page.getByRole('button', { name: 'Change 1 animal' }).and(page.locator(':enabled')).waitFor()
  await keyboard.press('Control+Enter')
  await page.getByText('1 animal was changed').waitFor()
  await page.getByRole('dialog', { name: 'Change animals' }).waitFor({ state: 'detached' })

  await go(page, 'c', 'Accounts')
  await keyboard.press('n', BY_HAND)
  await page.getByRole('dialog').getByLabel('Name', { exact: true }).waitFor()
  await tabTo(page, page.getByRole('dialog').getByLabel('Name', { exact: true }))
  await keyboard.type('Acme Pets')
  await keyboard.press('Control+Enter')
  await page.getByRole('heading', { name: 'Acme Pets', level: 1 }).waitFor()
  await page.getByRole('dialog', { name: 'Create an account' }).waitFor({ state: 'detached' })
  await keyboard.press('n', BY_HAND)
  await focusIn(page, 'Issue a key to “Acme Pets”')
  await keyboard.press('Control+Enter')
  await tabTo(page, page.getByRole('button', { name: 'I have stored it' }))
  await keyboard.press('Enter')
  await page.getByRole('button', { name: 'I have stored it' }).waitFor({ state: 'detached' })

  await go(page, 'b', 'Bans')
  await tabTo(page, page.getByRole('button', { name: 'Lift the ban of till' }))
  await keyboard.press('Enter')
  await focusIn(page, 'Lift the ban of “till” for 192.0.2.7?')
  await keyboard.press('Control+Enter')
  await page.getByText('No key is banned').waitFor()

  await keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search or go to' }).and(page.locator(':focus')).waitFor()
  await keyboard.type('sign out')
  await keyboard.press('Enter')
  await tabTo(page, page.getByLabel('Operator token'))
  await keyboard.type(own.admin.token)
  await keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Bans', level: 1 }).waitFor()
})

async function go(page: Page, letter: string, heading: string): Promise<void> {
  await page.keyboard.type(`g${letter}`, BY_HAND)
  await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
  await untilLoaded(page)
}

/** Waits for a dialog that has the focus: until then, keys go to what opened it. */
async function focusIn(page: Page, dialog: string): Promise<void> {
  await page.getByRole('dialog', { name: dialog }).and(page.locator(':focus-within')).waitFor()
}

const MAX_TABS = 60

async function tabTo(page: Page, wanted: Locator, key = 'Tab'): Promise<void> {
  await wanted.first().waitFor()
  const focused = wanted.and(page.locator(':focus'))
  for (let tabs = 0; tabs < MAX_TABS && (await focused.count()) === 0; tabs += 1) await page.keyboard.press(key)
  await focused.waitFor()
}

async function ban(service: OperatorService, keyName: string) {
  const caller = await service.createCaller({ keyName })
  const { now } = service.clock
  await service.store.createBan(caller.keyId, {
    source: '192.0.2.7',
    earnedIn: 'minute',
    startedAt: now,
    endsAt: now + 900_000,
    ordinal: 1,
  })
  return caller
}
