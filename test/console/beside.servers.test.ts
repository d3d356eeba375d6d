import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import type { Page } from '../../tools/playwright.ts'
import { type OperatorService, startOperatorService } from '../support/operator.ts'
import { BY_HAND, IN_BROWSER } from '../support/servers/browser.ts'
import { buildConsoleVisit, type ConsoleOptions } from '../support/servers/console.ts'

// An animal is open beside its list, which stays usable. In narrow windows, it is over the list.

const visit = buildConsoleVisit({ after })
const services = new AsyncDisposableStack()
after(() => services.disposeAsync())

const WIDE = { viewport: { width: 1440, height: 900 } }
const rowOf = (page: Page, name: string) => page.getByRole('row', { name, exact: false }).filter({ hasText: name })
const animal = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const list = (page: Page) => page.getByRole('region', { name: 'Animals' })
const openRow = (page: Page, name: string) => page.locator('tr[aria-current="true"]').filter({ hasText: name })
const focusedRow = (page: Page, name: string) => page.locator('tr:focus').filter({ hasText: name })
const idOf = (page: Page) => new URL(page.url()).searchParams.get('open')

/** Animals named "Rex 1", "Rex 2", …, the newest first in the list. */
async function openAnimals(t: TestContext, count: number, path = '/animals', options: ConsoleOptions = WIDE) {
  const service = await startOperatorService({ after: end => services.defer(async () => void (await end())) })
  for (let id = 1; id <= count; id += 1) {
    await service.call('POST', '/pets', { body: { name: `Rex ${id}`, categoryId: 1, status: STATUSES[id % 2] } })
  }
  const page = await visit(t, service, path, options)
  await page.locator('tr[data-index="0"]').waitFor()
  return { service, page }
}

const STATUSES = ['available', 'pending']
const read = async (service: OperatorService, id: number) => (await service.call('GET', `/pets/${id}`)).value

test('an animal opens beside the list, and a click on another row shows that one', IN_BROWSER, async t => {
  const { service, page } = await openAnimals(t, 7)
  await page.getByText('Rex 5', { exact: true }).click()
  await animal(page, 'Rex 5').getByText('Added').waitFor()
  await openRow(page, 'Rex 5').waitFor()
  assert.equal(await page.getByRole('dialog').count(), 0)
  const [beside, rows] = [await animal(page, 'Rex 5').boundingBox(), await list(page).boundingBox()]
  assert.ok(beside && rows && rows.x + rows.width <= beside.x, 'it covers nothing of the list')

  await page.getByLabel('Select Rex 3').check()
  await page.getByText('1 selected').waitFor()
  await page.getByRole('button', { name: 'available: change the status of Rex 4' }).click()
  const saved = page.waitForResponse(/\/pets\/4$/)
  await page.getByRole('menuitemradio', { name: 'Sold' }).click()
  await rowOf(page, 'Rex 4').getByText('Sold').waitFor()
  await saved
  assert.equal((await read(service, 4)).status, 'sold')
  await page.getByRole('searchbox').fill('rex 2')
  await rowOf(page, 'Rex 5').waitFor({ state: 'detached' })
  await animal(page, 'Rex 5').waitFor()

  await page.getByText('Rex 2', { exact: true }).click()
  await animal(page, 'Rex 2').getByText('Added').waitFor()
  await openRow(page, 'Rex 2').waitFor()
  assert.equal(await page.locator('tr[aria-current]').count(), 1)
  assert.equal(idOf(page), '2')
  await page.reload()
  await animal(page, 'Rex 2').getByText('Added').waitFor()
  await page.goBack()
  await animal(page, 'Rex 5').getByText('Added').waitFor()
})

test('the list keeps its place when an animal opens, another one is chosen, and it closes', IN_BROWSER, async t => {
  const { page } = await openAnimals(t, 90)
  const scroller = `document.querySelector('[aria-label="Animals"]')`
  await page.evaluate(`${scroller}.scrollTop = 1000`)
  const place = () => page.evaluate(`${scroller}.scrollTop`)
  for (const name of ['Rex 60', 'Rex 58']) {
    await page.getByText(name, { exact: true }).click()
    await animal(page, name).getByText('Added').waitFor()
    assert.equal(await place(), 1000)
  }
  await page.keyboard.press('Escape')
  await animal(page, 'Rex 58').waitFor({ state: 'detached' })
  await focusedRow(page, 'Rex 58').waitFor()
  assert.equal(await place(), 1000)
})

test('J, K, the arrows and the buttons go through the list in its order and filter', IN_BROWSER, async t => {
  const { page } = await openAnimals(t, 9, '/animals?status=pending&sort=oldest')
  const [previous, next] = ['Previous animal', 'Next animal'].map(name => page.getByRole('button', { name }))
  assert.ok(previous && next)
  const place = page.getByRole('region', { name: /^Rex/ }).getByRole('status')
  await page.getByText('Rex 1', { exact: true }).click()
  await place.getByText('First of 5').waitFor()
  assert.equal(await previous.getAttribute('aria-disabled'), 'true')
  await page.keyboard.press('k', BY_HAND)
  await page.keyboard.press('j', BY_HAND)
  await animal(page, 'Rex 3').waitFor()
  await focusedRow(page, 'Rex 3').waitFor()
  await place.getByText('2 of 5').waitFor()
  await page.keyboard.press('ArrowDown')
  await animal(page, 'Rex 5').waitFor()
  await page.keyboard.press('ArrowUp')
  await animal(page, 'Rex 3').waitFor()

  await next.click()
  await animal(page, 'Rex 5').waitFor()
  await next.click()
  await animal(page, 'Rex 7').waitFor()
  await page.keyboard.press('j', BY_HAND)
  await place.getByText('Last of 5').waitFor()
  await next.and(page.locator(':focus')).waitFor()
  assert.equal(await next.getAttribute('aria-disabled'), 'true')
  await page.keyboard.press('j', BY_HAND)
  await previous.click()
  await animal(page, 'Rex 7').waitFor()
  assert.equal(idOf(page), '7')
  await page.goBack()
  await page.getByRole('region', { name: /^Rex/ }).waitFor({ state: 'detached' })
})

test('the next animal after the last loaded one is loaded, and then opens', IN_BROWSER, async t => {
  const { page } = await openAnimals(t, 130)
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  await page.route(/\/pets\?.*before=/, async route => {
    await answered
    await route.continue()
  })
  await list(page).press('End')
  await page.getByText('Rex 31', { exact: true }).click()
  await animal(page, 'Rex 31').getByText('100 of 130').waitFor()
  await page.keyboard.press('j', BY_HAND)
  await animal(page, 'Rex 31').waitFor()
  answer()
  await animal(page, 'Rex 30').getByText('101 of 130').waitFor()
  await focusedRow(page, 'Rex 30').waitFor()
})

test('Esc closes the animal from the list, from its fields and its buttons', IN_BROWSER, async t => {
  const { page } = await openAnimals(t, 3)
  const beside = animal(page, 'Rex 2')
  const places = [
    () => rowOf(page, 'Rex 2').focus(),
    () => beside.getByLabel('Name').focus(),
    () => beside.getByRole('button', { name: 'Next animal' }).focus(),
  ]
  for (const focus of places) {
    await page.getByText('Rex 2', { exact: true }).click()
    await beside.getByText('Added').waitFor()
    await focus()
    await page.keyboard.press('Escape')
    await beside.waitFor({ state: 'detached' })
    await focusedRow(page, 'Rex 2').waitFor()
    assert.equal(idOf(page), null)
  }
})

test('Esc in the list ends an edit of a name, and leaves the animal open', IN_BROWSER, async t => {
  const { page } = await openAnimals(t, 3)
  await page.getByText('Rex 2', { exact: true }).click()
  await animal(page, 'Rex 2').getByText('Added').waitFor()
  await page.keyboard.press('e', BY_HAND)
  await page.getByRole('textbox', { name: 'Name of Rex 2' }).press('Escape')
  await page.getByRole('textbox', { name: 'Name of Rex 2' }).waitFor({ state: 'detached' })
  await animal(page, 'Rex 2').waitFor()
})

test('changes that were not saved are there again after other animals', IN_BROWSER, async t => {
  const { service, page } = await openAnimals(t, 3)
  await page.getByText('Rex 2', { exact: true }).click()
  await animal(page, 'Rex 2').getByLabel('Name').fill('Rexj')
  await rowOf(page, 'Rex 2').focus()
  await page.keyboard.press('j', BY_HAND)
  assert.equal(await animal(page, 'Rex 1').getByLabel('Name').inputValue(), 'Rex 1')
  await animal(page, 'Rex 1').getByLabel('Status').selectOption('sold')
  await page.getByRole('button', { name: 'Previous animal' }).click()
  assert.equal(await animal(page, 'Rex 2').getByLabel('Name').inputValue(), 'Rexj')
  await page.getByText('Rex 1', { exact: true }).click()
  assert.equal(await animal(page, 'Rex 1').getByLabel('Status').inputValue(), 'sold')
  assert.deepEqual([(await read(service, 2)).name, (await read(service, 1)).status], ['Rex 2', 'pending'])
})

test('what is typed while an animal is saved is a change of its own', IN_BROWSER, async t => {
  const { service, page } = await openAnimals(t, 2, '/animals?open=2')
  const saving = Promise.withResolvers<void>()
  await page.route(/\/pets\/2$/, async route => {
    if (route.request().method() === 'PATCH') await saving.promise
    await route.continue()
  })
  const name = page.getByRole('textbox', { name: 'Name' })
  const status = animal(page, 'Rex 2').getByLabel('Status')
  await name.fill('Bella')
  const sent = page.waitForRequest(request => request.method() === 'PATCH')
  await page.keyboard.press('Control+Enter')
  await sent
  await name.fill('Bella of Rome')
  await status.selectOption('sold')
  saving.resolve()
  await page.getByText('Bella was saved').waitFor()
  assert.equal(await name.inputValue(), 'Bella of Rome')
  await name.press('Control+Enter')
  await page.getByText('Bella of Rome was saved').waitFor()
  const { status: saved, name: savedName } = await read(service, 2)
  assert.deepEqual([savedName, saved], ['Bella of Rome', 'sold'])
  assert.equal(await page.getByRole('dialog', { name: /changed/ }).count(), 0)
})

test('a draft keeps the version that it began with, while the animal changes in the list', IN_BROWSER, async t => {
  const { page } = await openAnimals(t, 2)
  await page.getByText('Rex 2', { exact: true }).click()
  await animal(page, 'Rex 2').getByLabel('Name').fill('Mine')
  await page.getByText('Rex 1', { exact: true }).click()
  await animal(page, 'Rex 1').waitFor()
  await page.getByRole('button', { name: 'available: change the status of Rex 2' }).click()
  await page.getByRole('menuitemradio', { name: 'Sold' }).click()
  await rowOf(page, 'Rex 2').getByText('Sold').waitFor()
  await page.getByText('Rex 2', { exact: true }).click()
  await page.getByText('This animal has changed since you began.').waitFor()
  const status = animal(page, 'Rex 2').getByLabel('Status')
  assert.equal(await status.inputValue(), 'available')
  assert.equal(await animal(page, 'Rex 2').getByLabel('Name').inputValue(), 'Mine')
})

test('a refusal is reported when another animal is open by then', IN_BROWSER, async t => {
  const { page } = await openAnimals(t, 2, '/animals', { ...WIDE, mayComplain: /503/ })
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  await page.route(/\/pets\/2$/, async route => {
    if (route.request().method() !== 'PATCH') return route.continue()
    await answered
    await route.fulfill({ status: 503, json: { code: 'unavailable', status: 503, message: 'The store is busy.' } })
  })
  await page.getByText('Rex 2', { exact: true }).click()
  await animal(page, 'Rex 2').getByLabel('Name').fill('Max')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Next animal' }).click()
  await animal(page, 'Rex 1').waitFor()
  answer()
  await page.getByText('Rex 2 was not changed').waitFor()
})

test('J leads past an animal that no longer matches the filter', IN_BROWSER, async t => {
  const { page } = await openAnimals(t, 7, '/animals?status=pending')
  await page.getByText('Rex 3', { exact: true }).click()
  const status = animal(page, 'Rex 3').getByLabel('Status')
  await status.selectOption('sold')
  await status.press('Control+Enter')
  await animal(page, 'Rex 3').getByText('Pending → Sold').waitFor()
  await rowOf(page, 'Rex 3').waitFor({ state: 'detached' })
  await page.getByRole('heading', { name: 'Rex 3', exact: true }).focus()
  await page.keyboard.press('j', BY_HAND)
  await animal(page, 'Rex 1').getByText('Last of 3').waitFor()
})

test('by keyboard, Enter goes to the animal, and Tab from there through its controls', IN_BROWSER, async t => {
  const { page } = await openAnimals(t, 3)
  await rowOf(page, 'Rex 3').focus()
  for (let round = 0; round < 2; round += 1) {
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Rex 3' }).and(page.locator(':focus')).waitFor()
    await rowOf(page, 'Rex 3').focus()
  }
  await page.keyboard.press('Tab')
  for (const name of ['Previous animal', 'Next animal', 'Close']) {
    await page.getByRole('button', { name }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Tab')
  }
  await page.getByLabel('Name', { exact: true }).and(page.locator(':focus')).waitFor()
  await page.keyboard.type('jk')
  assert.equal(idOf(page), '3', 'keys are text where one types')
})

test('deleted animals open beside their list, one after the other', IN_BROWSER, async t => {
  const { service, page } = await openAnimals(t, 3, '/animals', { ...WIDE, mayComplain: /404/ })
  for (const id of [1, 2]) await service.call('DELETE', `/pets/${id}`, { headers: { 'If-Match': '*' } })
  await page.getByRole('group', { name: 'Status' }).getByRole('button', { name: 'Deleted' }).click()
  await page.getByText('Rex 2', { exact: true }).click()
  await animal(page, 'Animal 2').getByText('First of 2').waitFor()
  await page.keyboard.press('j', BY_HAND)
  await animal(page, 'Animal 1').getByText('Last of 2').waitFor()
  await rowOf(page, 'Rex 1').getByRole('button', { name: 'Restore Rex 1' }).waitFor()
})

test('in a narrow window, an animal is over the list, with the same keys', IN_BROWSER, async t => {
  const { page } = await openAnimals(t, 3, '/animals', { viewport: { width: 899, height: 700 } })
  await page.getByText('Rex 2', { exact: true }).click()
  const over = page.getByRole('dialog')
  await page.getByRole('dialog', { name: 'Rex 2' }).getByText('2 of 3').waitFor()
  await page.keyboard.press('j', BY_HAND)
  await page.getByRole('dialog', { name: 'Rex 1' }).getByText('Last of 3').waitFor()
  await over.getByLabel('Name').fill('Rexj')
  await page.setViewportSize({ width: 900, height: 700 })
  await over.waitFor({ state: 'detached' })
  assert.equal(await animal(page, 'Rex 1').getByLabel('Name').inputValue(), 'Rexj')
  await page.getByRole('heading', { name: 'Rex 1' }).focus()
  await page.keyboard.press('Escape')
  await focusedRow(page, 'Rex 1').waitFor()
})
