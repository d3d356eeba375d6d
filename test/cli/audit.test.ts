import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createAccount, deleteAccount } from '../../src/domain/administration/accounts.ts'
import { entryOf } from '../../src/domain/administration/context.ts'
import { assertTime, makeStore } from '../support/command-line.ts'

test('every change is recorded: when, who, from where, what, and its subject', async t => {
  const store = await makeStore(t)
  const before = Date.now()
  await store.textEach([
    ['account', 'create', 'acme', '--plan', 'pro'],
    ['account', 'rename', 'acme', 'zoo'],
    ['key', 'create', 'zoo', '--name', 'laptop'],
    ['pet', 'add', 'Rex', '--category', '1'],
  ])
  await store.with({ SUDO_USER: 'anna' }).text('pet', 'correct', '1', '--status', 'sold')
  await store.act(context => createAccount(context, { name: 'other', plan: 'free', limits: {} }))

  const entries = await store.json('audit')
  assert.deepEqual(
    entries.map(({ id, action, subjectId, accountId }: Record<string, unknown>) => [id, action, subjectId, accountId]),
    [
      [6, 'account.create', 2, 2],
      [5, 'pet.correct', 1, null],
      [4, 'pet.create', 1, null],
      [3, 'key.issue', 1, 1],
      [2, 'account.rename', 1, 1],
      [1, 'account.create', 1, 1],
    ],
  )
  const { username } = userInfo()
  assertTime(entries[4].at, before)
  assert.deepEqual(entries[4], {
    id: 2,
    at: entries[4].at,
    actor: username,
    origin: 'command line',
    action: 'account.rename',
    subjectKind: 'account',
    subjectId: 1,
    subjectName: 'zoo',
    accountId: 1,
    account: 'zoo',
    tokenId: null,
    before: { name: 'acme' },
    after: { name: 'zoo' },
    details: {},
    pet: null,
  })
  assert.equal(entries[1].actor, `${username} (sudo by anna)`)
  assert.deepEqual([entries[0].actor, entries[0].origin], ['ada', '192.0.2.7'])

  const text = await store.text('audit', '--action', 'pet.correct')
  assert.match(
    text,
    /^ID {2}TIME .*\n5 .* \(sudo by anna\) {2}command line {2}pet\.correct {2}pet 1 "Rex" .*status: available → sold\n$/,
  )
})

test('the audit log is shown by account, by action, and a page at a time', async t => {
  const store = await makeStore(t)
  await store.issueKey()
  await store.act(async context => {
    await createAccount(context, { name: 'zoo', plan: 'pro', limits: {} })
    await deleteAccount(context, 'acme')
  })
  const listings: readonly (readonly [options: string, ids: readonly number[], message?: string])[] = [
    ['', [4, 3, 2, 1]],
    ['--account zoo', [3]],
    ['--account 1', [4, 2, 1], 'also of an account that has been deleted'],
    ['--action account.create', [3, 1]],
    ['--account 1 --action account.create --before 4', [1]],
    ['--limit 2 --before 4', [3, 2]],
  ]
  const audit = (options: string) => ['audit', ...options.split(' ').filter(word => word !== '')]
  const lists: { id: number }[][] = await store.jsonEach(listings.map(([options]) => audit(options)))
  for (const [index, [options, expected, message = options]] of listings.entries()) {
    const ids = lists[index]?.map(({ id }) => id)
    assert.deepEqual(ids, expected, message)
  }
  const [some = '', all = '', none = ''] = await store.textEach(['--limit 2', '--limit 4', '--before 1'].map(audit))
  assert.match(some, /\n\nThere are more: add --before 3 /)
  assert.match(all, /\n1 /)
  assert.doesNotMatch(all, /There are more/)
  assert.match(none, /No entry matches/)
})

test('the audit log is shown by operator, subject and time, and exported', async t => {
  const store = await makeStore(t)
  await store.textEach([
    ['account', 'create', 'acme', '--plan', 'pro'],
    ['pet', 'add', 'Rex', '--category', '1'],
  ])
  await store.act(context => createAccount(context, { name: 'zoo', plan: 'free', limits: {} }))
  const { username } = userInfo()
  const lists: { id: number }[][] = await store.jsonEach([
    ['audit', '--operator', username],
    ['audit', '--operator', 'ada'],
    ['audit', '--subject', 'account:1'],
    ['audit', '--action', 'pet'],
    ['audit', '--from', '2000-01-01', '--to', '2100-12-31T00:00:00Z', '--account', 'acme'],
    ['audit', '--to', '2000-01-01'],
  ])
  assert.deepEqual(
    lists.map(entries => entries.map(({ id }) => id)),
    [[2, 1], [3], [1], [2], [1], []],
  )
  const [lines = '', older = '', table = ''] = await store.textEach([
    ['audit', '--export', 'ndjson'],
    ['audit', '--before', '3', '--export', 'ndjson'],
    ['audit', '--action', 'account', '--export', 'csv'],
  ])
  assert.deepEqual(
    lines.split('\n').map(line => (line === '' ? undefined : JSON.parse(line).id)),
    [3, 2, 1, undefined],
  )
  assert.equal(older, lines.slice(lines.indexOf('\n') + 1))
  assert.match(table, /^\ufeffid,at,actor,.*\n3,.*\n1,.*\n$/)
  await store.act(context => createAccount(context, { name: 'Ark;=1+1', plan: 'free', limits: {} }))
  const guarded = await store.text('audit', '--action', 'account', '--export', 'csv')
  assert.match(guarded, /\n4,.*Ark;'=1\+1.*Ark;\\u003d1\+1/, 'nothing in it is read as a formula')
  for (const [option, value, message] of [
    ['--subject', 'key', /one of account, key/],
    ['--subject', 'x:1', /one of account, key/],
    ['--from', 'yesterday', /--from must be a UTC day/],
  ] as const) {
    const { code, stderr } = await store.run('audit', option, value)
    assert.equal(code, 2, stderr)
    assert.match(stderr, message)
  }
})

test('no secret is recorded', async t => {
  const store = await makeStore(t)
  await store.issueKey()
  const created = await store.jsonEach([
    ['key', 'create', 'acme'],
    ['key', 'rotate', '1'],
    ['token', 'create', 'Anna', '--role', 'admin'],
  ])
  const secrets: string[] = created.map(({ key, token }) => key ?? token)
  const log = (await store.textEach([['audit', '--json'], ['audit']])).join('')
  for (const secret of secrets) {
    assert.ok(log.includes(secret.slice(-4)), 'its last characters are')
    assert.ok(!log.includes(secret.slice(-10)))
  }
})

test('the contents of the audit log cannot control a terminal', async t => {
  const store = await makeStore(t)
  await store.act(context => {
    const actor = { name: '\u001b[2J\u202eeve\r\nada', origin: '\u009b31m' }
    return createAccount({ ...context, actor }, { name: 'acme', plan: 'free', limits: {} })
  })
  const [text = '', json = ''] = await store.textEach([['audit'], ['audit', '--json']])
  assert.match(text, / \\u\{1b\}\[2J\\u\{202e\}eve\\u\{d\}\\nada {2}\\u\{9b\}31m {2}account\.create /)
  assert.equal(text.split('\n').length, 3)
  assert.equal(JSON.parse(json)[0].actor, '\u001b[2J\u202eeve\r\nada')
})

test('an animal that an older version added has its values once, in its history and in the log', async t => {
  const store = await makeStore(t)
  const pet = { name: 'Rex', categoryId: 7n, status: 'available' } as const
  await store.act(context => context.store.addPet(pet, entryOf(context, 'pet.create', { details: pet })))
  const texts = await store.textEach([
    ['pet', 'history', '1'],
    ['audit', '--subject', 'pet:1'],
  ])
  for (const text of texts) assert.match(text, /pet\.create .*name: Rex, categoryId: 7, status: available\n$/)
  for (const text of texts) assert.equal(text.split('status: available').length, 2)
  assert.deepEqual((await store.json('pet', 'history', '1'))[0].details, {})
})

test('the log of an animal has all that was done to it, with its values, and each entry lists its animals', async t => {
  const store = await makeStore(t)
  const file = join(store.folder, 'animals.csv')
  await writeFile(file, 'name,categoryId\nRex,7\nBella,7\n')
  await store.textEach([
    ['account', 'create', 'acme', '--plan', 'pro'],
    ['pet', 'import', file],
    ['pet', 'correct-many', '--name', 'e', '--set-status', 'sold', '--yes'],
    ['pet', 'undo', '3'],
    ['key', 'create', 'acme', '--name', 'till'],
  ])
  const [log = '', key = '', imported = '', corrected = '', page = ''] = await store.textEach([
    ['audit', '--subject', 'pet:1'],
    ['audit', '--subject', 'key:1'],
    ['pet', 'changed-by', '2'],
    ['pet', 'changed-by', '3'],
    ['pet', 'changed-by', '3', '--limit', '1'],
  ])
  assert.match(
    log,
    /^ID .*\n4 .* pet\.undo {2,}pet 1 "Rex" .*status: sold → available.*\n3 .* pet\.correct-many {2,}pet 1 "Rex" .*status: available → sold.*\n2 .* pet\.import {2,}pet 1 "Rex" .*status: available/,
  )
  assert.match(key, /key 1 "till" of account 1 "acme"/)
  assert.match(imported, /^ID .*\n1 +Rex +name: Rex, categoryId: 7, status: available\n2 +Bella /)
  assert.match(corrected, /^ID .*\n1 +Rex +status: available → sold\n2 +Bella +status: available → sold\n$/)
  assert.match(page, /\n\nThere are more: add --after 1 to see the next page\.\n$/)
  const [json] = await store.json('audit', '--subject', 'pet:2', '--action', 'pet.undo')
  const bella = { name: 'Bella', categoryId: 7 }
  assert.deepEqual(json.pet, { id: 2, before: { ...bella, status: 'sold' }, after: { ...bella, status: 'available' } })
  assert.deepEqual(await store.json('pet', 'changed-by', '4'), [
    {
      id: 1,
      before: { name: 'Rex', categoryId: 7, status: 'sold' },
      after: { name: 'Rex', categoryId: 7, status: 'available' },
    },
    json.pet,
  ])
  const { code, stderr } = await store.run('pet', 'changed-by', '99')
  assert.deepEqual([code, stderr], [1, 'error: There is no entry with id "99".\n'])
})
