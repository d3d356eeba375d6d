import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startOperatorService } from '../support/operator.ts'

// The documentation of the admin API; docs-page.servers.test.ts opens it in a browser.

const service = await startOperatorService({ after })

test('no other site can frame the page or run a script in it', async () => {
  const page = await service.ask('GET', '/docs', { token: null })
  assert.equal(page.status, 200)
  const policy = (page.header('content-security-policy') ?? '').split('; ')
  for (const rule of ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"]) {
    assert.ok(policy.includes(rule), rule)
  }
  assert.equal(page.header('x-content-type-options'), 'nosniff')
})
