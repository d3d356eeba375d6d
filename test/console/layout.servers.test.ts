import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startOperatorService } from '../support/operator.ts'
import { IN_BROWSER } from '../support/servers/browser.ts'
import { buildConsoleVisit } from '../support/servers/console.ts'

// Screens in small windows, and while they load.

const service = await startOperatorService({ after }, { now: Date.now() })
await service.call('POST', '/accounts', { body: { name: 'Corner Shop', plan: 'free' } })
const visit = buildConsoleVisit({ after })

/** The columns of each list that staff need, even in windows of medium width. */
const COLUMNS = {
  accounts: ['Name', 'Plan', 'State', 'Calls today', 'Refused today'],
  keys: ['Name', 'Account', 'Key', 'State', 'Last used'],
  bans: ['Key', 'Account', 'Source', 'State', 'Length', 'Action'],
  audit: ['When', 'Action', 'Subject', 'Operator'],
  tokens: ['Name', 'Role', 'State', 'Expires', 'Action'],
}

test('lists in medium windows have the columns that staff need', IN_BROWSER, async t => {
  const page = await visit(t, service, '/', { viewport: { width: 768, height: 844 } })
  for (const [screen, columns] of Object.entries(COLUMNS)) {
    await page.goto(`${service.operatorUrl}/console/${screen}`)
    const headers = page.getByRole('columnheader')
    await headers.first().waitFor()
    assert.deepEqual(await headers.filter({ visible: true }).allTextContents(), columns, screen)
    assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), screen)
  }
})

test('searches on a phone have room', IN_BROWSER, async t => {
  const page = await visit(t, service, '/', { viewport: { width: 390, height: 844 } })
  for (const screen of ['animals', 'keys', 'settings']) {
    await page.goto(`${service.operatorUrl}/console/${screen}`)
    const box = await page.getByRole('searchbox').boundingBox()
    assert.ok(box && box.width >= 220, `${screen}: ${box?.width}`)
  }
})

test('screens that take long to load say so', IN_BROWSER, async t => {
  const page = await visit(t, service, '/accounts')
  const answered = Promise.withResolvers<void>()
  await page.route('**/admin/v1/accounts/1', async route => {
    await answered.promise
    await route.continue()
  })
  await page.goto(`${service.operatorUrl}/console/accounts/1`)
  await page.getByText('Loading …').waitFor()
  answered.resolve()
  await page.getByRole('heading', { name: 'Corner Shop', level: 1 }).waitFor()
  await page.getByText('Loading …').waitFor({ state: 'detached' })
})

test('a drawer and the parts of the usage screen that take long to load say so', IN_BROWSER, async t => {
  const page = await visit(t, service, '/accounts')
  await page.route(/admin\/v1\/(pets\/1|usage)\b/, () => {})
  await page.goto(`${service.operatorUrl}/console/animals?open=1`)
  await page.getByRole('region', { name: 'Animal 1' }).getByText('Loading …').waitFor()
  await page.goto(`${service.operatorUrl}/console/usage`)
  for (const name of ['Calls by hour', 'Top accounts', 'Top keys', 'Deprecated operations']) {
    await page.getByRole('region', { name }).getByText('Loading …').waitFor()
  }
})
