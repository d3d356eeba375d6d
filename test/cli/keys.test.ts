import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAccount } from '../../src/domain/administration/accounts.ts'
import { issueKey } from '../../src/domain/administration/keys.ts'
import { generateKey } from '../../src/domain/api-key.ts'
import { refusedCall } from '../../src/domain/store-contract/refusals.contract.ts'
import { dayOf } from '../../src/domain/usage.ts'
import { assertTime, assertUsageError, makeStore, petstore } from '../support/command-line.ts'
import { usageOf } from '../support/usage.ts'

const DAY_MS = 86_400_000

test('keys are issued, listed, rotated and revoked', async t => {
  const store = await makeStore(t)
  await store.act(async context => {
    await createAccount(context, { name: 'acme', plan: 'free', limits: {} })
    await createAccount(context, { name: 'other', plan: 'free', limits: {} })
  })
  const before = Date.now()

  const issued = await store.json('key', 'create', 'acme', '--name', 'laptop', '--expires', '2090-12-31')
  const { key, createdAt, ...rest } = issued
  assert.match(key, /^petstore_live_[0-9A-Za-z]{36}$/)
  assertTime(createdAt, before)
  assert.deepEqual(rest, {
    id: 1,
    accountId: 1,
    account: 'acme',
    name: 'laptop',
    scope: 'read-write',
    networks: null,
    hint: key.slice(-4),
    expiresAt: '2090-12-31T00:00:00.000Z',
    revokedAt: null,
    lastUsedAt: null,
    lastUsedFrom: null,
    replacedBy: null,
    bannedUntil: null,
    state: 'active',
  })
  const other = await store.json('key', 'create', '2', '--expires', '2090-12-31T18:30+01:00')
  assert.deepEqual([other.account, other.name, other.expiresAt], ['other', null, '2090-12-31T17:30:00.000Z'])

  const successor = await store.json('key', 'rotate', '1', '--overlap', '3600')
  assert.deepEqual([successor.id, successor.name, successor.expiresAt], [3, 'laptop', rest.expiresAt])
  const [old, ...others] = await store.json('key', 'list', 'acme')
  assertTime(old.expiresAt, before + 3_600_000)
  assert.deepEqual(old, listed(issued, { expiresAt: old.expiresAt, replacedBy: 3 }))
  assert.deepEqual(others, [listed(successor)])

  await store.json('key', 'rotate', '2', '--overlap', '0')
  const revoked = await store.json('key', 'revoke', '3')
  assertTime(revoked.revokedAt, before)
  assert.deepEqual(revoked, listed(successor, { revokedAt: revoked.revokedAt, state: 'revoked' }))

  const list: { id: number; state: string }[] = await store.json('key', 'list')
  const states = list.map(({ id, state }) => `${id} ${state}`)
  assert.deepEqual(states, ['1 active', '2 expired', '3 revoked', '4 active'])
  assert.match(await store.text('key', 'list', 'acme'), /^ID .*\n1 {3}acme {5}laptop .*\n3 {3}acme .* revoked .*\n$/)
})

test('a key can be created with a scope and networks, which can be shown and changed', async t => {
  const store = await makeStore(t)
  await store.issueKey()
  const networks = '192.0.2.7/24, 2001:DB8::/32'
  const created = await store.text('key', 'create', 'acme', '--name', 'till', '--scope', 'read', '--networks', networks)
  assert.match(created, /\nIt can only read, and works only from 192\.0\.2\.0\/24, 2001:db8::\/32\.\n/)
  const bound = await store.json('key', 'show', '2')
  assert.deepEqual([bound.scope, bound.networks], ['read', ['192.0.2.0/24', '2001:db8::/32']])
  const [shown = '', list = '', account = ''] = await store.textEach([
    ['key', 'show', '2'],
    ['key', 'list'],
    ['account', 'show', 'acme'],
  ])
  assert.match(shown, /^Name +till\n(?:.+\n)*Scope +read\nNetworks +192\.0\.2\.0\/24, 2001:db8::\/32\n/m)
  assert.match(list, /^1 .* read-write +any .*\n2 .* read +192\.0\.2\.0\/24 \+1 /m)
  assert.match(account, /^2 +till .* read +192\.0\.2\.0\/24 \+1 /m)

  const renamed = await store.json('key', 'change', '2', '--name', 'laptop')
  assert.deepEqual(renamed, { ...bound, name: 'laptop' })
  const opened = await store.json('key', 'change', '2', '--no-name', '--scope', 'read-write', '--networks', 'any')
  assert.deepEqual(opened, { ...bound, name: null, scope: 'read-write', networks: null })
  assert.deepEqual(await store.json('key', 'show', '2'), opened)
  assert.match(
    await store.text('key', 'change', '2', '--networks', '::1'),
    /^Key 2 is now:\n(?:.+\n)*Networks +::1\/128\n/,
  )
  const successor = await store.json('key', 'rotate', '2')
  assert.deepEqual([successor.scope, successor.networks], ['read-write', ['::1/128']])
})

test('an empty or impossible change of a key changes nothing', async t => {
  const store = await makeStore(t)
  await store.issueKey()
  const before = await store.json('key', 'show', '1')
  const wrong: [args: string[], error: RegExp][] = [
    [[], /^error: Nothing to change: add --name, --no-name, --scope or --networks\./],
    [['--name', ''], /visible characters/],
    [['--scope', 'write'], /Allowed choices are read, read-write/],
    [['--networks', ''], /IP address or a CIDR range/],
    [['--networks', 'home'], /IP address or a CIDR range/],
    [['--networks', '192.0.2.7,any'], /IP address or a CIDR range/],
    [['--networks', Array.from({ length: 21 }, (_, index) => `192.0.2.${index}`).join()], /1 to 20 networks/],
  ]
  const endings = await store.runEach(wrong.map(([args]) => ['key', 'change', '1', ...args]))
  for (const [index, [, error]] of wrong.entries()) assertUsageError(endings[index], error)
  assert.deepEqual(await store.json('key', 'show', '1'), before)
  await store.json('key', 'revoke', '1')
  const [revoked, unknown] = await store.runEach([
    ['key', 'change', '1', '--scope', 'read'],
    ['key', 'show', '2'],
  ])
  assert.match(revoked?.stderr ?? '', /^error: Key 1 is revoked; only an active key can be changed\./)
  assert.match(unknown?.stderr ?? '', /^error: There is no key with id "2"\./)
})

test('a leaked key is found from standard input, with what to do next', async t => {
  const store = await makeStore(t)
  const key = await store.issueKey()
  const lastAt = Date.UTC(2026, 0, 31, 12, 30, 59)
  const usage = usageOf({ day: dayOf(lastAt), lastAt, lastFrom: '203.0.113.7', admitted: 1 })
  await store.act(context => context.store.addUsage([usage]))
  const find = (input: string, ...args: string[]) => petstore(['key', 'find', ...args], store.env, input)
  const [found, json, mistyped, other, none] = await Promise.all([
    find(`PETSTORE_API_KEY=${key}\n`),
    find(key, '--json'),
    find(key.slice(0, -1)),
    find(generateKey('staging')),
    find(''),
  ])
  assert.equal(found.code, 0, found.stderr)
  assert.match(found.stdout, /^This is an API key\.\nKey +1 \(ends in \w{4}\)\nAccount +1 "acme"\n/)
  assert.match(found.stdout, /\nLast used +2026-01-31T12:30Z from 203\.0\.113\.7\n/)
  assert.match(
    found.stdout,
    /\nTo end it: petstore key revoke 1\nTo give its owner a new one: petstore claim-link create 1\n/,
  )
  assert.ok(!found.stdout.includes(key))
  const { kind, state, key: shown } = JSON.parse(json.stdout)
  assert.deepEqual([kind, state, shown.account, shown.lastUsedFrom], ['key', 'active', 'acme', '203.0.113.7'])
  assert.equal(mistyped.stdout, 'This is an API key, but it has a typing error, or a part is missing.\n')
  assert.equal(other.stdout, 'This is an API key of staging. This is the store of production.\n')
  const error = 'error: This is not an API key, an operator token, a link or the secret of a session.\n'
  assert.deepEqual([none.code, none.stderr], [1, error])
  const actions = (await store.json('audit')).map(({ action }: { action: string }) => action)
  assert.deepEqual(actions, ['key.issue', 'account.create'])
})

test('the last refused and failed calls of a key are listed, newest first', async t => {
  const store = await makeStore(t)
  await store.issueKey()
  const none = await store.run('key', 'refusals', '1')
  assert.equal(none.stdout, 'No call with this key has been refused or has failed in the last 7 days.\n')
  const calledAt = Date.UTC(2026, 0, 31, 12, 30, 59, 250)
  const calls = [
    refusedCall({ calledAt, path: '/v1/pets?limit=0', status: 400, code: 'invalid_parameter' }),
    refusedCall({ calledAt: calledAt + 1_000, userAgent: undefined }),
  ]
  await store.act(context => context.store.addRefusals(calls))
  const [listed, json, unknown] = await store.runEach([
    ['key', 'refusals', '1'],
    ['key', 'refusals', '1', '--json'],
    ['key', 'refusals', '2'],
  ])
  assert.deepEqual(
    listed?.stdout.split('\n').map(line => line.split(/ {2,}/)),
    [
      ['TIME', 'STATUS', 'CODE', 'ADDRESS', 'METHOD', 'PATH', 'USER AGENT'],
      ['2026-01-31T12:31:00Z', '429', 'rate_limit_exceeded', '192.0.2.7', 'GET', '/v1/pets?limit=20', '-'],
      ['2026-01-31T12:30:59Z', '400', 'invalid_parameter', '192.0.2.7', 'GET', '/v1/pets?limit=0', 'curl/8'],
      [''],
    ],
  )
  const [newest] = JSON.parse(json?.stdout ?? '')
  assert.deepEqual([newest.calledAt, newest.keyId, newest.status], ['2026-01-31T12:31:00.250Z', 1, 429])
  assert.match(unknown?.stderr ?? '', /^error: There is no key with id "2"\./)
})

test('a key list shows when each key was last used', async t => {
  const store = await makeStore(t)
  await store.issueKey()
  const lastAt = Date.UTC(2026, 0, 31, 12, 30, 59)
  const usage = usageOf({ day: dayOf(lastAt), lastAt, admitted: 1 })
  await store.act(context => context.store.addUsage([usage]))
  const [json = '', text = ''] = await store.textEach([
    ['key', 'list', '--json'],
    ['key', 'list'],
  ])
  assert.equal(JSON.parse(json)[0].lastUsedAt, '2026-01-31T12:30:59.000Z')
  assert.match(text, /^ID .* LAST USED .*\n1 .* 2026-01-31T12:30Z /)
})

test('without --json a key is printed on its own line, with a note that it is shown only once', async t => {
  const store = await makeStore(t)
  await store.issueKey()
  const issued = await store.text('key', 'create', 'acme')
  assert.match(issued, /^petstore_live_\w{36}\n/)
  assert.match(issued, /shown only once/)
  const rotated = await store.text('key', 'rotate', '1')
  assert.match(rotated, /^petstore_live_\w{36}\n/)
  const [old] = await store.json('key', 'list')
  assertTime(old.expiresAt, Date.now() + DAY_MS, 'a day of overlap by default')
  assert.ok(rotated.includes(`works until ${old.expiresAt.slice(0, 19)}Z`))
})

test('a key or a token can expire after a duration', async t => {
  const store = await makeStore(t)
  await store.issueKey()
  const hour = 3_600_000
  for (const [length, milliseconds] of [
    ['12h', 12 * hour],
    ['30d', 30 * 24 * hour],
    ['8w', 56 * 24 * hour],
  ] as const) {
    const before = Date.now()
    assertTime((await store.json('key', 'create', 'acme', '--expires', length)).expiresAt, before + milliseconds)
  }
  const { expiresAt } = await store.json('token', 'create', 'Anna', '--role', 'staff', '--expires', '2y')
  const inTwoYears = new Date()
  inTwoYears.setUTCFullYear(inTwoYears.getUTCFullYear() + 2)
  assertTime(expiresAt, inTwoYears.getTime())
  for (const length of ['30', '1.5h', '-1d', '5m', '99999y', '', '1Y', '+099999-12-31T00:00Z']) {
    assertUsageError(
      await store.run('key', 'create', 'acme', `--expires=${length}`),
      /such as 12h, 30d, 8w or 1y, a date/,
    )
  }
  assertUsageError(await store.run('key', 'create', 'acme', '--expires', '0d'), /must expire in the future/)
})

test('an overlap is a number of seconds or a duration, of at most a year', async t => {
  const store = await makeStore(t)
  await store.issueKey()
  const before = Date.now()
  await store.json('key', 'rotate', '1', '--overlap', '12h')
  await store.json('key', 'rotate', '2', '--overlap', '90')
  await store.json('key', 'rotate', '3', '--overlap', '1y')
  const ends: { expiresAt: string }[] = await store.json('key', 'list')
  for (const [index, seconds] of [43_200, 90, 31_536_000].entries()) {
    assertTime(ends[index]?.expiresAt ?? '', before + seconds * 1_000)
  }
  for (const overlap of ['2y', '366d', '31536001', '1m', '-1', '1.5']) {
    assertUsageError(
      await store.run('key', 'rotate', '4', `--overlap=${overlap}`),
      /seconds or a length of time .* one year/,
    )
  }
})

test('a rotation without overlap says that the old key has stopped working', async t => {
  const store = await makeStore(t)
  await store.issueKey()
  assert.match(
    await store.text('key', 'rotate', '1', '--overlap', '0'),
    /\nIt replaces key 1, which stopped working now\.\n/,
  )
})

test('a staging store issues staging keys', async t => {
  const store = await makeStore(t, { PETSTORE_DEPLOYMENT: 'staging' })
  await store.issueKey()
  assert.match((await store.json('key', 'create', 'acme')).key, /^petstore_test_/)
})

/** The row of a list for a key that was issued this way. */
function listed({ key: _, ...issued }: Record<string, unknown>, change: Record<string, unknown> = {}) {
  return { ...issued, ...change }
}

test('keys are found by name, last characters, last call, expiry and ban', async t => {
  const store = await makeStore(t)
  const hint = await store.act(async context => {
    await createAccount(context, { name: 'acme', plan: 'free', limits: {} })
    await issueKey(context, { account: 'acme', name: 'Kasse Büro', expiresAt: context.now + 10 * DAY_MS })
    await issueKey(context, { account: 'acme', name: 'laptop' })
    const old = { ...context, now: context.now - 100 * DAY_MS }
    const { hint } = await issueKey(old, { account: 'acme' })
    await context.store.createBan(2n, {
      source: '192.0.2.7',
      earnedIn: 'minute',
      startedAt: context.now,
      endsAt: context.now + DAY_MS,
      ordinal: 1,
    })
    const day = dayOf(context.now)
    await context.store.addUsage([usageOf({ day, keyId: 2n, lastAt: context.now })])
    return hint
  })
  const searches: readonly (readonly [options: string[], ids: number[]])[] = [
    [['--search', 'buro'], [1]],
    [['--search', hint], [3]],
    [['--state', 'banned'], [2]],
    [
      ['--state', 'active'],
      [1, 2, 3],
    ],
    [['--never-used'], [1, 3]],
    [['--unused-since', '90d'], [3]],
    [['--unused-since', '101d'], []],
    [['--expires-before', '11d'], [1]],
    [['--expires-before', '9d', '--search', 'kasse'], []],
  ]
  const found = await store.jsonEach(searches.map(([options]) => ['key', 'list', ...options]))
  assert.deepEqual(
    found.map(keys => keys.map(({ id }: { id: number }) => id)),
    searches.map(([, ids]) => ids),
  )
  assert.match(await store.text('key', 'list', '--state', 'banned'), /\n2 .* banned /)
  assert.match(await store.text('key', 'list', '--search', 'xylophone'), /No key matches\./)
  assertUsageError(await store.run('key', 'list', '--unused-since', 'yesterday'), /It must be a length of time/)
})
