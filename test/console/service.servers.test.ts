import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { TOPICS } from '../../src/app/settings.ts'
import { startOperatorService } from '../support/operator.ts'
import { IN_BROWSER } from '../support/servers/browser.ts'
import { assertAccessible, assertFits, buildConsoleVisit } from '../support/servers/console.ts'

// The screens about the service itself: Health and Settings.

const service = await startOperatorService({ after }, { now: Date.now() })
const visit = buildConsoleVisit({ after })

test('health shows each part, the version, and the results of the diagnostics', IN_BROWSER, async t => {
  const page = await visit(t, service, '/health', { token: service.staff.token })
  await page.getByText('The store can be written.').waitFor()
  const examination = page.getByRole('region', { name: 'Diagnostics' })
  await examination.getByRole('heading', { name: 'settings' }).waitFor()
  const { findings } = (await service.call('GET', '/doctor')).value
  assert.equal(await examination.getByRole('listitem').count(), findings.length)
  const [again] = await Promise.all([
    page.waitForResponse(/\/admin\/v1\/doctor$/),
    examination.getByRole('button', { name: 'Run again' }).click(),
  ])
  assert.equal(again.status(), 200)
  await page.getByRole('region', { name: 'Version' }).getByText(process.version.slice(1), { exact: true }).waitFor()
})

test('a part that fails is named, with the reason and since when', IN_BROWSER, async t => {
  const page = await visit(t, service, '/settings')
  const parts = [
    { part: 'store', state: 'failing', message: 'The disk is full: free up space.', since: '2026-01-01T00:00:00.000Z' },
  ]
  const findings = [
    { check: 'settings', outcome: 'ok', message: 'All settings are valid. They were read from the environment alone.' },
    { check: 'disk', outcome: 'fail', message: 'The disk is full: free up space.' },
  ]
  await page.route('**/admin/v1/health', route => route.fulfill({ json: { state: 'failing', instances: 3, parts } }))
  await page.route('**/admin/v1/doctor', route => route.fulfill({ json: { ok: false, findings } }))
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Health' }).click()
  await page.getByRole('heading', { name: 'Something does not work' }).waitFor()
  await page.getByText('3 instances running').waitFor()
  await page.getByText('1 finding needs attention').waitFor()
  const checks = page.getByRole('region', { name: 'Diagnostics' }).getByRole('heading', { level: 3 })
  assert.deepEqual(await checks.allTextContents(), ['disk', 'settings'])
  await assertAccessible(page, 'a problem')
})

test('settings are searched by name, value and meaning', IN_BROWSER, async t => {
  const page = await visit(t, service, '/settings')
  const all = (await service.call('GET', '/settings')).value
  const rows = page.getByRole('rowheader')
  await rows.first().waitFor()
  assert.equal(await rows.count(), all.length)
  await page.getByRole('searchbox').fill('public port')
  await page.waitForURL(/search=public\+port/)
  await rows.nth(all.length - 1).waitFor({ state: 'detached' })
  await page.getByText('PETSTORE_PORT', { exact: true }).waitFor()
  await page.getByRole('searchbox').fill('no such setting')
  await page.getByRole('search').getByRole('button', { name: 'Clear filters' }).click()
  await page.waitForURL(/settings$/)
  await page.getByLabel('Source').selectOption('default')
  await page.waitForURL(/source=default/)
  await page.getByText('Set', { exact: true }).first().waitFor({ state: 'detached' })
  assert.equal(await rows.count(), all.filter(({ source }: { source: string }) => source === 'default').length)
})

test('settings are grouped by topic, in the order of the help', IN_BROWSER, async t => {
  const page = await visit(t, service, '/settings')
  await page.getByRole('table', { name: 'HTTPS' }).getByText('PETSTORE_TLS_CERT', { exact: true }).waitFor()
  assert.deepEqual(await page.getByRole('main').getByRole('heading', { level: 2 }).allTextContents(), TOPICS)
  const folder = page.getByRole('row', { name: /PETSTORE_DATA / })
  await folder.getByText('Set', { exact: true }).waitFor()
})

for (const width of [390, 768, 1440]) {
  test(`axe finds nothing in health and settings, ${width} wide`, IN_BROWSER, async t => {
    const page = await visit(t, service, '/health', { viewport: { width, height: 844 } })
    await page.getByRole('region', { name: 'Diagnostics' }).getByRole('listitem').first().waitFor()
    await assertAccessible(page, 'health')
    await assertFits(page)
    await page.goto(`${service.operatorUrl}/console/settings`)
    await page.getByText('PETSTORE_PORT', { exact: true }).waitFor()
    await assertAccessible(page, 'settings')
    await assertFits(page)
  })
}
