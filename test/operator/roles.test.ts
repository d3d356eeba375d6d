import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { OPERATIONS } from '../../src/operator/routes.ts'
import { assertRefused, startOperatorService } from '../support/operator.ts'
import { actionOf, exampleOf } from '../support/operator-examples.ts'

// `staff` can manage animals and read everything except tokens; `admin` can do everything.

const service = await startOperatorService({ after })

test('only admins may change anything except animals', () => {
  const changing = OPERATIONS.filter(operation => actionOf(operation)?.match(/^(account|key|ban|token)\./))
  assert.ok(changing.length >= 10)
  for (const { id, role } of changing) assert.equal(role, 'admin', id)
})

test('an admin may call every operation', async t => {
  for (const operation of OPERATIONS) {
    await t.test(operation.id, async () => {
      const { method, path, options } = await exampleOf(operation, service)
      const answer = await service.call(method, path, options)
      assert.equal(answer.status, operation.status, answer.text)
    })
  }
})

test('staff may call the operations of staff', async t => {
  for (const operation of OPERATIONS.filter(({ role }) => role === 'staff')) {
    await t.test(operation.id, async () => {
      const { method, path, options } = await exampleOf(operation, service)
      const answer = await service.call(method, path, { ...options, token: service.staff.token })
      assert.equal(answer.status, operation.status, answer.text)
    })
  }
})

test('staff may not call the operations of admins, with a token or a session, and change nothing by trying', async t => {
  const { cookie, csrf } = await service.signIn(service.staff.token)
  const admins = OPERATIONS.filter(({ role }) => role === 'admin')
  assert.ok(admins.length >= 10)
  for (const operation of admins) {
    await t.test(operation.id, async () => {
      const { method, path, options } = await exampleOf(operation, service)
      const before = service.snapshot()
      for (const credentials of [{ token: service.staff.token }, { cookie, csrf }]) {
        assertRefused(await service.call(method, path, { ...options, ...credentials }), 'role_insufficient')
      }
      assert.deepEqual(service.snapshot(), before)
    })
  }
})

test('the role is checked before anything else', async () => {
  const { token } = service.staff
  for (const [path, body] of [
    ['/accounts', '{'],
    ['/accounts/999999/keys', 'x'.repeat(70_000)],
    ['/keys/none/rotate', '{"overlapSeconds":-1}'],
    ['/keys/999999/revoke', undefined],
  ] as const) {
    assertRefused(await service.call('POST', path, { token, body }), 'role_insufficient')
  }
})
