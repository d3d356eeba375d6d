import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { examine } from '../src/app/checks/examine.ts'
import { StoreUnavailable } from '../src/domain/errors.ts'
import { SqliteStore } from '../src/sqlite/store.ts'
import { environment, makeStore, PROGRAM } from './support/command-line.ts'
import { eventually } from './support/eventually.ts'
import { temporaryFolder } from './support/folder.ts'
import { needs } from './support/servers/needs.ts'
import { mountOwnDisk } from './support/servers/private-disk.ts'

test('a disk that cannot be written is noticed, by the service and by doctor', async t => {
  const disk = await mountOwnDisk(t)
  if (!disk) return
  const store = await SqliteStore.open(disk.folder, 'production')
  t.after(() => store.close())
  await store.check()
  disk.fail()
  await eventually(() => assert.rejects(store.check(), StoreUnavailable))
  const findings = await examine({ PETSTORE_DATA: disk.folder }, Date.now())
  const found = findings.find(({ check }) => check === 'writing')
  assert.equal(found?.outcome, 'fail')
  assert.match(found?.message ?? '', /cannot be written to \(the file system is read-only\)/)
})

test('doctor blames a read-only file system for a folder that cannot be written, and not its owner', async t => {
  const disk = await mountOwnDisk(t)
  if (!disk) return
  disk.protect()
  const findings = await examine({ PETSTORE_DATA: disk.folder }, Date.now())
  const found = findings.find(({ check }) => check === 'folder')
  assert.equal(found?.outcome, 'fail')
  assert.match(found?.message ?? '', /cannot be written to \(the file system is read-only\)/)
})

test('a command for which the disk fails once says so in one line, whatever it was doing', async t => {
  if (!needs(t, 'strace')) return
  const { env, run } = await makeStore(t)
  await run('account', 'create', 'acme', '--plan', 'free')
  const backup = join(await temporaryFolder(t), 'backup.db')
  await run('backup', backup)
  for (const [call, ...command] of [
    ['ftruncate', 'account', 'rename', 'acme', 'Acme'],
    ['unlink', 'restore', backup, '--force', '--yes'],
  ]) {
    let failed = 0
    // The earliest failures leave files behind, which the next command removes.
    for (let time = 8; time >= 1; time -= 1) {
      const effect = `inject=${call}:error=EIO:when=${time}`
      const traced = ['-f', '-qq', '-o', '/dev/null', '-e', `trace=${call}`, '-e', effect]
      const options = { env: environment(env), encoding: 'utf8' } as const
      const { status, stderr } = spawnSync('strace', [...traced, process.execPath, PROGRAM, ...command], options)
      if (status === 0) continue
      failed += 1
      assert.match(stderr, /^(?:error: .+\.\n)+$/, `${call} ${time}`)
    }
    assert.ok(failed > 0)
  }
})

test('a backup can be written where folders cannot be synced, as on some network drives', async t => {
  if (!needs(t, 'strace')) return
  const { env, run } = await makeStore(t)
  await run('account', 'create', 'acme', '--plan', 'free')
  const folder = await temporaryFolder(t)
  const traced = ['-f', '-qq', '-o', '/dev/null', '-P', folder, '-e', 'trace=fsync', '-e', 'inject=fsync:error=EINVAL']
  const command = [process.execPath, PROGRAM, 'backup', join(folder, 'backup.db')]
  const { status, stderr } = spawnSync('strace', [...traced, ...command], { env: environment(env), encoding: 'utf8' })
  assert.deepEqual([status, stderr], [0, ''])
})
