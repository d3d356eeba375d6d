import assert from 'node:assert/strict'
import { test } from 'node:test'
import { issueKey } from '../../src/domain/administration/keys.ts'
import { assertMistake, assertTime, makeStore } from '../support/command-line.ts'

test('accounts are created, listed and put on another plan', async t => {
  const store = await makeStore(t)
  const before = Date.now()
  const pro = await store.json('account', 'create', 'Zoo Zürich', '--plan', 'pro')
  const { createdAt, ...rest } = pro
  assertTime(createdAt, before)
  assert.deepEqual(rest, {
    id: 1,
    name: 'Zoo Zürich',
    plan: 'pro',
    perMinute: 300,
    perDay: 10_000,
    suspendedAt: null,
    state: 'active',
    deprecatedCalls: 0,
    lastDeprecatedCallAt: null,
  })
  const limits = ['--per-minute', '5', '--per-day', '7']
  const big = await store.json('account', 'create', 'big', '--plan', 'enterprise', ...limits)
  assert.deepEqual([big.id, big.perMinute, big.perDay], [2, 5, 7])
  assert.deepEqual(await store.json('account', 'list'), [pro, big])

  const business = { ...pro, plan: 'business', perMinute: 1_000, perDay: 100_000 }
  assert.deepEqual(await store.json('account', 'set-plan', 'Zoo Zürich', '--plan', 'business'), business)
  const own = { ...big, perMinute: 6, perDay: 8 }
  const changed = ['--plan', 'enterprise', '--per-minute', '6', '--per-day', '8']
  assert.deepEqual(await store.json('account', 'set-plan', '2', ...changed), own)
  assert.deepEqual(await store.json('account', 'list'), [business, own])
  assert.match(await store.text('account', 'list'), /^ID {2}NAME .*\n1 {3}Zoo Zürich {2}business .*\n2 {3}big /)
})

test('an account is renamed, suspended and resumed', async t => {
  const store = await makeStore(t)
  await store.issueKey()
  const before = Date.now()
  const renamed = await store.json('account', 'rename', 'acme', ' Zoo Zürich ')
  assert.deepEqual([renamed.id, renamed.name], [1, 'Zoo Zürich'])
  const suspended = await store.json('account', 'suspend', 'Zoo Zürich')
  assertTime(suspended.suspendedAt, before)
  assert.deepEqual(suspended, { ...renamed, suspendedAt: suspended.suspendedAt, state: 'suspended' })
  assert.match(await store.text('account', 'list'), /^ID .* STATE .*\n1 .* suspended /)
  assert.deepEqual(await store.json('account', 'resume', '1'), renamed)
  assert.match(await store.text('account', 'list'), /\n1 .* active /)
  assert.match(await store.text('account', 'rename', '1', 'acme'), /^Account 1 is now named "acme"\.\n$/)
  assert.match(await store.text('account', 'suspend', 'acme'), /is suspended.*\n.*petstore account resume 1\n$/)
  assert.match(await store.text('account', 'resume', 'acme'), /is active again/)
})

test('an account is deleted only with --yes; without, it is told how many keys would be lost', async t => {
  const store = await makeStore(t)
  await store.issueKey()
  assertMistake(await store.run('account', 'delete', 'acme'), /1 "acme" cannot be undone\. Its 1 key would .*--yes/)
  await store.act(acting => issueKey(acting, { account: 'acme' }))
  assertMistake(await store.run('account', 'delete', 'acme', '--json'), /Its 2 keys would .*--yes/)
  assert.equal((await store.json('key', 'list')).length, 2, 'nothing was deleted')

  const [account] = await store.json('account', 'list')
  assert.deepEqual(await store.json('account', 'delete', '1', '--yes'), { ...account, deletedKeys: 2 })
  assert.deepEqual([await store.json('account', 'list'), await store.json('key', 'list')], [[], []])
  assertMistake(await store.run('account', 'delete', '1', '--yes'), /no account "1"/)

  await store.text('account', 'create', 'empty', '--plan', 'free')
  assertMistake(await store.run('account', 'delete', 'empty'), /It has no keys\..*--yes/)
  assert.equal(
    await store.text('account', 'delete', 'empty', '--yes'),
    'Account 2 "empty" is deleted, and with it 0 keys.\n',
  )
})
