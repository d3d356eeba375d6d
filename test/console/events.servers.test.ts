import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from '../../tools/playwright.ts'
import { eventually } from '../support/eventually.ts'
import { startOperatorService } from '../support/operator.ts'
import { IN_BROWSER } from '../support/servers/browser.ts'
import { buildConsoleVisit, passTime, untilAsked } from '../support/servers/console.ts'
import { untilTrue } from '../support/servers/visit.ts'

// Changes by others are shown without reloading.

const visit = buildConsoleVisit({ after })

test("another operator's changes are shown within seconds, and nothing else is refetched", IN_BROWSER, async t => {
  const service = await startOperatorService(t, { now: Date.now() })
  const page = await visit(t, service, '/audit')
  // The warnings are loaded last, once the page is idle.
  await Promise.all([page.waitForResponse('**/admin/v1/health'), page.reload()])
  await page.getByRole('row', { name: /Signed in/ }).waitFor()
  const asked: string[] = []
  page.on('request', request => asked.push(new URL(request.url()).pathname))
  await service.call('POST', '/accounts', { body: { name: 'Acme Pets', plan: 'free' } })
  await page.getByRole('row', { name: /Account created/ }).waitFor()
  // The code of other screens may still be loading.
  const data = asked.filter(path => !path.startsWith('/console/assets/'))
  assert.deepEqual([...new Set(data)], ['/admin/v1/audit'])
})

test(
  'while the service is slow, nothing is requested again; then the missed changes are shown',
  IN_BROWSER,
  async t => {
    const service = await startOperatorService(t, { now: Date.now() })
    const page = await visit(t, service, '/audit')
    await page.getByRole('row', { name: /Signed in/ }).waitFor()
    await page.clock.install()
    const slow = Promise.withResolvers<void>()
    const lists: string[] = []
    await page.route(/admin\/v1\/audit\?/, async route => {
      lists.push('asked')
      const response = await route.fetch()
      await slow.promise
      await route.fulfill({ response })
    })
    page.on('requestfailed', request => lists.push(`cancelled ${request.url()}`))
    await countReports(page)
    const first = page.waitForRequest(/admin\/v1\/audit\?/)
    await service.call('POST', '/accounts', { body: { name: 'Acme Pets', plan: 'free' } })
    await first
    for (const [index, name] of ['Second Acme', 'Third Acme'].entries()) {
      await service.call('POST', '/accounts', { body: { name, plan: 'free' } })
      await untilTrue(page, `reports === ${index + 3}`)
      await passTime(page)
    }
    assert.deepEqual(lists, ['asked'])
    slow.resolve()
    await page
      .getByRole('row', { name: /Account created/ })
      .nth(2)
      .waitFor()
    assert.deepEqual(lists, ['asked', 'asked'])
  },
)

test('a list that is still loading when others change it is loaded to the end, and then again', IN_BROWSER, async t => {
  const service = await startOperatorService(t, { now: Date.now() })
  const page = await visit(t, service, '/accounts')
  await page.clock.install()
  const slow = Promise.withResolvers<void>()
  const lists: string[] = []
  await page.route(/admin\/v1\/audit\?/, async route => {
    const response = await route.fetch()
    lists.push('read')
    await slow.promise
    await route.fulfill({ response })
  })
  page.on('requestfailed', request => lists.push(`cancelled ${request.url()}`))
  await countReports(page)
  await page.getByRole('link', { name: 'Audit log' }).click()
  await eventually(() => assert.deepEqual(lists, ['read']))
  await service.call('POST', '/accounts', { body: { name: 'Acme Pets', plan: 'free' } })
  await untilTrue(page, 'reports === 2')
  await passTime(page)
  assert.deepEqual(lists, ['read'])
  slow.resolve()
  await page.getByRole('row', { name: /Account created/ }).waitFor()
  assert.deepEqual(lists, ['read', 'read'])
})

test('a token that is revoked elsewhere brings up the sign-in, and the page stops listening', IN_BROWSER, async t => {
  const service = await startOperatorService(t, { now: Date.now() })
  const page = await visit(t, service, '/audit', { token: service.staff.token, mayComplain: /401/ })
  await page
    .getByRole('row', { name: /Signed in/ })
    .first()
    .waitFor()
  await page.clock.install()
  await service.call('POST', `/tokens/${service.staff.id}/revoke`)
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
  assert.equal(await streamsLater(page), 0)
})

test('signing out ends the event stream', IN_BROWSER, async t => {
  const service = await startOperatorService(t, { now: Date.now() })
  const page = await visit(t, service, '/audit')
  await page.getByRole('row', { name: /Signed in/ }).waitFor()
  await page.clock.install()
  await page.getByRole('button', { name: /Anna/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in to Petstore' }).waitFor()
  assert.equal(await streamsLater(page), 0)
})

test('a lost connection is reopened, and the missed changes are shown', IN_BROWSER, async t => {
  const service = await startOperatorService(t, { now: Date.now() })
  const page = await visit(t, service, '/audit', { mayComplain: /ERR_|Failed to load/ })
  await page.getByRole('row', { name: /Signed in/ }).waitFor()
  await page.clock.install()
  await page.route('**/admin/v1/events', route => route.fulfill({ status: 503 }))
  const lost = page.waitForResponse('**/admin/v1/events')
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
  await lost
  await service.call('POST', '/accounts', { body: { name: 'Acme Pets', plan: 'free' } })
  await passTime(page)
  assert.equal(await page.getByRole('row', { name: /Account created/ }).count(), 0)
  await page.unroute('**/admin/v1/events')
  await passTime(page)
  await page.getByRole('row', { name: /Account created/ }).waitFor()
})

test('a long list is not read again and again as a whole', IN_BROWSER, async t => {
  const service = await startOperatorService(t, { now: Date.now() })
  for (let number = 1; number <= 501; number += 1) {
    await service.call('POST', '/accounts', { body: { name: `Account ${number}`, plan: 'free' } })
  }
  const page = await visit(t, service, '/accounts')
  await page.clock.install()
  const list = page.getByRole('region', { name: 'Accounts' })
  await eventually(async () => {
    await list.evaluate(element => element.scrollTo(0, element.scrollHeight))
    assert.ok(await page.getByText('Account 501', { exact: true }).isVisible())
  })
  const read: string[] = []
  page.on('request', request => {
    if (/\/accounts\?/.test(request.url())) read.push(request.url())
  })
  await page.clock.fastForward(31_000)
  await untilAsked(page)
  assert.deepEqual(read, [])
})

/** How many streams a page opens in the time in which it would retry. */
async function streamsLater(page: Page): Promise<number> {
  let streams = 0
  page.on('request', request => {
    if (request.url().endsWith('/events')) streams += 1
  })
  await passTime(page)
  return streams
}

/** Counts on a page, as `reports`, how often the service reports its state: once at first, and then every change. */
async function countReports(page: Page): Promise<void> {
  await page.evaluate(`
    window.reports = 0
    new EventSource('/admin/v1/events').addEventListener('versions', () => (reports += 1))`)
  await untilTrue(page, 'reports === 1')
}
