import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createToken } from '../../src/domain/administration/tokens.ts'
import { assertRefused, startOperatorService, walk } from '../support/operator.ts'

// Admins manage the operators' tokens over HTTP, but never with more rights than their own.

const service = await startOperatorService({ after })

test('a new token is shown once, and lets its holder in until it is revoked', async () => {
  const body = { name: ' Berta ', role: 'staff', expiresAt: '2099-12-31T00:00:00Z' }
  const created = await service.call('POST', '/tokens', { body })
  assert.equal(created.status, 201)
  const { token, ...shown } = created.value
  assert.match(token, /^petstore_operator_live_\w{36}$/)
  assert.equal(created.header('location'), `/admin/v1/tokens/${shown.id}`)
  const { id, createdAt, hint, ...rest } = shown
  const expiresAt = '2099-12-31T00:00:00.000Z'
  assert.deepEqual(rest, { name: 'Berta', role: 'staff', source: null, state: 'active', expiresAt, revokedAt: null })
  assert.equal(hint, token.slice(-4))
  assert.equal(createdAt, new Date(service.clock.now).toISOString())

  const read = await service.call('GET', `/tokens/${id}`)
  assert.deepEqual(read.value, shown)
  assert.ok(!read.text.includes(token))
  assert.equal((await service.call('GET', '/session', { token })).value.operator.name, 'Berta')
  const { cookie } = await service.signIn(token)
  const revoked = await service.call('POST', `/tokens/${id}/revoke`)
  assert.deepEqual([revoked.value.state, revoked.value.revokedAt], ['revoked', createdAt])
  assertRefused(await service.call('GET', '/session', { token }), 'invalid_token')
  assertRefused(await service.call('GET', '/session', { cookie }), 'invalid_token')
  assertRefused(await service.call('POST', `/tokens/${id}/revoke`), 'conflict', `Token ${id} is already revoked.`)
})

test('tokens are listed by id, page by page', async t => {
  const another = await startOperatorService(t)
  for (let n = 3; n <= 7; n += 1) await another.createToken('staff', { name: `T${n}` })
  const { pages, items } = await walk(another, '/tokens?limit=3')
  assert.equal(pages, 3)
  assert.deepEqual(
    items.map(({ name }) => name),
    ['Anna', 'Sam', 'T3', 'T4', 'T5', 'T6', 'T7'],
  )
})

test('a token cannot create one that outlasts it', async () => {
  const own = await service.createToken('admin', { expiresAt: Date.UTC(2090, 0) })
  const create = (expiresAt?: string) => {
    const body = { name: 'Longer', role: 'admin', ...(expiresAt && { expiresAt }) }
    return service.call('POST', '/tokens', { token: own.token, body })
  }
  for (const expiresAt of [undefined, '2090-01-01T00:00:00.001Z']) {
    const answer = await create(expiresAt)
    assertRefused(
      answer,
      'invalid_input',
      /^Your own token expires on 2090-01-01T00:00:00Z; a new one must not outlast it/,
    )
    assert.equal(answer.value.errors[0].member, 'expiresAt')
  }
  assert.equal((await create('2090-01-01T00:00:00Z')).status, 201)
  const { cookie, csrf } = await service.signIn(own.token)
  const bySession = await service.call('POST', '/tokens', { cookie, csrf, body: { name: 'Longer', role: 'staff' } })
  assertRefused(bySession, 'invalid_input')
})

test('a token cannot create one with a higher role', async () => {
  const context = service.adminContext()
  const actor = { ...context.actor, permit: { tokenId: service.staff.id, role: 'staff' as const } }
  await assert.rejects(createToken({ ...context, actor }, { name: 'Boss', role: 'admin' }), {
    kind: 'invalid',
    member: 'role',
    message: 'A token of the role staff cannot create one of the role admin.',
  })
  assert.equal((await createToken({ ...context, actor }, { name: 'Peer', role: 'staff' })).role, 'staff')
})

test('admins can revoke their own token, which stops working immediately', async () => {
  const own = await service.createToken('admin')
  assert.equal((await service.call('POST', `/tokens/${own.id}/revoke`, { token: own.token })).status, 200)
  assertRefused(await service.call('GET', '/tokens', { token: own.token }), 'invalid_token')
})

test('an invalid token is refused, with every invalid member', async () => {
  const before = service.snapshot()
  const answer = await service.call('POST', '/tokens', { body: { name: 'a\nb', role: 'boss', expiresAt: 'never' } })
  assertRefused(answer, 'invalid_body')
  assert.deepEqual(
    answer.value.errors.map(({ member }: { member: string }) => member),
    ['role', 'expiresAt', 'name'],
  )
  const past = { name: 'Late', role: 'staff', expiresAt: '2020-01-01T00:00:00Z' }
  assertRefused(await service.call('POST', '/tokens', { body: past }), 'invalid_input', /must expire in the future/)
  assert.deepEqual(service.snapshot(), before)
})
