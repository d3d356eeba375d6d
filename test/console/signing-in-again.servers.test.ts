import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startOperatorService } from '../support/operator.ts'
import { BY_HAND, IN_BROWSER } from '../support/servers/browser.ts'
import { buildConsoleVisit } from '../support/servers/console.ts'

const service = await startOperatorService({ after })
const visit = buildConsoleVisit({ after })

test('a call of the last session that is refused late does not end the new one', IN_BROWSER, async t => {
  const page = await visit(t, service, '/accounts', { mayComplain: /401/ })
  const sent = Promise.withResolvers<void>()
  const isSignedIn = Promise.withResolvers<void>()
  await page.route('**/admin/v1/accounts', async route => {
    if (route.request().method() !== 'POST') return route.continue()
    sent.resolve()
    await isSignedIn.promise
    await route.fulfill({ status: 401, json: { code: 'invalid_token', status: 401, message: 'It came too late.' } })
  })
  await page.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor()
  await page.keyboard.press('n', BY_HAND)
  const form = page.getByRole('dialog', { name: 'Create an account' })
  await form.getByLabel('Name', { exact: true }).fill('Corner Shop')
  await form.getByRole('button', { name: 'Create the account' }).click()
  await sent.promise

  await page.context().clearCookies()
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
  const overlay = page.getByRole('dialog', { name: 'Your session has ended' })
  await overlay.getByLabel('Operator token').fill(service.admin.token)
  await overlay.getByRole('button', { name: 'Sign in' }).click()
  await overlay.waitFor({ state: 'detached' })

  isSignedIn.resolve()
  await form.getByText('It came too late.').waitFor()
  assert.equal(await overlay.count(), 0)
})
