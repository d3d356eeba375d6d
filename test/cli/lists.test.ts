import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAccount, setPlan, suspendAccount } from '../../src/domain/administration/accounts.ts'
import { issueKey, revokeKey } from '../../src/domain/administration/keys.ts'
import { assertUsageError, makeStore, type TestStore } from '../support/command-line.ts'

const YEAR_MS = 31_536_000_000

test('accounts are listed by a part of their name, by plan and by state', async t => {
  const store = await makeListedStore(t)
  const cases: readonly (readonly [options: string, ids: readonly number[]])[] = [
    ['', [1, 2, 3, 4, 5]],
    ['--name PETS', [2, 4]],
    ['--plan pro', [2]],
    ['--state suspended', [3]],
    ['--plan free --state active', [1, 4, 5]],
    ['--plan free --after 1 --limit 2', [3, 4]],
    ['--plan enterprise', []],
  ]
  const lists: { id: number }[][] = await store.jsonEach(cases.map(([options]) => words(`account list ${options}`)))
  for (const [index, [options, ids]] of cases.entries()) {
    assert.deepEqual(
      lists[index]?.map(({ id }) => id),
      ids,
      options,
    )
  }
  assert.equal(await store.text('account', 'list', '--plan', 'enterprise'), 'No account matches.\n')
  assert.equal(await store.text('account', 'list', '--after', '99'), 'No account matches.\n')
  assertUsageError(await store.run('account', 'list', '--plan', 'gold'), /Allowed choices are free, pro/)
  assertUsageError(await store.run('account', 'list', '--state', 'gone'), /Allowed choices are active, suspended/)
})

test('keys are listed by account and state', async t => {
  const store = await makeListedStore(t)
  const cases: readonly (readonly [options: string, ids: readonly number[]])[] = [
    ['--state active', [1, 3, 4]],
    ['--state revoked', [2]],
    ['--state expired', []],
    ['acme --state active', [1, 3]],
    ['acme --after 1 --limit 1', [2]],
  ]
  const lists: { id: number }[][] = await store.jsonEach(cases.map(([options]) => words(`key list ${options}`)))
  for (const [index, [options, ids]] of cases.entries()) {
    assert.deepEqual(
      lists[index]?.map(({ id }) => id),
      ids,
      options,
    )
  }
  assert.equal(await store.text('key', 'list', '--state', 'expired'), 'No key matches.\n')
  assert.equal(await store.text('key', 'list', '--after', '99'), 'No key matches.\n')
})

test('bans are listed by account and key, and lifted for one source', async t => {
  const store = await makeListedStore(t)
  await store.act(async ({ store, now }) => {
    const term = { earnedIn: 'minute', startedAt: now, endsAt: now + 3_600_000, ordinal: 1 } as const
    for (const keyId of [3n, 4n]) await store.createBan(keyId, { ...term, source: '192.0.2.7' })
    await store.createBan(1n, { ...term, source: '192.0.2.8' })
  })
  const idsOf = async (options: string) =>
    (await store.json(...words(`ban list ${options}`))).map(({ id }: { id: number }) => id)
  assert.deepEqual(await idsOf(''), [4, 3, 2, 1])
  assert.deepEqual(await idsOf('--account acme'), [4, 2, 1])
  assert.deepEqual(await idsOf('--key 3'), [2])
  assert.deepEqual(await idsOf('--before 4 --limit 2'), [3, 2])
  assert.equal((await store.json('ban', 'lift', '1', '--source', '192.0.2.8')).id, 4)
  assert.deepEqual([await idsOf('--key 1'), await idsOf('--key 1 --all')], [[1], [4, 1]])
})

test('a search for nothing but invisible characters or accents is refused, so that it selects nothing', async t => {
  const store = await makeListedStore(t)
  const commands = [
    'account list --name',
    'key list --search',
    'category list --label',
    'pet list --name',
    'pet count --name',
  ]
  for (const command of [...commands, 'pet export --name', 'pet delete-many --yes --name'].map(words)) {
    for (const text of ['', '\u200b', '\u0301\ufe0f']) {
      const run = await store.run(...command, text)
      assertUsageError(
        run,
        /^error: Searches ignore accents and invisible characters; the text must have at least one other character\.$/m,
      )
    }
  }
})

test('a list with more entries says how to get the next page, and the last page does not', async t => {
  const store = await makeListedStore(t)
  const [accounts = '', lastAccounts = '', keys = '', lastKeys = ''] = await store.textEach(
    ['account list --limit 2', 'account list --limit 2 --after 3', 'key list --limit 3', 'key list --limit 4'].map(
      words,
    ),
  )
  assert.match(accounts, /\n2 [^\n]*\n\nThere are more: add --after 2 to see the next page\.\n$/)
  assert.match(lastAccounts, /\n4 [^\n]*\n5 [^\n]*\n$/)
  assert.match(keys, /\nThere are more: add --after 3 to see the next page\.\n$/)
  assert.doesNotMatch(lastKeys, /There are more/)
})

test('in a pipe, a list is complete', async t => {
  const store = await makeStore(t)
  await store.act(async context => {
    for (let count = 1; count <= 120; count += 1) {
      await createAccount(context, { name: `account number ${count}`, plan: 'free', limits: {} })
    }
  })
  assert.equal((await store.json('account', 'list')).length, 120)
  const lines = (await store.text('account', 'list')).trimEnd().split('\n')
  assert.equal(lines.length, 121)
})

test('the bans of one account are listed', async t => {
  const store = await makeListedStore(t)
  const [acme, pets] = await store.jsonEach([words('ban list --account acme'), words('ban list --account 2')])
  assert.deepEqual([acme.length, pets.length, acme[0]?.keyId], [1, 0, 1])
})

/** Five accounts and four keys, of which one is banned and one is revoked. */
async function makeListedStore(t: Parameters<typeof makeStore>[0]): Promise<TestStore> {
  const store = await makeStore(t)
  await store.act(async context => {
    for (const name of ['acme', 'Acme Pets', 'zoo', 'pets & more', 'last']) {
      await createAccount(context, { name, plan: 'free', limits: {} })
    }
    await setPlan(context, { account: 'Acme Pets', plan: 'pro', limits: {} })
    await suspendAccount(context, 'zoo')
    for (const account of ['acme', 'acme', 'acme', '2']) await issueKey(context, { account })
    await revokeKey(context, '2')
    await context.store.createBan(1n, {
      source: '192.0.2.7',
      earnedIn: 'minute',
      startedAt: context.now,
      endsAt: context.now + YEAR_MS,
      ordinal: 1,
    })
  })
  return store
}

function words(line: string): string[] {
  return line.split(' ').filter(word => word !== '')
}
