import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { generateKey } from '../../src/domain/api-key.ts'
import { generateClaimSecret } from '../../src/domain/claim-link.ts'
import { generateToken } from '../../src/domain/operator.ts'
import { generateSession } from '../../src/domain/session.ts'
import { generateSignInLink } from '../../src/domain/sign-in-link.ts'
import type { Page } from '../../tools/playwright.ts'
import { eventually } from '../support/eventually.ts'
import { startOperatorService } from '../support/operator.ts'
import { IN_BROWSER } from '../support/servers/browser.ts'
import { assertAccessible, assertFits, buildConsoleVisit } from '../support/servers/console.ts'
import { untilTrue } from '../support/servers/visit.ts'

// A secret that is pasted into a search or a filter reaches no address, no storage and no log, and no request but the question whose it is.

const service = await startOperatorService({ after })
await service.call('POST', '/pets', { body: { name: 'Rex', categoryId: 1 } })
const visit = buildConsoleVisit({ after })
const KEY = generateKey('production')

/** Fails the test if anything that the browser keeps contains the text, or any request but the body of the question whose it is. */
function watchFor(page: Page, secret: string) {
  const random = secret.slice(-36, -6)
  const requests: string[] = []
  page.on('request', request => {
    const isQuestion = request.method() === 'POST' && request.url().endsWith('/admin/v1/keys/find')
    requests.push(`${request.method()} ${request.url()} ${isQuestion ? '' : request.postData()}`)
  })
  return async () => {
    // Longer than the pause after which a field searches.
    await page.evaluate('new Promise(resolve => setTimeout(resolve, 600))')
    const kept =
      await page.evaluate(`JSON.stringify([location.href, document.title, {...localStorage}, {...sessionStorage},
      history.state, navigation.entries().map(({ url }) => url), document.documentElement.outerHTML,
      [...document.querySelectorAll('input')].map(({ value }) => value)])`)
    assert.ok(requests.length > 0, 'requests are seen')
    for (const text of [...requests, String(kept)]) assert.ok(!text.includes(random), text)
    assert.ok(!service.logs.join('').includes(random), 'the log')
  }
}

/** Waits for the answer, and closes it. */
async function answer(page: Page, text: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Whose is this?' })
  await dialog.getByRole('status').getByText(text).waitFor()
  assert.equal(await dialog.getByLabel('Key, token or link').inputValue(), '')
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await dialog.waitFor({ state: 'detached' })
}

const UNKNOWN = 'but it was deleted, has ended, or never existed.'

for (const [secret, expected] of [
  [KEY, `This is an API key, ${UNKNOWN}`],
  [generateToken('staging'), 'This is an operator token of the other deployment.'],
  [`https://api.test/claim/${generateClaimSecret('production')}`, `This is a claim link, ${UNKNOWN}`],
  [generateSignInLink('production'), `This is a sign-in link, ${UNKNOWN}`],
  [generateSession(), `This is the secret of a session, ${UNKNOWN}`],
  [KEY.slice('petstore_live_'.length), `This is an API key, ${UNKNOWN}`],
] as const) {
  test(`the searches of all screens and the palette ask about a secret: ${expected}`, IN_BROWSER, async t => {
    const page = await visit(t, service)
    const assertUnsent = watchFor(page, secret)
    for (const screen of ['Animals', 'Accounts', 'Keys', 'Settings']) {
      await page.getByRole('link', { name: screen, exact: true }).click()
      await page.getByRole('heading', { name: screen, level: 1 }).waitFor()
      const field = page.getByRole('searchbox')
      await field.fill('re')
      await field.fill(secret)
      await answer(page, expected)
      assert.equal(await field.inputValue(), 're')
    }
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search or go to' }).fill(`key: ${secret}`)
    await answer(page, expected)
    await assertUnsent()
  })
}

test('filters ask about an API key, and the field for an account refuses it', IN_BROWSER, async t => {
  const page = await visit(t, service)
  const assertUnsent = watchFor(page, KEY)
  for (const [screen, role, label] of [
    ['Audit log', 'textbox', 'Operator'],
    ['Audit log', 'textbox', 'Subject number'],
    ['Audit log', 'combobox', 'Account'],
    ['Bans', 'combobox', 'Account'],
    ['Usage', 'combobox', 'Account'],
    ['Keys', 'combobox', 'Account'],
  ] as const) {
    await page.getByRole('link', { name: screen, exact: true }).click()
    await page.getByRole('heading', { name: screen, level: 1 }).waitFor()
    const field = page.getByRole(role, { name: label, exact: true })
    await field.fill(KEY)
    await answer(page, `This is an API key, ${UNKNOWN}`)
    assert.equal(await field.inputValue(), '')
  }
  await page.getByRole('button', { name: 'Issue key' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Account').fill(KEY)
  await dialog.getByText('This is an API key. It was not sent.').waitFor()
  await dialog.getByRole('button', { name: 'Issue the key' }).click()
  await dialog.getByLabel('Account').fill('')
  await assertUnsent()
})

test(
  'a key that is typed moves to the question with its first character, and the rest follows',
  IN_BROWSER,
  async t => {
    const page = await visit(t, service, '/keys')
    const assertUnsent = watchFor(page, KEY)
    await page.getByRole('searchbox').focus()
    await page.keyboard.type(KEY)
    const field = page.getByRole('dialog', { name: 'Whose is this?' }).getByLabel('Key, token or link')
    await eventually(async () => assert.equal(await field.inputValue(), KEY))
    await page.keyboard.press('Enter')
    await answer(page, `This is an API key, ${UNKNOWN}`)
    await assertUnsent()
  },
)

test(
  'the question is asked again after the service was out of reach, and refuses what is not a secret',
  IN_BROWSER,
  async t => {
    const page = await visit(t, service, '/keys', { mayComplain: /404|ERR_FAILED/ })
    await page.route('**/keys/find', route => route.abort())
    await page.getByRole('searchbox').fill(KEY)
    const dialog = page.getByRole('dialog', { name: 'Whose is this?' })
    await dialog.getByText('The service cannot be reached. Your input is kept').waitFor()
    await page.unroute('**/keys/find')
    await dialog.getByRole('button', { name: 'Find the owner' }).click()
    await dialog.getByText(`This is an API key, ${UNKNOWN}`).waitFor()
    await dialog.getByLabel('Key, token or link').fill('Rex')
    await page.keyboard.press('Enter')
    await dialog.getByText('This is not an API key, an operator token, a link or the secret of a session.').waitFor()
  },
)

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

test('a browser that blocks the storage says that an address was cleaned', IN_BROWSER, async t => {
  const page = await visit(t, service)
  await page.addInitScript({
    content: `Object.defineProperty(window, 'sessionStorage', { get() { throw new DOMException('', 'SecurityError') } })`,
  })
  await page.goto(`${service.operatorUrl}/console/keys?search=${KEY}`)
  await page.getByText('contained an API key').waitFor()
})

test('the answer about an operator token names its role as the list of tokens does', IN_BROWSER, async t => {
  const page = await visit(t, service, '/keys')
  await page.getByRole('searchbox').fill(service.admin.token)
  await page.getByRole('dialog').getByText('Administrator', { exact: true }).waitFor()
})

for (const width of [320, 1440]) {
  test(`axe finds nothing in the answer whose a secret is, ${width} wide`, IN_BROWSER, async t => {
    const { value: account } = await service.call('POST', '/accounts', {
      body: { name: `Acme ${width}`, plan: 'free' },
    })
    const { value: issued } = await service.call('POST', `/accounts/${account.id}/keys`, { body: {} })
    const page = await visit(t, service, '/keys', { viewport: { width, height: 844 } })
    for (const [secret, text] of [
      [KEY, UNKNOWN],
      [issued.key, `This is an API key of “Acme ${width}”.`],
      [service.admin.token, 'This is an operator token of Anna.'],
    ] as const) {
      await page.getByRole('searchbox').fill(secret)
      await page.getByRole('dialog').getByText(text).waitFor()
      await assertAccessible(page, text)
      await assertFits(page)
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
  })
}
