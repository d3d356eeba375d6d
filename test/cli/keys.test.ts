import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAccount } from '../../src/domain/administration/accounts.ts'
import { dayOf } from '../../src/domain/usage.ts'
import { assertTime, assertUsageError, makeStore } from '../support/command-line.ts'
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
    hint: key.slice(-4),
    expiresAt: '2090-12-31T00:00:00.000Z',
    revokedAt: null,
    lastUsedAt: null,
    replacedBy: null,
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

test('a key or a token can expire after a length of time', async t => {
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
  for (const length of ['30', '1.5h', '-1d', '5m', '99999y', '', '1Y']) {
    assertUsageError(
      await store.run('key', 'create', 'acme', `--expires=${length}`),
      /such as 12h, 30d, 8w or 1y, a date/,
    )
  }
  assertUsageError(await store.run('key', 'create', 'acme', '--expires', '0d'), /must expire in the future/)
})

test('an overlap is a number of seconds or a length of time, of at most a year', async t => {
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

/** How a list shows a key that was issued so. */
function listed({ key: _, ...issued }: Record<string, unknown>, change: Record<string, unknown> = {}) {
  return { ...issued, ...change }
}
