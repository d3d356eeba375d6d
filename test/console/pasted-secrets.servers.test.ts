import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { generateKey } from '../../src/domain/api-key.ts'
import { generateClaimSecret } from '../../src/domain/claim-link.ts'
import { generateToken } from '../../src/domain/operator.ts'
import { generateSignInLink } from '../../src/domain/sign-in-link.ts'
import type { Page } from '../../tools/playwright.ts'
import { startOperatorService } from '../support/operator.ts'
import { IN_BROWSER } from '../support/servers/browser.ts'
import { assertAccessible, assertFits, buildConsoleVisit } from '../support/servers/console.ts'
import { untilTrue } from '../support/servers/visit.ts'

// A secret that is pasted into a search or a filter reaches no address, no request, no storage and no log.

const service = await startOperatorService({ after })
await service.call('POST', '/pets', { body: { name: 'Rex', categoryId: 1 } })
const visit = buildConsoleVisit({ after })
const KEY = generateKey('production')

/** Fails the test if a request or anything that the browser keeps contains the text. */
function watchFor(page: Page, secret: string) {
  const random = secret.slice(-36, -6)
  const requests: string[] = []
  page.on('request', request => requests.push(`${request.method()} ${request.url()} ${request.postData() ?? ''}`))
  return async () => {
    // Longer than the pause after which a field searches.
    await page.evaluate('new Promise(resolve => setTimeout(resolve, 600))')
    const kept =
      await page.evaluate(`JSON.stringify([location.href, document.title, {...localStorage}, {...sessionStorage},
      history.state, navigation.entries().map(({ url }) => url)])`)
    assert.ok(requests.length > 0, 'requests are seen')
    for (const text of [...requests, String(kept)]) assert.ok(!text.includes(random), text)
    assert.ok(!service.logs.join('').includes(random), 'the log')
  }
}

for (const [kind, secret] of [
  ['an API key', KEY],
  ['an operator token', generateToken('staging')],
  ['a claim link', `https://api.test/claim/${generateClaimSecret('production')}`],
  ['a sign-in link', generateSignInLink('production')],
  ['part of a key or token', KEY.slice('petstore_live_'.length)],
] as const) {
  test(`the searches of all screens and the palette recognize ${kind}`, IN_BROWSER, async t => {
    const page = await visit(t, service)
    const assertUnsent = watchFor(page, secret)
    for (const screen of ['Animals', 'Accounts', 'Keys', 'Settings']) {
      await page.getByRole('link', { name: screen, exact: true }).click()
      await page.getByRole('heading', { name: screen, level: 1 }).waitFor()
      const field = page.getByRole('searchbox')
      await field.fill(secret)
      await field.press('Enter')
      await page.getByRole('alert').getByText(`This is ${kind}. It was not sent.`).waitFor()
      assert.equal(await field.getAttribute('aria-invalid'), 'true')
    }
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search or go to' }).fill(`key: ${secret}`)
    await page.getByRole('status').getByText(`This is ${kind}. It was not sent.`).waitFor()
    await assertUnsent()
  })
}

test('filters and the field for an account recognize an API key', IN_BROWSER, async t => {
  const page = await visit(t, service)
  const assertUnsent = watchFor(page, KEY)
  for (const [screen, role, label] of [
    ['Audit log', 'textbox', 'Operator'],
    ['Audit log', 'textbox', 'Subject id'],
    ['Audit log', 'combobox', 'Account'],
    ['Bans', 'combobox', 'Account'],
    ['Usage', 'combobox', 'Account'],
    ['Keys', 'combobox', 'Account'],
  ] as const) {
    await page.getByRole('link', { name: screen, exact: true }).click()
    await page.getByRole('heading', { name: screen, level: 1 }).waitFor()
    const field = page.getByRole(role, { name: label, exact: true })
    await field.fill(KEY)
    await field.press('Enter')
    await page.getByRole('alert').getByText('This is an API key. It was not sent.').waitFor()
    await field.fill('')
    await page.getByRole('alert').waitFor({ state: 'detached' })
  }
  await page.getByRole('button', { name: 'Issue a key' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Account').fill(KEY)
  await dialog.getByText('This is an API key. It was not sent.').waitFor()
  await dialog.getByRole('button', { name: 'Issue the key' }).click()
  await assertUnsent()
})

for (const path of [`/keys?search=${KEY}&state=active`, `/accounts/${KEY}`, `/animals#${KEY}`]) {
  test(`an address such as ${path.replace(KEY, '…')} is cleaned before anyone signs in`, IN_BROWSER, async t => {
    const page = await visit(t, service, path)
    await page.getByText('contained an API key').waitFor()
    await untilTrue(page, `!location.href.includes('petstore_live')`)
    if (path.includes('state=')) assert.match(page.url(), /\/keys\?state=active$/)
    assert.equal(await page.getByText('cannot be shown').count(), 0)
    const random = KEY.slice(-36, -6)
    assert.ok(
      !String(await page.evaluate('JSON.stringify(navigation.entries().map(({ url }) => url))')).includes(random),
    )
    assert.ok(!service.logs.join('').includes(random))
  })
}

for (const width of [320, 1440]) {
  test(`axe finds nothing where a secret was recognized, ${width} wide`, IN_BROWSER, async t => {
    const page = await visit(t, service, '/keys', { viewport: { width, height: 844 } })
    await page.getByRole('searchbox').fill(KEY)
    await page.getByRole('alert').waitFor()
    await assertAccessible(page, 'a pasted key')
    await assertFits(page)
  })
}
