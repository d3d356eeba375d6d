import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { startOperatorService } from '../support/operator.ts'
import { IN_BROWSER } from '../support/servers/browser.ts'
import { assertFits, buildConsoleVisit } from '../support/servers/console.ts'

// Screens in small windows, and while they load.

const service = await startOperatorService({ after }, { now: Date.now() })
await service.call('POST', '/accounts', { body: { name: 'Corner Shop', plan: 'free' } })
await service.call('POST', '/accounts/1/keys', { body: { name: 'The till of the corner shop' } })
for (let id = 1; id <= 130; id += 1) {
  await service.call('POST', '/pets', { body: { name: `Rex ${id}`, categoryId: 1, status: 'available' } })
}
const startedAt = service.clock.now
// Its time left and its length are as long as they get.
await service.store.createBan(1n, {
  source: '203.0.113.107',
  earnedIn: 'minute',
  startedAt,
  endsAt: startedAt + 86_400_000,
  ordinal: 8,
})
const visit = buildConsoleVisit({ after })

/** The columns of each list that staff need, even in windows of medium width. */
const COLUMNS = {
  accounts: ['Name', 'Plan', 'State', 'Calls today', 'Refused today'],
  keys: ['Name', 'Account', 'Key', 'State', 'Last used'],
  bans: ['Key', 'Account', 'Address', 'State', 'Length', 'Action'],
  audit: ['When', 'Action', 'Subject', 'Operator'],
  tokens: ['Name', 'Role', 'State', 'Expires', 'Action'],
}

test('lists in medium windows have the columns that staff need', IN_BROWSER, async t => {
  const page = await visit(t, service, '/', { viewport: { width: 768, height: 844 } })
  for (const [screen, columns] of Object.entries(COLUMNS)) {
    await page.goto(`${service.operatorUrl}/console/${screen}`)
    const headers = page.getByRole('columnheader')
    await page.locator('tr[data-index]').first().waitFor()
    for (const width of [680, 700, 768, 820, 900, 1024]) {
      await page.setViewportSize({ width, height: 844 })
      assert.deepEqual(await headers.filter({ visible: true }).allTextContents(), columns, `${screen}, ${width} wide`)
      await assertFits(page)
      const hidden = await page.locator('.table-scroller').evaluate(table => table.scrollWidth - table.clientWidth)
      assert.ok(hidden < 16, `${screen}, ${width} wide: ${hidden} px of its table are hidden`)
    }
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

test('zoomed to 200 %, the search of a long list has room', IN_BROWSER, async t => {
  const page = await visit(t, service, '/', { viewport: { width: 720, height: 450 } })
  await page.route('**/admin/v1/pets/totals', route =>
    route.fulfill({ json: { total: 320_065, available: 106_709, pending: 106_679, sold: 106_677 } }),
  )
  await page.goto(`${service.operatorUrl}/console/animals`)
  await page.getByText('320,065').waitFor()
  const box = await page.getByRole('searchbox').boundingBox()
  assert.ok(box && box.width >= 180, `${box?.width}`)
})

test(
  'on a narrow phone, the bar has room for its buttons, however long the name of the operator is',
  IN_BROWSER,
  async t => {
    const { token } = await service.createToken('admin', { name: 'Wilhelmina Lindqvist' })
    const page = await visit(t, service, '/health', { token, viewport: { width: 320, height: 640 } })
    await page.getByRole('banner').getByText('Production').waitFor()
    await assertFits(page)
    for (const name of ['Menu', 'Search or go to…', 'Wilhelmina Lindqvist']) {
      const box = await page.getByRole('button', { name }).boundingBox()
      assert.ok(box && box.width >= 24 && box.x + box.width <= 320, `${name}: ${JSON.stringify(box)}`)
    }
  },
)

/** For a page to evaluate: which of its links of the navigation, tabs and rows have an outline. */
const OUTLINED = `[...document.querySelectorAll('.nav-link, .tab, tbody tr')]
  .filter(element => getComputedStyle(element).outlineStyle === 'solid')
  .map(({ tagName }) => tagName)`

test('in forced colours, what is chosen has an outline, and a select its arrow', IN_BROWSER, async t => {
  const page = await visit(t, service, '/animals?open=130', { forcedColors: 'active' })
  await page.locator('tr[aria-current]').waitFor()
  assert.deepEqual(await page.evaluate(OUTLINED), ['A', 'BUTTON', 'TR'])
  const appearance = `getComputedStyle(document.querySelector('.select')).appearance`
  assert.equal(await page.evaluate(appearance), 'auto')
  await page.keyboard.press('Control+k')
  const option = page.getByRole('dialog').getByRole('option', { selected: true })
  await option.waitFor()
  assert.equal(await option.evaluate(one => getComputedStyle(one).outlineStyle), 'solid')
})

test('on a narrow phone, no word of a figure is broken', IN_BROWSER, async t => {
  const page = await visit(t, service, '/', { viewport: { width: 320, height: 640 } })
  await page.getByText('Answered', { exact: true }).waitFor()
  const lines = await page.evaluate(`(() => {
    const text = document.createRange()
    text.selectNodeContents([...document.querySelectorAll('.figure dt')].find(one => one.textContent === 'Answered'))
    return text.getClientRects().length
  })()`)
  assert.equal(lines, 1)
  await assertFits(page)
})

test('rows on a phone can be selected, and show how much of a limit is used', IN_BROWSER, async t => {
  const page = await visit(t, service, '/animals', { viewport: { width: 390, height: 844 } })
  await page.getByLabel('Select Rex 130', { exact: true }).check()
  await page.getByText('1 selected').waitFor()
  await page.goto(`${service.operatorUrl}/console/accounts`)
  await page.locator('tr .share > *').first().waitFor({ state: 'attached' })
  assert.notEqual(await page.evaluate(`getComputedStyle(document.querySelector('tr .share > *')).display`), 'none')
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
  await page.getByText('Loading …').first().waitFor({ state: 'detached' })
})

test('drawers, dialogs and the parts of the usage screen that take long to load say so', IN_BROWSER, async t => {
  const page = await visit(t, service, '/accounts')
  await page.route(/admin\/v1\/(pets\/1|pets\/bulk\/preview|categories|keys\/1|usage)\b/, () => {})
  await page.goto(`${service.operatorUrl}/console/animals?open=1`)
  await page.getByRole('region', { name: 'Animal 1' }).getByText('Loading …').waitFor()
  await page.goto(`${service.operatorUrl}/console/bans?key=1`)
  await page.getByRole('dialog', { name: 'Key 1' }).getByText('Loading …').waitFor()
  await page.goto(`${service.operatorUrl}/console/animals`)
  await page.getByRole('button', { name: 'Categories' }).click()
  await page.getByRole('dialog', { name: 'Categories' }).getByText('Loading …').waitFor()
  await page.keyboard.press('Escape')
  await page.getByLabel('Select Rex 130', { exact: true }).check()
  await page.getByRole('button', { name: 'Delete…' }).click()
  await page.getByRole('dialog', { name: 'Delete animals' }).getByText('Loading …').waitFor()
  await page.goto(`${service.operatorUrl}/console/usage`)
  for (const name of ['Calls by hour', 'Top accounts', 'Top keys', 'Calls that will be removed']) {
    await page.getByRole('region', { name }).getByText('Loading …').waitFor()
  }
})

const SCREENS = [
  ...['', 'animals', 'animals?status=deleted', 'animals?open=5', 'accounts', 'accounts/1', 'accounts/1?key=1', 'keys'],
  ...['keys?key=1', 'bans', 'usage', 'import', 'sources', 'audit', 'audit?open=5', 'tokens', 'health', 'settings'],
]

/** For a page to evaluate: the controls that are partly beyond the sides of the window. */
const OUT_OF_REACH = `[...document.querySelectorAll('button, a, input, select')]
  .filter(control => {
    const { left, right } = control.getBoundingClientRect()
    return control.checkVisibility() && (left < 0 || right > innerWidth)
  })
  .map(({ outerHTML }) => outerHTML.slice(0, 160))`

/** For a page to evaluate: what scrolls up and down, other than fields. */
const SCROLLERS = `[document.documentElement, ...document.querySelectorAll('#screen, #screen *:not(select, textarea)')]
  .filter(({ scrollHeight, clientHeight }) => clientHeight > 0 && scrollHeight > clientHeight + 1)
  .filter(part => part === document.documentElement || /auto|scroll/.test(getComputedStyle(part).overflowY))
  .map(part => part.id || part.className || part.localName)`

/** For a page to evaluate: how many rows of its list are shown completely. */
const WHOLE_ROWS = `(() => {
  const list = document.querySelector('.table-scroller').getBoundingClientRect()
  const head = document.querySelector('.table thead').getBoundingClientRect()
  return [...document.querySelectorAll('tr[data-index]')]
    .map(row => row.getBoundingClientRect())
    .filter(({ top, bottom }) => top >= head.bottom - 1 && bottom <= Math.min(list.bottom, innerHeight)).length
})()`

/** For a page to evaluate: where the cells of its first row begin that are shown beside the status. */
const STARTS_OF_OTHERS = `[...document.querySelectorAll('tr[data-index="0"] td:not(.on-phone-end)')]
  .filter(cell => cell.checkVisibility())
  .map(cell => cell.getBoundingClientRect().left)`

for (const [width, height] of [
  [320, 256],
  [320, 640],
  [640, 360],
] as const) {
  test(`at ${width} x ${height}, each control can be reached without scrolling sideways`, IN_BROWSER, async t => {
    const page = await visit(t, service, '/', { viewport: { width, height } })
    for (const screen of SCREENS) {
      await page.goto(`${service.operatorUrl}/console/${screen}`)
      await page.locator('#screen').getByRole('heading', { level: 1, includeHidden: true }).waitFor()
      await page.getByText('Loading …').first().waitFor({ state: 'detached' })
      await assertFits(page)
      assert.deepEqual(await page.evaluate(OUT_OF_REACH), [], screen)
    }
  })
}

test('zoomed to 200 %, the list of animals shows at least four rows', IN_BROWSER, async t => {
  const page = await visit(t, service, '/animals', { viewport: { width: 640, height: 360 } })
  await page.getByText('Rex 130', { exact: true }).waitFor()
  const rows = Number(await page.evaluate(WHOLE_ROWS))
  assert.ok(rows >= 4, `${rows} rows`)
  assert.deepEqual(await page.evaluate(SCROLLERS), ['table-scroller'])
})

test('in a low window, each animal is one low line that ends with its status', IN_BROWSER, async t => {
  const page = await visit(t, service, '/animals', { viewport: { width: 640, height: 360 } })
  await page.getByText('Rex 130', { exact: true }).waitFor()
  const row = page.locator('tr[data-index="0"]')
  const [{ height = 0 } = {}, status] = [
    (await row.boundingBox()) ?? {},
    await row.locator('.on-phone-end').boundingBox(),
  ]
  assert.ok(height > 0 && height <= 40, `${height} px`)
  const others = (await page.evaluate(STARTS_OF_OTHERS)) as number[]
  assert.ok(others.length > 1 && others.every(start => status && start < status.x), `${others} before ${status?.x}`)
})

test('in a very low window, the list of animals scrolls with its screen, however wide it is', IN_BROWSER, async t => {
  const page = await visit(t, service, '/animals', { viewport: { width: 1_024, height: 340 } })
  await page.getByText('Rex 130', { exact: true }).waitFor()
  assert.deepEqual(await page.evaluate(SCROLLERS), ['screen'])
})

test('zoomed to 400 %, the list of animals scrolls with its screen, to its end', IN_BROWSER, async t => {
  const page = await visit(t, service, '/animals', { viewport: { width: 320, height: 256 } })
  await page.getByText('Rex 130', { exact: true }).waitFor()
  assert.deepEqual(await page.evaluate(SCROLLERS), ['screen'])
  // More rows are loaded on the way, and then the end is further down.
  await eventually(async () => {
    await page.evaluate(`document.getElementById('screen').scrollTop = 1e6`)
    await page.getByText('Rex 1', { exact: true }).waitFor({ timeout: 500 })
  })
  await page.getByText('Rex 1', { exact: true }).click()
  await page.getByRole('dialog', { name: 'Rex 1' }).getByText('Last of 130').waitFor()
  await page.keyboard.press('Escape')
  const focused = (name: string) => page.locator('tr:focus').filter({ has: page.getByText(name, { exact: true }) })
  await focused('Rex 1').waitFor()
  for (const name of ['Rex 11', 'Rex 21', 'Rex 31']) {
    await page.keyboard.press('PageUp')
    await focused(name).waitFor()
  }
  // The list scrolls once the row has the focus.
  await eventually(async () => {
    const box = await page.locator('tr:focus').boundingBox()
    assert.ok(box && box.y >= 0 && box.y + box.height <= 256, 'the focused row is in sight')
  })
})
