import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from '../../tools/playwright.ts'
import { startOperatorService } from '../support/operator.ts'
import { IN_BROWSER } from '../support/servers/browser.ts'
import { assertAccessible, assertFits, buildConsoleVisit } from '../support/servers/console.ts'

// One field that finds everything that can be opened or done.

const service = await startOperatorService({ after })
await service.call('POST', '/pets', { body: { name: 'Ganymede', categoryId: 1n, status: 'available' } })
await service.call('POST', '/pets', { body: { name: 'O’Malley', categoryId: 1n, status: 'available' } })
const { id: accountId } = (await service.call('POST', '/accounts', { body: { name: 'Acme Pets', plan: 'free' } })).value
await service.call('POST', `/accounts/${accountId}/keys`, { body: { name: 'Checkout', scope: 'read' } })
const visit = buildConsoleVisit({ after })

test('animals, accounts and keys are found by name, and opened', IN_BROWSER, async t => {
  const page = await visit(t, service)
  for (const [text, option, heading] of [
    ['gany', 'Ganymede', 'Ganymede'],
    ["o'm", 'O’Malley', 'O’Malley'],
    ['acme', 'Acme Pets', 'Acme Pets'],
    ['check', 'Checkout', 'Checkout'],
  ] as const) {
    await openPalette(page)
    await page.keyboard.type(text)
    await chooseWithArrows(page, option)
    await page.getByRole('heading', { name: heading, exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  await openPalette(page)
  await page.getByRole('group', { name: 'Recently visited' }).getByRole('option', { name: 'Ganymede' }).click()
  await page.getByRole('region', { name: 'Ganymede' }).waitFor()
})

test('the results say that there may be more', IN_BROWSER, async t => {
  for (const name of ['Alpha', 'Beta', 'Gamma', 'Delta', 'Epsilon']) {
    await service.call('POST', '/pets', { body: { name: `Moon ${name}`, categoryId: 1n } })
  }
  const page = await visit(t, service)
  await openPalette(page)
  await page.keyboard.type('moon e')
  await page.getByText('1 result', { exact: true }).waitFor()
  await page.keyboard.press('Backspace')
  await page.getByText('5 results. At most 5 of each kind are shown.').waitFor()
})

test('an animal is found by its number', IN_BROWSER, async t => {
  const page = await visit(t, service)
  const { id } = (await service.call('GET', '/pets?name=Ganymede')).value[0]
  await openPalette(page)
  // Copied text may bring a mark of its direction along.
  await page.keyboard.insertText(`\u200e#${id}`)
  await chooseWithArrows(page, 'Ganymede')
  await page.getByRole('region', { name: 'Ganymede' }).waitFor()
})

test('a text of invisible characters is no search', IN_BROWSER, async t => {
  const page = await visit(t, service)
  await openPalette(page)
  await page.keyboard.insertText('\u200b\ufeff')
  await page.getByRole('option', { name: 'Sign out' }).waitFor()
  assert.equal(await page.getByRole('dialog').getByRole('status').textContent(), '')
})

test('screens and actions are found in every language of the browser', IN_BROWSER, async t => {
  const page = await visit(t, service, '/', { locale: 'tr-TR' })
  await openPalette(page)
  await page.keyboard.type('import')
  await page.getByRole('option', { name: 'Import animals' }).waitFor()
})

test('an action opens its screen and starts there', IN_BROWSER, async t => {
  const page = await visit(t, service)
  for (const [action, dialog] of [
    ['Create account', 'Create an account'],
    ['Issue key', 'Issue a key'],
    ['Add animal', 'Add an animal'],
  ] as const) {
    await openPalette(page)
    await page.keyboard.type(action)
    await page.getByRole('option', { name: action, selected: true }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: dialog }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  await openPalette(page)
  await page.keyboard.type('dark')
  await page.getByRole('option', { name: 'Use dark colours', selected: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.locator('html[data-theme="dark"]').waitFor()
  // An open dialog would capture the keyboard.
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await openPalette(page)
  await page.keyboard.type('sign out')
  await page.getByRole('option', { name: 'Sign out', selected: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Sign in to Petstore' }).waitFor()
})

test('an action is dropped when its operator stays on the screen', IN_BROWSER, async t => {
  const page = await visit(t, service, '/import', { mayComplain: /ERR_FAILED/ })
  await page.route(/\/pets\/import\?/, () => {})
  const file = { name: 'animals.csv', mimeType: 'text/csv', buffer: Buffer.from('name,category\nRex,1\n') }
  await page.getByLabel('File to import').setInputFiles(file)
  await page.getByRole('button', { name: 'Check the file' }).click()
  await page.getByRole('heading', { name: 'Checking the file' }).waitFor()
  await openPalette(page)
  await page.keyboard.type('Add animal')
  await page.getByRole('option', { name: 'Add animal', selected: true }).waitFor()
  await page.keyboard.press('Enter')
  const question = page.getByRole('dialog', { name: 'Stop the check and leave?' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  await question.waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Animals', exact: true }).click()
  await question.getByRole('button', { name: 'Stop and leave' }).click()
  await page.getByText('Ganymede', { exact: true }).waitFor()
  // An open dialog would capture the keyboard.
  await openPalette(page)
  await page.keyboard.type('gany')
  await chooseWithArrows(page, 'Ganymede')
  await page.getByRole('region', { name: 'Ganymede' }).waitFor()
  assert.equal(await page.getByRole('dialog').count(), 0)
})

test('an outdated search is aborted, and each pause in typing starts one search', IN_BROWSER, async t => {
  const page = await visit(t, service)
  const searches: string[] = []
  let release = () => {}
  const isReleased = new Promise<void>(resolve => {
    release = resolve
  })
  await page.route('**/admin/v1/accounts?name=ac*', async route => {
    searches.push(new URL(route.request().url()).searchParams.get('name') ?? '')
    if (searches.length === 1) await isReleased
    await route.continue().catch(() => {})
  })
  await openPalette(page)
  const aborted = page.waitForEvent('requestfailed', request => request.url().includes('/accounts?name=ac'))
  const begun = page.waitForRequest(/accounts\?name=ac/)
  await page.keyboard.type('ac')
  await begun
  // By timers of the page, which run in order: a busy machine cannot make a pause between the letters.
  await page.evaluate(`(async () => {
    for (const letter of 'me') {
      document.execCommand('insertText', false, letter)
      await new Promise(resolve => setTimeout(resolve, 10))
    }
  })()`)
  await page.getByRole('option', { name: /Acme Pets/ }).waitFor()
  await aborted
  release()
  assert.deepEqual(searches, ['ac', 'acme'])
})

test('Enter never opens what was found for an earlier text', IN_BROWSER, async t => {
  const page = await visit(t, service)
  await openPalette(page)
  await page.keyboard.type('gany')
  await page.getByRole('option', { name: 'Ganymede' }).waitFor()
  let release = () => {}
  const isReleased = new Promise<void>(resolve => {
    release = resolve
  })
  await page.route('**/admin/v1/pets?name=o*', async route => {
    await isReleased
    await route.continue()
  })
  await page.getByRole('combobox', { name: 'Search or go to' }).fill("o'm")
  await page.keyboard.press('Enter')
  release()
  await page.getByRole('option', { name: 'O’Malley' }).click()
  await page.getByRole('region', { name: 'O’Malley' }).waitFor()
})

test('staff are offered the actions that they may do, and nothing else', IN_BROWSER, async t => {
  const page = await visit(t, service, '/', { token: service.staff.token })
  await openPalette(page)
  await page.getByRole('option', { name: 'Add animal' }).waitFor()
  const offered = await page.getByRole('option').allTextContents()
  for (const action of ['Create account', 'Issue key', 'Create operator token', 'Operator tokens']) {
    assert.ok(!offered.some(text => text.includes(action)), action)
  }
})

test('a field that the browser fills in does not disturb the shortcuts', IN_BROWSER, async t => {
  const page = await visit(t, service)
  // Like Chromium, which sends an event without a key.
  await page.evaluate(`document.body.dispatchEvent(new Event('keydown', { bubbles: true }))`)
  await openPalette(page)
})

test('the list of shortcuts shows those of the screen', IN_BROWSER, async t => {
  const page = await visit(t, service, '/animals')
  await page.getByRole('button', { name: 'Add animal' }).first().waitFor()
  await page.keyboard.press('?')
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await list.getByText('Add animal').waitFor()
  await list.getByText('Audit log').waitFor()
  await assertAccessible(page, 'shortcuts')
})

for (const width of [390, 1440]) {
  test(`axe finds nothing in the palette, ${width} wide`, IN_BROWSER, async t => {
    const page = await visit(t, service, '/', { viewport: { width, height: 844 } })
    await page.getByRole('button', { name: 'Search or go to' }).click()
    await page.getByRole('combobox', { name: 'Search or go to' }).waitFor()
    await assertAccessible(page, 'palette')
    await page.keyboard.type('a')
    await page.getByRole('group', { name: 'Accounts' }).waitFor()
    await assertAccessible(page, 'palette with results')
    await page.keyboard.type('zzz')
    await page.getByText('Nothing matches “azzz”.').waitFor()
    await assertAccessible(page, 'palette without results')
    await assertFits(page)
  })
}

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search or go to' }).and(page.locator(':focus')).waitFor()
}

async function chooseWithArrows(page: Page, name: string): Promise<void> {
  const options = page.getByRole('option')
  await options.filter({ hasText: name }).first().waitFor()
  const texts = await options.allTextContents()
  const index = texts.findIndex(text => text.startsWith(name))
  for (let step = 0; step < index; step += 1) await page.keyboard.press('ArrowDown')
  await page.getByRole('option', { name, selected: true }).waitFor()
  await page.keyboard.press('Enter')
}
