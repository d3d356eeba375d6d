import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createSignInLink } from '../src/domain/administration/sign-in-links.ts'
import { startOperatorService } from './support/operator.ts'
import { IN_BROWSER } from './support/servers/browser.ts'
import { startPrefixProxy } from './support/servers/prefix-proxy.ts'
import { buildVisit } from './support/servers/visit.ts'

// The page that signs a browser in to a service without a built console. test/console/sign-in-link.servers.test.ts has the console's own.

const service = await startOperatorService({ after }, { consoleFolder: new URL('file:///nonexistent/') })
const visit = buildVisit({ after })
const PAGE = `${service.operatorUrl}/console/sign-in`

test('a link signs the browser in, and leaves no secret in its address or its requests', IN_BROWSER, async t => {
  const { secret } = await createLink()
  const { page, requests, complaints } = await visit(t, `${PAGE}#${secret}`)
  await page.getByText(/^You are signed in as Olga \(admin\) until /).waitFor()
  assert.equal(page.url(), PAGE)
  for (const url of requests) assert.ok(!url.includes(secret), url)
  assert.deepEqual(complaints, [])
  const [cookie] = await page.context().cookies()
  assert.deepEqual([cookie?.name, cookie?.httpOnly, cookie?.sameSite], ['petstore_session_live', true, 'Strict'])
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('You are signed out.').waitFor()
  assert.deepEqual(await page.context().cookies(), [])
})

test('a used link leads to the form, in which a token signs in', IN_BROWSER, async t => {
  const { secret } = await createLink()
  await service.call('POST', '/session', { token: null, body: { link: secret } })
  const { page } = await visit(t, `${PAGE}#${secret}`)
  await page.getByText(/^The sign-in link has expired or was already used/).waitFor()
  await page.getByLabel('Operator token').fill(service.staff.token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText(/^You are signed in as Sam \(staff\) until /).waitFor()
})

test('a second link that is opened in the same tab is used, too', IN_BROWSER, async t => {
  const { page } = await visit(t, PAGE)
  await page.getByLabel('Operator token').waitFor()
  const { secret } = await createLink()
  await page.goto(`${PAGE}#${secret}`)
  await page.getByText(/^You are signed in as Olga/).waitFor()
})

test('the page works below a path prefix of a proxy', IN_BROWSER, async t => {
  const { secret } = await createLink()
  const proxy = await startPrefixProxy(t, service.operatorUrl)
  const { page } = await visit(t, `${proxy}/shop/console/sign-in#${secret}`)
  await page.getByText(/^You are signed in as Olga/).waitFor()
})

test('without JavaScript, the page says what is missing, and the link stays usable', IN_BROWSER, async t => {
  const { secret } = await createLink()
  const { page } = await visit(t, `${PAGE}#${secret}`, { javaScriptEnabled: false })
  assert.match(await page.content(), /<noscript><p>Your browser must run JavaScript to sign you in\.<\/p><\/noscript>/)
  const answer = await service.call('POST', '/session', { token: null, body: { link: secret } })
  assert.equal(answer.status, 201)
})

function createLink() {
  return createSignInLink(service.adminContext(), { name: 'Olga', role: 'admin' })
}
