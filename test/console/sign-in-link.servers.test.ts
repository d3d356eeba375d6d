import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createSignInLink } from '../../src/domain/administration/sign-in-links.ts'
import { startOperatorService } from '../support/operator.ts'
import { IN_BROWSER } from '../support/servers/browser.ts'
import '../support/servers/console.ts'
import { startPrefixProxy } from '../support/servers/prefix-proxy.ts'
import { buildVisit } from '../support/servers/visit.ts'

// Links that sign a browser in to the console.

const service = await startOperatorService({ after })
const visit = buildVisit({ after })
const PAGE = `${service.operatorUrl}/console/sign-in`

test('a link signs in, and leaves no secret in the address, the history or a request', IN_BROWSER, async t => {
  const secret = await createLink('Olga')
  const { page, requests, complaints } = await visit(t, `${PAGE}#${secret}`)
  await page.getByRole('button', { name: /Olga/ }).waitFor()
  assert.equal(page.url(), `${service.operatorUrl}/console/`)
  for (const url of requests) assert.ok(!url.includes(secret), url)
  await page.reload()
  await page.getByRole('button', { name: /Olga/ }).waitFor()
  await page.goBack()
  assert.ok(!page.url().includes(secret))
  assert.deepEqual(complaints, [])
})

test('a used link leads to the form and says why, and a token signs in there', IN_BROWSER, async t => {
  const secret = await createLink('Olga')
  await service.call('POST', '/session', { token: null, body: { link: secret } })
  const { page } = await visit(t, `${PAGE}#${secret}`)
  await page.getByRole('alert').filter({ hasText: 'has expired or was already used' }).waitFor()
  assert.equal(page.url(), `${service.operatorUrl}/console/`)
  await page.getByLabel('Operator token').fill(service.staff.token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: /Sam/ }).waitFor()
})

test('a link signs in the operator it is for, even if someone else is signed in', IN_BROWSER, async t => {
  const { page } = await visit(t, `${PAGE}#${await createLink('Olga')}`)
  await page.getByRole('button', { name: /Olga/ }).waitFor()
  await page.goto(`${PAGE}#${await createLink('Piet')}`)
  await page.getByRole('button', { name: /Piet/ }).waitFor()
  await page.getByRole('button', { name: /Piet/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByLabel('Operator token').waitFor()
  assert.equal(await page.getByRole('alert').count(), 0, 'the link is forgotten')
})

test('while the service cannot be reached, the link is kept for another try', IN_BROWSER, async t => {
  const { page } = await visit(t, 'about:blank')
  await page.route('**/admin/v1/session', route => route.abort())
  await page.goto(`${PAGE}#${await createLink('Olga')}`)
  const again = page.getByRole('button', { name: 'Try again' })
  await again.waitFor()
  await page.unroute('**/admin/v1/session')
  await again.click()
  await page.getByRole('button', { name: /Olga/ }).waitFor()
})

test('without a link, the page for links is the console', IN_BROWSER, async t => {
  const { page, complaints } = await visit(t, PAGE)
  await page.getByLabel('Operator token').waitFor()
  assert.equal(page.url(), `${service.operatorUrl}/console/`)
  assert.deepEqual(complaints, [])
})

test('below a path prefix of a proxy, links, screens and reloads work', IN_BROWSER, async t => {
  const root = `${await startPrefixProxy(t, service.operatorUrl)}/shop`
  const { page, requests, complaints } = await visit(t, `${root}/console/sign-in#${await createLink('Olga')}`)
  await page.getByRole('button', { name: /Olga/ }).waitFor()
  assert.equal(page.url(), `${root}/console/`)
  for (const path of ['/console', '/console/', '/console/no/such/screen']) {
    await page.goto(root + path)
    await page.getByRole('button', { name: /Olga/ }).waitFor()
  }
  await page.getByRole('link', { name: 'Overview' }).first().click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  assert.match(page.url(), /\/shop\/console\/?$/)
  for (const url of requests) assert.ok(url.startsWith(root), url)
  assert.deepEqual(complaints, [])
})

test('without JavaScript, the page says what is missing, and the link stays usable', IN_BROWSER, async t => {
  const secret = await createLink('Olga')
  const { page } = await visit(t, `${PAGE}#${secret}`, { javaScriptEnabled: false })
  assert.match(await page.content(), /<noscript>The console needs JavaScript/)
  const answer = await service.call('POST', '/session', { token: null, body: { link: secret } })
  assert.equal(answer.status, 201)
})

async function createLink(name: string): Promise<string> {
  return (await createSignInLink(service.adminContext(), { name, role: 'admin' })).secret
}
