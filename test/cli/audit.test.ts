import assert from 'node:assert/strict'
import { userInfo } from 'node:os'
import { test } from 'node:test'
import { createAccount } from '../../src/domain/administration/accounts.ts'
import { assertTime, makeStore } from '../support/command-line.ts'

test('every change is written down: when, who, from where, what and about what', async t => {
  const store = await makeStore(t)
  const before = Date.now()
  await store.text('account', 'create', 'acme', '--plan', 'pro')
  await store.text('account', 'rename', 'acme', 'zoo')
  await store.text('key', 'create', 'zoo', '--name', 'laptop')
  await store.text('pet', 'add', 'Rex', '--category', '1')
  await store.with({ SUDO_USER: 'anna' }).text('pet', 'correct', '1', '--status', 'sold')
  await store.act(acting => createAccount(acting, { name: 'other', plan: 'free', limits: {} }))

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
    subjectId: 1,
    accountId: 1,
    details: { name: 'zoo', was: 'acme' },
  })
  assert.equal(entries[1].actor, `${username} (sudo by anna)`)
  assert.deepEqual([entries[0].actor, entries[0].origin], ['ada', '192.0.2.7'])

  const text = await store.text('audit', '--action', 'pet.correct')
  assert.match(
    text,
    /^ID {2}TIME .*\n5 .* \(sudo by anna\) {2}command line {2}pet\.correct {2}1 .*status: available → sold\n$/,
  )
})

test('the audit log is shown by account, by action, and a page at a time', async t => {
  const store = await makeStore(t)
  await store.issueKey()
  await store.text('account', 'create', 'zoo', '--plan', 'pro')
  await store.text('account', 'delete', 'acme', '--yes')
  const ids = async (...options: string[]) =>
    (await store.json('audit', ...options)).map(({ id }: { id: number }) => id)
  assert.deepEqual(await ids(), [4, 3, 2, 1])
  assert.deepEqual(await ids('--account', 'zoo'), [3])
  assert.deepEqual(await ids('--account', '1'), [4, 2, 1], 'also of an account that has been deleted')
  assert.deepEqual(await ids('--action', 'account.create'), [3, 1])
  assert.deepEqual(await ids('--account', '1', '--action', 'account.create', '--before', '4'), [1])
  assert.deepEqual(await ids('--limit', '2', '--before', '4'), [3, 2])
  assert.match(await store.text('audit', '--limit', '2'), /\n\nThere are more: add --before 3 /)
  assert.doesNotMatch(await store.text('audit', '--limit', '4'), /There are more/)
  assert.match(await store.text('audit', '--before', '1'), /no such entry/)
})

test('no secret is written down', async t => {
  const store = await makeStore(t)
  await store.issueKey()
  const secrets = [
    (await store.json('key', 'create', 'acme')).key,
    (await store.json('key', 'rotate', '1')).key,
    (await store.json('token', 'create', 'Anna', '--role', 'admin')).token,
  ]
  const log = (await store.text('audit', '--json')) + (await store.text('audit'))
  for (const secret of secrets) {
    assert.ok(log.includes(secret.slice(-4)), 'its last characters are')
    assert.ok(!log.includes(secret.slice(-10)))
  }
})

test('what stands in the audit log cannot move a terminal’s cursor', async t => {
  const store = await makeStore(t)
  await store.act(acting => {
    const actor = { name: '\u001b[2J\u202eeve\r\nada', origin: '\u009b31m' }
    return createAccount({ ...acting, actor }, { name: 'acme', plan: 'free', limits: {} })
  })
  const text = await store.text('audit')
  assert.match(text, / \\u\{1b\}\[2J\\u\{202e\}eve\\u\{d\}\\nada {2}\\u\{9b\}31m {2}account\.create /)
  assert.equal(text.split('\n').length, 3)
  assert.equal((await store.json('audit'))[0].actor, '\u001b[2J\u202eeve\r\nada')
})
