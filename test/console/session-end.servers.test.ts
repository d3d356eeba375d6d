import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from '../../tools/playwright.ts'
import { startOperatorService } from '../support/operator.ts'
import { BY_HAND, IN_BROWSER } from '../support/servers/browser.ts'
import { assertAccessible, assertFits, buildConsoleVisit, passTime } from '../support/servers/console.ts'

// A session ends in the middle of work, or in another tab.

const service = await startOperatorService({ after })
const visit = buildConsoleVisit({ after })
const EXPECTED = /401/

for (const width of [390, 1440]) {
  test(`a form outlives its session, and is saved after signing in again, ${width} wide`, IN_BROWSER, async t => {
    const viewport = { width, height: 844 }
    const page = await visit(t, service, '/accounts', { mayComplain: EXPECTED, viewport })
    const name = `Half a name ${width}`
    await fillAccount(page, name)
    await endSession(page)
    const attempts = countCalls(page, '/admin/v1/accounts', 'POST')
    await page.getByRole('button', { name: 'Create the account' }).click()
    const overlay = page.getByRole('dialog', { name: 'Your session has ended' })
    await overlay.waitFor()
    assert.equal(await overlay.count(), 1)
    await overlay.getByLabel('Operator token').and(page.locator(':focus')).waitFor()
    await assertAccessible(page, 'session has ended')
    await assertFits(page)
    await page.keyboard.press('Escape')
    await signIn(page, service.admin.token)
    await overlay.waitFor({ state: 'detached' })
    const field = page.getByRole('dialog', { name: 'Create an account' }).getByLabel('Name', { exact: true })
    assert.equal(await field.inputValue(), name)
    assert.equal(attempts(), 1)
    await page.getByRole('button', { name: 'Create the account' }).click()
    await page.getByRole('heading', { name, level: 1 }).waitFor()
  })
}

test('after the session has ended, no requests are sent, and the screen keeps its data', IN_BROWSER, async t => {
  const page = await visit(t, service, '/animals', { mayComplain: EXPECTED })
  await page.getByRole('heading', { name: 'Animals', level: 1 }).waitFor()
  await page.clock.install()
  await endSession(page)
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
  const calls = countCalls(page, '/admin/v1/')
  await passTime(page)
  assert.equal(calls(), 0)
  const fresh = page.waitForRequest(/admin\/v1\/pets\?/)
  await signIn(page, service.admin.token)
  await fresh
})

test('an operator whose token is revoked in the middle of work continues with a new one', IN_BROWSER, async t => {
  const first = await service.createToken('admin', { name: 'Clara' })
  const page = await visit(t, service, '/accounts', { token: first.token, mayComplain: EXPECTED })
  await fillAccount(page, 'From Clara')
  await service.call('POST', `/tokens/${first.id}/revoke`)
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
  await signIn(page, first.token)
  await page.getByText('The operator token is not valid.').waitFor()
  const second = await service.createToken('admin', { name: 'Clara' })
  await signIn(page, second.token)
  await page.getByRole('button', { name: 'Create the account' }).click()
  await page.getByRole('heading', { name: 'From Clara', level: 1 }).waitFor()
})

test('a file that is not imported yet outlives a token that is replaced', IN_BROWSER, async t => {
  const first = await service.createToken('admin', { name: 'Dora' })
  const page = await visit(t, service, '/import', { token: first.token, mayComplain: EXPECTED })
  const file = { name: 'animals.csv', mimeType: 'text/csv', buffer: Buffer.from('name,category\nRex,1\n') }
  await page.getByLabel('File to import').setInputFiles(file)
  await page.getByRole('heading', { name: 'Columns' }).waitFor()
  await service.call('POST', `/tokens/${first.id}/revoke`)
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
  const second = await service.createToken('admin', { name: 'Dora' })
  await signIn(page, second.token)
  await page.getByRole('button', { name: 'Check the file' }).click()
  await page.getByRole('button', { name: 'Import 1 animal' }).waitFor()
})

test('someone else starts fresh, with a message that says so', IN_BROWSER, async t => {
  const page = await visit(t, service, '/accounts', { mayComplain: EXPECTED })
  await fillAccount(page, 'Secret of Anna')
  await endSession(page)
  await page.getByRole('button', { name: 'Create the account' }).click()
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
  await signIn(page, service.staff.token)
  await page.getByText('You are signed in as Sam. The unsaved changes of Anna were discarded.').waitFor()
  assert.equal(await page.getByRole('dialog', { name: 'Create an account' }).count(), 0)
  assert.equal(new URL(page.url()).pathname, '/console/accounts')
})

test('signing in and out applies to all tabs', IN_BROWSER, async t => {
  const one = await visit(t, service, '/accounts', { mayComplain: EXPECTED })
  const two = await one.context().newPage()
  await two.goto(`${service.operatorUrl}/console/health`)
  await two.getByRole('heading', { name: 'Health', level: 1 }).waitFor()
  const three = await one.context().newPage()
  await three.goto(`${service.operatorUrl}/console/audit`)
  await three.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor()
  await fillAccount(one, 'In the first tab')

  await two.getByRole('button', { name: /Anna/ }).click()
  await two.getByRole('menuitem', { name: 'Sign out' }).click()
  await two.getByRole('heading', { name: 'Sign in to Petstore' }).waitFor()
  await three.getByRole('heading', { name: 'Sign in to Petstore' }).waitFor()
  await one.getByRole('dialog', { name: 'Your session has ended' }).waitFor()

  await signIn(three, service.admin.token)
  await three.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor()
  await two.getByRole('heading', { name: 'Health', level: 1 }).waitFor()
  await one.getByRole('button', { name: 'Create the account' }).click()
  await one.getByRole('heading', { name: 'In the first tab', level: 1 }).waitFor()

  // Someone else signs in where the first operator still works.
  await two.getByRole('button', { name: /Anna/ }).click()
  await two.getByRole('menuitem', { name: 'Sign out' }).click()
  await signIn(two, service.staff.token)
  await one.getByRole('button', { name: /Sam/ }).waitFor()
})

for (const { what, begin, end } of [
  {
    what: 'someone else who signed in during an outage starts fresh',
    begin: async (page: Page) => {
      const other = await page.context().newPage()
      await page.context().clearCookies()
      await other.goto(`${service.operatorUrl}/console/health`)
      await signIn(other, service.staff.token)
      await other.getByRole('button', { name: /Sam/ }).waitFor()
    },
    end: async (page: Page) => {
      await page.getByText('You are signed in as Sam. The unsaved changes of Anna were discarded.').waitFor()
      await page.getByRole('heading', { name: 'Drop a file here' }).waitFor()
    },
  },
  {
    what: 'the work on a page that did not hear of a sign-out is kept for its operator',
    begin: (page: Page) => page.evaluate(`localStorage.removeItem('petstore-signed-in')`),
    end: async (page: Page) => {
      await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
      await signIn(page, service.staff.token)
      await page.getByText('You are signed in as Sam. The unsaved changes of Anna were discarded.').waitFor()
    },
  },
]) {
  test(what, IN_BROWSER, async t => {
    const page = await visit(t, service, '/import', { mayComplain: /401|ERR_/ })
    const file = { name: 'animals.csv', mimeType: 'text/csv', buffer: Buffer.from('name,category\nRex,1\n') }
    await page.getByLabel('File to import').setInputFiles(file)
    await page.getByRole('heading', { name: 'Columns' }).waitFor()
    await page.route('**/admin/v1/**', route => route.abort('connectionrefused'))
    await page.evaluate("dispatchEvent(new Event('offline'))")
    await page.getByText('Petstore cannot be reached.').waitFor()
    await begin(page)
    await page.unroute('**/admin/v1/**')
    await end(page)
  })
}

test('shortcuts wait until someone has signed in again', IN_BROWSER, async t => {
  const page = await visit(t, service, '/accounts', { mayComplain: EXPECTED })
  await page.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor()
  await endSession(page)
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
  const overlay = page.getByRole('dialog', { name: 'Your session has ended' })
  await overlay.getByRole('button', { name: 'Sign in' }).focus()
  for (const key of ['Control+k', 'g', 'h']) await page.keyboard.press(key)
  await signIn(page, service.admin.token)
  await overlay.waitFor({ state: 'detached' })
  assert.equal(await page.getByRole('dialog').count(), 0)
  assert.equal(new URL(page.url()).pathname, '/console/accounts')
})

test('signing out works after the session has ended', IN_BROWSER, async t => {
  const page = await visit(t, service, '/accounts', { mayComplain: EXPECTED })
  await page.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor()
  await page.getByRole('button', { name: /Anna/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()
  await endSession(page)
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in to Petstore' }).waitFor()
})

test('after a reload, someone else does not see where the last operator was', IN_BROWSER, async t => {
  const page = await visit(t, service, '/accounts', { mayComplain: EXPECTED })
  await page.getByRole('link', { name: 'Health' }).click()
  await page.getByRole('heading', { name: 'Health', level: 1 }).waitFor()
  assert.match(await storedVisits(page), /Accounts/)
  await endSession(page)
  await page.reload()
  await signIn(page, service.staff.token)
  await page.getByRole('button', { name: /Sam/ }).waitFor()
  assert.doesNotMatch(await storedVisits(page), /Accounts/)
})

async function storedVisits(page: Page): Promise<string> {
  return page.evaluate(`sessionStorage.getItem('petstore-recent') ?? ''`)
}

async function fillAccount(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor()
  await page.keyboard.press('n', BY_HAND)
  await page.getByRole('dialog', { name: 'Create an account' }).getByLabel('Name', { exact: true }).fill(name)
}

/** Simulates an expired session: the cookie no longer belongs to a session. */
async function endSession(page: Page): Promise<void> {
  await page.context().clearCookies()
}

async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('Operator token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

function countCalls(page: Page, path: string, method?: string): () => number {
  let calls = 0
  page.on('request', request => {
    if (request.url().includes(path) && (method === undefined || request.method() === method)) calls += 1
  })
  return () => calls
}
