import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, openSync } from 'node:fs'
import { test } from 'node:test'
import { addPet } from '../../src/domain/administration/pets.ts'
import { makeStore, PROGRAM, type TestStore } from '../support/command-line.ts'

const FULL = '/dev/full'
const CANNOT = 'error: Standard output cannot be written (the disk is full).\n'
const isLinux = existsSync(FULL)

test('an output that cannot be written is reported, and is a failure', { skip: !isLinux && `no ${FULL}` }, async t => {
  const store = await makeStore(t)
  await store.act(context => addPet(context, { name: 'Rex', categoryId: 1n, status: 'available' }))
  for (const command of ['pet list', 'pet list --json', 'account list']) {
    assert.deepEqual(await runIntoFull(store, command), { code: 1, stderr: CANNOT }, command)
  }
})

test('a secret that could not be shown is reported by its id, to be revoked', {
  skip: !isLinux && `no ${FULL}`,
}, async t => {
  const store = await makeStore(t)
  await store.issueKey()
  for (const [command, what] of [
    ['token create Anna --role admin', 'Token 1'],
    ['token create Anna --role admin --json', 'Token 2'],
    ['key create acme', 'Key 2'],
    ['key rotate 1 --json', 'Key 3'],
  ] as const) {
    const { code, stderr } = await runIntoFull(store, command)
    const lines = [CANNOT, `error: ${what} was created but could not be shown; revoke it.\n`]
    assert.deepEqual([code, stderr], [1, lines.join('')], command)
  }
})

test('when the reader leaves, only a secret that it has not read is reported', async t => {
  const store = await makeStore(t)
  await store.issueKey()
  assert.equal((await runIntoClosedPipe(store, 'account list')).stderr, '')
  for (const [command, what] of [
    ['token create Anna --role staff', 'Token 1'],
    ['key create acme --json', 'Key 2'],
    ['key rotate 1', 'Key 3'],
  ] as const) {
    const expected = { code: 1, stderr: `error: ${what} was created but could not be shown; revoke it.\n` }
    assert.deepEqual(await runIntoClosedPipe(store, command), expected)
  }
})

test('the JSON of a secret is valid, whatever the name of its account', async t => {
  const store = await makeStore(t)
  // Such a name was allowed before.
  const name = 'a\u202e\u009b2Jb'
  await store.act(({ store, now }) => {
    const entry = { at: now, actor: 'ada', origin: '', action: 'account.create', details: {} } as const
    return store.createAccount({ name, plan: 'free', limits: { perMinute: 60, perDay: 1_000 } }, entry)
  })
  const commandLines = [
    ['key', 'create', '1'],
    ['key', 'rotate', '1'],
  ]
  for (const text of await store.textEach(commandLines.map(line => [...line, '--json']))) {
    assert.equal(JSON.parse(text).account, name)
    assert.doesNotMatch(text, /[\u0080-\u009f\u202e]/, 'a terminal is not harmed')
  }
})

async function runIntoFull({ env }: TestStore, command: string) {
  const child = spawn(process.execPath, [PROGRAM, ...command.split(' ')], {
    env,
    stdio: ['ignore', openSync(FULL, 'w'), 'pipe'],
  })
  return endingOf(child)
}

async function runIntoClosedPipe({ env }: TestStore, command: string) {
  const child = spawn(process.execPath, [PROGRAM, ...command.split(' ')], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.destroy()
  return endingOf(child)
}

async function endingOf(child: ReturnType<typeof spawn>): Promise<{ code: number | null; stderr: string }> {
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stderr }
}
