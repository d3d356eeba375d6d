import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { dayOf } from '../../src/domain/usage.ts'
import { assertRefused as assertRefusedInPublic, call as callPublic } from '../support/call.ts'
import { type AdminAnswer, type AdminItem, assertRefused, startOperatorService, walk } from '../support/operator.ts'
import { createPet, petJson } from '../support/pets.ts'
import { only, readRate } from '../support/rate.ts'
import { usageOf } from '../support/usage.ts'

// Accounts in the admin API: who may call, and how often. Changes apply from the next call.

const service = await startOperatorService({ after })

test('an account has the limits of its plan, and its creation returns its Location', async () => {
  for (const [plan, own, perMinute, perDay] of [
    ['free', {}, 60n, 1_000n],
    ['pro', {}, 300n, 10_000n],
    ['business', {}, 1_000n, 100_000n],
    ['enterprise', { perMinute: 7, perDay: 1_000_000_000 }, 7n, 1_000_000_000n],
  ] as const) {
    const created = await create({ name: ` The ${plan} one 🦖 `, plan, ...own })
    const { id } = created.value
    assert.equal(created.status, 201)
    assert.equal(only(created, 'Location'), `/admin/v1/accounts/${id}`)
    assert.deepEqual(created.value, {
      id,
      name: `The ${plan} one 🦖`,
      plan,
      perMinute,
      perDay,
      state: 'active',
      suspendedAt: null,
      createdAt: new Date(service.clock.now).toISOString(),
      deprecatedCalls: 0n,
      lastDeprecatedCallAt: null,
      etag: only(created, 'ETag'),
    })
    assert.equal((await service.call('GET', `/accounts/${id}`)).text, created.text)
  }
})

test('the message for a limit that is too large says what it must be', async () => {
  for (const perMinute of [2n ** 53n + 1n, 1.5]) {
    const answer = await service.call('POST', '/accounts', {
      body: { name: 'Acme', plan: 'enterprise', perMinute, perDay: 5 },
    })
    assertRefused(answer, 'invalid_body', 'perMinute must be an integer from 1 to 1000000000.')
  }
})

test('an invalid account is refused, on creation and on change, and changes nothing', async () => {
  const { id } = (await create({ name: 'Unchanging' })).value
  await create({ name: 'Taken' })
  const before = service.snapshot()
  for (const [{ name, ...plan }, code] of [
    [{ name: '', plan: 'free' }, 'invalid_input'],
    [{ name: '  ', plan: 'free' }, 'invalid_input'],
    [{ name: '42', plan: 'free' }, 'invalid_input'],
    [{ name: '-42', plan: 'free' }, 'invalid_input'],
    [{ name: 'x'.repeat(101), plan: 'free' }, 'invalid_input'],
    [{ name: 'a\u0007b', plan: 'free' }, 'invalid_input'],
    [{ name: 'Taken', plan: 'free' }, 'conflict'],
    [{ name: ' Taken ', plan: 'free' }, 'conflict'],
    [{ name: undefined, plan: 'free' }, 'invalid_body'],
    [{ name: 5, plan: 'free' }, 'invalid_body'],
    [{ name: null, plan: 'free' }, 'invalid_body'],
  ] as const) {
    assertRefused(await service.call('POST', '/accounts', { body: { name, ...plan } }), code)
    assertRefused(await service.call('PATCH', `/accounts/${id}`, { body: { name } }), code)
  }
  for (const [body, code] of [
    [{}, 'invalid_body'],
    [{ plan: 'gold' }, 'invalid_body'],
    [{ plan: 'Free' }, 'invalid_body'],
    [{ plan: null }, 'invalid_body'],
    [{ plan: 'free', perMinute: 5 }, 'invalid_input'],
    [{ plan: 'enterprise' }, 'invalid_input'],
    [{ plan: 'enterprise', perMinute: 5 }, 'invalid_input'],
    [{ plan: 'enterprise', perMinute: 0, perDay: 5 }, 'invalid_input'],
    [{ plan: 'enterprise', perMinute: -1, perDay: 5 }, 'invalid_input'],
    [{ plan: 'enterprise', perMinute: 5, perDay: 1_000_000_001 }, 'invalid_input'],
    [{ plan: 'enterprise', perMinute: 5, perDay: 2n ** 53n + 1n }, 'invalid_body'],
    [{ plan: 'enterprise', perMinute: '5', perDay: 5 }, 'invalid_body'],
    [{ plan: 'enterprise', perMinute: 1.5, perDay: 5 }, 'invalid_body'],
    [{ plan: 'enterprise', perMinute: null, perDay: 5 }, 'invalid_body'],
  ] as const) {
    assertRefused(await service.call('POST', '/accounts', { body: { name: 'New', ...body } }), code)
    assertRefused(await service.call('PUT', `/accounts/${id}/plan`, { body }), code)
  }
  assert.deepEqual(service.snapshot(), before)
})

test('if two accounts are created at once with the same name, one is refused', async () => {
  const answers = await Promise.all(Array.from({ length: 6 }, () => create({ name: 'Wanted by many' })))
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 409, 409, 409, 409, 409])
})

test('accounts are listed by id, page by page', async t => {
  const another = await startOperatorService(t)
  for (let n = 1; n <= 7; n += 1) await another.call('POST', '/accounts', { body: { name: `A${n}`, plan: 'free' } })
  const { pages, items } = await walk(another, '/accounts?limit=3')
  assert.equal(pages, 3)
  assert.deepEqual(
    items.map(({ name }: AdminItem) => name),
    ['A1', 'A2', 'A3', 'A4', 'A5', 'A6', 'A7'],
  )
  assert.deepEqual(
    (await walk(another, '/accounts?after=5')).items.map(({ id }: AdminItem) => id),
    [6n, 7n],
  )
})

test('accounts are searched, filtered and sorted, page by page', async t => {
  const another = await startOperatorService(t)
  for (const [name, plan] of [
    ['Zoo Zürich', 'pro'],
    ['Acme Pets', 'free'],
    ['big pets', 'pro'],
    ['Pet Shop Boys', 'business'],
  ] as const) {
    await another.call('POST', '/accounts', { body: { name, plan } })
  }
  await another.call('POST', '/accounts/3/suspend')
  for (const [query, expected] of [
    ['name=zurich', ['Zoo Zürich']],
    ['name=PET', ['Acme Pets', 'big pets', 'Pet Shop Boys']],
    ['name=PET&sort=name', ['Acme Pets', 'big pets', 'Pet Shop Boys']],
    ['sort=newest', ['Pet Shop Boys', 'big pets', 'Acme Pets', 'Zoo Zürich']],
    ['sort=name', ['Acme Pets', 'big pets', 'Pet Shop Boys', 'Zoo Zürich']],
    ['plan=pro', ['Zoo Zürich', 'big pets']],
    ['plan=pro&state=active', ['Zoo Zürich']],
    ['state=suspended', ['big pets']],
    ['name=%25', []],
  ] as const) {
    const { items } = await walk(another, `/accounts?limit=1&${query}`)
    assert.deepEqual(
      items.map(({ name }: AdminItem) => name),
      expected,
      query,
    )
  }
  assert.equal((await another.call('GET', '/accounts?sort=name&after=2')).value.length, 3)
  await another.call('DELETE', '/accounts/2')
  assertRefused(
    await another.call('GET', '/accounts?sort=name&after=2'),
    'not_found',
    /start again from the first page/,
  )
  assert.equal((await another.call('GET', '/accounts?after=2')).value.length, 2)
})

test('accounts are listed with their calls of today, by the share of the limit per day and by refusals', async t => {
  const another = await startOperatorService(t)
  const today = dayOf(another.clock.now)
  for (const [name, plan, admitted, refused, banned] of [
    ['Unused', 'free', 0, 0, 0],
    ['Half', 'free', 500, 0, 3],
    ['Full', 'free', 1_000, 7, 0],
    ['Large', 'pro', 2_900, 2, 0],
  ] as const) {
    const { id } = (await another.call('POST', '/accounts', { body: { name, plan } })).value
    const usage = usageOf({ day: today, accountId: id, keyId: id, admitted, refused, banned })
    await another.store.addUsage([usage, { ...usage, hour: usage.hour - 1 }, { ...usage, hour: usage.hour + 24 }])
  }
  const key = (await another.call('POST', '/accounts/2/keys', { body: {} })).value
  const now = another.clock.now
  const term = { source: '192.0.2.7', earnedIn: 'minute', startedAt: now, endsAt: now + 60_000, ordinal: 1 } as const
  await another.store.createBan(key.id, term)
  const { items, pages } = await walk(another, '/accounts?sort=usage&limit=1')
  assert.equal(pages, 4)
  assert.deepEqual(
    items.map(({ name, usageToday, bannedKeys }: AdminItem) => [name, usageToday, bannedKeys]),
    [
      ['Full', { admitted: 1_000n, refused: 7n, banned: 0n, usedPercent: 100n }, 0n],
      ['Half', { admitted: 500n, refused: 0n, banned: 3n, usedPercent: 50n }, 1n],
      ['Large', { admitted: 2_900n, refused: 2n, banned: 0n, usedPercent: 29n }, 0n],
      ['Unused', { admitted: 0n, refused: 0n, banned: 0n, usedPercent: 0n }, 0n],
    ],
  )
  const names = async (query: string) =>
    (await walk(another, `/accounts?${query}`)).items.map(({ name }: AdminItem) => name)
  assert.deepEqual(await names('sort=refused&limit=3'), ['Full', 'Half', 'Large', 'Unused'])
  assert.deepEqual(await names('sort=usage&plan=free&name=u&limit=1'), ['Full', 'Unused'])
  assertRefused(await another.call('GET', '/accounts?sort=usage&after=99'), 'not_found', /no account with id 99/)
  assert.deepEqual(
    (await walk(another, '/accounts')).items.map(({ id }: AdminItem) => id),
    [1n, 2n, 3n, 4n],
  )
})

test('an account can be given by its name in any case, and an unknown one gets similar names in the response', async () => {
  await create({ name: 'Tierhandlung Müller' })
  assert.deepEqual((await service.call('GET', '/keys?account=TIERHANDLUNG+M%C3%9CLLER')).value, [])
  for (const path of ['/keys', '/usage', '/audit']) {
    const unknown = await service.call('GET', `${path}?account=Tierhandlung+Mueller`)
    assertRefused(unknown, 'not_found', /^There is no account ".*"; did you mean "Tierhandlung Müller" \(id \d+\)\?$/)
  }
  assertRefused(await create({ name: 'tierhandlung müller' }), 'conflict', /"Tierhandlung Müller" already exists/)
})

test('an account is renamed, and its keys keep working', async () => {
  const { account, key } = await service.createCaller()
  const renamed = await service.call('PATCH', `/accounts/${account.id}`, { body: { name: ' New name ' } })
  assert.equal(renamed.value.name, 'New name')
  assert.equal((await service.call('GET', `/accounts/${account.id}`)).text, renamed.text)
  assert.equal((await callPublic(service, { path: '/v1/pets', key })).status, 200)
  const keys = await service.call('GET', `/keys?account=${account.id}`)
  assert.equal(keys.value[0].account, 'New name')
})

test('a new plan applies from the next call, and calls that were counted still count', async () => {
  const { account, key } = await service.createCaller({ plan: 'free' })
  for (let n = 0; n < 5; n += 1) await callPublic(service, { path: '/v1/pets', key })
  const setPlan = (body: object) => service.call('PUT', `/accounts/${account.id}/plan`, { body })
  assert.equal((await setPlan({ plan: 'pro' })).value.perMinute, 300n)
  assert.deepEqual(remaining(await callPublic(service, { path: '/v1/pets', key })), [300 - 6, 10_000 - 6])
  const own = await setPlan({ plan: 'enterprise', perMinute: 8, perDay: 100 })
  assert.deepEqual([own.value.plan, own.value.perMinute, own.value.perDay], ['enterprise', 8n, 100n])
  assert.deepEqual(remaining(await callPublic(service, { path: '/v1/pets', key })), [1, 93])
  await setPlan({ plan: 'enterprise', perMinute: 3, perDay: 100 })
  assertRefusedInPublic(await callPublic(service, { path: '/v1/pets', key }), 'rate_limit_exceeded')
  await setPlan({ plan: 'free' })
  assert.deepEqual(remaining(await callPublic(service, { path: '/v1/pets', key })), [60 - 8, 1_000 - 8])
})

test('the live windows of an account match the next response, and reading them costs nothing', async () => {
  const { account, key } = await service.createCaller({ plan: 'pro' })
  const read = async () => (await service.call('GET', `/accounts/${account.id}/windows`)).value
  const at = () => new Date(service.clock.now).toISOString()
  const unused = await read()
  assert.deepEqual(unused, {
    at: at(),
    complete: true,
    minute: { limit: 300n, used: 0n, remaining: 300n, resetsAt: null },
    day: { limit: 10_000n, used: 0n, remaining: 10_000n, resetsAt: null },
  })
  for (let n = 0; n < 7; n += 1) await callPublic(service, { path: '/v1/pets', key })
  const began = service.clock.now
  service.clock.advance(5_000)
  for (let n = 0; n < 3; n += 1) {
    const { minute, day } = await read()
    assert.deepEqual([minute.used, minute.remaining, day.remaining], [7n, 293n, 9_993n])
    assert.equal(minute.resetsAt, new Date(began + 60_000).toISOString())
  }
  assert.deepEqual(remaining(await callPublic(service, { path: '/v1/pets', key })), [292, 9_992])
  await service.call('PUT', `/accounts/${account.id}/plan`, { body: { plan: 'enterprise', perMinute: 3, perDay: 9 } })
  const { minute, day } = await read()
  assert.deepEqual([minute.limit, minute.used, minute.remaining, day.remaining], [3n, 8n, 0n, 1n])
  assertRefused(await service.call('GET', '/accounts/4711/windows'), 'not_found')
})

test('a change with If-Match applies only to the version that its sender has read', async () => {
  const { id } = (await create({ name: 'Read by two' })).value
  const path = `/accounts/${id}`
  const changes: [method: string, path: string, body?: object][] = [
    ['PATCH', path, { name: 'Renamed by one' }],
    ['PUT', `${path}/plan`, { plan: 'business' }],
    ['POST', `${path}/suspend`],
    ['POST', `${path}/resume`],
    ['DELETE', path],
  ]
  for (const [index, [method, target, body]] of changes.entries()) {
    const old = only(await service.call('GET', path), 'ETag')
    const change = (tag: string) => service.call(method, target, { headers: { 'If-Match': tag }, body })
    for (const tag of ['"another"', `W/${old}`, '"a", "b"', '']) {
      assertRefused(await change(tag), 'precondition_failed', /has changed since you read it/)
    }
    const changed = await change(index % 2 === 0 ? old : `"another", ${old}`)
    assert.ok([200, 204].includes(changed.status), `${method} ${target}: ${changed.text}`)
    if (method === 'DELETE') break
    assert.equal(only(changed, 'ETag'), changed.value.etag)
    assert.notEqual(changed.value.etag, old)
    assertRefused(await change(old), 'precondition_failed')
  }
  assertRefused(await service.call('DELETE', path, { headers: { 'If-Match': '*' } }), 'not_found')
})

test('if two operators change the same version simultaneously, one of them is refused', async () => {
  const { id, etag } = (await create({ name: 'Wanted by two' })).value
  const names = ['First of two', 'Second of two', 'Third of two', 'Fourth of two']
  const answers = await Promise.all(
    names.map(name => service.call('PATCH', `/accounts/${id}`, { headers: { 'If-Match': etag }, body: { name } })),
  )
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 412, 412, 412])
})

test('without If-Match, or with *, a change applies to any version; calls do not make a new one', async () => {
  const { account, key } = await service.createCaller()
  const path = `/accounts/${account.id}`
  const { etag } = (await service.call('GET', path)).value
  for (let n = 0; n < 3; n += 1) await callPublic(service, { path: '/v1/pets', key })
  assert.equal((await service.call('GET', path)).value.etag, etag)
  const rename = (name: string, headers = {}) => service.call('PATCH', path, { body: { name }, headers })
  assert.equal((await rename('Any 1')).status, 200)
  assert.equal((await rename('Any 2', { 'If-Match': '*' })).status, 200)
  const listed = (await walk(service, '/accounts?limit=100')).items.find(({ id }: AdminItem) => id === account.id)
  assert.equal(listed.etag, only(await service.call('GET', path), 'ETag'), 'the list has the same')
})

test('the keys of a suspended account are refused from the next call until it is resumed', async () => {
  const { account, key } = await service.createCaller({ plan: 'pro' })
  const { key: second } = await service.issueKey(account)
  const { key: others } = await service.createCaller()
  assert.equal((await callPublic(service, { path: '/v1/pets', key })).status, 200)
  const suspended = await service.call('POST', `/accounts/${account.id}/suspend`)
  const now = new Date(service.clock.now).toISOString()
  assert.deepEqual([suspended.value.state, suspended.value.suspendedAt], ['suspended', now])
  for (const one of [key, second]) {
    assertRefusedInPublic(await callPublic(service, { path: '/v1/pets', key: one }), 'invalid_api_key')
    const body = petJson()
    assertRefusedInPublic(
      await callPublic(service, { method: 'POST', path: '/v1/pets', key: one, body }),
      'invalid_api_key',
    )
  }
  assert.equal((await callPublic(service, { path: '/v1/pets', key: others })).status, 200)
  assertRefused(await service.call('POST', `/accounts/${account.id}/suspend`), 'conflict', /already suspended/)
  const resumed = await service.call('POST', `/accounts/${account.id}/resume`)
  assert.deepEqual([resumed.value.state, resumed.value.suspendedAt], ['active', null])
  assert.deepEqual(remaining(await callPublic(service, { path: '/v1/pets', key })), [300 - 2, 10_000 - 2])
  assert.equal((await callPublic(service, { path: '/v1/pets', key: second })).status, 200)
  assertRefused(await service.call('POST', `/accounts/${account.id}/resume`), 'conflict', /not suspended/)
})

test('a deleted account is gone with its keys and bans; the animals that it added stay, and its id is never reused', async () => {
  const { account, key, keyId } = await service.createCaller()
  const body = petJson({ name: '"Left behind"' })
  const pet = await createPet(service, key, { name: '"Left behind"' })
  const headers = { 'Idempotency-Key': 'once' }
  await callPublic(service, { method: 'POST', path: '/v1/pets', key, headers, body })
  await service.store.createBan(keyId, {
    source: '192.0.2.7',
    earnedIn: 'minute',
    startedAt: 0,
    endsAt: service.clock.now + 9_000,
    ordinal: 1,
  })
  const deleted = await service.call('DELETE', `/accounts/${account.id}`)
  assert.equal(deleted.status, 204)
  assertRefusedInPublic(await callPublic(service, { path: '/v1/pets', key }), 'invalid_api_key')
  for (const path of [`/accounts/${account.id}`, `/keys/${keyId}`]) {
    assertRefused(await service.call('GET', path), 'not_found')
  }
  assertRefused(await service.call('GET', `/keys?account=${account.id}`), 'not_found')
  assert.deepEqual((await service.call('GET', '/bans')).value, [])
  assert.equal((await service.call('GET', `/pets/${pet.json.id}`)).value.name, 'Left behind')
  assertRefused(await service.call('DELETE', `/accounts/${account.id}`), 'not_found')
  const again = await create({ name: account.name })
  assert.ok(again.value.id > account.id)
  const issued = await service.call('POST', `/accounts/${again.value.id}/keys`, { body: {} })
  assert.ok(issued.value.id > keyId)
})

test('calls during the deletion of an account succeed, or fail because of the key only', async () => {
  const { account, key } = await service.createCaller()
  let isDeleted = false
  const callers = Array.from({ length: 8 }, async () => {
    for (let after = 0; after < 3; after += isDeleted ? 1 : 0) {
      const answer = await callPublic(service, { method: 'POST', path: '/v1/pets', key, body: petJson() })
      assert.ok([201, 401].includes(answer.status), answer.text)
    }
  })
  const deleted = await service.call('DELETE', `/accounts/${account.id}`)
  isDeleted = true
  await Promise.all(callers)
  assert.equal(deleted.status, 204)
  assertRefusedInPublic(await callPublic(service, { path: '/v1/pets', key }), 'invalid_api_key')
})

test('an account shows its calls of the deprecated operation once usage has been saved', async t => {
  const first = await startOperatorService(t)
  const { account, key } = await first.createCaller()
  const pet = await createPet(first, key)
  for (let n = 0; n < 3; n += 1) await callPublic(first, { path: `/v1/pets/${pet.json.id}`, key })
  const calledAt = new Date(first.clock.now).toISOString()
  first.clock.advance(60_000)
  await callPublic(first, { path: '/v1/pets', key })
  await first.close()
  const second = await first.startAnother()
  const { value } = await second.call('GET', `/accounts/${account.id}`)
  assert.deepEqual([value.deprecatedCalls, value.lastDeprecatedCallAt], [3n, calledAt])
})

function create(body: { name: string; plan?: string }): Promise<AdminAnswer> {
  return service.call('POST', '/accounts', { body: { plan: 'free', ...body } })
}

function remaining(answer: Parameters<typeof readRate>[0]): (number | undefined)[] {
  const { minute, day } = readRate(answer).windows
  return [minute?.remaining, day?.remaining]
}
