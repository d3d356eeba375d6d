import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, openSync } from 'node:fs'
import { test } from 'node:test'
import { createAccount } from '../../src/domain/administration/accounts.ts'
import { addPet } from '../../src/domain/administration/pets.ts'
import { makeStore, PROGRAM, type TestStore } from '../support/command-line.ts'

const FULL = '/dev/full'
const CANNOT = 'error: Standard output cannot be written (ENOSPC).\n'
const isLinux = existsSync(FULL)

test('an output that cannot be written is told, and is a failure', { skip: !isLinux && `no ${FULL}` }, async t => {
  const store = await makeStore(t)
  await store.act(acting => addPet(acting, { name: 'Rex', categoryId: 1n, status: 'available' }))
  for (const command of ['pet list', 'pet list --json', 'account list']) {
    assert.deepEqual(await runIntoFull(store, command), { code: 1, stderr: CANNOT }, command)
  }
})

test('a secret that could not be shown is told by its id, to be revoked', {
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
    const lines = [CANNOT, `error: ${what} was created, but could not be shown; revoke it.\n`]
    assert.deepEqual([code, stderr], [1, lines.join('')], command)
  }
})

test('a reader that leaves is told nothing but which secret it has not taken', async t => {
  const store = await makeStore(t)
  await store.issueKey()
  assert.equal((await runIntoClosedPipe(store, 'account list')).stderr, '')
  for (const [command, what] of [
    ['token create Anna --role staff', 'Token 1'],
    ['key create acme --json', 'Key 2'],
    ['key rotate 1', 'Key 3'],
  ] as const) {
    const expected = { code: 1, stderr: `error: ${what} was created, but could not be shown; revoke it.\n` }
    assert.deepEqual(await runIntoClosedPipe(store, command), expected)
  }
})

test('the JSON of a secret is JSON, whatever its account is called', async t => {
  const store = await makeStore(t)
  const name = 'a\u202eb'
  await store.act(acting => createAccount(acting, { name, plan: 'free', limits: {} }))
  const commandLines = [
    ['key', 'create', '1'],
    ['key', 'rotate', '1'],
  ]
  for (const { account } of await store.jsonEach(commandLines)) assert.equal(account, name)
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
