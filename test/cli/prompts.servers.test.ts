import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createAccount } from '../../src/domain/administration/accounts.ts'
import { issueKey } from '../../src/domain/administration/keys.ts'
import { addPet } from '../../src/domain/administration/pets.ts'
import { createToken } from '../../src/domain/administration/tokens.ts'
import { makeStore, type TestStore } from '../support/command-line.ts'
import { needs } from '../support/servers/needs.ts'
import { runOnTerminal } from '../support/servers/terminal.ts'

// Commands ask a person at a terminal before an action that cannot be undone.

/** A command that asks, its question, and a check that it was carried out. */
const CASES: readonly (readonly [command: string, question: RegExp, isDone: (store: TestStore) => Promise<boolean>])[] =
  [
    [
      'key revoke 1',
      /Key 1 "till" of account "acme" \(ends in \w{4}\) would stop working forever\. Revoke it\? \[y\/N\] /,
      async store => (await store.json('key', 'list', '--state', 'revoked')).length === 1,
    ],
    [
      'key rotate 1 --overlap 0',
      /Key 1 "till" .* would stop working immediately\. Rotate it without an overlap\? \[y\/N\] /,
      async store => (await store.json('key', 'list', '--state', 'expired')).length === 1,
    ],
    [
      'token revoke 1',
      /Token 1 of "Anna" \(staff\) would stop working forever\. Revoke it\? \[y\/N\] /,
      async store => (await store.json('token', 'list'))[0].state === 'revoked',
    ],
    [
      'pet delete 1',
      /Delete animal 1 "Rex"\? \[y\/N\] /,
      async store => (await store.json('pet', 'list')).length === 0,
    ],
    [
      'account delete acme',
      /Deleting account 1 "acme" cannot be undone\. Its 1 active key would stop working forever\. Delete it\? \[y\/N\] /,
      async store => (await store.json('account', 'list')).length === 0,
    ],
  ]

test('the account that the question is about is deleted, even if another one has got its name', async t => {
  if (!needs(t, 'script')) return
  const store = await makeFullStore(t)
  const meanwhile = () =>
    store.textEach([
      ['account', 'rename', 'acme', 'old'],
      ['account', 'create', 'acme', '--plan', 'free'],
    ])
  const { code, shown } = await runOnTerminal(store, 'account delete acme', { answer: 'y\r', meanwhile, columns: 200 })
  assert.equal(code, 0, shown)
  assert.match(shown, /Account 1 "old" is deleted/)
  assert.deepEqual(
    (await store.json('account', 'list')).map(({ id }: { id: number }) => id),
    [2],
  )
})

for (const [command, question, isDone] of CASES) {
  test(`petstore ${command} asks on a terminal, and only yes is a yes`, async t => {
    if (!needs(t, 'script')) return
    const store = await makeFullStore(t)
    for (const answer of ['n\r', '\r', 'yess\r', '\u0004']) {
      const { code, shown } = await runOnTerminal(store, command, { answer, columns: 200 })
      assert.match(shown, question)
      assert.match(shown, /error: Not confirmed: nothing was changed\.\r\n$/)
      assert.equal(code, 1)
    }
    const interrupted = await runOnTerminal(store, command, { answer: '\u0003' })
    assert.match(interrupted.shown, /\r\nInterrupted: nothing was changed\.\r\n$/)
    assert.equal(interrupted.code, 130)
    assert.equal(await isDone(store), false)

    const { code, shown } = await runOnTerminal(store, command, { answer: 'Yes\r', columns: 200 })
    assert.match(shown, question)
    assert.equal(code, 0, shown)
    assert.equal(await isDone(store), true)
  })

  test(`petstore ${command} asks nothing with --yes`, async t => {
    if (!needs(t, 'script')) return
    const store = await makeFullStore(t)
    const { code, shown } = await runOnTerminal(store, `${command} --yes`)
    assert.equal(code, 0, shown)
    assert.doesNotMatch(shown, /\[y\/N\]/)
    assert.equal(await isDone(store), true)
  })
}

test('without a terminal nothing is asked: scripts run unchanged, and only account delete needs --yes', async t => {
  for (const [command, , isDone] of CASES) {
    const store = await makeFullStore(t)
    const { code, stderr } = await store.run(...command.split(' '))
    const needsYes = command.startsWith('account delete')
    assert.deepEqual([code, await isDone(store)], needsYes ? [1, false] : [0, true], stderr)
  }
})

test('harmless changes need no confirmation: a rotation with an overlap, a key that no longer works', async t => {
  if (!needs(t, 'script')) return
  const store = await makeFullStore(t)
  const rotated = await runOnTerminal(store, 'key rotate 1')
  assert.equal(rotated.code, 0, rotated.shown)
  await store.text('key', 'revoke', '2')
  const again = await runOnTerminal(store, 'key revoke 2')
  assert.deepEqual(again, { code: 1, shown: 'error: Key 2 is already revoked.\r\n' })
})

test('a question and the answer are not in the output: with --json it is one document', async t => {
  if (!needs(t, 'script')) return
  const store = await makeFullStore(t)
  const file = join(store.folder, 'out.json')
  const { shown } = await runOnTerminal(store, `key revoke 1 --json >${file}; cat ${file}`, { answer: 'y\r' })
  assert.match(shown, /\[y\/N\] y\r\n\{\r\n/)
  assert.equal(JSON.parse(shown.slice(shown.indexOf('\n{'))).state, 'revoked')
})

test('petstore restore --force asks before it replaces a store, and not without one', async t => {
  if (!needs(t, 'script')) return
  const store = await makeFullStore(t)
  const file = join(store.folder, 'copy.backup')
  await store.text('backup', file)
  await store.text('pet', 'delete', '1')
  const refused = await runOnTerminal(store, `restore ${file} --force`, { answer: 'n\r', columns: 400 })
  assert.match(refused.shown, /The store in .* would be moved aside and replaced with .*copy\.backup; .* Restore it\?/)
  assert.deepEqual([refused.code, (await store.json('pet', 'list')).length], [1, 0])
  const restored = await runOnTerminal(store, `restore ${file} --force`, { answer: 'y\r' })
  assert.deepEqual([restored.code, (await store.json('pet', 'list')).length], [0, 1], restored.shown)
  const elsewhere = store.with({ PETSTORE_DATA: join(store.folder, 'new') })
  const first = await runOnTerminal(elsewhere, `restore ${file} --force`)
  assert.equal(first.code, 0, first.shown)
})

test('petstore pet import asks for an encoding that the file does not show, and imports it in the chosen one', async t => {
  if (!needs(t, 'script')) return
  const store = await makeFullStore(t)
  const file = join(store.folder, 'animals.csv')
  await writeFile(file, Buffer.from('name,categoryId\n\xcc\xf3\xf0\xea\xe0,2\n', 'latin1'))
  const answered = (answer: string, command = `pet import ${file}`) =>
    runOnTerminal(store, command, { answer, columns: 400, question: 'Enter for none] ' })
  for (const [answer, reason] of [
    ['\r', 'no encoding was chosen'],
    ['9\r', '"9" is not an encoding'],
    ['klingon\r', '"klingon" is not an encoding'],
  ] as const) {
    const { code, shown } = await answered(answer)
    assert.match(
      shown,
      /\n {2}1 {2}windows-1251\r\n {7}\u041c\u0443\u0440\u043a\u0430,2\r\n.*Which encoding is right\? \[1-\d, or a name; Enter for none\] /s,
    )
    assert.match(shown, new RegExp(`error: Nothing was changed: ${reason}\\. Add --encoding`))
    assert.equal(code, 1)
  }
  for (const [answer, name] of [
    ['1\r', '\u041c\u0443\u0440\u043a\u0430'],
    ['cp1253\r', '\u039c\u03c3\u03c0\u03ba\u03b0'],
  ] as const) {
    const { code, shown } = await answered(answer)
    assert.deepEqual([code, shown.includes('Imported 1 animal from animals.csv')], [0, true], shown)
    assert.equal((await store.json('pet', 'list')).at(-1).name, name)
  }
  const pipe = join(store.folder, 'pipe')
  spawnSync('mkfifo', [pipe])
  spawn('sh', ['-c', 'cat "$0" >"$1"', file, pipe])
  const fromPipe = await answered('1\r', `pet import ${pipe} --format csv`)
  assert.equal(fromPipe.code, 0, fromPipe.shown)
  const { code, shown } = await answered('1\r', `pet import ${file} --json`)
  assert.deepEqual([code, shown.includes('Which encoding')], [1, false])
})

test('petstore migrate-store asks, and shows no password', async t => {
  if (!needs(t, 'script')) return
  const store = await makeFullStore(t)
  const url = 'postgres://me:geheim@127.0.0.1:1/pets'
  const { code, shown } = await runOnTerminal(store, `migrate-store --to ${url}`, { answer: 'n\r', columns: 400 })
  assert.match(shown, /^The store in \S+ would be moved to the database 127\.0\.0\.1:1\/pets, .*\? \[y\/N\] n\r\n/)
  assert.equal(code, 1)
  assert.doesNotMatch(shown, /geheim/)
})

async function makeFullStore(t: Parameters<typeof makeStore>[0]): Promise<TestStore> {
  const store = await makeStore(t)
  await store.act(async context => {
    await createAccount(context, { name: 'acme', plan: 'free', limits: {} })
    await issueKey(context, { account: 'acme', name: 'till' })
    await createToken(context, { name: 'Anna', role: 'staff' })
    await addPet(context, { name: 'Rex', categoryId: 1n, status: 'available' })
  })
  return store
}

test('petstore key find asks for the key on a terminal, and does not show it', async t => {
  if (!needs(t, 'script')) return
  const store = await makeStore(t)
  const key = await store.issueKey()
  const question = 'it is not shown): '
  const found = await runOnTerminal(store, 'key find', { question, answer: `${key}\r`, columns: 200 })
  assert.match(found.shown, /^Paste the key, token or link \(it is not shown\): \r\nThis is an API key\.\r\n/)
  assert.match(found.shown, /Account +1 "acme"/)
  assert.ok(!found.shown.includes(key.slice(-20)))
  assert.equal(found.code, 0)
  const interrupted = await runOnTerminal(store, 'key find', { question, answer: '\u0003' })
  assert.match(interrupted.shown, /\r\nInterrupted: nothing was changed\.\r\n$/)
  assert.equal(interrupted.code, 130)
  const ended = await runOnTerminal(store, 'key find', { question, answer: '\u0004' })
  assert.match(ended.shown, /error: This is not an API key/)
  assert.equal(ended.code, 1)
})
