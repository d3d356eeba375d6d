import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { environment, makeStore, PROGRAM, petstore, startServe } from '../support/command-line.ts'
import { temporaryFolder } from '../support/folder.ts'

// Every command and the service read the same file of settings.

test('a command that is typed in the folder of the file uses its store', async t => {
  const { store, file, folder } = await makeFile(t)
  await store.run('account', 'create', 'acme', '--plan', 'free')
  const { PETSTORE_ENV_FILE: _, ...env } = environment({})
  const run = (...args: string[]) => promisify(execFile)(process.execPath, [PROGRAM, ...args], { cwd: folder, env })
  assert.equal(JSON.parse((await run('account', 'list', '--json')).stdout)[0].name, 'acme')
  const { findings } = JSON.parse((await run('doctor', '--json')).stdout)
  const message = `All settings are valid. They were read from ${file} and the environment.`
  assert.deepEqual(findings[0], { check: 'settings', outcome: 'ok', message })
})

test('the service reads the file, and names it in its log', async t => {
  const { store, file } = await makeFile(t)
  const key = await store.issueKey()
  const service = await startServe(t, {}, { store: { ...store, env: { PETSTORE_ENV_FILE: file } } })
  assert.equal(await service.statusOf(key), 200)
  assert.match(service.stdout, RegExp(`"settings":"${RegExp.escape(file)}","msg":"listening"`))
})

test('a file with a mistake is reported with its line by every command that reads settings, and by no other', async t => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'petstore.env')
  await writeFile(file, 'PETSTORE_DATA="./data"\n')
  for (const args of [['account', 'list'], ['doctor'], ['serve']]) {
    const { code, stderr } = await petstore(args, { PETSTORE_ENV_FILE: file })
    assert.deepEqual([code, stderr], [1, `error: Line 1 of ${file} must be KEY=value, without quotes.\n`])
  }
  assert.equal((await petstore(['version'], { PETSTORE_ENV_FILE: file })).code, 0)
})

test('doctor warns of a password in a file that other users can read', async t => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'petstore.env')
  await writeFile(file, `PETSTORE_DATA=${folder}\nPETSTORE_REDIS_URL=redis://:geheim@127.0.0.1:1\n`)
  await chmod(file, 0o644)
  const { stdout } = await petstore(['doctor'], { PETSTORE_ENV_FILE: file })
  assert.match(stdout, /settings +warn +Every user of this machine can read PETSTORE_REDIS_URL in \S+; run "chmod o-r /)
  assert.doesNotMatch(stdout, /geheim/)
})

test('doctor --json prints one document also if the file cannot be read', async t => {
  const file = join(await temporaryFolder(t), 'missing.env')
  const { code, stdout, stderr } = await petstore(['doctor', '--json'], { PETSTORE_ENV_FILE: file })
  assert.deepEqual([code, stderr], [1, ''])
  const message = `The settings in ${file} cannot be read: no such file or folder.`
  assert.deepEqual(JSON.parse(stdout), { ok: false, findings: [{ check: 'settings', outcome: 'fail', message }] })
})

async function makeFile(t: TestContext) {
  const store = await makeStore(t)
  const folder = await temporaryFolder(t)
  const file = join(folder, 'petstore.env')
  await writeFile(file, `# The store\nPETSTORE_DATA=${store.env.PETSTORE_DATA}\n`)
  return { store, folder, file }
}
