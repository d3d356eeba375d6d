import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import type { Page } from '../../tools/playwright.ts'
import { eventually } from '../support/eventually.ts'
import { type OperatorService, startOperatorService } from '../support/operator.ts'
import { BY_HAND, IN_BROWSER } from '../support/servers/browser.ts'
import { assertAccessible, buildConsoleVisit, withholdEvents } from '../support/servers/console.ts'

// The animals screen: finding and correcting animals, alone and alongside other operators.

const visit = buildConsoleVisit({ after })

// Within a test, `after` would end its service before its pages, which would complain about it.
const services = new AsyncDisposableStack()
after(() => services.disposeAsync())

/** A service that outlives the pages of its test. */
async function startWith(names: readonly string[]): Promise<OperatorService> {
  const service = await startOperatorService({ after: end => services.defer(async () => void (await end())) })
  for (const name of names) await add(service, { name, categoryId: 1 })
  await service.call('PUT', '/categories/1', { body: { label: 'Dogs' } })
  return service
}

async function add(service: OperatorService, animal: Record<string, unknown>): Promise<void> {
  const answer = await service.call('POST', '/pets', { body: animal })
  assert.equal(answer.status, 201, answer.text)
}

/** Lists are also reloaded every few seconds. */
const LIST = /\/admin\/v1\/pets\?/
const read = async (service: OperatorService, id: number) => (await service.call('GET', `/pets/${id}`)).value
const correct = (service: OperatorService, id: number, body: unknown) =>
  service.call('PATCH', `/pets/${id}`, { headers: { 'If-Match': '*' }, body })
const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })

test('animals are found by name while typing, and by status, category and number', IN_BROWSER, async t => {
  const service = await startWith(['Rex', 'Bella', 'Zoë'])
  await add(service, { name: 'Tom', categoryId: 2, status: 'sold' })
  const page = await visit(t, service, '/animals')
  await rowOf(page, 'Tom').waitFor()
  assert.match(await page.getByRole('row').nth(1).innerText(), /Tom/, 'the newest is first')
  await page.getByRole('searchbox').fill('zoe')
  await rowOf(page, 'Rex').waitFor({ state: 'detached' })
  await rowOf(page, 'Zoë').waitFor()
  assert.match(page.url(), /\?q=zoe$/)
  await page.getByRole('searchbox').fill('#2')
  await rowOf(page, 'Zoë').waitFor({ state: 'detached' })
  await rowOf(page, 'Bella').waitFor()
  await page.getByRole('searchbox').fill('nothing like it')
  await page.getByRole('search').getByRole('button', { name: 'Clear filters' }).click()
  await page.getByRole('button', { name: 'Sold 1' }).click()
  await rowOf(page, 'Rex').waitFor({ state: 'detached' })
  await page.reload()
  await rowOf(page, 'Tom').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Sold 1' }).getAttribute('aria-pressed'), 'true')
  await page.getByRole('button', { name: 'All 4' }).click()
  await page.getByLabel('Category').selectOption({ label: 'Dogs' })
  await rowOf(page, 'Tom').waitFor({ state: 'detached' })
  await page.getByLabel('Order').selectOption({ label: 'Oldest first' })
  await page.locator('tr[data-index="0"]').filter({ hasText: 'Rex' }).waitFor()
  await page.getByRole('button', { name: 'Export' }).click()
  const download = page.getByRole('link', { name: 'Download' })
  assert.match((await download.getAttribute('href')) ?? '', /[?&]categoryId=1(&|$)/, 'the export has the same filters')
})

test(
  'an export is a workbook or CSV for a spreadsheet, dated, with labels, and comes back unharmed',
  IN_BROWSER,
  async t => {
    const service = await startWith(['Rex', '=1+1', '_x0041_'])
    const page = await visit(t, service, '/animals')
    const exportAs = async (format: string, name: RegExp) => {
      await page.getByRole('button', { name: 'Export' }).click()
      await page.getByRole('radio', { name: format }).check()
      await assertAccessible(page, `exporting as ${format}`)
      if (format === 'CSV') {
        await page.getByLabel('Columns are separated by').selectOption({ label: 'Semicolon' })
        await page.getByLabel('Add the ids that animals have in their sources').check()
        assert.ok(await page.getByLabel('Keep names from being read as formulas').isChecked())
      }
      const link = page.getByRole('link', { name: 'Download' })
      const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
      assert.match(download.suggestedFilename(), name)
      return readFile(await download.path())
    }
    const update = async (body: Uint8Array, type: string, query = '') => {
      const { value } = await service.call('POST', `/pets/import?mode=update${query}`, { body, type })
      assert.deepEqual([value.updated, value.unchanged, value.bad], [0n, 3n, []])
    }
    const csv = await exportAs('CSV', /^animals-\d{4}-\d\d-\d\d\.csv$/)
    assert.equal(
      csv.toString(),
      "\ufeffid;name;categoryId;categoryLabel;status;source;externalId\n1;Rex;1;Dogs;available;;\n2;'=1+1;1;Dogs;available;;\n3;_x0041_;1;Dogs;available;;\n",
    )
    await update(csv, 'text/csv', '&safeForSpreadsheets=true')
    const workbook = await exportAs('Workbook', /^animals-\d{4}-\d\d-\d\d\.xlsx$/)
    await update(workbook, 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet')
  },
)

test('keys move from row to row, and select one or several', IN_BROWSER, async t => {
  const service = await startWith(Array.from({ length: 6 }, (_, index) => `Rex ${index + 1}`))
  const page = await visit(t, service, '/animals')
  const focused = (name: string) => page.locator('tr:focus').filter({ hasText: name }).waitFor()
  await rowOf(page, 'Rex 6').waitFor()
  await page.keyboard.press('j', BY_HAND)
  await focused('Rex 6')
  await page.keyboard.press('j', BY_HAND)
  await focused('Rex 5')
  await page.keyboard.press('x', BY_HAND)
  await page.getByText('1 selected').waitFor()
  for (const count of [2, 3]) {
    await page.keyboard.press('Shift+ArrowDown')
    await page.getByText(`${count} selected`).waitFor()
  }
  await page.keyboard.press('Shift+ArrowUp')
  await page.getByText('2 selected').waitFor()
  assert.ok(await page.getByLabel('Select Rex 4').isChecked())
  await page.keyboard.press('Escape')
  await page.getByText('selected', { exact: false }).waitFor({ state: 'detached' })
  await page.getByLabel('Select Rex 6').check()
  await page.getByText('Rex 3', { exact: true }).click({ modifiers: ['Shift'] })
  await page.getByText('4 selected').waitFor()
  assert.equal(await page.getByRole('region', { name: 'Rex 3' }).count(), 0)
  await page.getByText('Rex 3', { exact: true }).click()
  await page.getByRole('region', { name: 'Rex 3' }).waitFor()
})

test('J leads to the row after the one with the focus, also when others add animals before it', IN_BROWSER, async t => {
  const service = await startWith(['Rex', 'Bella', 'Tom'])
  const page = await visit(t, service, '/animals')
  await rowOf(page, 'Tom').focus()
  await add(service, { name: 'Max', categoryId: 1 })
  await rowOf(page, 'Max').waitFor()
  await page.keyboard.press('j', BY_HAND)
  await page.locator('tr:focus').filter({ hasText: 'Bella' }).waitFor()
})

test('what is typed right after Enter in a search stays', IN_BROWSER, async t => {
  const service = await startWith(['Rex', 'Bella'])
  const page = await visit(t, service, '/animals')
  const search = page.getByRole('searchbox')
  await search.focus()
  // In one task, before the list is searched.
  await search.evaluate(field => {
    document.execCommand('insertText', false, 'be')
    field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))
    document.execCommand('insertText', false, 'l')
  })
  await page.waitForURL(/q=bel$/)
  assert.equal(await search.inputValue(), 'bel')
})

test('clearing the filters also clears a search that has not begun yet', IN_BROWSER, async t => {
  const service = await startWith(['Rex', 'Bella'])
  const page = await visit(t, service, '/animals?status=sold')
  await page.getByRole('searchbox').focus()
  // In one task, before the typing pauses.
  await page
    .getByRole('button', { name: 'Clear filters' })
    .first()
    .evaluate((button: HTMLElement) => {
      document.execCommand('insertText', false, 'be')
      button.click()
    })
  await rowOf(page, 'Rex').waitFor()
  await eventually(async () => assert.equal(await page.getByRole('searchbox').inputValue(), ''))
})

test('a page that fails can be retried in place; the rows before it stay', IN_BROWSER, async t => {
  const service = await startWith(Array.from({ length: 130 }, (_, index) => `Rex ${index + 1}`))
  const page = await visit(t, service, '/', { mayComplain: /503/ })
  await page.route(/\/pets\?.*before=/, route =>
    route.fulfill({ status: 503, json: { code: 'unavailable', status: 503, message: 'The store is busy.' } }),
  )
  await page.getByRole('link', { name: 'Animals', exact: true }).click()
  await rowOf(page, 'Rex 130').waitFor()
  const toEnd = () => page.getByRole('region', { name: 'Animals' }).press('End')
  await toEnd()
  await page.getByRole('alert').getByText('The store is busy.').waitFor()
  await page.getByText('Rex 31', { exact: true }).waitFor()
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('alert').waitFor({ state: 'detached' })
  await toEnd()
  await page.getByText('Rex 1', { exact: true }).waitFor()
})

test('the header stays while rows are loading, and where there are none', IN_BROWSER, async t => {
  const service = await startWith(['Rex'])
  const page = await visit(t, service)
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  await page.route(/\/pets\?/, async route => {
    await answered
    await route.continue()
  })
  const header = page.getByRole('columnheader', { name: 'Name' })
  await page.getByRole('link', { name: 'Animals', exact: true }).click()
  await page.locator('.table-skeleton').waitFor({ state: 'attached' })
  await header.waitFor()
  answer()
  await rowOf(page, 'Rex').waitFor()
  await page.locator('.table-skeleton').waitFor({ state: 'detached' })
  await page.getByRole('searchbox').fill('nothing like it')
  await page.getByText('No animal matches').waitFor()
  assert.ok(await header.isVisible())
})

test('an animal is added; a refusal by the service is shown at its field', IN_BROWSER, async t => {
  const service = await startWith([])
  const page = await visit(t, service, '/animals', { mayComplain: /400/ })
  await page.getByText('No animals yet').waitFor()
  await page.getByRole('button', { name: 'Add animal' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Add animal' }).click()
  await dialog.getByText('Enter a name of 1 to 255 characters, without invisible ones.').waitFor()
  await dialog.getByText('An animal needs a category.').waitFor()
  await dialog.getByLabel('Category', { exact: true }).selectOption({ label: 'Another category…' })
  await dialog.getByText('An animal needs a category.').waitFor({ state: 'detached' })
  await dialog.getByLabel('Category number').fill('7')
  await dialog.getByLabel('Name').fill('Rex')
  await dialog.getByRole('button', { name: 'Add animal' }).click()
  await rowOf(page, 'Rex').waitFor()
  assert.deepEqual(
    { ...(await read(service, 1)), etag: '' },
    {
      id: 1n,
      name: 'Rex',
      categoryId: 7n,
      status: 'available',
      categoryLabel: null,
      origin: null,
      etag: '',
    },
  )
})

test('the number of another category is no longer asked for once it is saved or discarded', IN_BROWSER, async t => {
  const service = await startWith(['Rex'])
  const page = await visit(t, service, '/animals?open=1')
  const animal = page.getByRole('region', { name: 'Rex' })
  const category = animal.getByLabel('Category', { exact: true })
  const number = animal.getByLabel('Category number')
  await category.selectOption({ label: 'Another category…' })
  await number.fill('77')
  await animal.getByRole('button', { name: 'Discard' }).click()
  await number.waitFor({ state: 'detached' })
  assert.equal(await category.inputValue(), '1')
  await category.selectOption({ label: 'Another category…' })
  await number.fill('77')
  await animal.getByRole('button', { name: 'Save' }).click()
  await number.waitFor({ state: 'detached' })
  assert.equal(await category.inputValue(), '77')
})

test('a name and a status are corrected in the list, with the keyboard alone', IN_BROWSER, async t => {
  const service = await startWith(['Rex', 'Bella'])
  const page = await visit(t, service, '/animals', { mayComplain: /400/ })
  await rowOf(page, 'Bella').focus()
  await page.keyboard.type('je', BY_HAND)
  await page.getByRole('textbox', { name: 'Name of Rex' }).fill('Nobody')
  await page.keyboard.press('Escape')
  await page.getByRole('textbox', { name: 'Name of Rex' }).waitFor({ state: 'detached' })
  assert.equal((await read(service, 1)).name, 'Rex')
  await page.locator('tr[data-key="1"]:focus').waitFor()
  await page.keyboard.press('e', BY_HAND)
  await page.getByRole('textbox', { name: 'Name of Rex' }).fill(' ')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('Enter a name of 1 to 255 characters').waitFor()
  await page.getByRole('textbox', { name: 'Name of Rex' }).fill('Rexy')
  await page.keyboard.press('Enter')
  await page.getByText('Rexy', { exact: true }).waitFor()
  assert.equal((await read(service, 1)).name, 'Rexy')
  await page.locator('tr[data-key="1"]:focus').waitFor()
  await page.keyboard.press('s', BY_HAND)
  await page.getByRole('menuitemradio', { name: 'Available' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })
  await page.locator('tr[data-key="1"]:focus').waitFor()
  await page.keyboard.press('s', BY_HAND)
  await page.getByRole('menu').and(page.locator(':focus, :focus-within')).waitFor()
  await page.getByRole('menuitemradio', { name: 'Sold' }).press('Enter')
  await rowOf(page, 'Rexy').getByText('Sold').waitFor()
  await page.getByRole('button', { name: 'Sold 1' }).waitFor()
  assert.equal((await read(service, 1)).status, 'sold')
})

test('a name that has been saved does not take the focus from where the operator has gone', IN_BROWSER, async t => {
  const service = await startWith(['Rex', 'Bella'])
  const page = await visit(t, service, '/animals')
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  await page.route(/\/pets\/1$/, async route => {
    await answered
    await route.continue()
  })
  await rowOf(page, 'Rex').focus()
  await page.keyboard.press('e', BY_HAND)
  const editor = page.getByRole('textbox', { name: 'Name of Rex' })
  await editor.fill('Rexy')
  await page.keyboard.press('Enter')
  await page.getByRole('searchbox').click()
  answer()
  await editor.waitFor({ state: 'detached' })
  // It would get the focus in the next frame.
  await page.evaluate('new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
  await page.keyboard.type('rexy')
  assert.equal(await page.getByRole('searchbox').inputValue(), 'rexy')
})

test('a name that is being corrected stays while the list is scrolled', IN_BROWSER, async t => {
  const service = await startWith(Array.from({ length: 60 }, (_, index) => `Rex ${index}`))
  const page = await visit(t, service, '/animals', { viewport: { width: 1_200, height: 600 } })
  await page.locator('tr[data-index="1"]').focus()
  await page.keyboard.press('e', BY_HAND)
  const field = page.getByRole('textbox', { name: /^Name of/ })
  await field.fill('Half a name')
  const scroll = (top: string) => page.evaluate(`document.querySelector('.table-scroller').scrollTop = ${top}`)
  await scroll('1e6')
  await page.locator('tr[data-index="1"] + .table-space').waitFor({ state: 'attached' })
  await page.locator('tr[data-index="0"]').waitFor({ state: 'detached' })
  await scroll('0')
  await page.locator('tr[data-index="0"]').waitFor()
  assert.equal(await field.inputValue(), 'Half a name')
  await field.and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Escape')
})

test('an animal is corrected beside its list, next to its history', IN_BROWSER, async t => {
  const service = await startWith(['Rex'])
  const page = await visit(t, service, '/animals')
  await rowOf(page, 'Rex').focus()
  await page.keyboard.press('Enter')
  const drawer = page.getByRole('region', { name: /^Rex/ })
  await drawer.getByText('Added').waitFor()
  assert.match(page.url(), /\?open=1$/)
  await drawer.getByLabel('Status').selectOption('pending')
  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'detached' })
  await rowOf(page, 'Rex').getByText('Rex').click()
  assert.equal(await drawer.getByLabel('Status').inputValue(), 'pending', 'what was not saved is still there')
  await drawer.getByLabel('Name').fill('Rex the Second')
  await drawer.getByRole('button', { name: 'Save' }).click()
  await drawer.getByText('Available → Pending').waitFor()
  await drawer.getByText('Rex → Rex the Second').waitFor()
  assert.equal((await read(service, 1)).status, 'pending')
})

test('two operators correct the same animal: both versions are shown, and one is chosen', IN_BROWSER, async t => {
  const service = await startWith(['Rex', 'Bella'])
  const [anna, sam] = [
    await visit(t, service, '/animals', { mayComplain: /412/ }),
    await visit(t, service, '/animals', { token: service.staff.token, mayComplain: /412/ }),
  ]
  // Neither of them sees the other's change before their own.
  for (const page of [anna, sam]) {
    await rowOf(page, 'Rex').waitFor()
    await withholdEvents(page)
    await page.route(LIST, () => {})
  }
  await rename(sam, 'Rex', 'Rex of Sam')
  await rename(anna, 'Rex', 'Rex of Anna')
  const dialog = anna.getByRole('dialog')
  await dialog.getByText('Rex of Sam').waitFor()
  assert.deepEqual(await dialog.getByRole('row').nth(1).getByRole('cell').allInnerTexts(), [
    'Rex of Anna',
    'Rex of Sam',
  ])
  await dialog.getByRole('button', { name: 'Keep mine' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.equal((await read(service, 1)).name, 'Rex of Anna')

  await rename(anna, 'Bella', 'Bella of Anna')
  await rowOf(anna, 'Bella of Anna').waitFor()
  await rowOf(sam, 'Bella').getByText('Bella').click()
  const drawer = sam.getByRole('region', { name: /Bella/ })
  // It has read what Anna did, and not what Eve does next.
  await drawer.and(sam.getByRole('region', { name: 'Bella of Anna' })).waitFor()
  await correct(service, 2, { name: 'Bella of Eve' })
  await drawer.getByLabel('Status').selectOption('sold')
  await drawer.getByRole('button', { name: 'Save' }).click()
  await sam.getByRole('button', { name: 'Keep theirs' }).click()
  await sam.getByRole('region', { name: 'Bella of Eve' }).waitFor()
  assert.equal(await drawer.getByLabel('Status').inputValue(), 'available')
  await sam.keyboard.press('Escape')
  await rowOf(sam, 'Bella of Eve').waitFor()
  assert.equal((await read(service, 2)).status, 'available')
})

/** Waits until the service has responded: if two operators rename the same animal, the first one wins. */
async function rename(page: Page, from: string, to: string): Promise<void> {
  await rowOf(page, from).focus()
  await page.keyboard.press('e', BY_HAND)
  await page.getByRole('textbox', { name: `Name of ${from}` }).fill(to)
  const answered = page.waitForResponse(response => response.request().method() === 'PATCH')
  await page.keyboard.press('Enter')
  await answered
}

test('deleting asks once, names the animal, and acts immediately', IN_BROWSER, async t => {
  const service = await startWith(['Rex', 'Bella', 'Tom'])
  const page = await visit(t, service, '/animals')
  const question = page.getByRole('dialog', { name: 'Delete “Rex”?' })
  await rowOf(page, 'Rex').focus()
  await page.keyboard.press('Delete')
  await question.getByText('No other animal gets the number 1').waitFor()
  await page.keyboard.press('Escape')
  await question.waitFor({ state: 'detached' })
  assert.equal((await read(service, 1)).name, 'Rex')
  await rowOf(page, 'Rex').focus()
  await page.keyboard.press('Delete')
  await question.getByRole('button', { name: 'Delete animal' }).click()
  await page.getByText('Rex was deleted').waitFor()
  assert.equal((await read(service, 1)).code, 'not_found', 'it is deleted by the time that the page says so')
  await rowOf(page, 'Rex').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone for 1 animal').waitFor()
  await rowOf(page, 'Rex').waitFor()
  assert.equal((await read(service, 1)).name, 'Rex')
})

test('an animal is deleted next to its list, with the changes that were not saved', IN_BROWSER, async t => {
  const service = await startWith(['Rex', 'Bella'])
  const page = await visit(t, service, '/animals?open=1')
  // With events, the animal may be read again before the response to its deletion.
  await withholdEvents(page)
  const drawer = page.getByRole('region', { name: 'Rex', exact: true })
  await drawer.getByLabel('Name').fill('Rexy')
  await drawer.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog', { name: 'Delete “Rex”?' }).getByRole('button', { name: 'Delete animal' }).click()
  await page.getByText('Rex was deleted').waitFor()
  await drawer.waitFor({ state: 'detached' })
  assert.equal((await read(service, 1)).code, 'not_found')
  assert.equal((await read(service, 2)).name, 'Bella')
})

test('a deleted animal is no longer selected, and its unsaved changes are no reason to ask', IN_BROWSER, async t => {
  const service = await startWith(['Rex', 'Bella', 'Tom'])
  const page = await visit(t, service, '/animals?open=1', { mayComplain: /404/ })
  await page.getByRole('region', { name: 'Rex', exact: true }).getByLabel('Name').fill('Rexy')
  for (const name of ['Rex', 'Bella', 'Tom']) await page.getByLabel(`Select ${name}`).check()
  await rowOf(page, 'Rex').focus()
  await page.keyboard.press('Delete')
  await page.getByRole('button', { name: 'Delete animal' }).click()
  await page.getByText('2 selected').waitFor()
  await page.locator('#account-button').click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in to Petstore' }).waitFor()
})

test('unsaved changes to an animal that someone else deletes are no reason to ask', IN_BROWSER, async t => {
  const service = await startWith(['Rex', 'Bella'])
  const page = await visit(t, service, '/animals?open=1', { mayComplain: /404/ })
  await page.getByRole('region', { name: 'Rex', exact: true }).getByLabel('Name').fill('Rexy')
  await service.call('DELETE', '/pets/1', { headers: { 'If-Match': '*' } })
  await page.getByText('This animal does not exist.').waitFor()
  await page.locator('#account-button').click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in to Petstore' }).waitFor()
})

test('an address with a mistyped number says that there is no such animal', IN_BROWSER, async t => {
  const service = await startWith(['Rex'])
  const page = await visit(t, service, '/animals?open=1x', { mayComplain: /404/ })
  await page.getByText('This animal does not exist.').waitFor()
  await rowOf(page, 'Rex').waitFor()
})

test('a deletion of an animal that someone else has changed is refused', IN_BROWSER, async t => {
  const service = await startWith(['Rex'])
  const page = await visit(t, service, '/animals', { mayComplain: /412/ })
  await rowOf(page, 'Rex').focus()
  await page.keyboard.press('Delete')
  const question = page.getByRole('dialog', { name: 'Delete “Rex”?' })
  await question.waitFor()
  await correct(service, 1, { status: 'pending' })
  // The question is about the version that the operator saw, even when the list shows another one.
  for (let round = 0; round < 2; round += 1) {
    const refused = page.waitForResponse(response => response.status() === 412)
    await question.getByRole('button', { name: 'Delete animal' }).click()
    await refused
    await question.getByText('It was not deleted, because someone else has changed it.').waitFor()
  }
  await page.keyboard.press('Escape')
  await rowOf(page, 'Rex').getByText('Pending').waitFor()
  assert.equal((await read(service, 1)).status, 'pending')
})

test('many animals are changed and deleted after a preview, by selection and by filter', IN_BROWSER, async t => {
  const service = await startWith(Array.from({ length: 130 }, (_, index) => `Rex ${index + 1}`))
  const page = await visit(t, service, '/animals', { mayComplain: /409/ })
  // Events would show the change by someone else before the operator confirms.
  await withholdEvents(page)
  await page.getByLabel('Select Rex 130', { exact: true }).check()
  await page.getByLabel('Select Rex 127', { exact: true }).click({ modifiers: ['Shift'] })
  await page.getByText('4 selected').waitFor()
  await page.getByRole('button', { name: 'Change…' }).click()
  const dialog = page.getByRole('dialog', { name: /^(Change|Delete) animals$/ })
  await dialog.getByText('Rex 128').waitFor()
  await dialog.getByLabel('Status').selectOption('sold')
  await page.keyboard.press('Escape')
  await page
    .getByRole('dialog', { name: 'Discard your changes?' })
    .getByRole('button', { name: 'Keep editing' })
    .click()
  assert.equal(await dialog.getByText('Available →').count(), 4, 'the preview shows what would change')
  await dialog.getByRole('button', { name: 'Change 4 animals' }).click()
  await page.getByText('4 animals were changed').waitFor()
  await page.getByRole('button', { name: 'Sold 4' }).waitFor()

  await page.getByLabel('Select all rows').check()
  await page.getByRole('button', { name: 'Select all 130 that match' }).click()
  await page.getByText('130 selected').waitFor()
  await page.getByRole('button', { name: 'Delete…' }).click()
  await dialog.getByText('and 110 more').waitFor()
  await correct(service, 5, { name: 'Changed meanwhile' })
  await dialog.getByRole('button', { name: 'Delete 130 animals' }).click()
  await dialog.getByText(/changed since the preview, so this was not carried out/).waitFor()
  await dialog.getByText('Changed meanwhile').waitFor()
  await dialog.getByRole('button', { name: 'Delete 130 animals' }).click()
  await page.getByText('No animals yet').waitFor()
})

test('a category gets a name, which is then everywhere', IN_BROWSER, async t => {
  const service = await startWith(['Rex'])
  await add(service, { name: 'Tom', categoryId: 2 })
  const page = await visit(t, service, '/animals')
  await page.getByRole('cell', { name: '2', exact: true }).last().waitFor()
  await page.getByRole('button', { name: 'Categories' }).click()
  await page.getByLabel('Category 2', { exact: true }).fill('Cats')
  await page.keyboard.press('Enter')
  await page.getByLabel('Category 1', { exact: true }).fill('')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Close' }).last().click()
  await rowOf(page, 'Tom').getByText('Cats').waitFor()
  await rowOf(page, 'Rex').getByText('Dogs').waitFor({ state: 'detached' })
})

for (const width of [390, 768, 1440]) {
  test(`axe finds nothing on the animals, ${width} wide`, IN_BROWSER, async t => {
    const service = await startWith(['Rex', 'شمس', 'W'.repeat(200), 'Lady Wilhelmina of Hohenzollern'])
    const page = await visit(t, service, '/animals', { viewport: { width, height: 844 } })
    await page.getByLabel('Select Rex').check()
    await assertAccessible(page, 'the list')
    assert.ok(
      await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
      'nothing is wider than the window',
    )
    for (const control of await page.locator('.status-edit').all()) {
      const { x, width: own } = (await control.boundingBox()) ?? { x: 0, width: 0 }
      assert.ok(own > 0 && x + own <= width, 'no status is cut')
    }
    await page.getByRole('button', { name: 'Change…' }).click()
    await page.getByRole('dialog').getByText('Rex').waitFor()
    await assertAccessible(page, 'many animals')
    await page.keyboard.press('Escape')
    await rowOf(page, 'Rex').getByText('Rex').click()
    await page.getByText('Added', { exact: true }).waitFor()
    await assertAccessible(page, 'an open animal')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Categories' }).click()
    await page.getByLabel('Category 1', { exact: true }).waitFor()
    await assertAccessible(page, 'the categories')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Add animal' }).click()
    await page.getByRole('dialog').getByLabel('Name').waitFor()
    await assertAccessible(page, 'a new animal')
  })
}
