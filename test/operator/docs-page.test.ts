import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { inBrowser } from '../support/browser.ts'
import { startOperatorService } from '../support/operator.ts'
import { buildVisit } from '../support/visit.ts'

// The documentation of the admin API, in a browser, as whoever sits at the console's port reads it.

const IN_BROWSER = inBrowser('test/operator/docs-page.test.ts')
const visit = buildVisit({ after })

const service = await startOperatorService({ after })

test(
  'an operator reads the operations and lists accounts with the console, without a call to another host',
  IN_BROWSER,
  async t => {
    await service.call('POST', '/accounts', { body: { name: 'The Bakery', plan: 'free' } })
    const { page, requests, complaints } = await visit(t, `${service.operatorUrl}/docs`)

    const sidebar = page.getByRole('complementary')
    for (const tag of ['Animals', 'Accounts', 'Keys and bans', 'Records', 'Session']) {
      await sidebar.getByText(tag, { exact: true }).first().waitFor()
    }
    await page.getByPlaceholder('Token').first().fill(service.admin.token)
    await sidebar.getByText('Accounts', { exact: true }).first().click()
    await sidebar.getByRole('link', { name: 'List accounts' }).click()
    await page.getByRole('button', { name: /^Test Request\s*\(get \/accounts\)/ }).click()
    const console = page.getByRole('dialog')
    const answer = page.waitForResponse(response =>
      response.url().startsWith(`${service.operatorUrl}/admin/v1/accounts`),
    )
    await console.getByRole('button', { name: 'Send' }).first().click()
    const { status, headers } = { status: (await answer).status(), headers: (await answer).headers() }
    assert.equal(status, 200, JSON.stringify(headers))
    await console.getByText('"The Bakery"').waitFor()
    assert.deepEqual([...new Set(requests.map(url => new URL(url).origin))], [service.operatorUrl])
    assert.deepEqual(complaints, [])
  },
)

test('the page lets no other site frame it or run a script in it', async () => {
  const page = await service.ask('GET', '/docs', { token: null })
  assert.equal(page.status, 200)
  const policy = (page.header('content-security-policy') ?? '').split('; ')
  for (const rule of ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"]) {
    assert.ok(policy.includes(rule), rule)
  }
  assert.equal(page.header('x-content-type-options'), 'nosniff')
})
