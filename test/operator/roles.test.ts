import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { OPERATIONS } from '../../src/operator/operations/all.ts'
import { assertRefused, startOperatorService } from '../support/operator.ts'
import { actionOf, exampleOf } from '../support/operator-examples.ts'

// `staff` may work with animals and read everything; `admin` may do all.

const service = await startOperatorService({ after })

test('what changes more than animals is for admins alone', () => {
  const changing = OPERATIONS.filter(operation => actionOf(operation)?.match(/^(account|key|ban|token)\./))
  assert.ok(changing.length >= 10)
  for (const { id, role } of changing) assert.equal(role, 'admin', id)
})

test('an admin may do all', async t => {
  for (const operation of OPERATIONS) {
    await t.test(operation.id, async () => {
      const { method, path, options } = await exampleOf(operation, service)
      const answer = await service.call(method, path, options)
      assert.equal(answer.status, operation.status, answer.text)
    })
  }
})

test('staff may do what is for staff', async t => {
  for (const operation of OPERATIONS.filter(({ role }) => role === 'staff')) {
    await t.test(operation.id, async () => {
      const { method, path, options } = await exampleOf(operation, service)
      const answer = await service.call(method, path, { ...options, token: service.staff.token })
      assert.equal(answer.status, operation.status, answer.text)
    })
  }
})

test('staff may do nothing of what is for admins, with a token or a session, and nothing is changed by their trying', async t => {
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

test('a role is refused before anything else is looked at', async () => {
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
