import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startOperatorService } from '../support/operator.ts'
import { IN_BROWSER } from '../support/servers/browser.ts'
import { assertAccessible, assertFits, buildConsoleVisit } from '../support/servers/console.ts'

const visit = buildConsoleVisit({ after })

test('a token is created, shown once, and works', IN_BROWSER, async t => {
  const service = await startOperatorService(t, { now: Date.now() })
  const page = await visit(t, service, '/tokens')
  await page.getByRole('button', { name: 'Create token' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('فاطمة')
  await dialog.getByLabel('Expires').selectOption({ label: 'On a date …' })
  await dialog.getByLabel('Last day').fill('2099-12-31')
  await dialog.getByRole('button', { name: 'Create token' }).click()
  const token = await dialog.getByRole('region', { name: 'Operator token' }).locator('code').innerText()
  await page.keyboard.press('Escape')
  await dialog.getByRole('button', { name: 'I have stored it' }).click()
  await page.getByRole('row', { name: /فاطمة.*Staff.*Active/ }).waitFor()
  assert.equal(await page.getByText(token).count(), 0)
  const { operator } = (await service.call('GET', '/session', { token })).value
  assert.deepEqual([operator.name, operator.role], ['فاطمة', 'staff'])
})

test('a refusal by the service is shown at its field, and no input is lost', IN_BROWSER, async t => {
  const service = await startOperatorService(t, { now: Date.now() })
  const page = await visit(t, service, '/tokens', { mayComplain: /400|422/ })
  await page.getByRole('button', { name: 'Create token' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('radio', { name: /^Administrator/ }).check()
  await dialog.getByRole('button', { name: 'Create token' }).click()
  await dialog.getByRole('alert').waitFor()
  assert.equal(await dialog.getByLabel('Name').getAttribute('aria-invalid'), 'true')
  await dialog.getByLabel('Name').fill('Ben')
  await dialog.getByRole('button', { name: 'Create token' }).click()
  await dialog.getByRole('button', { name: 'I have stored it' }).click()
  await page.getByRole('row', { name: /Ben.*Administrator/ }).waitFor()
})

test('a double click on the button that creates a token does not close what it shows', IN_BROWSER, async t => {
  const service = await startOperatorService(t, { now: Date.now() })
  const page = await visit(t, service, '/tokens')
  await page.getByRole('button', { name: 'Create token' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Ben')
  await dialog.getByRole('button', { name: 'Create token' }).click()
  const stored = dialog.getByRole('button', { name: 'I have stored it' })
  const box = await stored.boundingBox()
  assert.ok(box)
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  await page.mouse.down({ clickCount: 2 })
  await page.mouse.up({ clickCount: 2 })
  await stored.click()
  await stored.waitFor({ state: 'detached' })
})

test('a token is revoked after a confirmation', IN_BROWSER, async t => {
  const service = await startOperatorService(t, { now: Date.now() })
  const page = await visit(t, service, '/tokens')
  await page.getByRole('button', { name: 'Revoke the token of Sam' }).click()
  await page.getByRole('button', { name: 'Revoke token' }).click()
  await page.getByRole('row', { name: /Sam.*Revoked/ }).waitFor()
  assert.equal((await service.call('GET', '/session', { token: service.staff.token })).status, 401)
})

test('a sign-in link for a colleague is shown once, and signs one browser in', IN_BROWSER, async t => {
  const service = await startOperatorService(t, { now: Date.now() })
  const page = await visit(t, service, '/tokens')
  await page.getByRole('button', { name: 'Create a sign-in link for Sam' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('The link works for').selectOption({ label: '7 days' })
  await dialog.getByRole('button', { name: 'Create the link' }).click()
  const link = await dialog.getByRole('region', { name: 'The link' }).locator('code').innerText()
  await assertAccessible(page, 'the link')
  await dialog.getByRole('button', { name: 'I have stored it' }).click()
  assert.equal(await page.getByText(link).count(), 0)
  const colleague = await (await page.context().browser()?.newContext())?.newPage()
  assert.ok(colleague)
  t.after(() => colleague.context().close())
  await colleague.goto(link)
  await colleague.getByRole('button', { name: /Sam/ }).waitFor()
  assert.ok(!colleague.url().includes('petstore_'))
})

test('revoking your own token signs you out', IN_BROWSER, async t => {
  const service = await startOperatorService(t, { now: Date.now() })
  const page = await visit(t, service, '/tokens', { mayComplain: /401/ })
  await page.getByRole('button', { name: 'Revoke the token of Anna' }).click()
  const dialog = page.getByRole('dialog', { name: 'Revoke your own token?' })
  await dialog.getByText('You will be signed out.').waitFor()
  const revoke = dialog.getByRole('button', { name: 'Revoke and sign out' })
  assert.ok(await revoke.isDisabled(), 'not by accident')
  await dialog.getByRole('textbox').fill('Anna')
  await revoke.click()
  await page.getByRole('heading', { name: 'Sign in to Petstore' }).waitFor()
})

test('staff can neither find nor see the tokens', IN_BROWSER, async t => {
  const service = await startOperatorService(t, { now: Date.now() })
  const page = await visit(t, service, '/tokens', { token: service.staff.token })
  await page.getByText('Only administrators see operator tokens').waitFor()
  assert.equal(await page.getByRole('link', { name: 'Operator tokens' }).count(), 0)
})

for (const width of [390, 768, 1440]) {
  test(`axe finds nothing in the tokens, ${width} wide`, IN_BROWSER, async t => {
    const service = await startOperatorService(t, { now: Date.now() })
    const page = await visit(t, service, '/tokens', { viewport: { width, height: 844 } })
    await page.getByRole('row', { name: /Sam/ }).waitFor()
    await assertAccessible(page, 'the tokens')
    await assertFits(page)
    await page.getByRole('button', { name: 'Create token' }).click()
    await page.getByLabel('Name').fill('Ben')
    await assertAccessible(page, 'the form')
    await page.getByRole('dialog').getByRole('button', { name: 'Create token' }).click()
    await page.getByRole('button', { name: 'I have stored it' }).waitFor()
    await assertAccessible(page, 'the token')
  })
}
