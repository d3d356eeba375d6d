import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { OPERATIONS } from '../../src/operator/routes.ts'
import { assertRefused, startOperatorService } from '../support/operator.ts'
import { exampleOf } from '../support/operator-examples.ts'

// A refusal lists every invalid member of the body, and every invalid parameter of the query, so that a form can show all of them at once.

const service = await startOperatorService({ after })

/** Of no member's type. */
const NOTHING_VALID = { nothing: 'valid' }

test('all invalid members of a body are listed together, including unknown ones', async t => {
  for (const operation of OPERATIONS) {
    const members = Object.keys(operation.body?.properties ?? {})
    if (members.length === 0) continue
    await t.test(operation.id, async () => {
      const { method, path, options } = await exampleOf(operation, service)
      const body = Object.fromEntries(['unknown', ...members].map(name => [name, NOTHING_VALID]))
      const answer = await service.call(method, path, { ...options, body })
      assertRefused(answer, 'invalid_body')
      assert.deepEqual(membersOf(answer), ['unknown', ...members])
    })
  }
})

test('a missing member is required, in every operation: each is listed, and no other rule', async t => {
  for (const [method, path, body, ...missing] of [
    ['POST', '/accounts', {}, 'name', 'plan'],
    ['POST', '/accounts', { plan: 'free' }, 'name'],
    ['PUT', '/accounts/1/plan', {}, 'plan'],
    ['POST', '/tokens', {}, 'Either role or source', 'name'],
    ['POST', '/pets', {}, 'name', 'categoryId'],
    ['POST', '/pets', { status: 'sold' }, 'name', 'categoryId'],
    ['PUT', '/categories/1', {}, 'label'],
    ['POST', '/pets/bulk/preview', {}, 'Either filter or ids'],
    ['POST', '/pets/bulk/correct', {}, 'Either filter or ids', 'change', 'version'],
    ['POST', '/pets/bulk/correct', { ids: [1] }, 'change', 'version'],
    ['POST', '/pets/bulk/delete', {}, 'Either filter or ids', 'version'],
    ['POST', '/session', {}, 'Either token or link'],
  ] as const) {
    await t.test(`${method} ${path} ${JSON.stringify(body)}`, async () => {
      const answer = await service.call(method, path, { body })
      const message = `${missing.map(what => `${what} is required`).join('; ')}.`
      assertRefused(answer, 'invalid_body', message)
    })
  }
  for (const operation of OPERATIONS.filter(({ body }) => body)) {
    await t.test(operation.id, async () => {
      const { method, path, options } = await exampleOf(operation, service)
      const answer = await service.call(method, path, { ...options, body: {} })
      if (answer.code === 'invalid_body')
        assert.match(answer.text, /"message":"[\w ]+ is required(; [\w ]+ is required)*\."/)
    })
  }
})

test('all invalid parameters of a query are listed together, including unknown ones', async t => {
  for (const operation of OPERATIONS) {
    const parameters = Object.keys(operation.query?.properties ?? {})
    if (parameters.length === 0) continue
    await t.test(operation.id, async () => {
      const { method, path, options } = await exampleOf(operation, service)
      const query = new URLSearchParams([...parameters, 'unknown'].map(name => [name, '']))
      const answer = await service.call(method, `${path}?${query}`, options)
      assertRefused(answer, 'invalid_parameter')
      assert.deepEqual(membersOf(answer), ['unknown', ...parameters])
    })
  }
})

test('each error is a sentence about its member, and the message has all of them', async () => {
  const { value } = await service.call('POST', '/accounts', { body: { name: 5, plan: 'gold', perDay: 0 } })
  assert.deepEqual(value, {
    code: 'invalid_body',
    message:
      'name must be a string; plan must be one of free, pro, business, enterprise; A limit must be a whole number from 1 to 1,000,000,000.',
    status: 400n,
    errors: [
      { member: 'name', message: 'name must be a string.' },
      { member: 'plan', message: 'plan must be one of free, pro, business, enterprise.' },
      { member: 'perDay', message: 'A limit must be a whole number from 1 to 1,000,000,000.' },
    ],
  })
  const unknown = await service.call('POST', '/accounts', { body: { name: 'x', plan: 'free', ['y'.repeat(999)]: 1 } })
  assert.deepEqual(membersOf(unknown), ['y'.repeat(40)], 'of a long name, only the beginning')
})

test('refusals by the domain are listed together with those by the schema', async () => {
  const { answer, path } = await forNewKey({ name: ' ', expiresAt: 'tomorrow' })
  assertRefused(answer, 'invalid_body')
  assert.deepEqual(membersOf(answer), ['expiresAt', 'name'])
  const alone = await service.call('POST', path, { body: { name: ' ' } })
  assertRefused(alone, 'invalid_input')
  assert.deepEqual(membersOf(alone), ['name'])
})

test('a parameter that is repeated, of another type, or refused by the domain is listed, too', async () => {
  for (const [path, member] of [
    ['/accounts?limit=1&limit=2', 'limit'],
    ['/usage?fill=yes', 'fill'],
    ['/accounts?name=%CC%81', 'name'],
    ['/usage?from=2027-03-02&to=2027-03-01', 'from'],
  ] as const) {
    const answer = await service.call('GET', path)
    assertRefused(answer, 'invalid_parameter')
    assert.deepEqual(membersOf(answer), [member])
  }
  const sent = await service.call('POST', '/pets/import?meanings=x', { body: 'name', type: 'text/csv' })
  assertRefused(sent, 'invalid_parameter')
  assert.deepEqual(membersOf(sent), ['meanings'])
})

test('a refusal because of the time, the plan or other accounts names the member', async () => {
  const { answer } = await forNewKey({ expiresAt: '2020-01-01T00:00:00Z' })
  assert.deepEqual([answer.code, membersOf(answer)], ['invalid_input', ['expiresAt']])
  const create = (body: object) => service.call('POST', '/accounts', { body })
  const unlimited = await create({ name: 'one', plan: 'enterprise', perMinute: 5 })
  assert.deepEqual([unlimited.code, membersOf(unlimited)], ['invalid_input', ['perDay']])
  const limited = await create({ name: 'one', plan: 'free', perMinute: 5 })
  assert.deepEqual([limited.code, membersOf(limited)], ['invalid_input', ['plan']])
  await create({ name: 'taken', plan: 'free' })
  const taken = await create({ name: 'taken', plan: 'free' })
  assert.deepEqual([taken.code, membersOf(taken)], ['conflict', ['name']])
})

test('a refusal for another reason has no list', async () => {
  for (const [method, path, body] of [
    ['GET', '/pets/999', undefined],
    ['GET', '/nothing', undefined],
    ['PUT', '/pets', undefined],
    ['POST', '/pets', '{'],
    ['POST', '/pets', '[]'],
  ] as const) {
    assert.ok(!('errors' in (await service.call(method, path, { body })).value), `${method} ${path}`)
  }
})

async function forNewKey(body: object) {
  const { account } = await service.createCaller()
  const path = `/accounts/${account.id}/keys`
  return { path, answer: await service.call('POST', path, { body }) }
}

// biome-ignore lint/suspicious/noExplicitAny: the test compares what it expects
function membersOf({ value }: { value: any }): string[] {
  return value.errors?.map(({ member }: { member: string }) => member)
}
