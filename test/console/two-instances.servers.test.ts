import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import type { Page } from '../../tools/playwright.ts'
import { type OperatorService, startOperatorService } from '../support/operator.ts'
import { BY_HAND, IN_BROWSER } from '../support/servers/browser.ts'
import { buildConsoleVisit, type ConsoleOptions, withholdEvents } from '../support/servers/console.ts'
import { skip } from '../support/servers/needs.ts'
import { noPostgres } from '../support/servers/postgres.ts'
import { noRedis } from '../support/servers/redis.ts'

// Two operators on two instances with one PostgreSQL and one Redis: each sees the other's changes without reloading.

const missing = noPostgres ?? noRedis
const visit = buildConsoleVisit({ after })
async function add(service: OperatorService, name: string): Promise<void> {
  const { status, text } = await service.call('POST', '/pets', { body: { name, categoryId: 1 } })
  assert.equal(status, 201, text)
}

async function rename(page: Page, from: string, to: string): Promise<void> {
  await rowOf(page, from).focus()
  await page.keyboard.press('e', BY_HAND)
  await page.getByRole('textbox', { name: `Name of ${from}` }).fill(to)
  await page.keyboard.press('Enter')
}

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })

if (missing !== undefined) {
  test('two instances', t => void skip(t, missing))
} else {
  const a = await startOperatorService({ after }, { backend: 'scaled', now: Date.now() })
  const b = await a.startAnother()
  /** Anna on one instance and Sam on the other, both on the same screen. */
  const visitBoth = async (t: TestContext, path: string, options: ConsoleOptions = {}) => ({
    anna: await visit(t, a, path, options),
    sam: await visit(t, b, path, { ...options, token: b.staff.token }),
  })

  test("one operator's corrections and imports are shown to the other", IN_BROWSER, async t => {
    await add(a, 'Rex')
    const { anna, sam } = await visitBoth(t, '/animals')
    await rowOf(sam, 'Rex').waitFor()
    await rename(anna, 'Rex', 'Rex of Anna')
    await rowOf(sam, 'Rex of Anna').waitFor()
    await rename(sam, 'Rex of Anna', 'Rex of Sam')
    await rowOf(anna, 'Rex of Sam').waitFor()

    await anna.getByRole('navigation').getByRole('link', { name: 'Import' }).click()
    const file = { name: 'new.csv', mimeType: 'text/csv', buffer: Buffer.from('name,category\nLuna,1\nMax,2\n') }
    await anna.getByLabel('File to import').setInputFiles(file)
    await anna.getByRole('button', { name: 'Check the file' }).click()
    await anna.getByRole('button', { name: 'Import 2 animals' }).click()
    await rowOf(sam, 'Luna').waitFor()
    await sam.getByRole('button', { name: 'All 3' }).waitFor()
  })

  test('two corrections of the same animal collide', IN_BROWSER, async t => {
    await add(b, 'Bella')
    const { anna, sam } = await visitBoth(t, '/animals', { mayComplain: /412/ })
    // Neither sees the other's change before their own. Lists are loaded again every few seconds, too.
    for (const page of [anna, sam]) {
      await rowOf(page, 'Bella').waitFor()
      await withholdEvents(page)
      await page.route(/\/admin\/v1\/pets\?/, () => {})
    }
    const saved = sam.waitForResponse(response => response.request().method() === 'PATCH')
    await rename(sam, 'Bella', 'Bella of Sam')
    await saved
    await rename(anna, 'Bella', 'Bella of Anna')
    const dialog = anna.getByRole('dialog')
    await dialog.getByText('Bella of Sam').waitFor()
    await dialog.getByRole('button', { name: 'Keep mine' }).click()
    await dialog.waitFor({ state: 'detached' })
    const { value } = await a.call('GET', '/pets?name=bella')
    assert.deepEqual(
      value.map(({ name }: { name: string }) => name),
      ['Bella of Anna'],
    )
  })

  test(
    'a key issued by one operator is listed for the other, and a lifted ban is over for both',
    IN_BROWSER,
    async t => {
      const { anna, sam } = await visitBoth(t, '/keys')
      const caller = await a.createCaller({ keyName: 'Checkout' })
      await sam.getByText('Checkout', { exact: true }).waitFor()
      const statusOf = async (url: string) =>
        (await fetch(`${url}/pets`, { headers: { Authorization: `Bearer ${caller.key}` } })).status
      assert.equal(await statusOf(b.baseUrl), 200)

      const { now } = a.clock
      await a.store.createBan(caller.keyId, {
        source: '192.0.2.7',
        earnedIn: 'minute',
        startedAt: now,
        endsAt: now + 900_000,
        ordinal: 1,
      })
      for (const page of [anna, sam]) await page.getByRole('link', { name: 'Bans' }).click()
      await sam.getByRole('row', { name: /Checkout/ }).waitFor()
      await anna.getByRole('button', { name: 'Lift the ban of Checkout' }).click()
      await anna.getByRole('button', { name: 'Lift the ban', exact: true }).click()
      await sam.getByText('No key is banned').waitFor()
    },
  )

  test('a page recovers when another instance takes the place of its own, and stays signed in', IN_BROWSER, async t => {
    const second = await a.startAnother()
    const page = await visit(t, second, '/audit', { mayComplain: /ERR_|Failed to load/ })
    const entries = page.getByRole('row', { name: /Account created/ })
    await page
      .getByRole('row', { name: /Signed in/ })
      .first()
      .waitFor()
    const before = await entries.count()
    await second.close()
    await a.call('POST', '/accounts', { body: { name: `Made meanwhile ${Date.now()}`, plan: 'free' } })
    const { operatorPort } = second
    await a.startAnother({ config: { operatorPort } })
    await entries.nth(before).waitFor({ timeout: 30_000 })
    await page.reload()
    await entries.nth(before).waitFor()
  })
}
