import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { hourOf } from '../../src/domain/usage.ts'
import { eventually } from '../support/eventually.ts'
import { startOperatorService } from '../support/operator.ts'
import { IN_BROWSER } from '../support/servers/browser.ts'
import { assertAccessible, assertFits, buildConsoleVisit, withholdEvents } from '../support/servers/console.ts'
import { usageOf } from '../support/usage.ts'

// The list of accounts, and the page of one account. Each test has its own account.

const service = await startOperatorService({ after }, { now: Date.now() })
const visit = buildConsoleVisit({ after })

async function create(name: string, plan = 'pro', limits: Record<string, number> = {}): Promise<string> {
  const { status, text, value } = await service.call('POST', '/accounts', { body: { name, plan, ...limits } })
  assert.equal(status, 201, text)
  return String(value.id)
}

const read = async (id: string) => (await service.call('GET', `/accounts/${id}`)).value

test('without accounts, the screen offers to create one, and then shows it', IN_BROWSER, async t => {
  const empty = await startOperatorService({ after }, { now: Date.now() })
  const page = await visit(t, empty, '/accounts')
  await page.getByRole('heading', { name: 'No accounts yet' }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Create account' }).count(), 1)
  await page.getByRole('button', { name: 'Create account' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create an account' })
  await dialog.getByLabel('Name').fill('Acme Pets')
  await dialog.getByLabel('Plan').selectOption('business')
  await dialog.getByText('1,000 calls per minute and 100,000 per day, for all keys together.').waitFor()
  await dialog.getByRole('button', { name: 'Create the account' }).click()
  await page.getByRole('heading', { name: 'Acme Pets', level: 1 }).waitFor()
  await page.getByText('of 100,000').waitFor()
})

test('an enterprise account has custom limits, and invalid ones are refused at their fields', IN_BROWSER, async t => {
  const page = await visit(t, service, '/accounts', { mayComplain: /400/ })
  await page.getByRole('button', { name: 'Create account' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Big enterprise')
  await dialog.getByLabel('Plan').selectOption('enterprise')
  await dialog.getByLabel('Calls per minute').fill('many')
  await dialog.getByLabel('Calls per day').fill('1,000,000')
  await dialog.getByRole('button', { name: 'Create the account' }).click()
  await dialog.getByText('Enter the calls per minute: a whole number from 1 to 1,000,000,000.').waitFor()
  assert.equal(await dialog.getByLabel('Calls per minute').getAttribute('aria-invalid'), 'true')
  assert.equal(await dialog.getByLabel('Name').inputValue(), 'Big enterprise', 'nothing is lost')
  await dialog.getByLabel('Calls per minute').fill('5.000')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Big enterprise', level: 1 }).waitFor()
  await page.getByText('of 5,000').waitFor()
  await page.getByText('of 1,000,000').waitFor()
})

test('accounts are found by a part of the name, the plan and the state, and sorted', IN_BROWSER, async t => {
  await create('Search Beta')
  const alpha = await create('Search Alpha', 'free')
  await service.call('POST', `/accounts/${alpha}/suspend`)
  const page = await visit(t, service, '/accounts')
  const rows = page.locator('tbody tr[data-key]')
  const names = () => rows.locator('td:first-child').allTextContents()
  await page.getByLabel('Search by name').fill('search')
  await page.waitForURL(/name=search/)
  await rows.nth(2).waitFor({ state: 'detached' })
  assert.deepEqual(await names(), ['Search Beta', 'Search Alpha'])
  await page.getByLabel('Order').selectOption('name')
  await page.getByText('Search Alpha').and(page.locator('tr:first-child *')).waitFor()
  await page.getByLabel('State').selectOption('suspended')
  await page.getByText('Search Beta').waitFor({ state: 'detached' })
  await page.reload()
  await page.getByText('Search Alpha').waitFor()
  await page.getByLabel('Plan').selectOption('business')
  await page.getByRole('heading', { name: 'No account matches' }).waitFor()
  await page.getByRole('search').getByRole('button', { name: 'Clear filters' }).click()
  await page.getByText('Search Beta').waitFor()
  assert.equal(await page.getByLabel('Search by name').inputValue(), '')
})

test('the accounts that use the most of their limit are found by the header of a column', IN_BROWSER, async t => {
  const own = await startOperatorService(t, { now: Date.now() })
  const hour = hourOf(own.clock.now)
  for (const [name, admitted, refused] of [
    ['Idle', 799, 0],
    ['Busy', 800, 21],
    ['Over', 1_000, 3],
  ] as const) {
    const { value } = await own.call('POST', '/accounts', { body: { name, plan: 'free' } })
    await own.store.addUsage([usageOf({ day: 0, hour, accountId: value.id, keyId: value.id, admitted, refused })])
  }
  const page = await visit(t, own, '/accounts', { locale: 'en-US' })
  const names = () => page.locator('tbody tr[data-key] td:first-child').allTextContents()
  await page.getByText('Idle').waitFor()
  assert.deepEqual(await names(), ['Idle', 'Busy', 'Over'])
  for (const [text, level] of [
    ['799 of 1,000', ''],
    ['800 of 1,000', 'Near limit'],
    ['1,000 of 1,000', 'At limit'],
  ] as const) {
    assert.equal(await page.getByRole('cell').filter({ hasText: text }).last().textContent(), `${text}${level}`)
  }
  const header = (name: string) => page.getByRole('columnheader', { name })
  for (const [column, expected] of [
    ['Refused today', ['Busy', 'Over', 'Idle']],
    ['Calls today', ['Over', 'Busy', 'Idle']],
  ] as const) {
    await header(column).getByRole('button').click()
    await header(column).and(page.locator('[aria-sort="descending"]')).waitFor()
    await page.getByText(expected[0]).and(page.locator('tr:first-child *')).waitFor()
    assert.deepEqual(await names(), expected)
  }
  assert.equal(await page.getByLabel('Order').inputValue(), 'usage')
  await header('Calls today').getByRole('button').click()
  await page.getByText('Idle').and(page.locator('tr:first-child *')).waitFor()
  assert.equal(new URL(page.url()).search, '')
})

test('an account that calls a deprecated operation shows that on its page', IN_BROWSER, async t => {
  const { account, keyId } = await service.createCaller()
  const usage = { day: 0, hour: hourOf(service.clock.now), accountId: account.id, keyId, lastAt: service.clock.now }
  await service.store.addUsage([usageOf({ ...usage, operation: 'getPet', admitted: 12 })])
  const page = await visit(t, service, `/accounts/${account.id}`)
  await page.getByRole('link', { name: '12 calls of a kind that will be removed' }).click()
  await page.getByRole('heading', { name: 'Usage', exact: true }).waitFor()
})

test('a narrow window folds the filters behind a button', IN_BROWSER, async t => {
  await create('Folded')
  const page = await visit(t, service, '/accounts', { viewport: { width: 390, height: 844 } })
  await page.getByText('Folded').waitFor()
  assert.equal(await page.getByLabel('Plan').isVisible(), false)
  await page.getByRole('button', { name: 'Filters', expanded: false }).click()
  await page.getByLabel('Plan').selectOption('enterprise')
  await page.getByText('Folded').waitFor({ state: 'detached' })
  await page.getByRole('search').getByRole('button', { name: 'Clear filters' }).click()
  await page.getByText('Folded').waitFor()
  assert.equal(await page.getByLabel('Plan').inputValue(), '')
})

test('the keyboard opens an account from the list', IN_BROWSER, async t => {
  await create('Keyboard one')
  const page = await visit(t, service, '/accounts?name=Keyboard')
  await page.getByText('Keyboard one').waitFor()
  await page.locator('tbody tr[data-key]').first().focus()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Keyboard one', level: 1 }).waitFor()
})

test('an account is renamed, gets another plan, is suspended and resumed', IN_BROWSER, async t => {
  const id = await create('Before')
  await create('Taken')
  const page = await visit(t, service, `/accounts/${id}`, { mayComplain: /409/ })
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Taken')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByRole('alert').waitFor()
  await page.getByRole('dialog').getByLabel('Name').fill('After')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'After', level: 1 }).waitFor()

  await page.getByRole('button', { name: 'Change plan' }).click()
  await page.getByRole('dialog').getByLabel('Plan').selectOption('enterprise')
  await page.getByRole('dialog').getByLabel('Calls per minute').fill('77')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('of 77 left').waitFor()

  await page.getByRole('button', { name: 'Suspend' }).click()
  await page.getByText('Calls with its keys are refused immediately').waitFor()
  await page.getByRole('button', { name: 'Suspend account' }).click()
  await page.getByText('the keys of this account are refused').waitFor()
  assert.equal((await read(id)).state, 'suspended')
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('button', { name: 'Resume account' }).click()
  await page.getByRole('button', { name: 'Suspend' }).waitFor()
  assert.equal((await read(id)).state, 'active')
  await page.getByText('Account renamed').waitFor()
})

test("a change that conflicts with someone else's shows theirs, and can be applied on top", IN_BROWSER, async t => {
  const id = await create('Contested')
  const page = await visit(t, service, `/accounts/${id}`, { mayComplain: /412/ })
  await page.getByRole('button', { name: 'Change plan' }).click()
  await page.getByRole('dialog').getByLabel('Plan').selectOption('business')
  await service.call('PUT', `/accounts/${id}/plan`, { body: { plan: 'free' } })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('This account has changed since you opened it').waitFor()
  await page.getByText('on the Free plan').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  assert.equal((await read(id)).plan, 'business')
})

test('an account is deleted only after its name was typed', IN_BROWSER, async t => {
  const id = await create('Doomed\u00a0  Pets')
  const page = await visit(t, service, `/accounts/${id}`, { mayComplain: /404/ })
  await page.getByRole('button', { name: 'Delete' }).click()
  const button = page.getByRole('button', { name: 'Delete account' })
  assert.equal(await button.isDisabled(), true)
  await page.getByLabel('To confirm, type the name').fill('Doomed Pet')
  assert.equal(await button.isDisabled(), true)
  await page.getByLabel('To confirm, type the name').fill('Doomed Pets')
  await button.click()
  await page.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor()
  await page.getByText('The account “Doomed Pets” is deleted').waitFor()
  assert.equal((await service.call('GET', `/accounts/${id}`)).status, 404)
})

test('the gauges follow the calls, and the day is shown in the chart', IN_BROWSER, async t => {
  const { account, key } = await service.createCaller({ limits: { perMinute: 40, perDay: 500 } })
  const page = await visit(t, service, `/accounts/${account.id}`)
  await page.getByText('No calls yet').first().waitFor()
  for (let call = 0; call < 3; call += 1) {
    await fetch(`${service.baseUrl}/pets`, { headers: { Authorization: `Bearer ${key}` } })
  }
  await page.getByText('37 of 40 left').waitFor()
  // The counts are saved every few seconds.
  await eventually(async () => {
    assert.match((await service.call('GET', `/usage?account=${account.id}&by=day`)).text, /"admitted":3\b/)
  })
  await page.reload()
  await page.getByText('3 calls, 0 refused.').waitFor()
  const chart = page.getByRole('slider', { name: /^Calls by day/ })
  await chart.focus()
  await page.keyboard.press('End')
  assert.match((await chart.getAttribute('aria-valuetext')) ?? '', /\(UTC\): 3$/)
  assert.ok((await chart.locator('.chart-bars').first().boundingBox())?.height)
})

test('an account that was deleted is not shown from memory', IN_BROWSER, async t => {
  const id = await create('Soon gone')
  const page = await visit(t, service, '/accounts', { mayComplain: /404/ })
  await withholdEvents(page)
  await page.getByRole('link', { name: 'Soon gone' }).click()
  await page.getByRole('heading', { name: 'Soon gone', level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByLabel('To confirm, type the name').fill('Soon gone')
  await page.getByRole('button', { name: 'Delete account' }).click()
  await page.getByText('The account “Soon gone” is deleted').waitFor()
  await page.getByRole('link', { name: 'Soon gone' }).waitFor({ state: 'detached' })
  await page.goBack()
  await page.getByRole('heading', { name: 'This account does not exist' }).waitFor()
  assert.equal(new URL(page.url()).pathname, `/console/accounts/${id}`)
})

test('an account that is opened from another one is never shown with the keys of that', IN_BROWSER, async t => {
  const [first, second] = [await create('Opened first'), await create('Opened second')]
  await service.call('POST', `/accounts/${first}/keys`, { body: { name: 'Key of the first' } })
  // The filter reads the name of its account.
  const page = await visit(t, service, `/audit?account=${second}`)
  await page.route(`**/admin/v1/keys?account=${second}*`, () => {})
  await openByPalette('Opened first')
  await page.getByRole('row', { name: 'Key of the first' }).waitFor()
  await openByPalette('Opened second')
  await page.getByRole('heading', { name: 'Opened second', level: 1 }).waitFor()
  assert.equal(await page.getByRole('row', { name: 'Key of the first' }).count(), 0)

  async function openByPalette(name: string) {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search or go to' }).fill(name)
    await page.getByRole('option', { name }).click()
  }
})

test('an account that does not exist is reported in words', IN_BROWSER, async t => {
  const page = await visit(t, service, '/accounts/999999', { mayComplain: /404/ })
  await page.getByRole('heading', { name: 'This account does not exist' }).waitFor()
  await page.getByRole('link', { name: 'Show all accounts' }).click()
  await page.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor()
})

test('staff see accounts, and nothing that changes them', IN_BROWSER, async t => {
  const id = await create('For staff')
  const page = await visit(t, service, `/accounts/${id}`, { token: service.staff.token })
  await page.getByRole('heading', { name: 'For staff', level: 1 }).waitFor()
  await page.getByText('No keys yet').waitFor()
  for (const name of ['Rename', 'Change plan', 'Suspend', 'Delete', 'Issue key']) {
    assert.equal(await page.getByRole('button', { name }).count(), 0, name)
  }
})

for (const width of [390, 768, 1440]) {
  test(`axe finds nothing in the accounts, ${width} wide`, IN_BROWSER, async t => {
    const id = await create(`Looks at ${width}: مأوى القطط والكلاب، و اسم طويل جدا حتى لا يتسع له المكان`)
    await service.call('POST', `/accounts/${id}/claim-links`, { body: { name: 'Till' } })
    await service.call('POST', `/accounts/${id}/keys`, { body: { name: 'Checkout' } })
    const page = await visit(t, service, '/accounts', { viewport: { width, height: 844 } })
    await page.getByText(`Looks at ${width}`).waitFor()
    await assertAccessible(page, 'the list')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('dialog').getByLabel('Plan').selectOption('enterprise')
    await assertAccessible(page, 'a new account')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('dialog').first().waitFor({ state: 'detached' })
    await page.getByText(`Looks at ${width}`).click()
    await page.getByRole('cell', { name: 'Checkout' }).waitFor()
    await page.getByText('Key issued').waitFor()
    await assertAccessible(page, 'one account')
    await assertFits(page)
    await page.getByRole('button', { name: 'Delete' }).click()
    await assertAccessible(page, 'the question before it is deleted')
  })
}
