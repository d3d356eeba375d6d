import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/support/folder.ts'
import { ensureNotStoreFile } from './store-files.ts'

test('every file that a store or its upgrade, restore or move makes in its folder is kept from being overwritten', async t => {
  const folder = await temporaryFolder(t)
  for (const name of [
    ...['petstore.db', 'petstore.db-wal', 'petstore.db-shm', 'petstore.db-journal', 'petstore.db.known'],
    ...['petstore.db.moved', 'petstore.db.before-upgrade-7', 'petstore.db.before-restore-2027-03-01T12-00-00Z-2'],
    ...['petstore.db.before-restore-2027-03-01T12-00-00Z-wal', 'serving.lock', 'serving.lock-journal'],
  ]) {
    assert.throws(() => ensureNotStoreFile(folder, join(folder, name)), /belongs to the store/, name)
  }
  for (const name of ['backup.db', 'my-petstore.db', 'petstore.db.gz', 'serving.lock.txt']) {
    assert.doesNotThrow(() => ensureNotStoreFile(folder, join(folder, name)), name)
  }
})
