import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startOperatorService } from '../support/operator.ts'
import { IN_BROWSER } from '../support/servers/browser.ts'
import { buildConsoleVisit } from '../support/servers/console.ts'

// What others change is shown without reloading.

const visit = buildConsoleVisit({ after })

test('what another operator does is shown within seconds, and only that is asked for', IN_BROWSER, async t => {
  const service = await startOperatorService(t, { now: Date.now() })
  const page = await visit(t, service, '/audit')
  await page.getByRole('row', { name: /Signed in/ }).waitFor()
  const asked: string[] = []
  page.on('request', request => asked.push(new URL(request.url()).pathname))
  await service.call('POST', '/accounts', { body: { name: 'Acme Pets', plan: 'free' } })
  await page.getByRole('row', { name: /Account created/ }).waitFor({ timeout: 5_000 })
  assert.deepEqual([...new Set(asked)], ['/admin/v1/audit'])
})

test('a token that was revoked elsewhere leads to the sign-in, and the page stops listening', IN_BROWSER, async t => {
  const service = await startOperatorService(t, { now: Date.now() })
  const page = await visit(t, service, '/audit', { token: service.staff.token, mayComplain: /401/ })
  await page
    .getByRole('row', { name: /Signed in/ })
    .first()
    .waitFor()
  await service.call('POST', `/tokens/${service.staff.id}/revoke`)
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
  assert.equal(await streamsAfter(page, 6_000), 0)
})

test('signing out ends the listening', IN_BROWSER, async t => {
  const service = await startOperatorService(t, { now: Date.now() })
  const page = await visit(t, service, '/audit')
  await page.getByRole('row', { name: /Signed in/ }).waitFor()
  await page.getByRole('button', { name: /Anna/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in to Petstore' }).waitFor()
  assert.equal(await streamsAfter(page, 6_000), 0)
})

test('a connection that was lost is opened again, and what was missed is shown', IN_BROWSER, async t => {
  const service = await startOperatorService(t, { now: Date.now() })
  const page = await visit(t, service, '/audit', { mayComplain: /ERR_|Failed to load/ })
  await page.getByRole('row', { name: /Signed in/ }).waitFor()
  await page.route('**/admin/v1/events', route => route.fulfill({ status: 503 }))
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
  await service.call('POST', '/accounts', { body: { name: 'Acme Pets', plan: 'free' } })
  await page.waitForTimeout(1_000)
  assert.equal(await page.getByRole('row', { name: /Account created/ }).count(), 0)
  await page.unroute('**/admin/v1/events')
  await page.getByRole('row', { name: /Account created/ }).waitFor({ timeout: 15_000 })
})

/** How many streams a page begins in a time. */
async function streamsAfter(page: Awaited<ReturnType<typeof visit>>, ms: number): Promise<number> {
  let streams = 0
  page.on('request', request => {
    if (request.url().endsWith('/events')) streams += 1
  })
  await page.waitForTimeout(ms)
  return streams
}
