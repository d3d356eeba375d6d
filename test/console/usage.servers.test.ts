import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { hourOf } from '../../src/domain/usage.ts'
import type { Page } from '../../tools/playwright.ts'
import { eventually } from '../support/eventually.ts'
import { startOperatorService } from '../support/operator.ts'
import { IN_BROWSER } from '../support/servers/browser.ts'
import { assertAccessible, buildConsoleVisit } from '../support/servers/console.ts'
import { untilTrue } from '../support/servers/visit.ts'
import { usageOf } from '../support/usage.ts'

// The usage of the public API: over time, by operation, and by caller.

// The clock of the pages is fixed, too, because a test may run while an hour ends.
const service = await startOperatorService({ after }, { now: Date.now() })
const visit = buildConsoleVisit({ after })
const bakery = await service.createCaller({ keyName: 'till' })
const shelter = await service.createCaller({ keyName: 'web' })
const quiet = await service.createCaller()

const hour = hourOf(service.clock.now)
const lastAt = service.clock.now - 60_000
const ofBakery = { day: 0, accountId: bakery.account.id, keyId: bakery.keyId, lastAt }
const ofShelter = { day: 0, accountId: shelter.account.id, keyId: shelter.keyId, lastAt }
await service.store.addUsage([
  usageOf({ ...ofBakery, hour, admitted: 100, status2xx: 90, status5xx: 10, refused: 7 }),
  usageOf({ ...ofBakery, hour: hour - 1, admitted: 40, status2xx: 40, operation: 'getPet' }),
  usageOf({ ...ofShelter, hour, admitted: 20, status4xx: 20, banned: 3, operation: 'createPet' }),
  usageOf({ ...ofShelter, hour: hour - 24 * 20, admitted: 500, status2xx: 500 }),
])

test('the calls of a period are shown with their totals', IN_BROWSER, async t => {
  const page = await open(t, '?range=24h')
  await assertFigures(page, figures('160', '7', '3', '10'))
  assert.deepEqual(await legend(page), {
    'Successful (2xx)': '130',
    'Client errors (4xx)': '20',
    'Server errors (5xx)': '10',
    'Over the limit': '7',
    'Banned keys': '3',
  })
  await page.getByRole('combobox', { name: 'Period', exact: true }).selectOption('Last 30 days')
  await assertFigures(page, figures('660', '7', '3', '10'))
  await page.getByRole('heading', { name: 'Calls by day' }).waitFor()
  assert.equal(new URL(page.url()).searchParams.get('range'), '30d')
  await page.reload()
  await assertFigures(page, figures('660', '7', '3', '10'))
})

test('an unknown number is not shown as 0; a failure names the request', IN_BROWSER, async t => {
  const page = await visit(t, service, '/health', { mayComplain: /500/ })
  const failure = { code: 'internal_error', status: 500, message: 'Something went wrong on our side.' }
  await page.route(/\/admin\/v1\/usage\?/, route =>
    route.fulfill({ status: 500, json: failure, headers: { 'X-Request-Id': 'request-7' } }),
  )
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Usage' }).click()
  await page
    .getByText(/search the log of the service for the request ID request-7\.$/)
    .first()
    .waitFor()
  await assertFigures(page, figures('–', '–', '–', '–'))
})

test('the chart is grouped by operation, account or key', IN_BROWSER, async t => {
  const page = await open(t, '?range=24h')
  await page.getByRole('combobox', { name: 'Split by', exact: true }).selectOption('Kind of call')
  await assertLegend(page, { listPets: '100', getPet: '40', createPet: '20' })
  await page.getByRole('combobox', { name: 'Split by', exact: true }).selectOption('Account')
  await assertLegend(page, { [bakery.account.name]: '140', [shelter.account.name]: '20' })
  await page.getByRole('combobox', { name: 'Split by', exact: true }).selectOption('Key')
  await assertLegend(page, { [`till · ${bakery.account.name}`]: '140', [`web · ${shelter.account.name}`]: '20' })
  await page.goBack()
  await assertLegend(page, { [bakery.account.name]: '140', [shelter.account.name]: '20' })
})

test('accounts beyond the number of colours are shown as all others', IN_BROWSER, async t => {
  const many = await startOperatorService(t, { now: Date.now() })
  for (let n = 1; n <= 8; n += 1) {
    const { account, keyId } = await many.createCaller()
    await many.store.addUsage([usageOf({ day: 0, hour, accountId: account.id, keyId, admitted: n, status2xx: n })])
  }
  const page = await visit(t, many, '/usage?range=24h&by=account')
  await page.getByText('All others').waitFor()
  const { 'All others': rest, ...parts } = await legend(page)
  assert.deepEqual([rest, Object.values(parts)], ['3', ['8', '7', '6', '5', '4', '3']])
})

test('the chart can be read with the keyboard, and as a table', IN_BROWSER, async t => {
  const page = await open(t, '?range=24h')
  const chart = page.getByRole('slider', { name: /^Calls by hour/ })
  await chart.focus()
  await page.keyboard.press('End')
  await attribute(
    page,
    /: 130, Successful \(2xx\) 90, Client errors \(4xx\) 20, Server errors \(5xx\) 10, Over the limit 7, Banned keys 3$/,
  )
  await page.keyboard.press('ArrowLeft')
  await attribute(page, /: 40, Successful \(2xx\) 40, /)
  await page.keyboard.press('Home')
  await attribute(page, /: 0, /)
  await page.keyboard.press('Escape')
  await attribute(page, /^Total: 170, /)
  await page.getByText('Show calls by hour as a table').click()
  const table = page.getByRole('region', { name: 'Calls by hour as a table' }).getByRole('table')
  await table.waitFor()
  assert.equal(await table.getByRole('row').count(), 25)
  assert.match((await table.getByRole('row').nth(1).innerText()).replaceAll(/\s+/g, ' '), / 90 20 10 7 3 130$/)
})

test('a pointer on a bar shows its numbers and its hour', IN_BROWSER, async t => {
  const page = await open(t, '?range=24h')
  const tip = page.locator('.chart-tip')
  const box = await page.locator('.chart-area').boundingBox()
  assert.ok(box)
  await page.mouse.move(box.x + box.width - 4, box.y + 40)
  await tip.getByRole('listitem', { includeHidden: true }).filter({ hasText: 'Successful (2xx)90' }).waitFor()
  // The hour before midnight ends on another day.
  assert.match(await tip.innerText(), /\d:00(\s[AP]M)?( UTC)? . (\w+ \d+, \d+, )?\d+:00.*UTC\n.*Total\n130$/s)
  await page.mouse.move(0, 0)
  await tip.waitFor({ state: 'hidden' })
})

test('a colour can be hidden, to see the others better', IN_BROWSER, async t => {
  const page = await open(t, '?range=24h')
  const answered = page.getByRole('button', { name: 'Successful (2xx)' })
  await answered.click()
  await page.locator('.chart-legend .chart-total', { hasText: '40' }).waitFor()
  await attribute(page, /^Total: 40, Client errors/)
  assert.equal(await answered.getAttribute('aria-pressed'), 'false')
  await answered.click()
  await attribute(page, /^Total: 170, Successful/)
})

test('the old numbers stay until the new ones are loaded', IN_BROWSER, async t => {
  const page = await open(t, '?range=24h')
  await page.getByRole('button', { name: 'Successful (2xx)' }).waitFor()
  let release = () => {}
  const held = new Promise<void>(resolve => {
    release = resolve
  })
  await page.route(/\/usage\?.*by=operation,?/, async route => {
    await held
    await route.continue()
  })
  await page.getByRole('combobox', { name: 'Split by', exact: true }).selectOption('Kind of call')
  await page.locator('.chart[aria-busy=true]').waitFor()
  await assertLegendHas(page, 'Successful (2xx)', '130')
  release()
  await assertLegendHas(page, 'getPet', '40')
  await page.locator('.chart[aria-busy=false]').waitFor()
})

test('the times below the chart keep their distance in a window that gets narrower', IN_BROWSER, async t => {
  const areApart = `(() => {
    const boxes = [...document.querySelectorAll('.chart-times > span')].map(one => one.getBoundingClientRect())
    return boxes.length > 1 && boxes.every(({ left }, at) => at === 0 || left > boxes[at - 1].right)
      && boxes.at(-1).right <= document.querySelector('.chart').getBoundingClientRect().right
  })()`
  for (const search of ['?range=24h', '?range=7d', '?range=30d&unit=hour', '?range=90d']) {
    const page = await open(t, search, { viewport: { width: 1200, height: 800 } })
    await untilTrue(page, areApart)
    await page.setViewportSize({ width: 390, height: 800 })
    await untilTrue(page, areApart)
  }
})

test('calls are those that were answered, and refused ones are counted beside them', IN_BROWSER, async t => {
  const page = await open(t, '?range=24h&by=account')
  const row = page.getByRole('region', { name: 'Top accounts' }).getByRole('row', { name: bakery.account.name })
  await row.getByRole('cell', { name: '140', exact: true }).waitFor()
  await row.getByRole('cell', { name: '7', exact: true }).waitFor()
  const { [bakery.account.name]: ofBakery, [shelter.account.name]: ofShelter } = await legend(page)
  assert.deepEqual([ofBakery, ofShelter], ['140', '20'])
})

test('the calls of the chosen period are exported as CSV, with the filters', IN_BROWSER, async t => {
  const page = await open(t, `?range=24h&account=${bakery.account.id}`)
  const started = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export as CSV' }).click()
  const download = await started
  assert.match(download.suggestedFilename(), /^usage-\d{4}-\d\d-\d\d\.csv$/)
  const [header, ...rows] = readFileSync(await download.path(), 'utf8')
    .trimEnd()
    .split('\n')
  assert.equal(header, '\ufefftime,accountId,account,keyId,keyName,operation,status,calls')
  const callsOf = rows.map(row => row.split(',').slice(5).join(' '))
  assert.deepEqual(callsOf, ['getPet 2xx 40', 'listPets 2xx 90', 'listPets 5xx 10', 'listPets refused 7'])
})

test('choosing a top account, then a key, filters by it', IN_BROWSER, async t => {
  const page = await open(t, '?range=24h')
  const accounts = page.getByRole('region', { name: 'Top accounts' })
  await accounts.getByRole('button', { name: shelter.account.name }).click()
  await assertFigures(page, figures('20', '0', '3', '0'))
  assert.equal(await page.getByRole('combobox', { name: 'Account', exact: true }).inputValue(), shelter.account.name)
  await page.getByRole('combobox', { name: 'Key', exact: true }).selectOption({ index: 1 })
  await accounts.waitFor({ state: 'detached' })
  assert.equal(new URL(page.url()).searchParams.get('key'), String(shelter.keyId))
  await page.getByRole('combobox', { name: 'Kind of call', exact: true }).selectOption('listPets')
  await page.getByText('No such calls in this period').waitFor()
  await page.getByRole('search').getByRole('button', { name: 'Clear filters' }).click()
  await assertFigures(page, figures('160', '7', '3', '10'))
})

test('an account is found by its name', IN_BROWSER, async t => {
  const page = await open(t, '?range=24h', { mayComplain: /404/ })
  await page.getByRole('combobox', { name: 'Account', exact: true }).fill('Nowhere at all')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').filter({ hasText: 'Nowhere at all' }).waitFor()
  await page.getByRole('combobox', { name: 'Account', exact: true }).fill(bakery.account.name)
  await page.keyboard.press('Enter')
  await assertFigures(page, figures('140', '7', '0', '10'))
  await page.getByRole('combobox', { name: 'Account', exact: true }).fill('')
  await assertFigures(page, figures('160', '7', '3', '10'))
})

test('invalid dates are explained at their field', IN_BROWSER, async t => {
  const page = await open(t, '?range=dates&from=2026-03-02&to=2026-03-01', { mayComplain: /400/ })
  await page.getByRole('alert').filter({ hasText: 'must not be later' }).waitFor()
  await page.getByLabel('Last day').fill('2026-03-03')
  await page.getByText('No calls in this period').waitFor()
})

test('who still uses the deprecated operation', IN_BROWSER, async t => {
  const page = await open(t, '?range=24h')
  const part = page.getByRole('region', { name: 'Calls that will be removed' })
  await part.getByText('December 5, 2030').waitFor()
  const row = await part.getByRole('row', { name: bakery.account.name }).innerText()
  assert.match(row.replaceAll(/\s+/g, ' '), / 40 /)
  await part.getByRole('button', { name: bakery.account.name }).click()
  await assertFigures(page, figures('40', '0', '0', '0'))
})

for (const width of [390, 768, 1440]) {
  test(`axe finds nothing, ${width} wide`, IN_BROWSER, async t => {
    const page = await open(t, '?range=24h', { viewport: { width, height: 900 } })
    await page.getByText('Show calls by hour as a table').click()
    await page.getByRole('region', { name: 'Top keys' }).getByText('till').waitFor()
    await assertAccessible(page, 'usage')
    assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), 'nothing is too wide')
    await page.goto(`${page.url().split('?')[0]}?account=${quiet.account.id}`)
    await page.getByText('No such calls in this period').waitFor()
    await assertAccessible(page, 'without calls')
  })
}

test('the chart follows the theme', IN_BROWSER, async t => {
  const page = await open(t, '?range=24h')
  const colour = () => page.evaluate("getComputedStyle(document.querySelector('.chart-bars')).fill")
  await page.locator('.chart-bars').first().waitFor()
  await page.emulateMedia({ colorScheme: 'light' })
  const light = await colour()
  await page.emulateMedia({ colorScheme: 'dark' })
  await eventually(async () => assert.notEqual(await colour(), light))
})

async function open(...[t, search, options]: [Parameters<typeof visit>[0], string, Parameters<typeof visit>[3]?]) {
  const clock = { timezoneId: 'UTC', now: service.clock.now }
  const page = await visit(t, service, `/usage${search}`, { locale: 'en-US', ...clock, ...options })
  await page.getByRole('heading', { name: 'Usage', exact: true }).waitFor()
  return page
}

/** The totals, in the order of the screen. */
function figures(answered: string, over: string, banned: string, errors: string) {
  return { Answered: answered, 'Over the limit': over, 'Banned keys': banned, 'Our errors': errors }
}

async function legend(page: Page): Promise<Record<string, string>> {
  await page.locator('.chart-legend').waitFor()
  const lines = await page.locator('.chart-legend li:not(.chart-total)').allInnerTexts()
  return Object.fromEntries(
    lines.map(line => [line.slice(0, line.lastIndexOf('\n')).trim(), line.split('\n').at(-1) ?? '']),
  )
}

async function assertLegend(page: Page, expected: Record<string, string>): Promise<void> {
  for (const [name, count] of Object.entries(expected)) await assertLegendHas(page, name, count)
  assert.deepEqual(await legend(page), expected)
}

function assertLegendHas(page: Page, name: string, count: string): Promise<void> {
  return page.locator('.chart-legend li', { hasText: name }).getByText(count, { exact: true }).waitFor()
}

async function assertFigures(page: Page, expected: Record<string, string>): Promise<void> {
  for (const [name, count] of Object.entries(expected)) {
    const figure = page.locator('.figure', { has: page.getByText(name, { exact: true }) })
    await figure.getByText(count, { exact: true }).waitFor()
  }
}

/** Waits until a screen reader would announce it. */
function attribute(page: Page, expected: RegExp): Promise<void> {
  return eventually(async () => {
    assert.match((await page.getByRole('slider').getAttribute('aria-valuetext')) ?? '', expected)
  })
}
