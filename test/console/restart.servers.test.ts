import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type OperatorService, startOperatorService } from '../support/operator.ts'
import { BY_HAND, IN_BROWSER } from '../support/servers/browser.ts'
import { assertAccessible, assertFits, buildConsoleVisit, untilAsked } from '../support/servers/console.ts'

// The service stops and starts under an open page.

const visit = buildConsoleVisit({ after })
const UNREACHABLE = /ERR_/

test('while the service is stopped, the page keeps its data and the input, and recovers', IN_BROWSER, async t => {
  const service = await startOperatorService(t, { now: Date.now() })
  await service.call('POST', '/accounts', { body: { name: 'Acme Pets', plan: 'free' } })
  const page = await visit(t, service, '/accounts', { mayComplain: UNREACHABLE })
  await page.getByText('Acme Pets').waitFor()
  await page.keyboard.press('n', BY_HAND)
  const form = page.getByRole('dialog', { name: 'Create an account' })
  await form.getByLabel('Name', { exact: true }).fill('Born in a storm')

  await service.close()
  const banner = page.getByText('Petstore cannot be reached. Trying again … Last response at')
  await banner.waitFor()
  await assertAccessible(page, 'unreachable')
  await form.getByRole('button', { name: 'Create the account' }).click()
  await form.getByText('The service cannot be reached. Your input is kept').waitFor()
  assert.equal(await page.getByText('Acme Pets').count(), 1)

  const lists: string[] = []
  page.on('request', request => {
    if (/\/admin\/v1\/accounts\?/.test(request.url())) lists.push(request.url())
  })
  const events = page.waitForRequest(/admin\/v1\/events/)
  const list = page.waitForResponse(/admin\/v1\/accounts\?/)
  await startAgain(service)
  await banner.waitFor({ state: 'detached' })
  await Promise.all([events, list])
  await untilAsked(page)
  assert.equal(lists.length, 1, 'the list is asked for once')
  await form.getByRole('button', { name: 'Create the account' }).click()
  await page.getByRole('heading', { name: 'Born in a storm', level: 1 }).waitFor()
})

test('a page that is opened while the service is stopped opens when it is back', IN_BROWSER, async t => {
  const service = await startOperatorService(t, { now: Date.now() })
  const page = await visit(t, service, '/tokens', { mayComplain: UNREACHABLE })
  await page.getByRole('heading', { name: 'Operator tokens', level: 1 }).waitFor()
  await page.route('**/admin/v1/**', route => route.abort('connectionrefused'))
  await page.reload()
  await page.getByRole('heading', { name: 'Petstore cannot be reached' }).waitFor()
  await page.unroute('**/admin/v1/**')
  await page.getByRole('heading', { name: 'Operator tokens', level: 1 }).waitFor()
})

test('a page whose first call fails tries again on its own', IN_BROWSER, async t => {
  const service = await startOperatorService(t, { now: Date.now() })
  const page = await visit(t, service, '/tokens', { mayComplain: UNREACHABLE })
  await page.getByRole('heading', { name: 'Operator tokens', level: 1 }).waitFor()
  await page.route('**/admin/v1/session', route => route.abort('connectionrefused'), { times: 1 })
  // It is shown for two seconds, which a busy machine may take to report that the page has been loaded.
  await Promise.all([page.getByRole('heading', { name: 'Petstore cannot be reached' }).waitFor(), page.reload()])
  await page.getByRole('heading', { name: 'Operator tokens', level: 1 }).waitFor()
})

test('a browser that is offline says so, and only checks whether the service responds', IN_BROWSER, async t => {
  const service = await startOperatorService(t, { now: Date.now() })
  const page = await visit(t, service, '/animals', { mayComplain: UNREACHABLE })
  await page.getByRole('heading', { name: 'Animals', level: 1 }).waitFor()
  await page.context().setOffline(true)
  const banner = page.getByText('This device is offline.')
  await banner.waitFor()
  await page.context().setOffline(false)
  await banner.waitFor({ state: 'detached' })
})

test(
  'a page that cannot reach the service says why, also if its browser notices later that it is offline',
  IN_BROWSER,
  async t => {
    const service = await startOperatorService(t, { now: Date.now() })
    const page = await visit(t, service, '/animals', { mayComplain: UNREACHABLE })
    await page.getByRole('heading', { name: 'Animals', level: 1 }).waitFor()
    await page.route('**/admin/v1/**', route => route.abort('connectionrefused'))
    await page.evaluate("dispatchEvent(new Event('offline'))")
    const unreachable = page.getByText('Petstore cannot be reached.')
    await unreachable.waitFor()
    await page.context().setOffline(true)
    await page.getByText('This device is offline.').waitFor()
    await page.context().setOffline(false)
    await unreachable.waitFor()
    await page.unroute('**/admin/v1/**')
    await unreachable.waitFor({ state: 'detached' })
  },
)

test('while the service cannot be reached, nothing is said to be missing or to work', IN_BROWSER, async t => {
  const service = await startOperatorService(t, { now: Date.now() })
  const page = await visit(t, service, '/health', { mayComplain: UNREACHABLE })
  const open = (name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
  await page.getByRole('heading', { name: 'Everything works' }).waitFor()
  await open('Overview')
  const entry = page.getByRole('listitem').filter({ hasText: 'Signed in' }).getByRole('link')
  await entry.waitFor()
  await page.route('**/admin/v1/**', route => route.abort('connectionrefused'))
  await page.evaluate("dispatchEvent(new Event('offline'))")
  await page.getByText('Petstore cannot be reached.').waitFor()
  const notLoaded = page.getByText('This cannot be loaded, because Petstore does not respond.')

  await entry.click()
  await page.getByRole('dialog').and(page.locator(':has-text("This cannot be loaded")')).waitFor()
  await page.keyboard.press('Escape')
  await open('Sources')
  await notLoaded.waitFor()
  assert.notEqual(await notLoaded.evaluate(text => getComputedStyle(text).paddingLeft), '0px')
  assert.equal(await page.getByText('There are no sources').count(), 0)
  await open('Health')
  await page.getByRole('heading', { name: 'Not known while Petstore cannot be reached' }).waitFor()
  await assertAccessible(page, 'unreachable health')
})

test(
  'while the service cannot be reached, an animal of the list says that its history cannot be loaded',
  IN_BROWSER,
  async t => {
    const service = await startOperatorService(t, { now: Date.now() })
    await service.call('POST', '/pets', { body: { name: 'Rex', categoryId: 1 } })
    const page = await visit(t, service, '/animals', { mayComplain: UNREACHABLE })
    await page.getByRole('row', { name: /Rex/ }).waitFor()
    await page.route('**/admin/v1/**', route => route.abort('connectionrefused'))
    await page.evaluate("dispatchEvent(new Event('offline'))")
    await page.getByText('Petstore cannot be reached.').waitFor()
    await page.getByText('Rex', { exact: true }).click()
    const animal = page.getByRole('region', { name: 'Rex', exact: true })
    await animal.getByText('This cannot be loaded, because Petstore does not respond.').waitFor()
    await page.unroute('**/admin/v1/**')
    await animal.getByText('Added').waitFor()
  },
)

test(
  'while the service cannot be reached, an animal that was seen can be opened, even if no list has it',
  IN_BROWSER,
  async t => {
    const service = await startOperatorService(t, { now: Date.now() })
    const { value } = await service.call('POST', '/pets', { body: { name: 'Rex', categoryId: 1 } })
    const page = await visit(t, service, `/animals?q=other&open=${value.id}`, { mayComplain: UNREACHABLE })
    const animal = page.getByRole('region', { name: 'Rex', exact: true })
    await animal.waitFor()
    await page.getByRole('navigation').getByRole('link', { name: 'Overview', exact: true }).click()
    await animal.waitFor({ state: 'detached' })
    await page.route('**/admin/v1/**', route => route.abort('connectionrefused'))
    await page.evaluate("dispatchEvent(new Event('offline'))")
    await page.getByText('Petstore cannot be reached.').waitFor()
    await page.goBack()
    await animal.waitFor()
  },
)

for (const width of [390, 768, 1440]) {
  test(`the message that the service cannot be reached covers nothing, ${width} wide`, IN_BROWSER, async t => {
    const service = await startOperatorService(t, { now: Date.now() })
    const viewport = { width, height: 844 }
    const page = await visit(t, service, '/animals', { mayComplain: UNREACHABLE, viewport })
    await page.getByText('No animals yet').waitFor()
    await page.route('**/admin/v1/**', route => route.abort('connectionrefused'))
    await page.evaluate("dispatchEvent(new Event('offline'))")
    await page.getByText('Petstore cannot be reached.').waitFor()
    assert.deepEqual(await page.evaluate(COVERED), [])
    await assertFits(page)
    assert.ok(await page.evaluate('document.documentElement.scrollHeight <= innerHeight'), 'higher than the window')
  })
}

/** For a page to evaluate: the headings and controls under the message. */
const COVERED = `(() => {
  const message = document.querySelector('.banner p').getBoundingClientRect()
  return [...document.querySelectorAll('h1, a, button, input, select')]
    .filter(one => one.checkVisibility() && !one.closest('.visually-hidden, .skip'))
    .filter(one => {
      const { top, bottom, left, right } = one.getBoundingClientRect()
      return top < message.bottom && bottom > message.top && left < message.right && right > message.left
    })
    .map(one => one.textContent || one.outerHTML)
})()`

/** On the same port and the same store. */
async function startAgain(service: OperatorService): Promise<void> {
  await service.startAnother({ config: { operatorPort: service.operatorPort } })
}
