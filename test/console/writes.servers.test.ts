import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page, Route } from '../../tools/playwright.ts'
import { type OperatorService, startOperatorService } from '../support/operator.ts'
import { BY_HAND, IN_BROWSER } from '../support/servers/browser.ts'
import { buildConsoleVisit } from '../support/servers/console.ts'
import { untilTrue } from '../support/servers/visit.ts'

// What the service has done looks done, and is done once: after any search, and when a response is lost on the way.

const visit = buildConsoleVisit({ after })
const services = new AsyncDisposableStack()
after(() => services.disposeAsync())

async function startWith(names: readonly string[]): Promise<OperatorService> {
  const service = await startOperatorService(
    { after: end => services.defer(async () => void (await end())) },
    { now: Date.now() },
  )
  for (const name of names) await service.call('POST', '/pets', { body: { name, categoryId: 1 } })
  return service
}

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })

async function namesIn(service: OperatorService): Promise<string[]> {
  return (await service.call('GET', '/pets?limit=100&sort=oldest')).value.map(({ name }: { name: string }) => name)
}

async function searchPalette(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search or go to' }).and(page.locator(':focus')).waitFor()
  const asked = page.waitForResponse(/\/pets\?name=/)
  await page.keyboard.type(text)
  await asked
  await page.getByText(/results?$/).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

async function addAnimal(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Add animal' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByLabel('Category').selectOption({ index: 1 })
  await dialog.getByRole('button', { name: 'Add animal' }).click()
}

/** Drops the first response to such a request, after the service has handled it. Collects the idempotency keys and bodies of all. */
async function loseFirst(page: Page, method: string, path: RegExp) {
  const sent: { key: string | undefined; body: string | null }[] = []
  await page.route(path, async (route: Route) => {
    const request = route.request()
    if (request.method() !== method) return route.fallback()
    sent.push({ key: request.headers()['idempotency-key'], body: request.postData() })
    if (sent.length > 1) return route.continue()
    await route.fetch()
    await route.abort()
  })
  return sent
}

const LOST = { mayComplain: /ERR_FAILED|4(?:00|04|09|12)/ }
const UNREACHABLE = 'The service cannot be reached'
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test(
  'after a search in the palette, animals are added, corrected, deleted and changed in bulk',
  IN_BROWSER,
  async t => {
    const service = await startWith(['Rex', 'Rexona', 'Tom'])
    const page = await visit(t, service, '/animals')
    await rowOf(page, 'Tom').waitFor()
    await searchPalette(page, 'rex')
    await addAnimal(page, 'Bella')
    await page.getByText('Bella was added').waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await rowOf(page, 'Bella').focus()
    await page.keyboard.press('e', BY_HAND)
    await page.getByRole('textbox', { name: 'Name of Bella' }).fill('Belle')
    await page.keyboard.press('Enter')
    await rowOf(page, 'Belle').waitFor()
    assert.equal(await page.getByRole('alert').count(), 0)
    await rowOf(page, 'Rexona').focus()
    await page.keyboard.press('Delete')
    await page.getByRole('button', { name: 'Delete animal' }).click()
    await page.getByText('Rexona was deleted').waitFor()
    await page.getByLabel('Select Belle').check()
    await page.getByLabel('Select Tom').check()
    await page.getByRole('button', { name: 'Change…' }).click()
    await page.getByRole('dialog').getByLabel('Status').selectOption('sold')
    await page.getByRole('button', { name: 'Change 2 animals' }).click()
    await page.getByText('2 animals were changed').waitFor()
    await page.getByRole('button', { name: 'Sold 2' }).waitFor()
    assert.deepEqual(await namesIn(service), ['Rex', 'Tom', 'Belle'])
  },
)

test('the message that an animal was added opens it on every screen, and keeps the filters', IN_BROWSER, async t => {
  const service = await startWith(['Rex', 'Tom'])
  const page = await visit(t, service, '/animals?status=available')
  await rowOf(page, 'Tom').waitFor()
  await addAnimal(page, 'Bella')
  const message = page.getByRole('dialog').filter({ hasText: 'Bella was added' })
  const opened = (name: string) => page.getByRole('region', { name, exact: true }).waitFor()
  await page.getByText('Tom', { exact: true }).click()
  await opened('Tom')
  await message.getByRole('button', { name: 'Open' }).click()
  await opened('Bella')
  await page.keyboard.press('Escape')
  await page.getByRole('region', { name: 'Bella', exact: true }).waitFor({ state: 'detached' })
  assert.equal(await page.getByRole('region', { name: 'Tom', exact: true }).count(), 0, 'it is not opened again')
  assert.equal(new URL(page.url()).search, '?status=available')

  await addAnimal(page, 'Zoe')
  await page.getByText('Zoe was added').waitFor()
  await page.getByRole('link', { name: 'Audit log' }).click()
  await page.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor()
  await page.getByRole('dialog').filter({ hasText: 'Zoe was added' }).getByRole('button', { name: 'Open' }).click()
  await opened('Zoe')
  assert.equal(new URL(page.url()).pathname, '/console/animals')
})

test('an animal whose response is lost is added with the same key again, and once', IN_BROWSER, async t => {
  const service = await startWith(['Rex'])
  const page = await visit(t, service, '/animals', LOST)
  const sent = await loseFirst(page, 'POST', /\/admin\/v1\/pets$/)
  await addAnimal(page, 'Bella')
  const dialog = page.getByRole('dialog')
  await dialog.getByText(UNREACHABLE).waitFor()
  await dialog.getByRole('button', { name: 'Add animal' }).click()
  await page.getByText('Bella was added').waitFor()
  assert.equal(sent.length, 2)
  assert.match(sent[0]?.key ?? '', UUID)
  assert.deepEqual(sent[1], sent[0])
  assert.deepEqual(await namesIn(service), ['Rex', 'Bella'])
})

test('another press, other values, and a press after a refusal each have a key of their own', IN_BROWSER, async t => {
  const service = await startWith(['Rex'])
  const page = await visit(t, service, '/animals', { mayComplain: /400|ERR_FAILED/ })
  const sent = await loseFirst(page, 'POST', /\/admin\/v1\/pets$/)
  const dialog = page.getByRole('dialog')
  const added = (name: string) => page.getByText(`${name} was added`).waitFor()
  await addAnimal(page, 'Bela')
  await dialog.getByText(UNREACHABLE).waitFor()
  await dialog.getByLabel('Name').fill('Bella')
  await dialog.getByRole('button', { name: 'Add animal' }).click()
  await added('Bella')
  for (const name of ['Zoe', 'Max']) {
    await addAnimal(page, name)
    await added(name)
  }
  await addAnimal(page, '')
  await dialog.getByText('Enter a name of 1 to 255 characters').waitFor()
  const refused = page.waitForResponse(response => response.status() === 400)
  await dialog.getByRole('button', { name: 'Add animal' }).click()
  await refused
  const keys = sent.map(({ key }) => key)
  assert.equal(keys.length, 6)
  assert.equal(new Set(keys).size, keys.length)
})

for (const [what, path, creation, open, fill, action] of [
  ['an account', '/accounts', /\/admin\/v1\/accounts$/, 'Create account', 'Name', 'Create the account'],
  ['an operator token', '/tokens', /\/admin\/v1\/tokens$/, 'Create token', 'Name', 'Create token'],
] as const) {
  test(`${what} whose response is lost is created with the same key and body again`, IN_BROWSER, async t => {
    const service = await startWith([])
    const page = await visit(t, service, path, LOST)
    const sent = await loseFirst(page, 'POST', creation)
    await page.getByRole('button', { name: open }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(fill).fill('Greedy')
    // An expiry that is counted from now stays the same.
    if (path === '/tokens') await dialog.getByLabel('Expires').selectOption({ label: '30 days' })
    await pressTwice(page, action, sent)
  })
}

const openIssueDialog = (page: Page) => page.getByRole('button', { name: 'Issue key' }).click()
const expires = (page: Page) => page.getByRole('dialog').getByLabel('Expires').selectOption({ label: '30 days' })

for (const [what, creation, action, prepare] of [
  [
    'a key',
    /\/accounts\/\d+\/keys$/,
    'Issue the key',
    async page => {
      await openIssueDialog(page)
      await expires(page)
    },
  ],
  [
    'a claim link',
    /\/claim-links$/,
    'Create the link',
    async page => {
      await openIssueDialog(page)
      await page.getByRole('radio', { name: /link/ }).check()
      await expires(page)
    },
  ],
  [
    'a rotated key',
    /\/rotate$/,
    'Issue the new key',
    async page => {
      await rowOf(page, 'Till').click()
      await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
    },
  ],
] satisfies [string, RegExp, string, (page: Page) => Promise<unknown>][]) {
  test(`${what} whose response is lost is issued with the same idempotency key and body again`, IN_BROWSER, async t => {
    const service = await startWith([])
    const { id } = (await service.call('POST', '/accounts', { body: { name: 'Greedy', plan: 'free' } })).value
    await service.call('POST', `/accounts/${id}/keys`, { body: { name: 'Till' } })
    const page = await visit(t, service, `/accounts/${id}`, LOST)
    const sent = await loseFirst(page, 'POST', creation)
    await prepare(page)
    await pressTwice(page, action, sent)
  })
}

/** Presses a button of a dialog, whose response is lost, and again. */
async function pressTwice(page: Page, action: string, sent: readonly { key: string | undefined }[]): Promise<void> {
  const button = page.getByRole('dialog').getByRole('button', { name: action })
  await button.click()
  await page.getByRole('dialog').getByText(UNREACHABLE).waitFor()
  const answered = page.waitForResponse(response => response.request().method() === 'POST')
  await button.click()
  await answered
  assert.equal(sent.length, 2)
  assert.match(sent[0]?.key ?? '', UUID)
  assert.deepEqual(sent[1], sent[0])
}

test('a correction whose response is lost is not a conflict when it is saved again', IN_BROWSER, async t => {
  const service = await startWith(['Rex'])
  const page = await visit(t, service, '/animals', LOST)
  await loseFirst(page, 'PATCH', /\/pets\/1$/)
  await rowOf(page, 'Rex').focus()
  await page.keyboard.press('e', BY_HAND)
  await page.getByRole('textbox', { name: 'Name of Rex' }).fill('Rexy')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText(UNREACHABLE).waitFor()
  await page.keyboard.press('Enter')
  await page.locator('tr:focus').filter({ hasText: 'Rexy' }).waitFor()
  assert.equal(await page.getByRole('dialog').count(), 0)
  const history = (await service.call('GET', '/pets/1/history')).value
  assert.equal(history.filter(({ action }: { action: string }) => action === 'pet.correct').length, 1)
})

test('a deletion whose response is lost is done when it is confirmed again', IN_BROWSER, async t => {
  const service = await startWith(['Rex', 'Tom'])
  const page = await visit(t, service, '/animals', LOST)
  await loseFirst(page, 'DELETE', /\/pets\/1$/)
  await rowOf(page, 'Rex').focus()
  await page.keyboard.press('Delete')
  const confirm = page.getByRole('button', { name: 'Delete animal' })
  await confirm.click()
  await page.getByRole('dialog').getByText(UNREACHABLE).waitFor()
  await confirm.click()
  await page.getByText('Rex was deleted').waitFor()
  await rowOf(page, 'Rex').waitFor({ state: 'detached' })
  assert.deepEqual(await namesIn(service), ['Tom'])
})

test('what has been confirmed can no longer be cancelled, and closes no other question', IN_BROWSER, async t => {
  const service = await startWith(['Rex', 'Tom'])
  const page = await visit(t, service, '/animals')
  const answered = Promise.withResolvers<void>()
  await page.route(/\/pets\/(1|bulk\/delete)$/, async route => {
    if (route.request().method() !== 'GET') await answered.promise
    await route.continue()
  })
  await rowOf(page, 'Rex').focus()
  await page.keyboard.press('Delete')
  const question = page.getByRole('dialog', { name: 'Delete “Rex”?' })
  await question.getByRole('button', { name: 'Delete animal' }).click()
  await question.getByRole('button', { name: 'Cancel', disabled: true }).waitFor()
  await page.keyboard.press('Escape')
  await page.mouse.click(5, 400)
  await question.getByRole('button', { name: 'Cancel', disabled: true }).waitFor()
  answered.resolve()
  await question.waitFor({ state: 'detached' })
  assert.deepEqual(await namesIn(service), ['Tom'])
})

test('many animals whose deletion has begun cannot be kept by closing its dialog', IN_BROWSER, async t => {
  const service = await startWith(['Rex', 'Tom'])
  const page = await visit(t, service, '/animals')
  const answered = Promise.withResolvers<void>()
  await page.route(/\/bulk\/delete$/, async route => {
    await answered.promise
    await route.continue()
  })
  await page.getByLabel('Select all rows').check()
  await page.getByRole('button', { name: 'Delete…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete animals' })
  const confirm = dialog.getByRole('button', { name: 'Delete 2 animals', disabled: false })
  await confirm.waitFor()
  // With the clock stopped, a key pressed later arrives before anything that is put off.
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
  await confirm.click()
  await page.keyboard.press('Escape')
  await dialog.getByRole('button', { name: 'Cancel', disabled: true }).waitFor()
  await page.clock.resume()
  answered.resolve()
  await page.getByText('2 animals were deleted').waitFor()
  assert.deepEqual(await namesIn(service), [])
})

test('a form changes only what was changed in it, not what someone else has changed meanwhile', IN_BROWSER, async t => {
  const service = await startWith([])
  const { id } = (await service.call('POST', '/accounts', { body: { name: 'Greedy', plan: 'free' } })).value
  await service.call('POST', `/accounts/${id}/keys`, { body: { name: 'Till' } })
  await service.call('POST', '/sources', { body: { name: 'shelter', missing: 'delete' } })
  const page = await visit(t, service, '/keys')
  const dialog = page.getByRole('dialog').last()
  await rowOf(page, 'Till').click()
  await dialog.getByRole('button', { name: 'Change' }).click()
  await dialog.getByLabel('Name').fill('Checkout')
  await service.call('PATCH', '/keys/1', { body: { scope: 'read', networks: ['192.0.2.7'] } })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Checkout' }).waitFor()
  const { name, scope, networks } = (await service.call('GET', '/keys/1')).value
  assert.deepEqual([name, scope, networks], ['Checkout', 'read', ['192.0.2.7/32']])

  await page.goto(`${service.operatorUrl}/console/sources?open=shelter`)
  await page.getByRole('button', { name: 'Change settings' }).click()
  await dialog.getByLabel('Column with the ids').fill('ID')
  await service.call('PATCH', '/sources/shelter', { body: { missing: 'keep', meanings: 'status:Foster=pending' } })
  await dialog.getByRole('button', { name: 'Save settings' }).click()
  await page.getByText('Change settings').waitFor()
  await page.getByText('They stay as they are').waitFor()
  const [source] = (await service.call('GET', '/sources')).value
  assert.deepEqual([source.keyColumn, source.missing, source.meanings], ['ID', 'keep', 'status:Foster=pending'])
})

test('a bulk deletion whose response is lost shows that the animals are gone', IN_BROWSER, async t => {
  const service = await startWith(['Rex', 'Tom'])
  const page = await visit(t, service, '/animals', LOST)
  await loseFirst(page, 'POST', /\/bulk\/delete$/)
  await page.getByLabel('Select Rex').check()
  await page.getByLabel('Select Tom').check()
  await page.getByRole('button', { name: 'Delete…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete animals' })
  await dialog.getByRole('button', { name: 'Delete 2 animals' }).click()
  await dialog.getByText(UNREACHABLE).waitFor()
  await dialog.getByText('2 selected animals no longer exist.').waitFor()
  assert.ok(await dialog.getByRole('button', { name: 'Delete 0 animals' }).isDisabled())
})

test('a write is done when the service has done it, even if the lists cannot be refreshed', IN_BROWSER, async t => {
  const service = await startWith([])
  const { id } = (await service.call('POST', '/accounts', { body: { name: 'Greedy', plan: 'free' } })).value
  const page = await visit(t, service, `/accounts/${id}`)
  await page.route(/\/admin\/v1\//, route => (route.request().method() === 'GET' ? undefined : route.continue()))
  await page.getByRole('button', { name: 'Suspend' }).click()
  await page.getByRole('button', { name: 'Suspend account' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  assert.equal((await service.call('GET', `/accounts/${id}`)).value.state, 'suspended')
})

const NAMES = { '/usage': 'Usage', '/keys': 'Keys' }

for (const path of [
  ['/usage', '/keys'],
  ['/keys', '/usage'],
] as const) {
  test(`${path.join(', then ')} narrowed to the same account show it`, IN_BROWSER, async t => {
    const service = await startWith([])
    const { id } = (await service.call('POST', '/accounts', { body: { name: 'Greedy', plan: 'free' } })).value
    await service.call('POST', `/accounts/${id}/keys`, { body: { name: 'Till' } })
    const page = await visit(t, service, path[0])
    for (const screen of path) {
      if (screen !== path[0]) await page.locator(`nav a[href$="${screen}"]`).click()
      await page.getByRole('heading', { name: NAMES[screen], level: 1 }).waitFor()
      const account = page.getByRole('combobox', { name: 'Account' })
      await account.fill('Greedy')
      await account.press('Enter')
      await untilTrue(page, `location.pathname.endsWith('${screen}') && location.search.includes('account=')`)
      if (screen === '/keys') await rowOf(page, 'Till').waitFor()
      else await page.getByLabel('Key', { exact: true }).getByText('Till').waitFor({ state: 'attached' })
    }
    assert.equal(await page.getByText('cannot be shown').count(), 0)
  })
}

test('"Try again" on a screen that cannot be shown reads its data again', IN_BROWSER, async t => {
  const service = await startWith([])
  const page = await visit(t, service, '/', { mayComplain: /Error|undefined/ })
  await page.route(/\/admin\/v1\/bans\?.*limit=100/, route => route.fulfill({ json: [null] }))
  await page.getByRole('link', { name: 'Bans' }).click()
  await page.getByRole('heading', { name: 'This screen cannot be shown' }).waitFor()
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { name: 'Bans', level: 1 }).waitFor()
})

test(
  'an action that takes long can be closed, and closes nothing later that was opened meanwhile',
  IN_BROWSER,
  async t => {
    const service = await startWith(['Rex', 'Tom'])
    const page = await visit(t, service, '/animals')
    const answered = Promise.withResolvers<void>()
    await page.route(/\/pets\/1$/, async route => {
      if (route.request().method() === 'DELETE') await answered.promise
      await route.continue()
    })
    const question = page.getByRole('dialog', { name: 'Delete “Rex”?' })
    await page.clock.install()
    await rowOf(page, 'Rex').focus()
    await page.keyboard.press('Delete')
    await question.getByRole('button', { name: 'Delete animal' }).click()
    await question.getByRole('button', { name: 'Cancel', disabled: true }).waitFor()
    await page.clock.fastForward(11_000)
    await question.getByRole('alert').getByText('This takes longer than usual.').waitFor()
    await question.getByText('Close', { exact: true }).click()
    await question.waitFor({ state: 'detached' })

    await rowOf(page, 'Tom').focus()
    await page.keyboard.press('Delete')
    const other = page.getByRole('dialog', { name: 'Delete “Tom”?' })
    await other.waitFor()
    answered.resolve()
    // Behind the dialog, the list has no roles.
    await page.locator('tr').filter({ hasText: 'Rex' }).waitFor({ state: 'detached' })
    await other.getByRole('button', { name: 'Delete animal', disabled: false }).waitFor()
    assert.deepEqual(await namesIn(service), ['Tom'])
  },
)

test(
  'a key is issued once although the network falls silent, which fails the call after two minutes',
  IN_BROWSER,
  async t => {
    const service = await startWith([])
    const { id } = (await service.call('POST', '/accounts', { body: { name: 'Greedy', plan: 'free' } })).value
    const page = await visit(t, service, `/accounts/${id}`, LOST)
    const { promise: silence, resolve: end } = Promise.withResolvers<void>()
    t.after(() => end())
    await page.route(
      /\/keys$/,
      async route => {
        await route.fetch()
        await silence
      },
      { times: 1 },
    )
    await page.evaluate(`{
    const { timeout } = AbortSignal
    AbortSignal.timeout = ms => timeout.call(AbortSignal, ms === 120_000 ? 2_000 : ms)
  }`)
    await page.keyboard.press('n', BY_HAND)
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Issue the key' }).click()
    await dialog.getByText(UNREACHABLE).waitFor()
    await dialog.getByRole('button', { name: 'Issue the key' }).click()
    await dialog.getByRole('button', { name: 'I have stored it' }).waitFor()
    assert.equal((await service.call('GET', '/keys')).value.length, 1)
  },
)
