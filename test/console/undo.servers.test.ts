import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type AdminItem, type OperatorService, startOperatorService } from '../support/operator.ts'
import { IN_BROWSER } from '../support/servers/browser.ts'
import { assertAccessible, buildConsoleVisit } from '../support/servers/console.ts'

// Staff undo what they or others have done to animals: from the audit log, from the message that it is done, and in the history of an animal.

const visit = buildConsoleVisit({ after })

test(
  'an entry of the audit log is undone after a preview, which lists the animals that stay as they are',
  IN_BROWSER,
  async t => {
    const service = await startWith(t, ['Rex', 'Bella', 'Tom'])
    const { version } = (await service.call('POST', '/pets/bulk/preview', { body: { filter: {} } })).value
    const change = { status: 'sold' }
    await service.call('POST', '/pets/bulk/correct', { body: { filter: {}, change, version } })
    await service.call('PATCH', '/pets/2', { headers: { 'If-Match': '*' }, body: { name: 'Bello' } })
    const page = await visit(t, service, '/audit?action=pet.correct-many', { token: service.staff.token })
    await page.getByRole('cell', { name: 'Animals corrected' }).click()
    await page.getByRole('button', { name: 'Undo…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Undo this?' })
    await dialog.getByText('2 animals return to the state before this action.').waitFor()
    await dialog.getByText('1 animal stays as it is, because of later changes:').waitFor()
    await dialog.getByRole('listitem').getByText('Animal corrected by Anna').waitFor()
    await assertAccessible(page, 'the question before an entry is undone')
    await dialog.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone for 2 animals').waitFor()
    await page.getByText('Not for 1 animal, because of later changes.').waitFor()
    const message = await page.getByRole('dialog').filter({ hasText: 'Undone for' }).boundingBox()
    const button = await page.getByRole('button', { name: 'Undo…' }).boundingBox()
    assert.ok(
      message && button && message.y + message.height <= button.y,
      'the message is above the buttons of the drawer',
    )
    assert.deepEqual(await statuses(service), ['Rex available', 'Bello sold', 'Tom available'])

    await page.getByRole('button', { name: 'Undo…' }).click()
    await dialog.getByText('0 animals return').waitFor()
    assert.equal(await dialog.getByRole('button', { name: 'Undo' }).isDisabled(), true)
  },
)

test('undoing an import says which labels it takes away, and which stay', IN_BROWSER, async t => {
  const service = await startWith(t, [])
  const body = 'name,category\nRex,Dogs\nTom,Cats\n'
  await service.call('POST', '/pets/import?newCategories=true', { body, type: 'text/csv' })
  await service.call('POST', '/pets', { body: { name: 'Mia', categoryId: 2 } })
  const page = await visit(t, service, '/audit?action=pet.import', { token: service.staff.token })
  await page.getByRole('cell', { name: 'Animals imported' }).click()
  await page.getByRole('button', { name: 'Undo…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Undo this?' })
  await dialog.getByText('No longer labelled: category 1 (Dogs).').waitFor()
  await dialog.getByText('Still labelled, because animals have the category: category 2 (Cats).').waitFor()
  await dialog.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone for 2 animals').waitFor()
  await page.getByText('No longer labelled: category 1 (Dogs). Still labelled,').waitFor()
  assert.deepEqual(await statuses(service), ['Mia available'])
})

test('the message that many animals were deleted offers to undo it', IN_BROWSER, async t => {
  const service = await startWith(t, ['Rex', 'Bella', 'Tom'])
  const page = await visit(t, service, '/animals')
  for (const name of ['Rex', 'Tom']) await page.getByLabel(`Select ${name}`, { exact: true }).check()
  await page.getByRole('button', { name: 'Delete…' }).click()
  await page.getByRole('button', { name: 'Delete 2 animals' }).click()
  await page.getByText('2 animals were deleted').waitFor()
  assert.deepEqual(await statuses(service), ['Bella available'])
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone for 2 animals').waitFor()
  await page.getByText('2 animals were deleted').waitFor({ state: 'detached' })
  await page.getByLabel('Select Tom', { exact: true }).waitFor()
  assert.deepEqual(await statuses(service), ['Rex available', 'Bella available', 'Tom available'])
})

test('undoing that did not reach the service can be tried again', IN_BROWSER, async t => {
  const service = await startWith(t, ['Rex'])
  const page = await visit(t, service, '/animals', { mayComplain: /ERR_/ })
  await page.getByRole('row').filter({ hasText: 'Rex' }).focus()
  await page.keyboard.press('Delete')
  await page.getByRole('button', { name: 'Delete animal' }).click()
  await page.route('**/admin/v1/audit/*/undo', route => route.abort(), { times: 1 })
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('It was not undone').waitFor()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('Undone for 1 animal').waitFor()
  assert.deepEqual(await statuses(service), ['Rex available'])
})

test('a double click on a message undoes once', IN_BROWSER, async t => {
  const service = await startWith(t, ['Rex'])
  const page = await visit(t, service, '/animals')
  await page.getByRole('row').filter({ hasText: 'Rex' }).focus()
  await page.keyboard.press('Delete')
  await page.getByRole('button', { name: 'Delete animal' }).click()
  const undo = page.getByRole('button', { name: 'Undo' })
  await undo.waitFor()
  const answered = Promise.withResolvers<void>()
  let calls = 0
  await page.route('**/admin/v1/audit/*/undo', async route => {
    calls += 1
    await answered.promise
    await route.continue()
  })
  await undo.dblclick()
  answered.resolve()
  await page.getByText('Undone for 1 animal').waitFor()
  assert.equal(calls, 1)
})

test('on a phone, a message does not cover the fields of a form', IN_BROWSER, async t => {
  const service = await startWith(t, ['Rex', 'Bella'])
  const page = await visit(t, service, '/animals', { viewport: { width: 390, height: 844 } })
  for (const name of ['Rex', 'Bella']) {
    await page.getByLabel(`Select ${name}`, { exact: true }).check()
    await page.getByRole('button', { name: 'Delete…' }).click()
    await page.getByRole('button', { name: 'Delete 1 animal' }).click()
    await page.getByLabel(`Select ${name}`, { exact: true }).waitFor({ state: 'detached' })
  }
  await page.getByText('1 animal was deleted').nth(1).waitFor()
  await page.getByRole('button', { name: 'Add animal', exact: true }).click()
  const form = page.getByRole('dialog', { name: 'Add an animal' })
  for (const name of ['Name', 'Category', 'Status']) await form.getByLabel(name).first().click({ trial: true })
})

test('undoing a change of many animals keeps the same change that a colleague has made since', IN_BROWSER, async t => {
  const service = await startWith(t, ['Rex', 'Bella'])
  const page = await visit(t, service, '/animals')
  for (const name of ['Rex', 'Bella']) await page.getByLabel(`Select ${name}`, { exact: true }).check()
  await page.getByRole('button', { name: 'Change…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Change animals' })
  await dialog.getByLabel('Status').selectOption('pending')
  await dialog.getByRole('button', { name: 'Change 2 animals' }).click()
  await page.getByText('2 animals were changed').waitFor()
  const body = { ids: [1] }
  const { version } = (await service.call('POST', '/pets/bulk/preview', { body })).value
  await service.call('POST', '/pets/bulk/correct', { body: { ...body, change: { status: 'sold' }, version } })
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone for 1 animal').waitFor()
  await page.getByText('Not for 1 animal, because of later changes.').waitFor()
  assert.deepEqual(await statuses(service), ['Rex sold', 'Bella available'])
})

test('a correction from a file is undone from its result', IN_BROWSER, async t => {
  const service = await startWith(t, ['Rex', 'Bella'])
  const page = await visit(t, service, '/import')
  const buffer = Buffer.from('id,status\n1,sold\n2,sold\n')
  await page.getByLabel('File to import').setInputFiles({ name: 'corrections.csv', mimeType: 'text/csv', buffer })
  await page.getByLabel('Correct existing animals').check()
  await page.getByRole('button', { name: 'Check the file' }).click()
  await page.getByRole('button', { name: 'Correct 2 animals' }).click()
  await page.getByRole('button', { name: 'Undo the import' }).click()
  await page.getByText('Undone for 2 animals').waitFor()
  assert.deepEqual(await statuses(service), ['Rex available', 'Bella available'])
})

test('an animal returns to an earlier state from its history, and so does a deleted one', IN_BROWSER, async t => {
  const service = await startWith(t, ['Rex'])
  const headers = { 'If-Match': '*' }
  await service.call('PATCH', '/pets/1', { headers, body: { name: 'Max', status: 'sold' } })
  const page = await visit(t, service, '/animals?open=1', { mayComplain: /404/ })
  await page.getByRole('button', { name: 'Return to the state before' }).click()
  await page.getByRole('region', { name: 'Rex', exact: true }).getByText('Returned to an earlier state').waitFor()
  assert.deepEqual(await statuses(service), ['Rex available'])

  await service.call('DELETE', '/pets/1', { headers })
  const deleted = await visit(t, service, '/animals?open=1', { mayComplain: /404/ })
  await deleted.getByRole('button', { name: 'Bring it back' }).click()
  await deleted.getByRole('region', { name: 'Rex', exact: true }).waitFor()
  await assertAccessible(deleted, 'an animal with its history')
  assert.deepEqual(await statuses(service), ['Rex available'])
})

async function startWith(
  t: Parameters<typeof startOperatorService>[0],
  names: readonly string[],
): Promise<OperatorService> {
  const service = await startOperatorService(t, { now: Date.now() })
  for (const name of names) await service.call('POST', '/pets', { body: { name, categoryId: 1 } })
  return service
}

async function statuses(service: OperatorService): Promise<string[]> {
  const pets: AdminItem[] = (await service.call('GET', '/pets')).value
  return pets.map(({ name, status }) => `${name} ${status}`)
}
