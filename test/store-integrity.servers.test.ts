import assert from 'node:assert/strict'
import { test } from 'node:test'
import { examine } from '../src/app/checks/examine.ts'
import { StoreUnavailable } from '../src/domain/errors.ts'
import { SqliteStore } from '../src/sqlite/store.ts'
import { eventually } from './support/eventually.ts'
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
