import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { hourOf } from '../../src/domain/usage.ts'
import { startOperatorService } from '../support/operator.ts'
import { IN_BROWSER } from '../support/servers/browser.ts'
import { assertAccessible, assertFits, buildConsoleVisit } from '../support/servers/console.ts'
import { usageOf } from '../support/usage.ts'

// The first screen: health, what needs attention, and recent activity.

// The browser's clock goes on: the service's must agree with it.
const service = await startOperatorService({ after }, { now: Date.now() })
const empty = await startOperatorService({ after }, { now: Date.now() })
const visit = buildConsoleVisit({ after })
const EN = { locale: 'en-US' }

const bakery = await service.createCaller({ keyName: 'till' })
await service.issueKey(bakery.account, { name: 'fair', expiresAt: service.clock.now + 3 * 86_400_000 })
await service.call('POST', '/pets', { body: { name: 'Rex', categoryId: 1, status: 'available' } })
const hour = hourOf(service.clock.now)
const calls = { day: 0, hour, accountId: bakery.account.id, keyId: bakery.keyId, lastAt: service.clock.now }
await service.store.addUsage([
  usageOf({ ...calls, admitted: 1_200, status2xx: 1_200, refused: 7, banned: 3 }),
  usageOf({ ...calls, admitted: 40, status2xx: 40, operation: 'getPet' }),
])

test('the overview shows calls, animals and the newest actions', IN_BROWSER, async t => {
  const page = await visit(t, service, '/', EN)
  const part = page.getByRole('region', { name: 'Calls of the last 24 hours' })
  for (const number of ['1,240', '7', '3']) await part.locator('dd').getByText(number, { exact: true }).waitFor()
  await part.getByRole('slider').waitFor()
  await page.getByRole('region', { name: 'Animals' }).getByText('in all').waitFor()
  const actions = page.getByRole('region', { name: 'Newest actions' })
  await actions.getByText('Animal added').waitFor()
  assert.match((await actions.getByRole('link', { name: 'Rex' }).getAttribute('href')) ?? '', /\/animals\?open=1$/)
  await part.getByRole('link', { name: 'Show usage' }).click()
  await page.getByRole('heading', { name: 'Usage', exact: true }).waitFor()
})

test('an action links to its subject, or to its entry if the subject is gone', IN_BROWSER, async t => {
  const other = await startOperatorService(t, { now: Date.now() })
  const { id } = (await other.call('POST', '/accounts', { body: { name: 'Corner Shop', plan: 'free' } })).value
  const deleted = await other.call('DELETE', `/accounts/${id}`, { headers: { 'If-Match': '*' } })
  assert.equal(deleted.status, 204, deleted.text)
  const page = await visit(t, other, '/', EN)
  const entry = (name: string) =>
    page.getByRole('region', { name: 'Newest actions' }).getByRole('listitem').filter({ hasText: name })
  assert.match((await entry('Account created').getByRole('link').getAttribute('href')) ?? '', /\/accounts\/1$/)
  assert.match((await entry('Account deleted').getByRole('link').getAttribute('href')) ?? '', /\/audit\?open=\d+$/)
})

test('what needs attention is in the order of the harm that it does today, each with a link', IN_BROWSER, async t => {
  const page = await visit(t, service, '/', EN)
  const part = page.getByRole('region', { name: 'What needs attention' })
  await part.getByText('Healthy').waitFor()
  await part.getByText(`fair of ${bakery.account.name}`).waitFor()
  const headings = part.getByRole('heading', { level: 3 })
  assert.deepEqual(await headings.allTextContents(), [
    '1 account has reached a limit today',
    '1 key expires within 14 days',
  ])
  await part.getByText(`${bakery.account.name} (1,240 calls, 7 refused)`).waitFor()

  const near = await service.createCaller({ limits: { perMinute: 10, perDay: 1_000 } })
  const { account, keyId } = near
  await service.store.addUsage([usageOf({ ...calls, accountId: account.id, keyId, admitted: 800 })])
  const term = { source: '192.0.2.7', earnedIn: 'minute', startedAt: calls.lastAt, ordinal: 1 } as const
  await service.store.createBan(keyId, { ...term, endsAt: calls.lastAt + 3_600_000 })
  const asIf = (path: string, change: (body: string) => string) =>
    page.route(path, async route => {
      const response = await route.fetch()
      await route.fulfill({ response, body: change(await response.text()) })
    })
  const troubles = ['sources', 'backup', 'certificate', 'store'].map(part => ({
    part,
    state: 'failing',
    message: part,
  }))
  await asIf('**/admin/v1/health', body => JSON.stringify({ ...JSON.parse(body), state: 'failing', parts: troubles }))
  const soon = new Date(calls.lastAt + 360 * 86_400_000).toISOString()
  await asIf('**/admin/v1/usage/deprecated', body => body.replace(/"removedAt":"[^"]+"/, `"removedAt":"${soon}"`))
  await page.reload()
  await part.getByText('Failing').waitFor()
  await part.getByText(`${account.name} (80%)`).waitFor()
  const texts = await headings.allTextContents()
  assert.match(texts.pop() ?? '', /^1 account uses a call that ends on .* \(getPet\)$/)
  assert.deepEqual(texts, [
    'Store: not working',
    'Certificate: not working',
    'Backup: not working',
    'Sources: not working',
    '1 ban is in force',
    '1 account has reached a limit today',
    '1 account has used 80% of the calls per day',
    '1 key expires within 14 days',
  ])
  await page.unrouteAll({ behavior: 'wait' })
  await part.getByRole('link', { name: 'Show accounts' }).last().click()
  await page.getByRole('columnheader', { name: 'Calls today' }).and(page.locator('[aria-sort="descending"]')).waitFor()
})

test(
  'while an account is at a limit, or the service cannot be reached, it never says that nothing needs attention',
  IN_BROWSER,
  async t => {
    const own = await startOperatorService(t, { now: Date.now() })
    const { account, keyId } = await own.createCaller({ limits: { perMinute: 60, perDay: 1_000 } })
    const page = await visit(t, own, '/', { ...EN, mayComplain: /ERR_/ })
    const part = page.getByRole('region', { name: 'What needs attention' })
    await part.getByText('Nothing. All parts work').waitFor()
    const usage = usageOf({ ...calls, hour: hourOf(own.clock.now), accountId: account.id, keyId })
    for (const counts of [{ admitted: 60, refused: 15 }, { admitted: 1_000 }]) {
      await own.store.addUsage([{ ...usage, ...counts }])
      await page.reload()
      await part.getByRole('heading', { name: '1 account has reached a limit today' }).waitFor()
      assert.equal(await part.getByText('Nothing').count(), 0)
    }

    const quiet = await startOperatorService(t, { now: Date.now() })
    const other = await visit(t, quiet, '/', { ...EN, mayComplain: /ERR_/ })
    const attention = other.getByRole('region', { name: 'What needs attention' })
    await attention.getByText('Nothing. All parts work').waitFor()
    await quiet.close()
    await attention.getByText('Unknown while the service cannot be reached.').waitFor()
    for (const text of ['Nothing', 'Healthy']) assert.equal(await attention.getByText(text).count(), 0, text)
  },
)

test('a new service is explained', IN_BROWSER, async t => {
  const page = await visit(t, empty, '/', EN)
  await page.getByRole('heading', { name: 'First steps' }).waitFor()
  await page.getByRole('link', { name: 'Create account' }).waitFor()
  await page.getByText('Nothing. All parts work').waitFor()
  await page.getByRole('link', { name: 'Import a file' }).waitFor()
})

test('staff are not offered actions that only admins may do', IN_BROWSER, async t => {
  const page = await visit(t, empty, '/', { ...EN, token: empty.staff.token })
  await page.getByText('An admin creates an account').waitFor()
  await page.getByRole('link', { name: 'Create account' }).waitFor({ state: 'detached' })
})

for (const width of [390, 768, 1440]) {
  test(`axe finds nothing, ${width} wide`, IN_BROWSER, async t => {
    const options = { ...EN, viewport: { width, height: 900 } }
    for (const [one, what] of [
      [service, 'in use'],
      [empty, 'new'],
    ] as const) {
      const page = await visit(t, one, '/', options)
      await page.getByRole('slider').or(page.getByText('The calls of partners and apps appear here')).waitFor()
      await page.getByText('Healthy').waitFor()
      await assertAccessible(page, what)
      await assertFits(page)
    }
  })
}
