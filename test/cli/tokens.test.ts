import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createToken, revokeToken } from '../../src/domain/administration/tokens.ts'
import { assertTime, assertUserError, makeStore, startServe } from '../support/command-line.ts'

test('operator tokens are created, listed and revoked', async t => {
  const store = await makeStore(t)
  await store.issueKey()
  assert.match(await store.text('token', 'list'), /no operator tokens yet/)
  const before = Date.now()
  const created = await store.json('token', 'create', ' Anna ', '--role', 'admin', '--expires', '2090-12-31')
  const { token, createdAt, ...rest } = created
  assert.match(token, /^petstore_operator_live_[0-9A-Za-z]{36}$/)
  assertTime(createdAt, before)
  const expiresAt = '2090-12-31T00:00:00.000Z'
  assert.deepEqual(rest, {
    id: 1,
    name: 'Anna',
    role: 'admin',
    source: null,
    hint: token.slice(-4),
    expiresAt,
    revokedAt: null,
    state: 'active',
  })

  const shown = await store.text('token', 'create', 'Front desk', '--role', 'staff')
  assert.match(shown, /^petstore_operator_live_\w{36}\n\nThis is token 2 of "Front desk", with the role staff\.\n/)
  assert.match(shown, /shown only once/)

  const revoked = await store.json('token', 'revoke', '1')
  assertTime(revoked.revokedAt, before)
  assert.deepEqual(revoked, { ...rest, createdAt, revokedAt: revoked.revokedAt, state: 'revoked' })
  const [first, second] = await store.json('token', 'list')
  assert.deepEqual(first, revoked)
  assert.deepEqual([second.name, second.role, second.expiresAt, second.state], ['Front desk', 'staff', null, 'active'])
  assert.match(
    await store.text('token', 'list'),
    /^ID .*\n1 {3}Anna .* revoked .*\n2 {3}Front desk {2}staff .* active /,
  )
  assert.equal(await store.text('token', 'revoke', '2'), 'Token 2 of "Front desk" is revoked.\n')
})

test('an invalid token is a user error', async t => {
  const store = await makeStore(t)
  await store.act(async context => {
    await createToken(context, { name: 'Anna', role: 'staff' })
    await revokeToken(context, '1')
  })
  const cases: readonly (readonly [command: string, message: RegExp])[] = [
    ['create Anna', /--role .* see "petstore token create --help"/],
    ['create Anna --role boss', /no role "boss"; choose one of staff, admin/],
    ['create Anna --role staff --expires 2020-01-01', /future/],
    ['revoke 1', /already revoked/],
    ['revoke 2', /no operator token with id "2"/],
    ['revoke Anna', /no operator token with id "Anna"/],
    ['create a\nb --role staff', /no control characters/],
  ]
  const endings = await store.runEach(cases.map(([command]) => ['token', ...command.split(' ')]))
  for (const [index, [, message]] of cases.entries())
    assertUserError(endings[index], message, cases[index]?.[0].startsWith('create') ? 2 : 1)
  assert.equal((await store.json('token', 'list')).length, 1)
})

test('a token lets an operator in from the next call on, until it is revoked', async t => {
  const service = await startServe(t)
  const { token } = await service.store.json('token', 'create', 'Anna', '--role', 'staff')
  const call = () => fetch(`${service.operatorUrl}/admin/v1/session`, { headers: { authorization: `Bearer ${token}` } })
  assert.equal((await call()).status, 200)
  await service.store.text('token', 'revoke', '1')
  assert.equal((await call()).status, 401)
})
