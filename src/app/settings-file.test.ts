import assert from 'node:assert/strict'
import { chmod, chown, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { temporaryFolder } from '../../test/support/folder.ts'
import { ConfigError } from './setting-values.ts'
import type { Environment } from './settings.ts'
import { addSettings, findExposedPassword } from './settings-file.ts'

test('a file in the current folder adds its settings, and those of the environment win, even if they are empty', async t => {
  const folder = await folderWith(t, 'PETSTORE_PORT=8090\nPETSTORE_HOST=::1\nPETSTORE_LOG_LEVEL=warn\n')
  const env: Environment = { PETSTORE_HOST: '127.0.0.1', PETSTORE_LOG_LEVEL: '' }
  const file = addSettings(env, folder)
  assert.deepEqual(env, { PETSTORE_HOST: '127.0.0.1', PETSTORE_LOG_LEVEL: '', PETSTORE_PORT: '8090' })
  assert.deepEqual(file, { path: join(folder, 'petstore.env'), names: new Set(['PETSTORE_PORT']) })
  assert.deepEqual(addSettings(env, folder), file, 'the same in a process that this one starts')
})

test('each line is KEY=value: no quotes, no expansion, and a # within a value belongs to it', async t => {
  const text = '\uFEFF# Settings\r\n\r\n  PETSTORE_DATA=/srv/pet store \r\n #PETSTORE_PORT=1\nTZ=$HOME=#1'
  const env: Environment = {}
  addSettings(env, await folderWith(t, text))
  assert.deepEqual(env, { PETSTORE_DATA: '/srv/pet store', TZ: '$HOME=#1' })
})

test('a line that cannot be read is reported with its number, and nothing is set', async t => {
  for (const line of [
    'PETSTORE_PORT',
    'export PETSTORE_PORT=1',
    'petstore_port=1',
    '=1',
    'PETSTORE_DATA="/srv"',
    "PETSTORE_DATA='/srv'",
  ]) {
    const env: Environment = {}
    const folder = await folderWith(t, `PETSTORE_HOST=::1\n${line}\n`)
    const message = `Line 2 of ${join(folder, 'petstore.env')} must be KEY=value, without quotes.`
    assert.throws(() => addSettings(env, folder), new ConfigError(message), line)
    assert.deepEqual(env, {})
  }
})

test('a file that is not UTF-8 is refused, because a password in it would be read as another one', async t => {
  const folder = await temporaryFolder(t)
  const path = join(folder, 'petstore.env')
  for (const bytes of [
    Buffer.from('PETSTORE_DATA=/srv/données\n', 'latin1'),
    Buffer.from('\uFEFFTZ=UTC\r\n', 'utf16le'),
  ]) {
    await writeFile(path, bytes)
    const message = `The settings in ${path} cannot be read: the file must be UTF-8.`
    assert.throws(() => addSettings({}, folder), new ConfigError(message))
  }
})

test('a file with a NUL is refused, because a value in it would end there', async t => {
  const folder = await folderWith(t, 'PETSTORE_DATA=/srv/pets\0tore\n')
  const message = `The settings in ${join(folder, 'petstore.env')} cannot be read: the file contains a NUL character.`
  assert.throws(() => addSettings({}, folder), new ConfigError(message))
})

test('PETSTORE_ENV_FILE names another file, which must exist and names no other, or none', async t => {
  const folder = await folderWith(t, 'PETSTORE_PORT=1')
  await writeFile(join(folder, 'other.env'), 'PETSTORE_PORT=2')
  const env: Environment = { PETSTORE_ENV_FILE: 'other.env' }
  assert.equal(addSettings(env, folder)?.path, join(folder, 'other.env'))
  assert.equal(env.PETSTORE_PORT, '2')

  assert.equal(addSettings({ PETSTORE_ENV_FILE: '' }, folder), undefined)
  assert.throws(
    () => addSettings({ PETSTORE_ENV_FILE: 'nowhere.env' }, folder),
    /nowhere\.env cannot be read: no such file/,
  )
  await writeFile(join(folder, 'other.env'), 'PETSTORE_ENV_FILE=petstore.env')
  assert.throws(() => addSettings({ PETSTORE_ENV_FILE: 'other.env' }, folder), /PETSTORE_ENV_FILE must not be in /)
})

test('a file of another user is used only if it is named: in a folder such as /tmp, anyone may leave one', {
  skip: process.platform === 'win32',
}, async t => {
  const folder = await folderWith(t, 'PETSTORE_PORT=1')
  const path = join(folder, 'petstore.env')
  t.mock.method(process as { geteuid(): number }, 'geteuid', () => 1)
  if (process.getuid?.() === 0) {
    assert.equal(addSettings({}, folder)?.path, path, 'that of root is trusted')
    await chown(path, 65_534, 65_534)
  }
  assert.throws(
    () => addSettings({}, folder),
    /petstore\.env belongs to another user\. To use it, set PETSTORE_ENV_FILE=/,
  )
  assert.equal(addSettings({ PETSTORE_ENV_FILE: path }, folder)?.path, path)
})

test('a variable that Node itself reads when it starts must be in the environment', async t => {
  const folder = await folderWith(t, 'NODE_EXTRA_CA_CERTS=/ca.pem\nPETSTORE_PORT=1')
  assert.throws(
    () => addSettings({}, folder),
    new ConfigError(
      `NODE_EXTRA_CA_CERTS must not be in ${join(folder, 'petstore.env')}: Node reads it earlier. Set it in the environment.`,
    ),
  )
  assert.ok(addSettings({ NODE_EXTRA_CA_CERTS: '/ca.pem' }, folder))
})

test('without a file, nothing is set', async t => {
  const env: Environment = {}
  assert.equal(addSettings(env, await temporaryFolder(t)), undefined)
  assert.deepEqual(env, {})
})

test('a password that other users of the machine can read is reported', async t => {
  const folder = await folderWith(t, 'PETSTORE_DATABASE_URL=postgres://petstore:secret@db/petstore')
  const path = join(folder, 'petstore.env')
  const env: Environment = {}
  const file = addSettings(env, folder)
  assert.ok(file)
  await chmod(path, 0o644)
  const found = findExposedPassword(file, env)
  assert.equal(found, `Every user of this machine can read PETSTORE_DATABASE_URL in ${path}; run "chmod o-r ${path}".`)
  await chmod(path, 0o640)
  assert.equal(findExposedPassword(file, env), undefined)
  await chmod(path, 0o644)
  const isExposed = (url: string) => findExposedPassword(file, { PETSTORE_DATABASE_URL: url }) !== undefined
  assert.equal(isExposed('postgres://petstore@db/petstore'), false)
  assert.equal(isExposed('postgres:///petstore?host=/run&password=secret'), true)
  assert.equal(isExposed('redis://one.example.com?sentinel=pets&sentinelPassword=secret'), true)
})

async function folderWith(t: TestContext, text: string): Promise<string> {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'petstore.env'), text)
  return folder
}
