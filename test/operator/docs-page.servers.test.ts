import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startOperatorService } from '../support/operator.ts'
import { IN_BROWSER } from '../support/servers/browser.ts'
import { buildVisit } from '../support/servers/visit.ts'

// The documentation of the admin API, in a browser.

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
