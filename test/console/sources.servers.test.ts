import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startOperatorService } from '../support/operator.ts'
import { IN_BROWSER } from '../support/servers/browser.ts'
import { assertAccessible, assertFits, buildConsoleVisit } from '../support/servers/console.ts'

// The files that other software sends again and again, in a real browser.

const visit = buildConsoleVisit({ after })

const HEADER = 'ID,AnimalName,Type,Status\n'
const FIRST = `${HEADER}A1,Rex,Dog,A\nA2,Tom,Cat,H\nA3,Luna,Dog,A\n`
const WITH_FOSTER = FIRST.replace('Cat,H', 'Cat,Foster')

test('a source is created; its file is checked, synced, listed, and undone', IN_BROWSER, async t => {
  const service = await startOperatorService(t, { now: Date.now() })
  const page = await visit(t, service, '/sources')
  await page.getByRole('button', { name: 'Create source' }).click()
  await page.getByLabel('Name').fill('Riverside')
  await page.getByRole('dialog').getByRole('button', { name: 'Create source' }).click()
  const drawer = page.getByRole('dialog', { name: 'Riverside' })
  await drawer.getByText('No file has been sent yet.').waitFor()
  const send = (name: string, text: string) =>
    drawer.getByLabel('Send a file by hand').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })

  await send('night-1.csv', WITH_FOSTER)
  await drawer.getByText('3 lines are invalid').waitFor()
  assert.equal(await drawer.getByRole('button', { name: 'Sync now' }).count(), 0, 'unknown words are bad lines')
  await drawer.getByLabel('Status “Foster”').selectOption('Pending')
  await drawer.getByLabel('Add the other categories as new ones').check()
  await assertAccessible(page, 'unknown words')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Keep editing' }).click()
  await drawer.getByRole('button', { name: 'Keep the answers and check again' }).click()
  await drawer.getByText('New categories: Dog (1), Cat (2).').waitFor()
  await drawer.getByText('the file would have this effect: 3 added.').waitFor()
  const { value: kept } = await service.call('GET', '/sources/riverside')
  assert.deepEqual([kept.meanings, kept.newCategories], ['status:Foster=pending', true])
  assert.equal((await service.call('GET', '/pets?limit=10')).value.length, 0, 'only checked')
  await drawer.getByRole('button', { name: 'Sync now' }).click()
  await drawer.getByRole('button', { name: 'Undo' }).waitFor()
  await drawer.getByText(/Anna .* night-1\.csv/).waitFor()
  const animals = (await service.call('GET', '/pets?limit=10')).value
  assert.deepEqual(
    animals.map(({ name, status }: Record<string, string>) => [name, status]),
    [
      ['Rex', 'available'],
      ['Tom', 'pending'],
      ['Luna', 'available'],
    ],
  )
  await assertAccessible(page, 'a source with a file')

  await page.goto(new URL(`animals?open=${animals[0].id}`, page.url()).href)
  await page.getByText('From the source Riverside, where its id is A1.').waitFor()
  await page.getByRole('link', { name: 'Riverside' }).click()

  await send('empty.csv', HEADER)
  await drawer.getByText(/would .*3 animals|remove .*3/).waitFor()
  assert.equal(await drawer.getByRole('button', { name: 'Sync now' }).count(), 0, 'it would be refused')

  await drawer.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone for 3 animals').waitFor()
  assert.equal((await service.call('GET', '/pets?limit=10')).value.length, 0)
})

test('settings of a source are changed, and an admin creates the token for its file', IN_BROWSER, async t => {
  const service = await startOperatorService(t, { now: Date.now() })
  await service.call('POST', '/sources', { body: { name: 'Zoo', pauseSeconds: 5_400, keyColumn: 'Tag' } })
  const page = await visit(t, service, '/sources', { mayComplain: /400/ })
  await page.getByRole('row', { name: /Zoo/ }).click()
  const drawer = page.getByRole('dialog', { name: 'Zoo' })
  await drawer.getByRole('button', { name: 'Change settings' }).click()
  const settings = page.getByRole('dialog', { name: /Settings of the source/ })
  await assertAccessible(page, 'the settings of a source')
  assert.equal(await settings.getByLabel('A file is expected every').inputValue(), '5400')
  await settings.getByLabel('How many animals a file may remove').fill('half')
  await settings.getByLabel('Column with the ids').fill('')
  await settings.getByLabel('What words in the files mean').fill('status:Foster=sold')
  await settings.getByLabel('Label new categories').check()
  await settings.getByLabel('Animals that are missing in a file').selectOption('They are deleted')
  await settings.getByRole('button', { name: 'Save settings' }).click()
  await settings.getByText('Enter a number of animals, such as 20, or a share, such as 10%.').waitFor()
  await settings.getByLabel('How many animals a file may remove').fill('50%')
  await settings.getByRole('button', { name: 'Save settings' }).click()
  await drawer.getByText('They are deleted').waitFor()
  const { value } = await service.call('GET', '/sources/zoo')
  assert.deepEqual(
    [value.missing, value.maxRemovals, value.keyColumn, value.pauseSeconds, value.meanings, value.newCategories],
    ['delete', '50%', null, 5_400n, 'status:Foster=sold', true],
  )
  await page.setViewportSize({ width: 320, height: 700 })
  await assertFits(page)
  await drawer.getByRole('button', { name: 'Create token' }).click()
  const creating = page.getByRole('dialog', { name: /Create a token for the source/ })
  await creating.getByLabel('Name').fill('Shelter software')
  await creating.getByRole('button', { name: 'Create token' }).click()
  const issued = page.getByRole('dialog', { name: /The token of/ })
  const command = await issued.getByText(/^curl --fail/).textContent()
  await assertFits(page)
  await assertAccessible(page, 'the token of a source')
  const token = /Bearer (\S+)'/.exec(command ?? '')?.[1] ?? ''
  assert.ok(command?.endsWith(`/admin/v1/sources/Zoo/file`))
  const sent = await service.call('PUT', '/sources/Zoo/file?newCategories=true', {
    body: FIRST,
    type: 'text/csv',
    token,
  })
  assert.equal(sent.value.added, 3n)
  assert.equal((await service.call('GET', '/pets', { token })).status, 403)
  await issued.getByRole('button', { name: 'I have stored it' }).click()
})

test('a file that takes long to check says so', IN_BROWSER, async t => {
  const service = await startOperatorService(t, { now: Date.now() })
  await service.call('POST', '/sources', { body: { name: 'Zoo' } })
  const page = await visit(t, service, '/sources')
  const answered = Promise.withResolvers<void>()
  await page.route('**/admin/v1/sources/Zoo/file?*', async route => {
    await answered.promise
    await route.continue()
  })
  await page.getByRole('row', { name: /Zoo/ }).click()
  const file = { name: 'night.csv', mimeType: 'text/csv', buffer: Buffer.from(FIRST) }
  await page.getByLabel('Send a file by hand').setInputFiles(file)
  await page.getByRole('status').getByText('Checking night.csv …').waitFor()
  answered.resolve()
  await page.getByText('3 lines are invalid').waitFor()
  await page.getByText('Checking night.csv …').waitFor({ state: 'detached' })
})

test('answers about the words of a file are discarded after one question', IN_BROWSER, async t => {
  const service = await startOperatorService(t, { now: Date.now() })
  await service.call('POST', '/sources', { body: { name: 'shelter', missing: 'keep' } })
  const page = await visit(t, service, '/sources')
  await page.getByRole('row', { name: /shelter/ }).click()
  const file = { name: 'night.csv', mimeType: 'text/csv', buffer: Buffer.from(WITH_FOSTER) }
  await page.getByLabel('Send a file by hand').setInputFiles(file)
  await page.getByLabel('Status “Foster”').selectOption('Pending')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Discard' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  assert.match(page.url(), /\/sources$/)
})

test('a source that does not exist is reported, and its address leads back to the list', IN_BROWSER, async t => {
  const service = await startOperatorService(t, { now: Date.now() })
  await service.call('POST', '/sources', { body: { name: 'Zoo' } })
  const page = await visit(t, service, '/')
  await page.goto(`${service.operatorUrl}/console/sources?open=Nowhere`)
  const drawer = page.getByRole('dialog', { name: 'Nowhere' })
  await drawer.getByText('There is no source with this name.').waitFor()
  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'detached' })
  await page.getByRole('row', { name: /Zoo/ }).waitFor()
  assert.equal(new URL(page.url()).search, '')
})

test('staff see that an administrator creates the token of a source', IN_BROWSER, async t => {
  const service = await startOperatorService(t, { now: Date.now() })
  await service.call('POST', '/sources', { body: { name: 'Zoo' } })
  const page = await visit(t, service, '/sources', { token: service.staff.token })
  await page.getByRole('row', { name: /Zoo/ }).click()
  const drawer = page.getByRole('dialog', { name: 'Zoo' })
  await drawer.getByText('which an administrator can create here').waitFor()
  assert.equal(await drawer.getByRole('button', { name: 'Create token' }).count(), 0)
})

test('a source whose file is late says so, and can be removed', IN_BROWSER, async t => {
  const service = await startOperatorService(t, { now: Date.now() })
  await service.call('POST', '/sources', { body: { name: 'Zoo', pauseSeconds: 3_600 } })
  await service.call('PUT', '/sources/Zoo/file?newCategories=true', { body: FIRST, type: 'text/csv' })
  service.clock.now += 7_300_000
  // Others' changes are shown at once: the files of the source may be read again before the response to its removal.
  const page = await visit(t, service, '/', { mayComplain: /404/ })
  await page.getByText('Sources: attention needed').waitFor()
  await page.getByRole('link', { name: /Show sources/ }).click()
  await page.getByRole('row', { name: /Zoo.*Late/ }).waitFor()
  await assertAccessible(page, 'late sources')
  await page.setViewportSize({ width: 320, height: 700 })
  await assertFits(page)
  await page.getByRole('row', { name: /Zoo.*Late/ }).click()
  await page.getByRole('dialog', { name: 'Zoo' }).getByText('3 added').waitFor()
  await assertFits(page)
  await assertAccessible(page, 'late sources')
  await page.getByRole('button', { name: 'Remove source' }).click()
  await page
    .getByRole('dialog', { name: /Remove the source Zoo/ })
    .getByRole('button', { name: 'Remove source' })
    .click()
  await page.getByText('There are no sources').waitFor()
  assert.equal((await service.call('GET', '/pets?limit=10')).value.length, 3, 'its animals stay')
})
