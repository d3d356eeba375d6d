import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type OperatorService, startOperatorService } from '../support/operator.ts'
import { IN_BROWSER } from '../support/servers/browser.ts'
import {
  assertAccessible,
  assertFits,
  buildConsoleVisit,
  untilAsked,
  withholdEvents,
} from '../support/servers/console.ts'

const visit = buildConsoleVisit({ after })

test('an admin sees how long a ban lasts, and lifts it', IN_BROWSER, async t => {
  const service = await startOperatorService(t, { now: Date.now() })
  await ban(service, 'till')
  const page = await visit(t, service, '/bans')
  const row = page.getByRole('row', { name: /till/ })
  await row.getByText('192.0.2.7', { exact: true }).waitFor()
  await row.getByText(/^1[45]:\d\d left$/).waitFor()
  await page.getByRole('columnheader', { name: 'Address' }).waitFor()
  await row.getByRole('button', { name: 'Lift the ban of till' }).click()
  await page.getByRole('heading', { name: 'Lift the ban of “till” for 192.0.2.7?' }).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await row.getByRole('button', { name: 'Lift the ban of till' }).click()
  await page.getByRole('button', { name: 'Lift the ban', exact: true }).click()
  await page.getByText('No key is banned').waitFor()
  assert.deepEqual((await service.call('GET', '/bans')).value, [])
  // A filter that is not applied yet does not get in the way.
  await page.getByLabel('Account').pressSequentially('ac')
  await page.getByRole('button', { name: 'Show past bans' }).click()
  await row.getByText('Lifted').waitFor()
  assert.match(page.url(), /\?state=all$/)
})

test('a ban that someone else has lifted is reported in the dialog', IN_BROWSER, async t => {
  const service = await startOperatorService(t, { now: Date.now() })
  const { keyId } = await ban(service, 'till')
  const page = await visit(t, service, '/bans', { mayComplain: /409/ })
  await withholdEvents(page)
  await page.getByRole('button', { name: 'Lift the ban of till' }).click()
  await service.call('POST', `/keys/${keyId}/lift-ban`)
  await page.getByRole('button', { name: 'Lift the ban', exact: true }).click()
  await page.getByRole('alert').getByText('is not in force').waitFor()
})

test('bans are narrowed to an account, by its name', IN_BROWSER, async t => {
  const service = await startOperatorService(t, { now: Date.now() })
  const { account } = await ban(service, 'till')
  await ban(service, 'laptop')
  const page = await visit(t, service, '/bans', { mayComplain: /404/ })
  await page.getByRole('row', { name: /laptop/ }).waitFor()
  await page.getByLabel('Account').fill(account.name)
  await page.getByLabel('Account').press('Enter')
  await page.getByRole('row', { name: /laptop/ }).waitFor({ state: 'detached' })
  await page.getByRole('row', { name: /till/ }).waitFor()
  await page.getByLabel('Account').and(page.locator(':focus')).waitFor()
  await page.getByLabel('Account').fill('no one')
  await page.getByLabel('Account').press('Enter')
  await page.getByRole('heading', { name: 'Nothing matches these filters' }).waitFor()
  await page.getByRole('search').getByRole('button', { name: 'Clear filters' }).click()
  await page.getByRole('row', { name: /laptop/ }).waitFor()
  assert.equal(await page.getByLabel('Account').inputValue(), '')
})

test('a name that is typed into a filter stays while the name before it is looked up', IN_BROWSER, async t => {
  const service = await startOperatorService(t, { now: Date.now() })
  const { account } = await ban(service, 'till')
  const page = await visit(t, service, '/bans', { mayComplain: /404/ })
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  await page.route(/\/accounts\/\d+$/, async route => {
    await answered
    await route.continue()
  })
  const field = page.getByLabel('Account')
  await field.fill(account.name)
  await page.locator(`option[value="${account.name}"]`).waitFor({ state: 'attached' })
  const asked = page.waitForRequest(/\/accounts\/\d+$/)
  await field.press('Enter')
  await asked
  await field.fill('no one')
  const known = page.waitForResponse(/\/accounts\/\d+$/)
  answer()
  await (await known).finished()
  await untilAsked(page)
  await field.press('Enter')
  await page.getByRole('heading', { name: 'Nothing matches these filters' }).waitFor()
})

test('a ban links to all bans of its key, with an explanation of bans in a row', IN_BROWSER, async t => {
  const service = await startOperatorService(t, { now: Date.now() })
  const { keyId } = await ban(service, 'till')
  const { now } = service.clock
  await service.call('POST', `/keys/${keyId}/lift-ban`)
  await service.store.createBan(keyId, {
    source: '192.0.2.7',
    earnedIn: 'minute',
    startedAt: now,
    endsAt: now + 1_800_000,
    ordinal: 2,
  })
  const page = await visit(t, service, '/bans')
  await page.getByRole('row', { name: /till/ }).getByText('30 minutes, 2nd in a row').waitFor()
  await page.getByText('till', { exact: true }).click()
  const bans = page.getByRole('dialog', { name: 'till' }).getByRole('region', { name: 'Bans' })
  await bans.getByText('15 minutes, 1st in a row').waitFor()
  await bans.getByText('twice as long as the one before').waitFor()
  assert.match(page.url(), /key=/)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  assert.doesNotMatch(page.url(), /key=/)
})

test('staff see bans, but nothing to lift them with', IN_BROWSER, async t => {
  const service = await startOperatorService(t, { now: Date.now() })
  await ban(service, 'till')
  const page = await visit(t, service, '/bans', { token: service.staff.token })
  await page.getByRole('row', { name: /till/ }).waitFor()
  assert.equal(await page.getByRole('button', { name: /Lift/ }).count(), 0)
})

for (const width of [390, 768, 1440]) {
  test(`axe finds nothing in the bans, ${width} wide`, IN_BROWSER, async t => {
    const service = await startOperatorService(t, { now: Date.now() })
    const page = await visit(t, service, '/bans', { viewport: { width, height: 844 } })
    await page.getByText('No key is banned').waitFor()
    await assertAccessible(page, 'no bans')
    await ban(service, 'a key with a name that is much longer than most of the names that keys have')
    await page.getByRole('button', { name: /^Lift/ }).waitFor()
    await assertAccessible(page, 'a ban')
    await assertFits(page)
    await page.getByRole('button', { name: /^Lift/ }).click()
    await page.getByRole('button', { name: 'Cancel' }).waitFor()
    await assertAccessible(page, 'the dialog')
  })
}

for (const [locale, started] of [
  ['de-DE', '29 Nov 2026, 21:05'],
  ['ar-EG', 'Nov 29, 2026, 9:05 PM'],
  ['ja-JP', 'Nov 29, 2026, 21:05'],
  ['th-TH', 'Nov 29, 2026, 9:05 PM'],
] as const) {
  test(`sentences with times are in English for ${locale}, in the way of its region`, IN_BROWSER, async t => {
    const service = await startOperatorService(t, { now: Date.parse('2026-11-29T21:05:00Z') })
    await ban(service, 'till')
    const page = await visit(t, service, '/bans', { locale, timezoneId: 'UTC' })
    const row = page.getByRole('row', { name: /till/ })
    await row.getByText('15 minutes, 1st in a row').waitFor()
    await row.getByText('till').click()
    const bans = page.getByRole('region', { name: 'Bans' })
    await bans.getByText(/^Banned [a-z\d ]+ for 192\.0\.2\.7$/).waitFor()
    await page.keyboard.press('Escape')
    await page.locator('#account-button').click()
    await page.getByRole('menuitemcheckbox', { name: 'Exact times in lists' }).click()
    await page.keyboard.press('Escape')
    await row.getByText(started).waitFor()
  })
}

async function ban(service: OperatorService, keyName: string) {
  const caller = await service.createCaller({ keyName })
  const { now } = service.clock
  await service.store.createBan(caller.keyId, {
    source: '192.0.2.7',
    earnedIn: 'minute',
    startedAt: now,
    endsAt: now + 900_000,
    ordinal: 1,
  })
  return caller
}
