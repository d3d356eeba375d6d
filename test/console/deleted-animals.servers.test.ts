import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from '../../tools/playwright.ts'
import { type AdminItem, type OperatorService, startOperatorService } from '../support/operator.ts'
import { IN_BROWSER } from '../support/servers/browser.ts'
import { assertAccessible, assertFits, buildConsoleVisit, withholdEvents } from '../support/servers/console.ts'

// Deleted animals are a choice beside the statuses. Each can be brought back there, or from its history.

const visit = buildConsoleVisit({ after })
const ANY = { headers: { 'If-Match': '*' } }
const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })
const choose = (page: Page, status: string) =>
  page.getByRole('group', { name: 'Status' }).getByRole('button', { name: status }).click()

test(
  'deleted animals are found, with when and by whom, and one of a bulk deletion is restored',
  IN_BROWSER,
  async t => {
    const service = await startWith(t, ['Rex', 'Bella', 'Zoë'])
    const page = await visit(t, service, '/animals', { token: service.staff.token, mayComplain: /404/ })
    await choose(page, 'Deleted')
    await page.getByText('No deleted animals').waitFor()
    await assertAccessible(page, 'the empty list of deleted animals')

    const { version } = (await service.call('POST', '/pets/bulk/preview', { body: { filter: {} } })).value
    await service.call('POST', '/pets/bulk/delete', { body: { filter: {}, version } })
    const [entry] = (await service.call('GET', '/audit?limit=1')).value
    await rowOf(page, 'Bella').getByText(entry.actor).waitFor()
    await rowOf(page, 'Bella').locator(`time[datetime="${entry.at}"]`).waitFor()
    await assertAccessible(page, 'the list of deleted animals')

    await rowOf(page, 'Bella').getByRole('button', { name: 'Restore Bella' }).click()
    await page.getByText('Bella was restored').waitFor()
    await rowOf(page, 'Bella').waitFor({ state: 'detached' })
    assert.deepEqual(await names(service), ['2 Bella'], 'this animal only, under its own id')

    await page.getByRole('searchbox').fill('zoe')
    await rowOf(page, 'Rex').waitFor({ state: 'detached' })
    await rowOf(page, 'Zoë').waitFor()
    await page.getByRole('searchbox').fill('nothing like it')
    await page.getByText('No deleted animal matches').waitFor()
    await page.getByRole('main').getByRole('button', { name: 'Clear filters' }).last().click()
    await rowOf(page, 'Rex').waitFor()
    assert.match(page.url(), /\?status=deleted$/)
  },
)

test('an animal that is deleted in the list is at once among the deleted ones', IN_BROWSER, async t => {
  const service = await startWith(t, ['Rex', 'Bella'])
  const page = await visit(t, service, '/animals?status=deleted')
  await withholdEvents(page)
  await page.getByText('No deleted animals').waitFor()
  await choose(page, 'All')
  await rowOf(page, 'Rex').focus()
  await page.keyboard.press('Delete')
  await page.getByRole('button', { name: 'Delete animal' }).click()
  await rowOf(page, 'Rex').waitFor({ state: 'detached' })
  await choose(page, 'Deleted')
  await rowOf(page, 'Rex').getByRole('button', { name: 'Restore' }).waitFor()
})

test('a deleted animal opens with its history, and comes back from there', IN_BROWSER, async t => {
  const service = await startWith(t, ['Rex', 'Bella'])
  await service.call('DELETE', '/pets/1', ANY)
  const page = await visit(t, service, '/animals?status=deleted', { mayComplain: /404/ })
  await rowOf(page, 'Rex').getByText('Rex').click()
  const drawer = page.getByRole('region', { name: 'Animal 1' })
  await drawer.getByText('Deleted', { exact: true }).waitFor()
  await assertAccessible(page, 'a deleted animal with its history')
  await drawer.getByRole('button', { name: 'Bring it back' }).click()
  await page.getByRole('region', { name: 'Rex', exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('No deleted animals').waitFor()
  await choose(page, 'All')
  await rowOf(page, 'Bella').waitFor()
  assert.deepEqual(await names(service), ['1 Rex', '2 Bella'])
})

test('an animal that a colleague has already restored is reported as such', IN_BROWSER, async t => {
  const service = await startWith(t, ['Rex'])
  await service.call('DELETE', '/pets/1', ANY)
  const page = await visit(t, service, '/animals?status=deleted', { mayComplain: /409/ })
  await rowOf(page, 'Rex').waitFor()
  const message = 'Animal 1 has just been changed or deleted by someone else; read it again.'
  await page.route('**/pets/1/restore', route =>
    route.fulfill({ status: 409, json: { code: 'conflict', status: 409, message } }),
  )
  await page.getByRole('button', { name: 'Restore Rex' }).click()
  await page.getByText('Rex was not restored').waitFor()
  await page.getByText(message).waitFor()
})

for (const width of [390, 768, 1_440]) {
  test(`the list of deleted animals fits a window of ${width} px`, IN_BROWSER, async t => {
    const service = await startWith(t, ['Rex', 'Bella of the long name '.repeat(8).trim()])
    for (const id of [1, 2]) await service.call('DELETE', `/pets/${id}`, ANY)
    const page = await visit(t, service, '/animals?status=deleted', { viewport: { width, height: 844 } })
    const row = rowOf(page, 'Rex')
    for (const text of ['Anna', 'Restore']) await row.getByText(text).waitFor()
    await row.locator('time').waitFor()
    await assertFits(page)
    await assertAccessible(page, `deleted animals at ${width} px`)
  })
}

async function startWith(
  t: Parameters<typeof startOperatorService>[0],
  names: readonly string[],
): Promise<OperatorService> {
  const service = await startOperatorService(t, { now: Date.now() })
  for (const name of names) await service.call('POST', '/pets', { body: { name, categoryId: 1 } })
  await service.call('PUT', '/categories/1', { body: { label: 'Dogs' } })
  return service
}

async function names(service: OperatorService): Promise<string[]> {
  const pets: AdminItem[] = (await service.call('GET', '/pets')).value
  return pets.map(({ id, name }) => `${id} ${name}`)
}
