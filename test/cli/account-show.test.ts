import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAccount, suspendAccount } from '../../src/domain/administration/accounts.ts'
import { issueKey, revokeKey } from '../../src/domain/administration/keys.ts'
import { isoTime } from '../../src/domain/time.ts'
import { dayOf } from '../../src/domain/usage.ts'
import { assertUserError, makeStore } from '../support/command-line.ts'
import { usageOf } from '../support/usage.ts'

const HOUR_MS = 3_600_000

test('an account is shown with its limits, its calls today, its keys and its bans', async t => {
  const store = await makeStore(t)
  const today = dayOf(Date.now())
  // No minute ends later.
  const ends = Date.now() + 59_000
  await store.act(async context => {
    await createAccount(context, { name: 'Corner Shop', plan: 'business', limits: {} })
    await createAccount(context, { name: 'other', plan: 'free', limits: {} })
    await issueKey(context, { account: '1', name: 'till' })
    await issueKey(context, { account: '1', name: 'old' })
    await issueKey(context, { account: '2' })
    await revokeKey(context, '2')
    const term = {
      source: '192.0.2.7',
      earnedIn: 'minute' as const,
      startedAt: context.now,
      endsAt: context.now + HOUR_MS,
      ordinal: 2,
    }
    await context.store.createBan(1n, term)
    await context.store.createBan(1n, { ...term, source: '192.0.2.8', endsAt: context.now })
    await context.store.createBan(3n, term)
    await context.store.saveCounts([{ accountId: 1n, counts: { minute: { used: 20, resetsAt: ends } } }])
    const counts = { admitted: 12_345, refused: 1_200, banned: 7 }
    await context.store.addUsage([
      usageOf({ day: today, accountId: 1n, ...counts }),
      usageOf({ day: today - 1, accountId: 1n, admitted: 5 }),
      usageOf({ day: today, accountId: 2n, admitted: 1, operation: 'getPet' }),
    ])
  })
  const shown = await store.json('account', 'show', 'Corner Shop')
  const [{ bannedKeys, ...account }] = await store.json('account', 'list')
  const keys = await store.json('key', 'list', '1')
  const bans = await store.json('ban', 'list', '--account', '1')
  const { windows, ...others } = shown
  assert.deepEqual(others, { ...account, keys, bans })
  assert.deepEqual(shown.usageToday, { admitted: 12_345, refused: 1_200, banned: 7, usedPercent: 12 })
  assert.equal(bannedKeys, 1)
  assert.deepEqual(windows.minute, { limit: 1_000, used: 20, remaining: 980, resetsAt: isoTime(ends) })
  assert.deepEqual([windows.day.used, windows.day.remaining, windows.complete], [12_345, 87_655, false])
  assert.deepEqual([keys.length, bans.length], [2, 1])

  const text = await store.text('account', 'show', '1')
  const lines = text.split('\n')
  assert.deepEqual(lines.slice(0, 3), [
    'Account  1 "Corner Shop"',
    'Plan     business: 1,000 requests per minute, 100,000 per day',
    'State    active',
  ])
  assert.match(text, /^Today {4}12,345 of 100,000 calls admitted \(12%\), 1,200 refused, 7 banned$/m)
  assert.match(text, /^Left {5}980 of 1,000 this minute, until 20\S+Z; 87,655 of 100,000 today$/m)
  assert.match(text, /^Keys {5}1 active, 0 expired, 1 revoked$/m)
  assert.match(text, /^Bans {5}1 in force$/m)
  assert.match(text, /^1 +till .* banned /m)
  assert.doesNotMatch(text, /^2 +old/m)
  assert.match(text, /^KEY ID +KEY NAME .*\n1 +till /m)
  assert.match(await store.text('account', 'show', '2'), /^Deprecated {2}1 call, the last at 20\S+Z$/m)
})

test('an account without keys, bans and calls is shown, and so is a suspended one', async t => {
  const store = await makeStore(t)
  await store.act(context => createAccount(context, { name: 'new', plan: 'free', limits: {} }))
  await store.act(context => suspendAccount(context, 'new'))
  const text = await store.text('account', 'show', 'new')
  assert.match(text, /^State {4}suspended since 20\S+Z$/m)
  assert.match(text, /^Today {4}0 of 1,000 calls admitted \(0%\), 0 refused, 0 banned$/m)
  assert.match(text, /\nKeys {5}0 active, 0 expired, 0 revoked\nBans {5}none\n$/)
})

test('a name that almost exists is suggested, best first, and the command changes nothing', async t => {
  const store = await makeStore(t)
  await store.act(async context => {
    for (const name of ['Acme Pets', 'Zoo Zürich', 'acne', 'Corner Shop']) {
      await createAccount(context, { name, plan: 'free', limits: {} })
    }
  })
  const cases: readonly (readonly [command: string[], suggestion: string])[] = [
    [['key', 'create', 'acme'], '"Acme Pets" (id 1) or "acne" (id 3)?'],
    [['key', 'list', 'ácne'], '"acne" (id 3)?'],
    [['account', 'delete', 'zoo zurich', '--yes'], '"Zoo Zürich" (id 2)?'],
    [['account', 'show', 'shop'], '"Corner Shop" (id 4)?'],
    [['account', 'show', 'amce'], '"acne" (id 3)?'],
    [['usage', 'Conrer Shop'], '"Corner Shop" (id 4)?'],
    [['audit', '--account', 'ACNES'], '"acne" (id 3)?'],
  ]
  const endings = await store.runEach(cases.map(([command]) => command))
  for (const [index, [, suggestion]] of cases.entries()) {
    assertUserError(endings[index], /^error: There is no account "/)
    const { stderr = '' } = endings[index] ?? {}
    assert.ok(stderr.endsWith(`did you mean ${suggestion}\n`), stderr)
  }
  for (const stranger of ['xylophone', '99', '']) {
    assertUserError(await store.run('account', 'show', stranger), new RegExp(`There is no account "${stranger}"\\.$`))
  }
  assert.deepEqual(await store.json('key', 'list'), [])
})

test('an existing name is found in any case, however many similar ones there are', async t => {
  const store = await makeStore(t)
  await store.act(async context => {
    for (const name of ['Acme Pets', 'Ácme', 'acme']) await createAccount(context, { name, plan: 'free', limits: {} })
  })
  for (const name of ['acme', 'Acme']) assert.equal((await store.json('key', 'create', name)).accountId, 3)
  assertUserError(
    await store.run('account', 'create', 'ACME', '--plan', 'free'),
    /"acme" already exists; names are not case-sensitive\.$/,
  )
})
