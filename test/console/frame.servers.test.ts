import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startOperatorService } from '../support/operator.ts'
import { IN_BROWSER } from '../support/servers/browser.ts'
import { assertAccessible, assertFits, buildConsoleVisit } from '../support/servers/console.ts'

// The frame around every screen of the console: signing in and out, and the navigation.

const service = await startOperatorService({ after })
const visit = buildConsoleVisit({ after })

test('an operator signs in with a token, and out', IN_BROWSER, async t => {
  const page = await visit(t, service)
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.getByRole('button', { name: /Anna/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in to Petstore' }).waitFor()
})

test("the operator's menu is closed by its button and by Esc, which returns the focus to it", IN_BROWSER, async t => {
  const page = await visit(t, service)
  const button = page.getByRole('button', { name: /Anna/, includeHidden: true })
  const menu = page.getByRole('menu', { name: /Anna/ })
  await button.click()
  await menu.waitFor()
  const { x = 0, y = 0 } = (await button.boundingBox()) ?? {}
  await page.mouse.click(x + 10, y + 10)
  await menu.waitFor({ state: 'detached' })
  await button.press('Enter')
  await menu.waitFor()
  await page.keyboard.press('Escape')
  await button.and(page.locator(':focus')).waitFor()
})

test('a wrong token is refused in words', IN_BROWSER, async t => {
  const page = await visit(t, service, '/', { mayComplain: /401/, viewport: { width: 390, height: 844 } })
  await page.getByRole('button', { name: /Anna/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByLabel('Operator token').fill('petstore_operator_live_1')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('The operator token is not valid.').waitFor()
  assert.equal(await page.getByLabel('Operator token').getAttribute('aria-invalid'), 'true')
  await page.getByText(new URL(service.operatorUrl).host).waitFor()
  assert.equal(await page.locator('input[autocomplete="username"]').count(), 1, 'password managers know what to keep')
  await assertAccessible(page, 'sign-in')
  await assertFits(page)
})

test('help opens the guides in a new tab', IN_BROWSER, async t => {
  const page = await visit(t, service, '/animals')
  const [guides] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('link', { name: 'Help' }).click(),
  ])
  await guides.getByRole('link', { name: 'Care for animals' }).first().click()
  await guides.getByRole('heading', { name: 'Care for animals', level: 1 }).waitFor()
  assert.equal(new URL(guides.url()).pathname, '/docs/guides/care-for-animals')
})

for (const width of [390, 768, 1440]) {
  test(`axe finds nothing in the frame, ${width} wide`, IN_BROWSER, async t => {
    const page = await visit(t, service, '/', { viewport: { width, height: 844 } })
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await assertAccessible(page, 'overview')
    if (width < 960) await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('link', { name: 'Overview' }).waitFor()
    await assertAccessible(page, 'with the menu open')
    assert.ok(
      await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
      'nothing is wider than the window',
    )
  })
}
