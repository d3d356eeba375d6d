import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import type { Page } from '../../tools/playwright.ts'
import { eventually } from '../support/eventually.ts'
import { startOperatorService } from '../support/operator.ts'
import { BY_HAND, IN_BROWSER } from '../support/servers/browser.ts'
import { assertAccessible, assertFits, buildConsoleVisit, type ConsoleOptions } from '../support/servers/console.ts'

// The keys of all accounts: issuing, passing on, changing, replacing and revoking them.

const service = await startOperatorService({ after }, { now: Date.now() })
const visit = buildConsoleVisit({ after })
const { value: acme } = await service.call('POST', '/accounts', { body: { name: 'Acme Pets', plan: 'pro' } })

interface Wish {
  name?: string
  scope?: string
  expiresAt?: string
}

async function issue(body: Wish): Promise<{ id: string; key: string }> {
  const { status, text, value } = await service.call('POST', `/accounts/${acme.id}/keys`, { body })
  assert.equal(status, 201, text)
  return { id: String(value.id), key: value.key }
}

const read = async (id: string) => (await service.call('GET', `/keys/${id}`)).value

/** Calls the public API with a key. */
async function statusOf(key: string): Promise<number> {
  return (await fetch(`${service.baseUrl}/pets`, { headers: { Authorization: `Bearer ${key}` } })).status
}

/** Signs in first, because an open key hides the screen behind it. */
async function visitKey(t: TestContext, path: string, options: ConsoleOptions = {}): Promise<Page> {
  const page = await visit(t, service, '/', options)
  await page.goto(`${service.operatorUrl}/console${path}`)
  return page
}

const secretIn = (page: Page, label = 'The key') =>
  page.getByRole('region', { name: label, exact: true }).locator('code').textContent()

test('a key is issued, shown once in the same dialog, copied, and stays until it is stored', IN_BROWSER, async t => {
  const permissions = ['clipboard-read', 'clipboard-write']
  const page = await visit(t, service, '/accounts', { permissions })
  await page.getByRole('link', { name: 'Keys' }).click()
  await page.getByRole('button', { name: 'Issue key' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Issue the key' }).click()
  await dialog.getByText('No account has this name').waitFor()
  await dialog.getByLabel('Account').fill('Acme Pets')
  await dialog.getByLabel('Name').fill('Checkout')
  await dialog.getByLabel('This key may').selectOption('read')
  await dialog.getByLabel('Allowed addresses').fill('127.0.0.1\n192.0.2.0/24')
  await dialog.getByLabel('The key expires').selectOption({ label: '30 days' })
  await dialog.getByRole('button', { name: 'Issue the key' }).click()

  const shown = page.getByRole('dialog', { name: 'The new key of “Acme Pets”' })
  await shown.waitFor()
  await shown.and(page.locator(':focus-within')).waitFor()
  const secret = (await secretIn(page)) ?? ''
  assert.equal(await statusOf(secret), 200)
  assert.equal(await secretIn(page, 'As an environment variable'), `export PETSTORE_API_KEY=${secret}`)
  await page.getByRole('button', { name: 'Copy: The key' }).click()
  await page.getByRole('status').getByText('Copied').waitFor()
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), secret)

  await page.keyboard.press('Escape')
  await page.mouse.click(2, 400)
  assert.equal(await secretIn(page), secret, 'neither Esc nor a click outside loses it')
  await page.evaluate('history.back()')
  await page.getByRole('dialog', { name: 'Leave this screen?' }).getByRole('button', { name: 'Stay' }).click()
  assert.equal(await secretIn(page), secret, 'nor the way back')
  await page.getByRole('button', { name: 'I have stored it' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByText('Checkout').waitFor()

  const { value } = await service.call('GET', '/keys?search=checkout')
  assert.equal(value[0].scope, 'read')
  assert.deepEqual(value[0].networks, ['127.0.0.1/32', '192.0.2.0/24'])
  assert.ok(Math.abs(Date.parse(value[0].expiresAt) - Date.now() - 30 * 86_400_000) < 120_000)
})

test('a key is issued to an account whose name is a part of many others', IN_BROWSER, async t => {
  for (let number = 0; number <= 100; number += 1) {
    await service.call('POST', '/accounts', { body: { name: `A ${number} Till`, plan: 'free' } })
  }
  await service.call('POST', '/accounts', { body: { name: 'Till', plan: 'free' } })
  const page = await visit(t, service, '/keys')
  await page.getByRole('button', { name: 'Issue key' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Account').fill('Till')
  await dialog.getByRole('button', { name: 'Issue the key' }).click()
  await page.getByRole('dialog', { name: 'The new key of “Till”' }).waitFor()
})

test('a key that the service is still creating cannot be lost by closing', IN_BROWSER, async t => {
  const page = await visit(t, service, `/accounts/${acme.id}`)
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<void>()
  await page.route(/\/accounts\/\d+\/keys$/, async route => {
    if (route.request().method() !== 'POST') return route.continue()
    asked.resolve()
    await answer.promise
    await route.continue()
  })
  await page.getByRole('button', { name: 'Issue key' }).first().click()
  await page.getByRole('button', { name: 'Issue the key' }).click()
  await asked.promise
  assert.ok(await page.getByRole('button', { name: 'Cancel' }).isDisabled())
  await page.keyboard.press('Escape')
  answer.resolve()
  await page.getByRole('dialog', { name: 'The new key of “Acme Pets”' }).waitFor()
  assert.equal(await statusOf((await secretIn(page)) ?? ''), 200)
})

test('a wrong network is refused at its field, and nothing is lost', IN_BROWSER, async t => {
  const page = await visit(t, service, `/accounts/${acme.id}`, { mayComplain: /400/ })
  await page.getByRole('button', { name: 'Issue key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Kept')
  await dialog.getByLabel('Allowed addresses').fill('300.1.1.1')
  await dialog.getByRole('button', { name: 'Issue the key' }).click()
  await dialog.getByRole('alert').waitFor()
  assert.equal(await dialog.getByLabel('Allowed addresses').getAttribute('aria-invalid'), 'true')
  assert.equal(await dialog.getByLabel('Name').inputValue(), 'Kept')
})

test('an expiry that is refused is corrected in the same form', IN_BROWSER, async t => {
  const page = await visit(t, service, `/accounts/${acme.id}`, { mayComplain: /400/ })
  await page.getByRole('button', { name: 'Issue key' }).click()
  const dialog = page.getByRole('dialog')
  const press = () => dialog.getByRole('button', { name: 'Issue the key' }).click()
  await dialog.getByLabel('Name').fill('Corrected')
  await dialog.getByLabel('The key expires').selectOption('date')
  await press()
  await dialog.getByText('Enter a day, such as 2030-12-31.').waitFor()
  const day = dialog.getByLabel('Last day')
  await day.fill('2020-12-31')
  await press()
  await dialog.getByText('A key must expire in the future.').waitFor()
  await day.focus()
  // One digit too many.
  await page.keyboard.type('123120310', BY_HAND)
  assert.equal(await dialog.getByLabel('Name').inputValue(), 'Corrected')
  await day.fill('2031-12-31')
  await press()
  await page.getByRole('dialog', { name: 'The new key of “Acme Pets”' }).waitFor()
})

test('in a form that scrolls, what went wrong as a whole comes into view', IN_BROWSER, async t => {
  const viewport = { width: 1000, height: 500 }
  const page = await visit(t, service, `/accounts/${acme.id}`, { viewport, mayComplain: /503/ })
  const body = { code: 'store_full', status: 503, message: 'The disk is full.' }
  await page.route('**/keys', route =>
    route.request().method() === 'GET' ? route.continue() : route.fulfill({ status: 503, json: body }),
  )
  await page.getByRole('button', { name: 'Issue key' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Issue the key' }).click()
  const refusal = page.getByRole('alert').filter({ hasText: 'the disk of the server is full' })
  await refusal.waitFor()
  const { x = 0, y = 0, height = 0 } = (await refusal.boundingBox()) ?? {}
  assert.match(
    String(await page.evaluate(`document.elementFromPoint(${x + 20}, ${y + height - 4}).className`)),
    /notice/,
  )
})

test('a claim link is created instead of a key, shown once, listed, and revoked', IN_BROWSER, async t => {
  const page = await visit(t, service, '/keys')
  await page.getByRole('button', { name: 'Issue key' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Account').fill('Acme Pets')
  await dialog.getByLabel('Only the recipient').check()
  await dialog.getByLabel('Name').fill('Till')
  await dialog.getByLabel('The link works for').selectOption({ label: '7 days' })
  await dialog.getByRole('button', { name: 'Create the link' }).click()
  const link = (await secretIn(page, 'The link')) ?? ''
  await page.getByText('The first person to press its button gets the key').waitFor()
  assert.equal((await fetch(link)).status, 200)
  await page.getByRole('button', { name: 'I have stored it' }).click()

  await page.getByRole('button', { name: 'Open claim links' }).click()
  await page.getByText('Till for Acme Pets').waitFor()
  await page.getByRole('button', { name: 'Revoke the link of Till' }).click()
  await page.getByRole('button', { name: 'Revoke the link', exact: true }).click()
  await page.getByText('No claim link is open').waitFor()
  const { value } = await service.call('GET', '/claim-links')
  assert.equal(value[0].state, 'revoked')
})

test(
  'a leaked key is found by pasting it, and revoked after a question that names its owner and what stops',
  IN_BROWSER,
  async t => {
    const { id, key } = await issue({ name: 'Leaked' })
    await statusOf(key)
    await eventually(async () => assert.equal((await read(id)).lastUsedFrom, '127.0.0.1'))
    const page = await visit(t, service, '/animals')
    await page.getByRole('searchbox').fill(`PETSTORE_API_KEY=${key}`)
    const dialog = page.getByRole('dialog', { name: 'Whose is this?' })
    await dialog.getByText('This is an API key of “Acme Pets”.').waitFor()
    await dialog.getByText(/from 127\.0\.0\.1/).waitFor()
    await dialog.getByText('Active').waitFor()
    await dialog.getByRole('button', { name: 'Revoke' }).click()
    const question = page.getByRole('dialog', { name: 'Revoke the key “Leaked” of “Acme Pets”?' })
    await question.getByText('Each program of “Acme Pets” that calls with this key is refused immediately.').waitFor()
    await question.getByText(/Last used: .* from 127\.0\.0\.1/).waitFor()
    await assertAccessible(page, 'the question before a leaked key is revoked')
    await question.getByRole('button', { name: 'Revoke the key' }).click()
    await dialog.getByText('Revoked', { exact: true }).first().waitFor()
    assert.equal(await dialog.getByRole('button', { name: 'Revoke' }).count(), 0)
    assert.equal(await statusOf(key), 401)
  },
)

test(
  'a leaked key is replaced: it is revoked, and a claim link for another one on the same terms is shown once',
  IN_BROWSER,
  async t => {
    const expiresAt = new Date(Date.now() + 3 * 86_400_000).toISOString()
    const { key } = await issue({ name: 'Replaced', scope: 'read', expiresAt })
    const page = await visit(t, service, '/keys', { mayComplain: /400|ERR_FAILED/ })
    await page.getByRole('button', { name: 'Whose is this?' }).click()
    const dialog = page.getByRole('dialog', { name: 'Whose is this?' })
    await dialog.getByLabel('Key, token or link').fill(key)
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Replace' }).click()
    const form = page.getByRole('dialog', { name: 'Replace the key “Replaced” of “Acme Pets”' })
    await form.getByLabel('The link works for').selectOption({ label: '7 days' })
    await form.getByRole('button', { name: 'Revoke the key and create a link' }).click()
    await form.getByText('The key must expire after its link').waitFor()
    assert.equal(await statusOf(key), 200, 'a refused link leaves the key as it is')
    await form.getByLabel('The link works for').selectOption({ label: '1 day' })

    // The first attempt to revoke it fails, and the second one uses the same link.
    await page.route('**/revoke', route => route.abort(), { times: 1 })
    await form.getByRole('button', { name: 'Revoke the key and create a link' }).click()
    await form.getByText('The service cannot be reached.').waitFor()
    assert.equal(await statusOf(key), 200)
    await form.getByRole('button', { name: 'Revoke the key and create a link' }).click()
    await page.getByText('Send this link to the person who needs the key.').waitFor()
    const link = (await secretIn(page, 'The link')) ?? ''
    assert.equal((await fetch(link)).status, 200)
    assert.equal(await statusOf(key), 401)
    await assertAccessible(page, 'the link that replaces a key')
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await dialog.getByText('Revoked', { exact: true }).first().waitFor()
    const links = (await service.call('GET', '/claim-links')).value.filter(
      ({ name }: { name: string }) => name === 'Replaced',
    )
    assert.deepEqual(
      links.map(({ scope, keyExpiresAt }: Record<string, string>) => [scope, keyExpiresAt]),
      [['read', expiresAt]],
    )
  },
)

test('the link that replaces a key is shown even if the key could not be revoked', IN_BROWSER, async t => {
  const { key } = await issue({ name: 'Not revoked' })
  const page = await visit(t, service, '/health', { mayComplain: /ERR_FAILED/ })
  await page.getByRole('link', { name: 'Keys' }).click()
  await page.getByRole('searchbox').fill(key)
  await page.getByRole('button', { name: 'Replace' }).click()
  await page.route('**/revoke', route => route.abort())
  await page.getByRole('button', { name: 'Revoke the key and create a link' }).click()
  await page.getByText('The service cannot be reached.').waitFor()
  await page.evaluate('history.back()')
  await page.getByRole('dialog', { name: 'Leave this screen?' }).getByRole('button', { name: 'Stay' }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'The old key still works' }).waitFor()
  const link = (await secretIn(page, 'The link')) ?? ''
  assert.equal((await fetch(link)).status, 200)
  assert.equal(await statusOf(key), 200)
  await page.getByRole('button', { name: 'I have stored it' }).click()
  await page.getByRole('dialog', { name: 'Whose is this?' }).waitFor()
})

test('staff see whose a leaked key is, and ask an admin to revoke it', IN_BROWSER, async t => {
  const { key } = await issue({ name: 'Seen by staff' })
  const page = await visit(t, service, '/animals', { token: service.staff.token })
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search or go to' }).fill(key)
  const dialog = page.getByRole('dialog', { name: 'Whose is this?' })
  await dialog.getByText('Ask an admin to revoke or replace it.').waitFor()
  assert.equal(await dialog.getByRole('button', { name: 'Revoke' }).count(), 0)
})

test('an address opens a key, and nothing else of the API', IN_BROWSER, async t => {
  const { id } = await issue({ name: 'Not an account' })
  const page = await visitKey(t, '/keys?key=..%2Faccounts%2F1', { mayComplain: /404/ })
  await page.getByRole('dialog', { name: 'Key ../accounts/1' }).getByText('is not a valid id').waitFor()
  await page.goto(`${service.operatorUrl}/console/accounts/..%2Fkeys%2F${id}`)
  await page.getByRole('heading', { name: 'This account does not exist' }).waitFor()
})

test('keys are found by name, state, last use and expiry', IN_BROWSER, async t => {
  const used = await issue({ name: 'Filter used' })
  await statusOf(used.key)
  // The last use is saved every few seconds.
  await eventually(async () => assert.ok((await read(used.id)).lastUsedAt))
  await issue({ name: 'Filter soon', expiresAt: new Date(Date.now() + 3 * 86_400_000).toISOString() })
  const { id } = await issue({ name: 'Filter revoked' })
  await service.call('POST', `/keys/${id}/revoke`)
  const page = await visit(t, service, '/keys')
  const shows = async (...names: string[]) => {
    for (const name of ['used', 'soon', 'revoked']) {
      const state = names.includes(name) ? 'visible' : 'detached'
      await page.getByText(`Filter ${name}`, { exact: true }).waitFor({ state })
    }
  }
  await page.getByRole('searchbox').fill('filter')
  await shows('used', 'soon', 'revoked')
  await page.getByLabel('State').selectOption('revoked')
  await shows('revoked')
  await page.getByLabel('State').selectOption('')
  await page.getByLabel('Last use').selectOption('never')
  await shows('soon', 'revoked')
  await page.getByLabel('Expiry').selectOption('14')
  await shows('soon')
  await page.getByRole('searchbox').fill('no such key')
  await page.getByRole('heading', { name: 'No key matches' }).waitFor()
  await page.getByRole('search').getByRole('button', { name: 'Clear filters' }).click()
  await shows('used', 'soon', 'revoked')
})

test('an address with a number of days that is not one can be cleared', IN_BROWSER, async t => {
  const page = await visit(t, service, '/keys?unused=soon&expires=99999999999', { mayComplain: /400/ })
  await page.getByRole('heading', { name: 'Nothing matches these filters' }).waitFor()
  await page.getByRole('region', { name: 'API keys' }).getByRole('button', { name: 'Clear filters' }).click()
  await page.getByRole('row').nth(1).waitFor()
})

test('an empty list clears also what is typed in its filters and not applied yet', IN_BROWSER, async t => {
  const page = await visit(t, service, '/keys?account=Nobody', { mayComplain: /404|400/ })
  const clear = page.getByRole('region', { name: 'API keys' }).getByRole('button', { name: 'Clear filters' })
  await clear.waitFor()
  await page.getByLabel('Account').fill('No partner')
  // Its press takes a moment, in which the list must not begin to load.
  await clear.click(BY_HAND)
  await untilCleared()
  await page.goto(`${service.operatorUrl}/console/keys?state=expired&account=${acme.id}&unused=never`)
  await clear.waitFor()
  await page.clock.install()
  await page.getByRole('searchbox').fill('abc')
  await clear.click()
  await untilCleared()
  await page.clock.fastForward(1_000)
  assert.equal(await page.getByRole('searchbox').inputValue(), '')
  await untilCleared()

  async function untilCleared() {
    await page.waitForURL(/\/keys$/)
    await page.locator('.filter-bar [data-set]').first().waitFor({ state: 'detached' })
    assert.equal(await page.getByLabel('Account').inputValue(), '')
  }
})

test('keys that expire within 14 days, as the overview counts them, are those of one account', IN_BROWSER, async t => {
  await service.createCaller({ keyName: 'Fourteen of another' })
  await issue({ name: 'Fourteen of Acme', expiresAt: new Date(Date.now() + 7 * 86_400_000).toISOString() })
  const page = await visit(t, service, '/keys?expires=14&search=fourteen', { mayComplain: /404/ })
  await page.getByText('Fourteen of Acme').waitFor()
  assert.equal(await page.getByLabel('Expiry').inputValue(), '14')
  await page.getByLabel('Expiry').selectOption('')
  await page.getByText('Fourteen of another').waitFor()
  await page.getByLabel('Account').fill('Acme Pets')
  await page.getByLabel('Account').press('Enter')
  await page.getByText('Fourteen of another').waitFor({ state: 'detached' })
  await page.getByLabel('Account').fill('Nowhere')
  await page.getByLabel('Account').press('Enter')
  await page.getByRole('heading', { name: 'Nothing matches these filters' }).waitFor()
})

test('a list that could not be loaded is loaded again', IN_BROWSER, async t => {
  await issue({ name: 'Comes back' })
  const page = await visit(t, service, '/', { mayComplain: /503/ })
  await page.route('**/admin/v1/keys?*', route =>
    route.fulfill({ status: 503, json: { status: 503, code: 'unavailable', message: 'The store is away.' } }),
  )
  await page.goto(`${service.operatorUrl}/console/keys`)
  await page.getByRole('heading', { name: 'This could not be loaded' }).waitFor()
  await page.unroute('**/admin/v1/keys?*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('Comes back').waitFor()
})

test('the name, scope and networks of a key are changed', IN_BROWSER, async t => {
  const { id } = await issue({ name: 'Old name' })
  const page = await visit(t, service, '/keys')
  await page.getByText('Old name').click()
  await page.getByRole('button', { name: 'Change' }).click()
  const dialog = page.getByRole('dialog', { name: 'Change the key' })
  await dialog.getByLabel('Name').fill('New name')
  await dialog.getByLabel('This key may').selectOption('read')
  await dialog.getByLabel('Allowed addresses').fill('192.0.2.7, 2001:db8::/32')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('dialog', { name: 'New name' }).getByText('2001:db8::/32').waitFor()
  const { name, scope, networks } = await read(id)
  assert.deepEqual(
    { name, scope, networks },
    { name: 'New name', scope: 'read', networks: ['192.0.2.7/32', '2001:db8::/32'] },
  )
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  assert.doesNotMatch(page.url(), /key=/)
})

test('a key is rotated with an overlap, and both work', IN_BROWSER, async t => {
  const { id, key } = await issue({ name: 'Rotated' })
  const page = await visitKey(t, `/keys?key=${id}`)
  await page.getByRole('button', { name: 'Rotate' }).click()
  await page.getByLabel('1 hour').check()
  await page.getByRole('button', { name: 'Issue the new key' }).click()
  const secret = (await secretIn(page)) ?? ''
  await page.getByRole('button', { name: 'I have stored it' }).click()
  assert.deepEqual([await statusOf(key), await statusOf(secret)], [200, 200])
  const { expiresAt, replacedBy } = await read(id)
  assert.ok(Math.abs(Date.parse(expiresAt) - service.clock.now - 3_600_000) < 120_000)
  await page.getByRole('link', { name: `Key ${replacedBy}` }).click()
  await page.waitForURL(new RegExp(`key=${replacedBy}`))
})

test('a key that has replaced another one is never shown with the bans of that', IN_BROWSER, async t => {
  const { keyId } = await service.createCaller()
  const { now } = service.clock
  const ban = { source: '192.0.2.7', earnedIn: 'minute', startedAt: now, endsAt: now + 900_000, ordinal: 1 } as const
  await service.store.createBan(keyId, ban)
  const { value } = await service.call('POST', `/keys/${keyId}/rotate`, { body: { overlapSeconds: 3_600 } })
  const page = await visitKey(t, `/keys?key=${keyId}`)
  await page.getByText('15 minutes, 1st in a row').waitFor()
  await page.route(`**/admin/v1/keys/${value.id}/bans*`, () => {})
  await page.getByRole('link', { name: `Key ${value.id}` }).click()
  await page.getByText(`number ${value.id}`).waitFor()
  await page.getByRole('region', { name: 'Bans' }).getByText('Loading …').waitFor()
  assert.equal(await page.getByText('15 minutes, 1st in a row').count(), 0)
})

test('a new key is shown until it is stored, although the old one has ended', IN_BROWSER, async t => {
  const { id, key } = await issue({ name: 'Replaced' })
  const page = await visitKey(t, `/keys?key=${id}`)
  await page.getByRole('button', { name: 'Rotate' }).click()
  await page.getByLabel('Not at all').check()
  await page.getByRole('button', { name: 'Issue the new key' }).click()
  await page.locator('.facts').getByText('Expired').waitFor()
  const secret = (await secretIn(page)) ?? ''
  assert.deepEqual([await statusOf(key), await statusOf(secret)], [401, 200])
  await page.getByRole('button', { name: 'I have stored it' }).click()
  await page.getByRole('button', { name: 'Rotate' }).waitFor({ state: 'detached' })
})

test('a key is revoked after a confirmation, and refused from then on', IN_BROWSER, async t => {
  const { id, key } = await issue({ name: 'Leaked' })
  const page = await visitKey(t, `/keys?key=${id}`)
  await page.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('button', { name: 'Cancel' }).click()
  assert.equal(await statusOf(key), 200)
  await page.getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('Last used: never.').waitFor()
  await page.getByRole('button', { name: 'Revoke the key' }).click()
  await page.getByRole('dialog', { name: 'Leaked' }).getByText('Revoked').first().waitFor()
  await page.getByRole('button', { name: 'Rotate' }).waitFor({ state: 'detached' })
  assert.equal(await statusOf(key), 401)
})

test('a ban is shown with its key, and lifted', IN_BROWSER, async t => {
  const { account, keyId } = await service.createCaller()
  const { now } = service.clock
  await service.store.createBan(keyId, {
    source: '192.0.2.7',
    earnedIn: 'minute',
    startedAt: now,
    endsAt: now + 900_000,
    ordinal: 1,
  })
  const page = await visitKey(t, `/accounts/${account.id}?key=${keyId}`)
  await page.getByText('15 minutes, 1st in a row').waitFor()
  await page.getByRole('button', { name: 'Lift the ban' }).click()
  await page.getByText('for twice as long').waitFor()
  await page.getByRole('button', { name: 'Lift the ban' }).last().click()
  await page.getByText('Lifted', { exact: true }).waitFor()
  assert.equal((await read(String(keyId))).bannedUntil, null)
})

test('staff see keys and links, and nothing that changes them', IN_BROWSER, async t => {
  const { id } = await issue({ name: 'Seen by staff' })
  const page = await visitKey(t, `/keys?key=${id}`, { token: service.staff.token })
  await page.getByRole('dialog', { name: 'Seen by staff' }).getByText('Allowed addresses').waitFor()
  for (const name of ['Change', 'Rotate', 'Revoke', 'Issue key']) {
    assert.equal(await page.getByRole('button', { name, includeHidden: true }).count(), 0, name)
  }
})

for (const width of [390, 768, 1440]) {
  test(`axe finds nothing in the keys, ${width} wide`, IN_BROWSER, async t => {
    const name = `Looks at ${width}: متجر له اسم طويل جدا حتى لا يتسع له المكان`
    const { id } = await issue({ name })
    // Only the rows near the visible ones are rendered, and how many that are depends on the width of dates, too.
    const page = await visit(t, service, `/keys?search=Looks%20at%20${width}`, { viewport: { width, height: 844 } })
    await page.getByText(name).waitFor()
    await assertAccessible(page, 'the list')
    await assertFits(page)
    await page.getByText(name).click()
    await page.getByText('This key has never been banned').waitFor()
    await assertAccessible(page, 'one key')
    await page.getByRole('button', { name: 'Rotate' }).click()
    await page.getByRole('group', { name: 'How long does the old key keep working?' }).waitFor()
    await assertAccessible(page, 'rotation')
    await page.getByRole('button', { name: 'Issue the new key' }).click()
    await page.getByRole('button', { name: 'I have stored it' }).waitFor()
    await assertAccessible(page, 'a secret')
    await page.getByRole('button', { name: 'I have stored it' }).click()
    assert.ok((await read(id)).replacedBy)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Issue key' }).click()
    await page.getByLabel('Only the recipient').check()
    await page.getByLabel('The key expires').selectOption('date')
    await assertAccessible(page, 'a new key')
  })
}

test('the back button closes a key and undoes filters, a search not letter by letter', IN_BROWSER, async t => {
  await issue({ name: 'Till of the shop' })
  const page = await visit(t, service, '/keys')
  await page.getByRole('combobox', { name: 'State', exact: true }).selectOption('Active')
  await page.getByLabel('Search by name or ending').pressSequentially('Till', BY_HAND)
  await untilAt(page, '?state=active&search=Till')
  await page.getByRole('row', { name: /Till of the shop/ }).click()
  const drawer = page.getByRole('dialog', { name: 'Till of the shop' })
  await drawer.waitFor()
  await page.goBack()
  await drawer.waitFor({ state: 'detached' })
  await untilAt(page, '?state=active&search=Till')
  const search = page.getByLabel('Search by name or ending')
  await page.goBack()
  await untilAt(page, '?state=active')
  await eventually(async () => assert.equal(await search.inputValue(), ''))
  await page.goForward()
  await untilAt(page, '?state=active&search=Till')
  await eventually(async () => assert.equal(await search.inputValue(), 'Till'))
})

test('a list with other filters begins at its top', IN_BROWSER, async t => {
  for (let number = 0; number < 40; number += 1) await issue({ name: `Scrolled ${number}` })
  const page = await visit(t, service, '/keys?search=Scrolled')
  await page.locator('tr[data-index="0"]').waitFor()
  await page.evaluate(`document.querySelector('.table-scroller').scrollTo(0, 10_000)`)
  await page.locator('tr[data-index="39"]').waitFor()
  await page.getByRole('combobox', { name: 'State', exact: true }).selectOption('Active')
  await untilAt(page, '?search=Scrolled&state=active')
  await page.locator('tr[data-index="0"]').waitFor()
})

function untilAt(page: Page, search: string): Promise<void> {
  return eventually(async () => assert.equal(new URL(page.url()).search, search))
}
