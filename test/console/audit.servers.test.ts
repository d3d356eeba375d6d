import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import { startOperatorService } from '../support/operator.ts'
import { IN_BROWSER } from '../support/servers/browser.ts'
import { assertAccessible, assertFits, buildConsoleVisit } from '../support/servers/console.ts'

const service = await startOperatorService({ after }, { now: Date.now() })
const visit = buildConsoleVisit({ after })

const { id } = (await service.call('POST', '/accounts', { body: { name: 'Acme Pets', plan: 'free' } })).value
await service.call('PUT', `/accounts/${id}/plan`, { body: { plan: 'pro' } })
const pet = await service.call('POST', '/pets', {
  token: service.staff.token,
  body: { name: 'شادية', categoryId: 1, status: 'available' },
})
assert.equal(pet.status, 201, pet.text)

test('an entry shows the values before and after it, and has its own URL', IN_BROWSER, async t => {
  const page = await visit(t, service, '/audit')
  await page.getByRole('cell', { name: 'Plan changed' }).click()
  const entry = page.getByRole('dialog', { name: 'Plan changed' })
  await entry.getByRole('row', { name: 'Plan Free Pro', exact: true }).waitFor()
  await entry.getByRole('row', { name: /^Calls per day 1,000 [\d,]+,000$/ }).waitFor()
  assert.match(page.url(), /\?open=\d+$/)
  await page.reload()
  await entry.getByRole('row', { name: 'Plan Free Pro', exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await entry.waitFor({ state: 'detached' })
  assert.doesNotMatch(page.url(), /open/)
})

test('an entry on many animals shows how many, and their file', IN_BROWSER, async t => {
  const other = await startOperatorService({ after }, { now: Date.now() })
  const body = 'name,category\nRex,1\nTom,2\n'
  await other.call('POST', '/pets/import?file=list.csv', { body, type: 'text/csv' })
  const page = await visit(t, other, '/audit')
  await page.getByRole('row', { name: /Animals imported 2 animals · list.csv/ }).waitFor()
  await page.getByRole('link', { name: 'Overview' }).click()
  await page.getByRole('link', { name: '2 animals · list.csv' }).click()
  await page.getByRole('dialog', { name: 'Animals imported' }).waitFor()
})

test('text of a row can be selected and copied, and that opens nothing', IN_BROWSER, async t => {
  const page = await visit(t, service, '/audit')
  const cell = page.getByText('Plan changed', { exact: true }).and(page.locator('td *'))
  const { x, y, width, height } = (await cell.boundingBox()) ?? assert.fail()
  await page.mouse.move(x + 1, y + height / 2)
  await page.mouse.down()
  await page.mouse.move(x + width - 1, y + height / 2, { steps: 4 })
  await page.mouse.up()
  assert.match(String(await page.evaluate('String(getSelection())')), /^Plan change/)
  assert.equal(new URL(page.url()).search, '')
  await page.getByRole('cell', { name: 'Account created' }).click()
  await page.getByRole('dialog', { name: 'Account created' }).waitFor()
})

test('in a window of 1440 px, setting a filter of the log does not move its rows', IN_BROWSER, async t => {
  const page = await visit(t, service, '/audit', { viewport: { width: 1440, height: 900 } })
  const top = async () => (await page.getByRole('region', { name: 'Audit log' }).boundingBox())?.y
  const before = await top()
  await page.getByRole('combobox', { name: 'Subject', exact: true }).selectOption('Animal')
  await page.getByRole('button', { name: 'Clear filters' }).waitFor()
  assert.equal(await top(), before)
})

test('an entry leads to its subject, unless that was deleted', IN_BROWSER, async t => {
  const page = await visit(t, service, '/audit')
  await page
    .getByRole('row', { name: /Animal added/ })
    .getByRole('link', { name: `Animal ${pet.value.id}` })
    .click()
  await page.getByRole('region', { name: 'شادية' }).waitFor()
  await page.goBack()
  await page.getByRole('cell', { name: 'Plan changed' }).click()
  const entry = page.getByRole('dialog', { name: 'Plan changed' })
  await entry.getByText(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/).waitFor()
  await entry.getByRole('link', { name: `Account ${id}` }).click()
  await page.getByRole('heading', { name: 'Acme Pets' }).waitFor()
})

test('the log of an animal shows what each action did to it, and an action on many lists them', IN_BROWSER, async t => {
  const other = await startOperatorService(t, { now: Date.now() })
  const file = `name,categoryId\n${Array.from({ length: 25 }, (_, index) => `Rex ${index + 1},7\n`).join('')}`
  await other.call('POST', '/pets/import', { body: file, type: 'text/csv' })
  const body = { filter: { name: 'rex' } }
  const { version } = (await other.call('POST', '/pets/bulk/preview', { body })).value
  await other.call('POST', '/pets/bulk/correct', { body: { ...body, change: { status: 'sold' }, version } })

  const page = await visit(t, other, '/animals')
  await page.getByText('Rex 3', { exact: true }).click()
  await page.getByRole('region', { name: 'Rex 3' }).getByRole('link', { name: 'Show it in the audit log' }).click()
  const sold = page.getByRole('row', { name: /Animals corrected/ })
  await sold.getByText('Rex 3 · Status: Available → Sold').waitFor()
  await page
    .getByRole('row', { name: /Animals imported/ })
    .getByText('Rex 3 · Added: Available')
    .waitFor()
  await assertAccessible(page, 'the log of an animal')
  await sold.getByRole('cell', { name: 'Animals corrected' }).click()
  const entry = page.getByRole('dialog', { name: 'Animals corrected' })
  await entry.getByRole('heading', { name: 'What was changed' }).waitFor()
  await entry.getByRole('listitem').nth(19).waitFor()
  assert.equal(await entry.getByRole('listitem').count(), 20)
  await entry.getByText('Status: Available → Sold').first().waitFor()
  await entry.getByRole('button', { name: 'Show more' }).click()
  await entry.getByRole('link', { name: 'Rex 25 · Animal 25' }).waitFor()
  await assertAccessible(page, 'an entry with its animals')
  await entry.getByRole('link', { name: 'Rex 25 · Animal 25' }).click()
  await page.getByRole('region', { name: 'Rex 25' }).waitFor()
})

test('a change of the category of an animal has the names of both', IN_BROWSER, async t => {
  const other = await startOperatorService(t, { now: Date.now() })
  for (const [number, label] of ['Dogs', 'Cats'].entries()) {
    await other.call('PUT', `/categories/${number + 1}`, { body: { label } })
  }
  const { value } = await other.call('POST', '/pets', { body: { name: 'Rex', categoryId: 1 } })
  await other.call('PATCH', `/pets/${value.id}`, { body: { categoryId: 2 }, headers: { 'If-Match': '*' } })
  const page = await visit(t, other, `/animals?open=${value.id}`)
  await page.getByRole('listitem').getByText('Category: Dogs → Cats').waitFor()
  await page.getByRole('link', { name: 'Show it in the audit log' }).click()
  await page.getByRole('cell', { name: 'Rex · Category: Dogs → Cats' }).click()
  const entry = page.getByRole('dialog', { name: 'Animal corrected' })
  await entry.getByRole('row', { name: 'Category Dogs Cats' }).waitFor()
})

test('an entry names its account and its key, with their ids beside them', IN_BROWSER, async t => {
  const { value } = await service.call('POST', `/accounts/${id}/keys`, { body: { name: 'Checkout' } })
  const page = await visit(t, service, `/audit?subjectKind=key&subjectId=${value.id}`)
  await page.getByRole('cell', { name: 'Key issued' }).click()
  const entry = page.getByRole('dialog', { name: 'Key issued' })
  await entry.getByRole('link', { name: `Checkout · Key ${value.id}` }).waitFor()
  await entry.getByRole('link', { name: `Acme Pets · Account ${id}` }).waitFor()
})

test('an entry about something deleted leads nowhere', IN_BROWSER, async t => {
  const other = await startOperatorService(t, { now: Date.now() })
  const { value } = await other.call('POST', '/pets', { body: { name: 'Rex', categoryId: 1, status: 'sold' } })
  const deleted = await other.call('DELETE', `/pets/${value.id}`, { headers: { 'If-Match': '*' } })
  assert.equal(deleted.status, 204, deleted.text)
  const page = await visit(t, other, '/audit?action=pet.delete')
  const row = page.getByRole('row', { name: /Animal deleted/ })
  await row.getByText(`Animal ${value.id}`).waitFor()
  assert.equal(await row.getByRole('link').count(), 0)
})

test('a refused sign-in has no operator', IN_BROWSER, async t => {
  const other = await startOperatorService(t, { now: Date.now() })
  const refusal = {
    actor: 'nobody',
    origin: '192.0.2.7',
    action: 'sign-in.refused',
    details: { failures: '3' },
  } as const
  await other.store.recordAudit({ at: other.clock.now, ...refusal })
  const page = await visit(t, other, '/audit?action=sign-in')
  await page
    .getByRole('row', { name: /Sign-in refused/ })
    .getByText('Not signed in')
    .waitFor()
})

test('times are exact if the operator prefers that', IN_BROWSER, async t => {
  const page = await visit(t, service, '/audit?action=pet.create', { locale: 'en-US', timezoneId: 'Asia/Tokyo' })
  const time = page
    .getByRole('row', { name: /Animal added/ })
    .first()
    .locator('time')
  await time.getByText(/ago|now/).waitFor()
  const shown = (zone: string) =>
    new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short', timeZone: zone })
  const at = new Date((await time.getAttribute('datetime')) ?? '')
  await page.getByRole('button', { name: 'Anna' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Exact times in lists' }).click()
  await time.getByText(shown('Asia/Tokyo').format(at)).waitFor()
  await page.getByRole('menuitemcheckbox', { name: 'Times in UTC' }).click()
  await time.getByText(shown('UTC').format(at)).waitFor()
})

test('the log is read with the keyboard alone', IN_BROWSER, async t => {
  const page = await visit(t, service, '/audit?action=pet')
  const row = page.getByRole('row', { name: /Animal added/ })
  await row.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByText('شادية').first().waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('the log is narrowed by operator, action, subject, account and time', IN_BROWSER, async t => {
  const page = await visit(t, service, '/audit')
  const [created, added] = [
    page.getByRole('row', { name: /Account created/ }),
    page.getByRole('row', { name: /Animal/ }),
  ]
  await added.waitFor()
  await page.getByLabel('Operator').fill('Sam')
  await page.getByLabel('Operator').press('Enter')
  await created.waitFor({ state: 'detached' })
  await added.waitFor()
  await page.getByLabel('Action').selectOption({ label: 'Accounts: all' })
  await page.getByText('No action matches').waitFor()
  await page.getByRole('search').getByRole('button', { name: 'Clear filters' }).click()
  await added.waitFor()
  await page.getByLabel('Account', { exact: true }).fill('Acme Pets')
  await page.getByLabel('Account', { exact: true }).press('Enter')
  await added.waitFor({ state: 'detached' })
  await created.waitFor()
  await page.getByLabel('Subject', { exact: true }).selectOption('account')
  await page.getByLabel('Subject number').fill(String(id))
  await page.getByLabel('Subject number').press('Enter')
  await page.waitForURL(/subjectId=/)
  await created.waitFor()
  await page.getByLabel('To', { exact: true }).fill('2020-01-01')
  await page.getByLabel('To', { exact: true }).press('Enter')
  await page.getByText('No action matches').waitFor()
  assert.match(page.url(), /subjectKind=account.*to=2020-01-01/)
})

test('a refusal by the service is shown at its field', IN_BROWSER, async t => {
  const page = await visit(t, service, '/audit?subjectId=abc', { mayComplain: /400/ })
  await page.getByRole('alert').filter({ hasText: 'Enter a number' }).waitFor()
  assert.equal(await page.getByLabel('Subject number').getAttribute('aria-invalid'), 'true')
})

test('the entries that match are exported, as CSV and as lines of JSON', IN_BROWSER, async t => {
  const page = await visit(t, service, '/audit?operator=Sam&action=pet', { acceptDownloads: true })
  await page.getByRole('row', { name: /Animal added/ }).waitFor()
  for (const [name, file] of [
    ['Export', /^audit-\d{4}-\d\d-\d\d\.csv$/],
    ['For programs', /^audit-\d{4}-\d\d-\d\d\.ndjson$/],
  ] as const) {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name, exact: true }).click(),
    ])
    assert.match(download.suggestedFilename(), file)
    const text = await readFile(await download.path(), 'utf8')
    assert.match(text, /pet\.create/)
    assert.doesNotMatch(text, /account\.create/)
  }
})

for (const width of [390, 768, 1440]) {
  test(`axe finds nothing in the audit log, ${width} wide`, IN_BROWSER, async t => {
    const page = await visit(t, service, '/audit', { viewport: { width, height: 844 } })
    const row = page.getByRole('row', { name: /Plan changed/ })
    await row.waitFor()
    await assertAccessible(page, 'the log')
    await assertFits(page)
    await row.getByText('Plan changed').click()
    await page.getByRole('dialog').getByText('Before').waitFor()
    await assertAccessible(page, 'an entry')
    await page.keyboard.press('Escape')
    if (width <= 768) await page.getByRole('button', { name: 'Filters' }).click()
    await page.getByLabel('Operator').fill('no one')
    await page.getByLabel('Operator').press('Enter')
    await page.getByText('No action matches').waitFor()
    await assertAccessible(page, 'nothing')
  })
}
