import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { assertUserError, makeStore, startServe } from '../support/command-line.ts'
import { until } from '../support/eventually.ts'

test('a mistyped PETSTORE_DATA does not look like an empty store, and nothing is created there', async t => {
  const { folder, ...store } = await makeStore(t)
  const mistyped = join(folder, 'dta')
  const commands = [
    'pet list',
    'pet show 1',
    'pet correct 1 --name Rex',
    'pet delete 1',
    'pet export out.csv',
    'account list',
    'account rename acme zoo',
    'account set-plan acme --plan free',
    'account suspend acme',
    'account resume acme',
    'account delete acme --yes',
    'key list',
    'key create acme',
    'key rotate 1',
    'key revoke 1',
    'ban list',
    'ban lift 1',
    'token list',
    'token revoke 1',
    'usage',
    'audit --json',
    'pet add Rex --category 1',
    'pet import - --format csv',
    'token create Anna --role staff',
  ]
  const elsewhere = store.with({ PETSTORE_DATA: mistyped })
  const message = /^error: There is no store in \S+dta; set PETSTORE_DATA, or create one with "petstore serve" or /
  assertUserError(await elsewhere.run('pet', 'list'), message)
  for (const ending of await elsewhere.runEach(commands.map(command => command.split(' ')))) {
    assertUserError(ending, message)
  }
  assert.ok(!existsSync(mistyped))
})

test('petstore account create creates a missing store, and says so with its full path', async t => {
  const { folder, ...store } = await makeStore(t)
  const there = store.with({ PETSTORE_DATA: relative(process.cwd(), join(folder, 'new', 'data')) })
  const { code, stdout, stderr } = await there.run('account', 'create', 'acme', '--plan', 'free', '--json')
  assert.deepEqual([code, JSON.parse(stdout).name, stderr], [0, 'acme', noteOf(join(folder, 'new', 'data'))])
  assert.equal((await there.act(({ store }) => store.listAudit({ limit: 10 }))).length, 1)
  assert.equal((await there.run('account', 'create', 'zoo', '--plan', 'free')).stderr, '')
})

test('an account name that is refused creates no store', async t => {
  const { folder, ...store } = await makeStore(t)
  const there = store.with({ PETSTORE_DATA: join(folder, 'new') })
  const { code, stderr } = await there.run('account', 'create', '123', '--plan', 'free')
  assert.deepEqual([code, stderr], [2, 'error: An account name must not be a number; numbers are read as ids.\n'])
  assert.ok(!existsSync(join(folder, 'new')))
})

test('petstore restore and petstore serve say so, too', async t => {
  const { folder, ...store } = await makeStore(t)
  await store.issueKey()
  const backup = join(folder, 'backup.db')
  await store.text('backup', backup)
  const restored = store.with({ PETSTORE_DATA: join(folder, 'restored') })
  assert.equal((await restored.run('restore', backup, '--json')).stderr, noteOf(join(folder, 'restored')))
  assert.equal((await restored.run('restore', backup, '--force', '--yes')).stderr, '')
  const service = await startServe(t, { PETSTORE_DATA: join(folder, 'served') })
  await until(() => service.stdout.includes(noteOf(join(folder, 'served')).trim()))
  const again = await startServe(t, { PETSTORE_DATA: join(folder, 'restored') })
  await again.stop('SIGTERM')
  assert.doesNotMatch(again.stdout, /There was no store/)
})

function noteOf(folder: string): string {
  return `There was no store in ${folder}, so a new one was created.\n`
}
