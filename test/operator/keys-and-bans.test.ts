import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { dayOf } from '../../src/domain/usage.ts'
import { assertRefused as assertRefusedInPublic, call as callPublic } from '../support/call.ts'
import {
  type AdminAnswer,
  type AdminItem,
  assertRefused,
  type OperatorService,
  startOperatorService,
  walk,
} from '../support/operator.ts'
import { only } from '../support/rate.ts'
import type { TestService } from '../support/service.ts'
import { usageOf } from '../support/usage.ts'

// Keys and their bans in the admin API. Changes apply from the next call of the key.

const service = await startOperatorService({ after })

test('an issued key works immediately, and is shown only once', async () => {
  const { account } = await service.createCaller()
  const expiresAt = new Date(service.clock.now + 60_000).toISOString()
  const issued = await issue(account.id, { name: ' laptop ', expiresAt })
  const { key, ...kept } = issued.value
  assert.equal(issued.status, 201)
  assert.match(key, /^petstore_live_[0-9A-Za-z]{36}$/)
  assert.equal(only(issued, 'Location'), `/admin/v1/keys/${kept.id}`)
  assert.deepEqual(kept, {
    id: kept.id,
    accountId: account.id,
    account: account.name,
    name: 'laptop',
    scope: 'read-write',
    networks: null,
    hint: key.slice(-4),
    state: 'active',
    createdAt: new Date(service.clock.now).toISOString(),
    expiresAt,
    revokedAt: null,
    lastUsedAt: null,
    lastUsedFrom: null,
    replacedBy: null,
    bannedUntil: null,
  })
  assert.equal(await statusOf(key), 200)
  const read = await service.call('GET', `/keys/${kept.id}`)
  // The call above may already be in the usage.
  assert.deepEqual({ ...read.value, lastUsedAt: null, lastUsedFrom: null }, kept)
  const bare = (await issue(account.id, {})).value
  assert.deepEqual([bare.name, bare.expiresAt], [null, null])
})

test('a staging service issues keys of staging', async t => {
  const staging = await startOperatorService(t, { config: { deployment: 'staging' } })
  const { account } = await staging.createCaller()
  const { key } = (await staging.call('POST', `/accounts/${account.id}/keys`, { body: {} })).value
  assert.match(key, /^petstore_test_/)
  assert.equal(await statusOf(key, staging), 200)
  assert.equal(await statusOf(key), 401)
})

test('a key works until the exact moment when it expires', async t => {
  const another = await startOperatorService(t)
  const { account } = await another.createCaller()
  const expires = another.clock.now + 90_000
  for (const expiresAt of [isoIn('+02:00', expires), isoIn('-09:30', expires), new Date(expires).toISOString()]) {
    const { key, id } = (await another.call('POST', `/accounts/${account.id}/keys`, { body: { expiresAt } })).value
    const begun = another.clock.now
    another.clock.now = expires - 1
    assert.equal(await statusOf(key, another), 200)
    another.clock.now = expires
    assert.equal(await statusOf(key, another), 401)
    assert.equal((await another.call('GET', `/keys/${id}`)).value.state, 'expired')
    another.clock.now = begun
  }
})

test('an invalid key is refused, and not issued', async () => {
  const { account } = await service.createCaller()
  const before = service.snapshot()
  const { now } = service.clock
  for (const [body, code] of [
    [{ name: '' }, 'invalid_input'],
    [{ name: 'x'.repeat(101) }, 'invalid_input'],
    [{ name: 'a\nb' }, 'invalid_input'],
    [{ name: 5 }, 'invalid_body'],
    [{ name: null }, 'invalid_body'],
    [{ expiresAt: new Date(now).toISOString() }, 'invalid_input'],
    [{ expiresAt: new Date(now - 1).toISOString() }, 'invalid_input'],
    ...[
      '',
      'tomorrow',
      '2030-12-31',
      '2030-12-31T18:00:00',
      '2030-02-31T18:00:00Z',
      '2030-12-31T25:00:00Z',
      '+123456-12-31T18:00:00Z',
      '2030-12-31T18:00:00Z[Europe/Berlin]',
      '2030-12-31T18:00:00Z\n',
      1_900_000_000_000,
      null,
    ].map(expiresAt => [{ expiresAt }, 'invalid_body'] as const),
  ] as const) {
    assertRefused(await issue(account.id, body), code)
  }
  assert.deepEqual(service.snapshot(), before)
})

test('keys of all accounts, or of one by its id or name, are listed by id, page by page', async t => {
  const another = await startOperatorService(t)
  const [one, two] = [await another.createCaller(), await another.createCaller()]
  for (let n = 3; n <= 7; n += 1) await another.issueKey(n % 2 ? one.account : two.account)
  const ids = async (path: string) => (await walk(another, path)).items.map(({ id }: AdminItem) => Number(id))
  assert.deepEqual(await ids('/keys?limit=2'), [1, 2, 3, 4, 5, 6, 7])
  assert.deepEqual(await ids(`/keys?account=${one.account.id}&limit=2`), [1, 3, 5, 7])
  assert.deepEqual(await ids(`/keys?account=${encodeURIComponent(two.account.name)}&limit=1`), [2, 4, 6])
  assert.deepEqual(await ids('/keys?after=5'), [6, 7])
  for (const account of ['nobody', '999', '0']) {
    assertRefused(await another.call('GET', `/keys?account=${account}`), 'not_found')
  }
})

test('a key shows when and from where it last called once usage has been saved', async t => {
  const first = await startOperatorService(t)
  const { key, keyId } = await first.createCaller()
  await callPublic(first, { path: '/v1/pets', key })
  const calledAt = new Date(first.clock.now).toISOString()
  first.clock.advance(1_000)
  await first.close()
  const second = await first.startAnother()
  const { lastUsedAt, lastUsedFrom } = (await second.call('GET', `/keys/${keyId}`)).value
  assert.deepEqual([lastUsedAt, lastUsedFrom], [calledAt, '127.0.0.1'])
})

test('staff find out whose a leaked key is, without a trace in the audit log', async () => {
  const { account } = await service.createCaller()
  const { key, ...issued } = (await issue(account.id, { name: 'till' })).value
  const before = service.snapshot()
  const find = (secret: string) => service.call('POST', '/keys/find', { body: { secret }, token: service.staff.token })
  const nothing = { claimLink: null, token: null, endsAt: null }
  assert.deepEqual((await find(`key=${key}`)).value, { kind: 'key', state: 'active', key: issued, ...nothing })
  const mistyped = await find(key.slice(0, -1))
  assert.deepEqual(mistyped.value, { kind: 'key', state: 'mistyped', key: null, ...nothing })
  const { value } = await find(service.admin.token)
  assert.deepEqual([value.kind, value.token.name, value.token.token], ['operator-token', 'Anna', undefined])
  assertRefused(await find('Rex'), 'not_found', /This is not an API key/)
  assertRefused(await find(`${key}\n${service.admin.token}`), 'invalid_input', /more than one secret/)
  assertRefused(await find('x'.repeat(2_001)), 'invalid_body', /1 to 2000 characters/)
  assertRefused(await service.call('POST', '/keys/find', { body: { secret: key }, token: null }), 'missing_token')
  assert.deepEqual(service.snapshot(), before)
})

test('a rotated key keeps working for the overlap, and its successor works immediately', async t => {
  const another = await startOperatorService(t)
  const { account } = await another.createCaller()
  const old = await another.issueKey(account, { name: 'laptop' })
  const rotated = await another.call('POST', `/keys/${old.id}/rotate`, { body: { overlapSeconds: 60 } })
  const { key, id, name, expiresAt } = rotated.value
  assert.deepEqual([rotated.status, name, expiresAt], [201, 'laptop', null])
  assert.equal(only(rotated, 'Location'), `/admin/v1/keys/${id}`)
  const ends = another.clock.now + 60_000
  const replaced = (await another.call('GET', `/keys/${old.id}`)).value
  assert.deepEqual(
    [replaced.replacedBy, replaced.expiresAt, replaced.state],
    [id, new Date(ends).toISOString(), 'active'],
  )
  const both = async () => [await statusOf(old.key, another), await statusOf(key, another)]
  assert.deepEqual(await both(), [200, 200])
  another.clock.now = ends - 1
  assert.deepEqual(await both(), [200, 200])
  another.clock.now = ends
  assert.deepEqual(await both(), [401, 200])
})

test('an overlap is a day by default, may be 0, and never exceeds the expiry of the old key', async () => {
  const { account } = await service.createCaller()
  const { now } = service.clock
  const rotate = async (body: object, expiresAt?: number) => {
    const old = await service.issueKey(account, expiresAt === undefined ? {} : { expiresAt })
    const rotated = (await service.call('POST', `/keys/${old.id}/rotate`, { body })).value
    const ends = Date.parse((await service.call('GET', `/keys/${old.id}`)).value.expiresAt) - now
    return { old: old.key, key: rotated.key, ends, successorEnds: rotated.expiresAt }
  }
  assert.equal((await rotate({})).ends, 86_400_000)
  const short = await rotate({ overlapSeconds: 3_600 }, now + 5_000)
  assert.deepEqual([short.ends, Date.parse(short.successorEnds) - now], [5_000, 5_000])
  const none = await rotate({ overlapSeconds: 0 })
  assert.deepEqual([await statusOf(none.old), await statusOf(none.key)], [401, 200])
  assert.equal((await rotate({ overlapSeconds: 31_536_000 })).ends, 31_536_000_000)
})

test('only an active key can be rotated, and only once', async t => {
  const another = await startOperatorService(t)
  const { account } = await another.createCaller()
  const rotate = (id: bigint, body: object = {}) => another.call('POST', `/keys/${id}/rotate`, { body })
  const [brief, revoked, once] = [
    await another.issueKey(account, { expiresAt: another.clock.now + 1_000 }),
    await another.issueKey(account),
    await another.issueKey(account),
  ]
  await another.call('POST', `/keys/${revoked.id}/revoke`)
  await rotate(once.id)
  another.clock.advance(1_000)
  const before = another.snapshot()
  assertRefused(await rotate(brief.id), 'conflict', /expired/)
  assertRefused(await rotate(revoked.id), 'conflict', /revoked/)
  assertRefused(await rotate(once.id), 'conflict', /already been rotated/)
  for (const overlapSeconds of [-1, 31_536_001, 1.5, '60', null, 2n ** 63n - 1n, true]) {
    assertRefused(await rotate(once.id, { overlapSeconds }), 'invalid_body', /from 0 to 31536000/)
  }
  assert.deepEqual(another.snapshot(), before)
  const contested = await another.issueKey(account)
  const answers = await Promise.all(Array.from({ length: 6 }, () => rotate(contested.id)))
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 409, 409, 409, 409, 409])
})

test('a revoked key is refused from its next call, and the other keys of its account keep working', async () => {
  const { account, key, keyId } = await service.createCaller()
  const other = await service.issueKey(account)
  assert.equal(await statusOf(key), 200)
  const revoked = await service.call('POST', `/keys/${keyId}/revoke`)
  const now = new Date(service.clock.now).toISOString()
  assert.deepEqual([revoked.value.state, revoked.value.revokedAt], ['revoked', now])
  assert.deepEqual([await statusOf(key), await statusOf(other.key)], [401, 200])
  assertRefused(await service.call('POST', `/keys/${keyId}/revoke`), 'conflict', /already revoked/)
  assert.equal((await service.call('GET', `/keys/${keyId}`)).value.state, 'revoked')
})

test('a ban can be listed, and lifted once; the next call of the key is admitted', async t => {
  const another = await startOperatorService(t)
  const { account, key, keyId } = await another.createCaller({ limits: { perMinute: 1 }, keyName: 'greedy' })
  const bannedAt = await earnBan(another, key)
  const [ban, ...others] = (await another.call('GET', '/bans')).value
  assert.deepEqual(others, [])
  assert.deepEqual(ban, {
    id: ban.id,
    keyId,
    accountId: account.id,
    account: account.name,
    keyName: 'greedy',
    source: '127.0.0.1',
    state: 'in-force',
    startedAt: new Date(bannedAt).toISOString(),
    endsAt: new Date(bannedAt + 900_000).toISOString(),
    liftedAt: null,
    ordinal: 1n,
  })
  another.clock.advance(60_000)
  assertRefusedInPublic(await callPublic(another, { path: '/v1/pets', key }), 'api_key_banned')
  const lifted = await another.call('POST', `/keys/${keyId}/lift-ban`)
  assert.deepEqual(lifted.value, {
    ...ban,
    state: 'lifted',
    liftedAt: new Date(another.clock.now).toISOString(),
  })
  assert.equal(await statusOf(key, another), 200)
  assert.deepEqual((await another.call('GET', '/bans')).value, [])
  assertRefused(await another.call('POST', `/keys/${keyId}/lift-ban`), 'conflict', /not banned/)
  await earnBan(another, key)
  const [second] = (await another.call('GET', '/bans')).value
  assert.deepEqual([second.ordinal, Date.parse(second.endsAt) - Date.parse(second.startedAt)], [2n, 1_800_000])
})

test('of two bans of a key, one is lifted by its id', async t => {
  const another = await startOperatorService(t)
  const { keyId } = await another.createCaller()
  const { now } = another.clock
  const begin = (source: string) =>
    another.store.createBan(keyId, { source, earnedIn: 'minute', startedAt: now, endsAt: now + 9_000, ordinal: 1 })
  const first = await begin('192.0.2.7')
  const second = await begin('2001:db8:1:2::/64')
  assert.equal((await another.call('GET', `/keys/${keyId}`)).value.bannedUntil, new Date(now + 9_000).toISOString())
  const lifted = await another.call('POST', `/bans/${first.id}/lift`)
  assert.deepEqual([lifted.value.id, lifted.value.source, lifted.value.state], [first.id, '192.0.2.7', 'lifted'])
  const left = (await another.call('GET', '/bans')).value
  assert.deepEqual(
    left.map(({ id, source }: AdminItem) => [id, source]),
    [[second.id, '2001:db8:1:2::/64']],
  )
  assertRefused(await another.call('POST', `/bans/${first.id}/lift`), 'conflict', /not in force/)
  assertRefused(await another.call('POST', '/bans/999/lift'), 'not_found')
})

test('every ban is listed, of a key, an account or all of them', async t => {
  const another = await startOperatorService(t)
  const [one, two] = [await another.createCaller(), await another.createCaller()]
  const { now } = another.clock
  const begin = (keyId: bigint, startedAt: number, ordinal: number) =>
    another.store.createBan(keyId, {
      source: '192.0.2.7',
      earnedIn: 'minute',
      startedAt,
      endsAt: startedAt + 1_000,
      ordinal,
    })
  await begin(one.keyId, now, 1)
  await begin(two.keyId, now, 1)
  another.clock.advance(2_000)
  await begin(one.keyId, now + 2_000, 2)
  await another.call('POST', `/keys/${one.keyId}/lift-ban`)
  another.clock.advance(1_000)
  await begin(one.keyId, now + 3_000, 3)
  const ofOne = [
    [4n, 'in-force'],
    [3n, 'lifted'],
    [1n, 'over'],
  ]
  for (const [path, expected] of [
    [`/keys/${one.keyId}/bans?limit=2`, ofOne],
    [`/keys/${one.keyId}/bans?before=4`, ofOne.slice(1)],
    ['/bans?state=all&limit=3', [...ofOne.slice(0, 2), [2n, 'over'], ...ofOne.slice(2)]],
    ['/bans', ofOne.slice(0, 1)],
    ['/bans?state=in-force', ofOne.slice(0, 1)],
    [`/bans?state=all&account=${two.account.id}`, [[2n, 'over']]],
    [`/bans?account=${two.account.id}`, []],
  ] as const) {
    const { items } = await walk(another, path)
    assert.deepEqual(
      items.map(({ id, state }) => [id, state]),
      expected,
      path,
    )
  }
  assertRefused(await another.call('GET', '/keys/999/bans'), 'not_found')
  assertRefused(await another.call('GET', '/bans?account=no+one'), 'not_found')
})

test('a ban that is over is not listed and cannot be lifted', async t => {
  const another = await startOperatorService(t)
  const { keyId } = await another.createCaller()
  const { now } = another.clock
  await another.store.createBan(keyId, {
    source: '192.0.2.7',
    earnedIn: 'minute',
    startedAt: now,
    endsAt: now + 1_000,
    ordinal: 1,
  })
  another.clock.advance(999)
  assert.equal((await another.call('GET', '/bans')).value.length, 1)
  another.clock.advance(1)
  assert.deepEqual((await another.call('GET', '/bans')).value, [])
  assertRefused(await another.call('POST', `/keys/${keyId}/lift-ban`), 'conflict')
})

test('bans are listed newest first, page by page', async t => {
  const another = await startOperatorService(t)
  const { account } = await another.createCaller()
  const { now } = another.clock
  for (let n = 1; n <= 7; n += 1) {
    const { id } = await another.issueKey(account)
    await another.store.createBan(id, {
      source: '192.0.2.7',
      earnedIn: 'minute',
      startedAt: now,
      endsAt: now + 1_000,
      ordinal: 1,
    })
  }
  for (const [limit, pages] of [
    [3, 3],
    [7, 1],
    [1, 7],
  ]) {
    const walked = await walk(another, `/bans?limit=${limit}`)
    const ids = walked.items.map(({ id }: AdminItem) => Number(id))
    assert.deepEqual([walked.pages, ids], [pages, [7, 6, 5, 4, 3, 2, 1]])
  }
})

function issue(account: bigint, body: object): Promise<AdminAnswer> {
  return service.call('POST', `/accounts/${account}/keys`, { body })
}

async function statusOf(key: string, at: TestService = service): Promise<number> {
  return (await callPublic(at, { path: '/v1/pets', key })).status
}

/** Ignores refusals until the key is banned, and returns when that was. */
async function earnBan(at: OperatorService, key: string): Promise<number> {
  for (let n = 0; n < 100; n += 1) {
    const { status, json } = await callPublic(at, { path: '/v1/pets', key })
    if (status === 429 && json.code === 'api_key_banned') return at.clock.now
    at.clock.advance(500)
  }
  return assert.fail('no ban')
}

/** The same moment, as it is written in another zone. */
function isoIn(offset: string, time: number): string {
  return Temporal.Instant.fromEpochMilliseconds(time).toString({ timeZone: offset })
}

test('keys are found by name, last characters, state, last call and expiry, page by page', async t => {
  const another = await startOperatorService(t)
  const { id } = (await another.call('POST', '/accounts', { body: { name: 'Searched', plan: 'free' } })).value
  const issue = async (body: object) => (await another.call('POST', `/accounts/${id}/keys`, { body })).value
  const { now } = another.clock
  const at = (ms: number) => new Date(now + ms).toISOString()
  const till = await issue({ name: 'Kasse Büro', expiresAt: at(60_000) })
  const laptop = await issue({ name: 'laptop' })
  const unnamed = await issue({})
  const ban = { source: '192.0.2.7', earnedIn: 'minute' as const, startedAt: now, endsAt: now + 60_000, ordinal: 1 }
  await another.store.createBan(laptop.id, ban)
  await another.store.addUsage([usageOf({ day: dayOf(now), accountId: id, keyId: unnamed.id, lastAt: now + 5 })])
  for (const [query, expected] of [
    [{ search: 'buro' }, [till]],
    [{ search: laptop.hint }, [laptop]],
    [{ state: 'banned' }, [laptop]],
    [{ state: 'active', account: 'searched' }, [till, laptop, unnamed]],
    [{ used: 'false' }, [till, laptop]],
    [{ used: 'true' }, [unnamed]],
    [{ unusedSince: at(5) }, [till, laptop]],
    [{ unusedSince: at(6) }, [till, laptop, unnamed]],
    [{ unusedSince: at(-1) }, []],
    [{ expiresBefore: at(60_001) }, [till]],
    [{ expiresBefore: at(60_000) }, []],
    [{ state: 'banned', search: 'kasse' }, []],
  ] as const) {
    const { items } = await walk(another, `/keys?limit=1&${new URLSearchParams(query)}`)
    assert.deepEqual(
      items.map((key: AdminItem) => key.id),
      expected.map(key => key.id),
      JSON.stringify(query),
    )
  }
  assert.equal((await another.call('GET', `/keys/${laptop.id}`)).value.bannedUntil, at(60_000))
  await another.call('POST', `/keys/${laptop.id}/lift-ban`)
  assert.equal((await another.call('GET', `/keys/${laptop.id}`)).value.bannedUntil, null)
  assertRefused(await another.call('GET', '/keys?unusedSince=2099-02-30T00:00:00Z'), 'invalid_parameter')
})
