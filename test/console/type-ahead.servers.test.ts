import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import type { Page } from '../../tools/playwright.ts'
import { type OperatorService, startOperatorService } from '../support/operator.ts'
import { BY_HAND, IN_BROWSER } from '../support/servers/browser.ts'
import { buildConsoleVisit, type ConsoleOptions } from '../support/servers/console.ts'

// What is typed after the key that opens an overlay belongs to the overlay, loaded or not, and changes nothing behind it.

const visit = buildConsoleVisit({ after })
const services = new AsyncDisposableStack()
after(() => services.disposeAsync())

const NAMES = ['Tom', 'Rex']
const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })
const palette = (page: Page) => page.getByRole('combobox', { name: 'Search or go to' })
async function openAnimals(t: TestContext, options?: ConsoleOptions) {
  const service = await startOperatorService({ after: end => services.defer(async () => void (await end())) })
  for (const name of NAMES) await service.call('POST', '/pets', { body: { name, categoryId: 1 } })
  const page = await visit(t, service, '/animals', options)
  const changes: string[] = []
  page.on('request', request => {
    if (/^(PATCH|DELETE|PUT|POST)$/.test(request.method())) changes.push(`${request.method()} ${request.url()}`)
  })
  await rowOf(page, 'Rex').waitFor()
  return { service, page, changes }
}

/** Opens the page again, without a chunk until it is released. The browser caches no request that a test may answer. */
async function withhold(page: Page, chunk: string, hasRows = true) {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(new RegExp(`/assets/${chunk}-`), async route => {
    await promise
    await route.continue()
  })
  await page.reload()
  if (hasRows) {
    await rowOf(page, 'Rex').waitFor()
    await page.keyboard.press('j', BY_HAND)
    await page.locator('tr:focus').filter({ hasText: 'Rex' }).waitFor()
  }
  return { release: resolve }
}

/** Types as a scanner does: the times of the keys are stated, so that a busy machine does not stretch them. */
async function scan(page: Page, text: string): Promise<void> {
  const protocol = await page.context().newCDPSession(page)
  const start = Date.now()
  for (const [index, key] of [...text].entries()) {
    const timestamp = (start + index * 5) / 1_000
    await protocol.send('Input.dispatchKeyEvent', { type: 'keyDown', key, text: key, timestamp })
    await protocol.send('Input.dispatchKeyEvent', { type: 'keyUp', key, timestamp })
  }
}

async function assertUnchanged(service: OperatorService, changes: readonly string[]): Promise<void> {
  assert.deepEqual(changes, [])
  const animals = (await service.call('GET', '/pets?sort=oldest')).value
  assert.deepEqual(
    animals.map(({ name }: { name: string }) => name),
    NAMES,
  )
}

test('what is typed after Ctrl+K is in the palette when it has loaded', IN_BROWSER, async t => {
  const { service, page, changes } = await openAnimals(t)
  const { release } = await withhold(page, 'Palette')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('rexx', BY_HAND)
  await page.keyboard.press('Backspace')
  assert.equal(await page.getByRole('textbox', { name: 'Name of Rex' }).count(), 0)
  release()
  await palette(page).and(page.locator(':focus')).waitFor()
  await page.getByRole('option', { name: 'Rex' }).waitFor()
  assert.equal(await palette(page).inputValue(), 'rex')
  await page.keyboard.type('!')
  assert.equal(await palette(page).inputValue(), 'rex!', 'typing goes on at its end')
  await assertUnchanged(service, changes)
})

test('what is pasted after Ctrl+K is in the palette when it has loaded', IN_BROWSER, async t => {
  const { page } = await openAnimals(t)
  const { release } = await withhold(page, 'Palette')
  await page.keyboard.press('Control+k')
  await page.evaluate(`{
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', 'gaps')
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }`)
  release()
  await palette(page).and(page.locator(':focus')).waitFor()
  assert.equal(await palette(page).inputValue(), 'gaps')
})

test('without any pause, all letters after Ctrl+K are in the palette, loaded or not', IN_BROWSER, async t => {
  const { page } = await openAnimals(t)
  const address = page.url()
  for (let round = 0; round < 3; round += 1) {
    await page.keyboard.press('Control+k')
    await page.keyboard.type('gaps')
    await palette(page).and(page.locator(':focus')).waitFor()
    assert.equal(await palette(page).inputValue(), 'gaps')
    assert.equal(page.url(), address)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
})

test('what a scanner types is not taken for shortcuts, and changes nothing', IN_BROWSER, async t => {
  const { service, page, changes } = await openAnimals(t)
  await page.keyboard.press('j', BY_HAND)
  await page.locator('tr:focus').filter({ hasText: 'Rex' }).waitFor()
  const address = page.url()
  // As keys, these would edit the name of the row, and go to the overview.
  await scan(page, 'petstore_live_gojexo')
  await page.keyboard.press('Enter')
  const animal = page.getByRole('region', { name: 'Rex' })
  await animal.waitFor()
  await page.keyboard.press('Escape')
  await animal.waitFor({ state: 'detached' })
  assert.equal(page.url(), address)
  assert.equal(await page.getByText('1 selected').count(), 0)
  await assertUnchanged(service, changes)
})

test('Esc cancels a palette that has not loaded; the keys then work again', IN_BROWSER, async t => {
  const { page } = await openAnimals(t)
  const { release } = await withhold(page, 'Palette')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('re')
  await page.keyboard.press('Escape')
  release()
  await page.keyboard.press('j', BY_HAND)
  await page.locator('tr:focus').filter({ hasText: 'Tom' }).waitFor()
  assert.equal(await page.getByRole('dialog').count(), 0)
  await page.keyboard.press('Control+k')
  await palette(page).and(page.locator(':focus')).waitFor()
  assert.equal(await palette(page).inputValue(), '')
})

for (const [key, chunk, typed, role, name] of [
  ['?', 'ShortcutList', 'ey', 'dialog', 'Keyboard shortcuts'],
  ['Enter', 'AnimalDrawer', 'exs', 'region', 'Rex'],
  ['Delete', 'DeleteAnimalDialog', 'eys', 'dialog', 'Delete “Rex”?'],
] as const) {
  test(`${key}, then letters, changes nothing behind “${name}”`, IN_BROWSER, async t => {
    const { service, page, changes } = await openAnimals(t)
    const { release } = await withhold(page, chunk)
    await page.keyboard.press(key)
    await page.keyboard.type(typed, BY_HAND)
    await page.keyboard.press('Enter')
    assert.equal(await page.getByRole('textbox', { name: 'Name of Rex' }).count(), 0)
    assert.equal(await page.getByText('1 selected').count(), 0)
    release()
    const overlay = page.getByRole(role, { name })
    await overlay.waitFor()
    await page.keyboard.press('Escape')
    await overlay.waitFor({ state: 'detached' })
    await assertUnchanged(service, changes)
  })
}

test('while an animal loads beside the list, Ctrl+K opens the palette', IN_BROWSER, async t => {
  const { page } = await openAnimals(t)
  const { release } = await withhold(page, 'AnimalDrawer')
  await page.keyboard.press('Enter', BY_HAND)
  await page.waitForURL(/open=/)
  await page.keyboard.press('Control+k')
  await palette(page).and(page.locator(':focus')).waitFor()
  release()
  await page.locator('.beside').getByText('History').waitFor({ state: 'attached' })
  await page.keyboard.type('gaps', BY_HAND)
  assert.equal(await palette(page).inputValue(), 'gaps')
})

test('what is typed after N is the name of the new animal, and is not lost by closing', IN_BROWSER, async t => {
  const { page } = await openAnimals(t)
  const { release } = await withhold(page, 'AddAnimalDialog')
  await page.keyboard.press('n', BY_HAND)
  await page.keyboard.type('Bella', BY_HAND)
  release()
  const name = page.getByRole('dialog').getByLabel('Name')
  await name.and(page.locator(':focus')).waitFor()
  assert.equal(await name.inputValue(), 'Bella')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Discard your changes?' }).waitFor()
})

test('N works while the code of its screen loads', IN_BROWSER, async t => {
  const { page } = await openAnimals(t)
  const { release } = await withhold(page, 'animals', false)
  await page.locator('.screen[aria-busy]').waitFor()
  await page.keyboard.type('nMax', BY_HAND)
  release()
  await page.getByRole('dialog', { name: 'Add an animal' }).locator('input:focus').waitFor()
  assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Max')
})

test('an action of the palette keeps what is typed until its dialog is there', IN_BROWSER, async t => {
  const { page, changes } = await openAnimals(t)
  await page.getByRole('link', { name: 'Overview' }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('Add animal')
  await page.getByRole('option', { name: 'Add animal', selected: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.type('Bella', BY_HAND)
  const name = page.getByRole('dialog', { name: 'Add an animal' }).getByLabel('Name')
  await name.waitFor()
  assert.equal(await name.inputValue(), 'Bella')
  assert.deepEqual(changes, [])
})

test(
  'a letter that is typed before the palette has closed belongs to the dialog of its action',
  IN_BROWSER,
  async t => {
    const { page, changes } = await openAnimals(t)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('Add animal')
    await page.getByRole('option', { name: 'Add animal', selected: true }).waitFor()
    await palette(page).evaluate(field => {
      for (const key of ['Enter', 'B']) field.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
    })
    await page.keyboard.type('ella', BY_HAND)
    const name = page.getByRole('dialog', { name: 'Add an animal' }).getByLabel('Name')
    await name.waitFor()
    assert.equal(await name.inputValue(), 'Bella')
    assert.deepEqual(changes, [])
  },
)

test('a name is not saved when the palette takes the focus, and is still there afterwards', IN_BROWSER, async t => {
  const { service, page, changes } = await openAnimals(t)
  await rowOf(page, 'Rex').focus()
  await page.keyboard.press('e', BY_HAND)
  const editor = page.getByRole('textbox', { name: 'Name of Rex' })
  await editor.fill('Rexy')
  await page.keyboard.press('Control+k')
  await palette(page).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Escape')
  await editor.and(page.locator(':focus')).waitFor()
  assert.equal(await editor.inputValue(), 'Rexy')
  await assertUnchanged(service, changes)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('Settings')
  await page.getByRole('option', { name: 'Settings', selected: true }).waitFor()
  await page.keyboard.press('Enter')
  const question = page.getByRole('dialog', { name: 'Leave this screen?' })
  await question.getByRole('button', { name: 'Stay' }).click()
  await question.waitFor({ state: 'detached' })
  await editor.focus()
  await page.keyboard.press('Tab')
  await rowOf(page, 'Rexy').waitFor()
  assert.equal((await service.call('GET', '/pets/2')).value.name, 'Rexy')
})

test('a name is saved by pressing elsewhere; the next name that is edited stays open', IN_BROWSER, async t => {
  const { service, page } = await openAnimals(t)
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(/\/pets\/2$/, async route => {
    await promise
    await route.continue()
  })
  await rowOf(page, 'Rex').focus()
  await page.keyboard.press('e', BY_HAND)
  await page.getByRole('textbox', { name: 'Name of Rex' }).fill('Rexy')
  await page.getByRole('button', { name: 'Correct the name of Tom' }).click()
  const next = page.getByRole('textbox', { name: 'Name of Tom' })
  await next.waitFor()
  const answered = page.waitForResponse(/\/pets\/2$/)
  resolve()
  await answered
  await rowOf(page, 'Rexy').waitFor()
  await next.and(page.locator(':focus')).waitFor()
  assert.equal((await service.call('GET', '/pets/2')).value.name, 'Rexy')
})

test('a filter is not applied when the palette takes the focus', IN_BROWSER, async t => {
  const { page } = await openAnimals(t)
  await page.getByRole('link', { name: 'Audit log' }).click()
  const operator = page.getByRole('textbox', { name: 'Operator' })
  await operator.fill('Anna')
  await page.keyboard.press('Control+k')
  await palette(page).and(page.locator(':focus')).waitFor()
  assert.doesNotMatch(page.url(), /operator/)
  await page.keyboard.press('Escape')
  await operator.and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Tab')
  await page.getByRole('button', { name: 'Clear filters' }).waitFor()
  assert.match(page.url(), /operator=Anna/)
})
