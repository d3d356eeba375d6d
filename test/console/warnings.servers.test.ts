import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import type { Page } from '../../tools/playwright.ts'
import { startOperatorService } from '../support/operator.ts'
import { IN_BROWSER } from '../support/servers/browser.ts'
import { assertAccessible, assertFits, buildConsoleVisit, untilAsked } from '../support/servers/console.ts'

// Warnings about the disk, the backups and the certificates, on every screen.

const service = await startOperatorService({ after })
const visit = buildConsoleVisit({ after })

const DISK_SOON = {
  part: 'disk',
  state: 'degraded',
  message: 'At the pace of the last days, it will be full in 9 days.',
}
const DISK_FULL = { ...DISK_SOON, state: 'failing', message: 'Only 1.0 MiB of 10.0 GiB are free.' }
const BACKUP = { part: 'backup', state: 'degraded', message: 'The newest verified backup is from 2026-01-01.' }
const CERTIFICATE = { part: 'operators certificate', state: 'degraded', message: 'It expires on 2026-01-09.' }
const OTHER = { part: 'sources', state: 'degraded', message: 'A file is late.' }

test('a service that is well has no warnings', IN_BROWSER, async t => {
  const page = await visit(t, service, '/animals')
  await Promise.all([page.waitForResponse('**/admin/v1/health'), page.reload()])
  await untilAsked(page)
  assert.equal(await warningOf(page).count(), 0)
})

test(
  'each warning says what to do, leads to the health, and can be dismissed until the session ends',
  IN_BROWSER,
  async t => {
    const page = await visitWith(t, [OTHER, DISK_SOON, BACKUP, CERTIFICATE])
    const warning = warningOf(page)
    await warning.getByText('The server is running out of disk space.').waitFor()
    await warning.getByText('full in 9 days').waitFor()
    await page.getByRole('link', { name: 'Accounts' }).click()
    await page.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor()
    await warning.getByRole('button', { name: 'Dismiss' }).click()
    await warning.getByText('The backups need attention.').waitFor()
    await warning.getByRole('button', { name: 'Dismiss' }).click()
    await page.reload()
    await warning.getByText('The certificate of this console needs attention.').waitFor()
    await warning.getByRole('link', { name: 'Show health' }).click()
    await page.getByRole('heading', { name: 'Health', level: 1 }).waitFor()
    await warning.getByRole('button', { name: 'Dismiss' }).click()
    await warning.waitFor({ state: 'detached' })
  },
)

test('a failure comes first and cannot be dismissed', IN_BROWSER, async t => {
  const page = await visitWith(t, [BACKUP, DISK_FULL])
  const warning = warningOf(page)
  await warning.getByText('Only 1.0 MiB').waitFor()
  assert.equal(await warning.getByRole('button').count(), 0)
})

for (const width of [320, 768, 1440]) {
  test(`a list as high as the window has room below a warning, ${width} wide`, IN_BROWSER, async t => {
    const page = await visitWith(t, [DISK_SOON], { viewport: { width, height: 844 } })
    await warningOf(page).waitFor()
    await assertFits(page)
    assert.ok(await page.evaluate('document.documentElement.scrollHeight <= innerHeight'), 'higher than the window')
    await assertAccessible(page, 'warning')
  })
}

/** Opens a list. The disk of a test is not full, and its certificates are new: the answer is what the service would say. */
async function visitWith(t: TestContext, parts: readonly object[], options = {}): Promise<Page> {
  const page = await visit(t, service, '/keys', options)
  await page.route('**/admin/v1/health', route => route.fulfill({ json: { state: 'degraded', instances: 1, parts } }))
  await page.reload()
  return page
}

function warningOf(page: Page) {
  return page.getByRole('status').filter({ has: page.getByRole('link', { name: 'Show health' }) })
}
