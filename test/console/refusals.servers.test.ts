import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refusedCall } from '../../src/domain/store-contract/refusals.contract.ts'
import { startOperatorService } from '../support/operator.ts'
import { IN_BROWSER } from '../support/servers/browser.ts'
import { assertAccessible, assertFits, buildConsoleVisit } from '../support/servers/console.ts'

// The last refused and failed calls, on the page of an account and beside a key.

const service = await startOperatorService({ after }, { now: Date.now() })
const visit = buildConsoleVisit({ after })
const { account, keyId } = await service.createCaller({ keyName: 'Checkout' })
const { now } = service.clock

const LONG = `/v1/pets?status=available&note=${'a-long-value.'.repeat(30)}`
const CALLS = [
  refusedCall({ keyId, calledAt: now, path: '/v1/pets?limit=0', status: 400, code: 'invalid_parameter' }),
  refusedCall({ keyId, calledAt: now - 1_000, path: LONG, userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Shop/7.2' }),
  refusedCall({
    keyId,
    calledAt: now - 2_000,
    method: 'POST',
    status: 503,
    code: 'service_unavailable',
    userAgent: undefined,
  }),
  refusedCall({ keyId, calledAt: now - 3_000, status: 418, code: 'code_of_a_newer_release' }),
]
const OLDER = Array.from({ length: 20 }, (_, minute) => refusedCall({ keyId, calledAt: now - (minute + 1) * 60_000 }))

await service.store.addRefusals([...CALLS, ...OLDER])

for (const [size, viewport] of [
  ['in a wide window', { width: 1_440, height: 900 }],
  ['on a phone', { width: 390, height: 844 }],
] as const) {
  test(`the refused calls of an account and of a key are shown newest first, ${size}`, IN_BROWSER, async t => {
    const page = await visit(t, service, `/accounts/${account.id}`, { viewport })
    const panel = page.getByRole('region', { name: 'Refused and failed calls' })
    const rows = panel.getByRole('row').filter({ has: page.getByRole('cell') })
    await rows.first().getByText('A parameter is not valid').waitFor()
    assert.equal(await rows.count(), 10)
    for (const text of ['400', 'invalid_parameter', 'GET /v1/pets?limit=0', 'Checkout', '192.0.2.7', 'curl/8']) {
      await rows.first().getByText(text).waitFor()
    }
    await rows.nth(2).getByText('The store was not available').waitFor()
    await rows.nth(3).getByText('code_of_a_newer_release').waitFor()
    const more = panel.getByRole('button', { name: 'Show all 24' })
    const { width = 0 } = (await more.boundingBox()) ?? {}
    assert.ok(width > 0 && width < 200, `as wide as its text: ${width}`)
    await more.click()
    await rows.nth(23).waitFor()
    await assertFits(page)
    await assertAccessible(page, 'an account')

    await page.goto(`${service.operatorUrl}/console/keys?key=${keyId}`)
    const drawer = page.getByRole('dialog', { name: 'Checkout' })
    const first = drawer
      .getByRole('row')
      .filter({ has: page.getByRole('cell') })
      .first()
    await first.getByText('GET /v1/pets?limit=0').waitFor()
    assert.equal(await first.getByText('Checkout').count(), 0, 'the key is known')
    await assertFits(page)
    await assertAccessible(page, 'a key')
  })
}

test('an account and a key without refused calls say so, also to staff', IN_BROWSER, async t => {
  const quiet = await service.createCaller({ keyName: 'Quiet' })
  const page = await visit(t, service, `/accounts/${quiet.account.id}`, { token: service.staff.token })
  const none = 'No call has been refused or has failed in the last 7 days.'
  await page.getByText(none).waitFor()
  await page.getByRole('row', { name: 'Quiet' }).click()
  await page.getByRole('dialog').getByText(none).waitFor()
})
