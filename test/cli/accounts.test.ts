import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAccount } from '../../src/domain/administration/accounts.ts'
import { issueKey, revokeKey } from '../../src/domain/administration/keys.ts'
import { dayOf } from '../../src/domain/usage.ts'
import { assertTime, assertUserError, makeStore } from '../support/command-line.ts'
import { usageOf } from '../support/usage.ts'

test('accounts are created and listed, and their plan is changed', async t => {
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

  const business = { ...pro, plan: 'business', perMinute: 1_000, perDay: 100_000 }
  const own = { ...big, perMinute: 6, perDay: 8 }
  const changed = ['--plan', 'enterprise', '--per-minute', '6', '--per-day', '8']
  const steps = [
    ['account', 'list'],
    ['account', 'set-plan', 'Zoo Zürich', '--plan', 'business'],
    ['account', 'set-plan', '2', ...changed],
    ['account', 'list'],
  ]
  const unused = { usageToday: { admitted: 0, refused: 0, banned: 0, usedPercent: 0 }, bannedKeys: 0 }
  const listed = (accounts: object[]) => accounts.map(account => ({ ...account, ...unused }))
  assert.deepEqual(await store.jsonEach(steps), [listed([pro, big]), business, own, listed([business, own])])
  assert.match(await store.text('account', 'list'), /^ID {2}NAME .*\n1 {3}Zoo Zürich {2}business .*\n2 {3}big /)
})

test('accounts are listed by the share of the limit per day, with their calls of today', async t => {
  const store = await makeStore(t)
  const today = dayOf(Date.now())
  await store.act(async context => {
    for (const [name, plan, admitted, refused] of [
      ['unused', 'free', 0, 0],
      ['busy', 'pro', 4_000, 9],
      ['full', 'free', 1_000, 5],
    ] as const) {
      const { id } = await createAccount(context, { name, plan, limits: {} })
      await context.store.addUsage([usageOf({ day: today, accountId: id, keyId: id, admitted, refused, banned: 1 })])
    }
  })
  const [byUsage, byRefusals, next] = await store.jsonEach([
    ['account', 'list', '--sort', 'usage'],
    ['account', 'list', '--sort', 'refused', '--limit', '1'],
    ['account', 'list', '--sort', 'usage', '--after', '3', '--limit', '1'],
  ])
  assert.deepEqual(
    byUsage.map(({ name, usageToday }: Record<string, unknown>) => [name, usageToday]),
    [
      ['full', { admitted: 1_000, refused: 5, banned: 1, usedPercent: 100 }],
      ['busy', { admitted: 4_000, refused: 9, banned: 1, usedPercent: 40 }],
      ['unused', { admitted: 0, refused: 0, banned: 1, usedPercent: 0 }],
    ],
  )
  assert.deepEqual([byRefusals.length, byRefusals[0].name], [1, 'busy'])
  assert.deepEqual(next, [byUsage[1]])
  assert.match(await store.text('account', 'list', '--sort', 'usage'), /\n3 +full +.* 1,000 +100% +6 +0 +0\n2 +busy /)
  assertUserError(await store.run('account', 'list', '--sort', 'usage', '--after', '99'), /no account with id 99/)
})

test('limits are always printed with separators for people, and as plain numbers in JSON', async t => {
  const store = await makeStore(t)
  const limits = ['--plan', 'enterprise', '--per-minute', '5000', '--per-day', '1000000']
  const created = await store.text('account', 'create', 'big', ...limits)
  const changed = await store.text('account', 'set-plan', 'big', ...limits)
  for (const text of [created, changed]) assert.match(text, /: 5,000 requests per minute, 1,000,000 per day\.\n/)
  assert.match(await store.text('account', 'list'), / 5,000 +1,000,000 /)
  const least = ['--plan', 'enterprise', '--per-minute', '1', '--per-day', '1']
  assert.match(await store.text('account', 'set-plan', 'big', ...least), /: 1 request per minute, 1 per day\.\n/)
  const { perMinute, perDay } = await store.json('account', 'set-plan', 'big', ...limits)
  assert.deepEqual([perMinute, perDay], [5_000, 1_000_000])
})

test('an account is renamed, suspended and resumed', async t => {
  const store = await makeStore(t)
  await store.issueKey()
  const before = Date.now()
  const [renamed, suspended, resumed] = await store.jsonEach([
    ['account', 'rename', 'acme', ' Zoo Zürich '],
    ['account', 'suspend', 'Zoo Zürich'],
    ['account', 'resume', '1'],
  ])
  assert.deepEqual([renamed.id, renamed.name], [1, 'Zoo Zürich'])
  assertTime(suspended.suspendedAt, before)
  assert.deepEqual(suspended, { ...renamed, suspendedAt: suspended.suspendedAt, state: 'suspended' })
  assert.deepEqual(resumed, renamed)

  const steps: readonly (readonly [command: string, printed: RegExp])[] = [
    ['rename 1 acme', /^Account 1 is now named "acme"\.\n$/],
    ['suspend acme', /is suspended.*\n.*petstore account resume 1\n$/],
    ['list', /^ID .* STATE .*\n1 .* suspended /],
    ['resume acme', /is active again/],
    ['list', /\n1 .* active /],
  ]
  const printed = await store.textEach(steps.map(([command]) => ['account', ...command.split(' ')]))
  for (const [index, [, expected]] of steps.entries()) assert.match(printed[index] ?? '', expected)
})

test('only keys that still work are lost by a deletion, and all are deleted', async t => {
  const store = await makeStore(t)
  await store.issueKey()
  await store.act(async context => {
    const { id } = await issueKey(context, { account: 'acme' })
    await revokeKey(context, String(id))
  })
  assertUserError(await store.run('account', 'delete', 'acme'), /Its 1 active key would .*--yes/)
  assert.equal((await store.json('account', 'delete', 'acme', '--yes')).deletedKeys, 2)
})

test('an account is deleted only with --yes; without it, the command says how many keys would be lost', async t => {
  const store = await makeStore(t)
  await store.issueKey()
  assertUserError(
    await store.run('account', 'delete', 'acme'),
    /1 "acme" cannot be undone\. Its 1 active key would .*--yes/,
  )
  await store.act(context => issueKey(context, { account: 'acme' }))
  assertUserError(await store.run('account', 'delete', 'acme', '--json'), /Its 2 active keys would .*--yes/)
  const [[{ usageToday, bannedKeys, ...account }], keys, deleted, ...left] = await store.jsonEach([
    ['account', 'list'],
    ['key', 'list'],
    ['account', 'delete', '1', '--yes'],
    ['account', 'list'],
    ['key', 'list'],
  ])
  assert.equal(keys.length, 2, 'nothing was deleted')
  assert.deepEqual([usageToday.admitted, bannedKeys], [0, 0])
  assert.deepEqual(deleted, { ...account, deletedKeys: 2 })
  assert.deepEqual(left, [[], []])

  await store.act(context => createAccount(context, { name: 'empty', plan: 'free', limits: {} }))
  const [again, empty, gone] = await store.runEach([
    ['account', 'delete', '1', '--yes'],
    ['account', 'delete', 'empty'],
    ['account', 'delete', 'empty', '--yes'],
  ])
  assertUserError(again, /no account "1"/)
  assertUserError(empty, /It has no active keys\..*--yes/)
  const printed = 'Account 2 "empty" is deleted, along with its 0 keys.\n'
  assert.deepEqual(gone, { code: 0, stdout: printed, stderr: '' })
})
