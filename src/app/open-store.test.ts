import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { temporaryFolder } from '../../test/support/folder.ts'
import { ContinuousCopy } from '../sqlite/copy/continuous-copy.ts'
import { databaseFile, logFile } from '../sqlite/data-folder/store-files.ts'
import { SqliteStore } from '../sqlite/store.ts'
import { type Config, parseConfig } from './config.ts'
import { openStoreToServe, type StoreWatch } from './open-store.ts'

const WATCH: StoreWatch = {
  committed() {},
  changeFeedLost() {},
  changeFeedRestored() {},
  copied() {},
  copyFailed() {},
}

test('the copy ends and the folder is free again although the store cannot be closed', async t => {
  const config = await configWithCopy(t)
  const served = await openStoreToServe(config, WATCH)
  const { close } = SqliteStore.prototype
  const closing = t.mock.method(SqliteStore.prototype, 'close', async function (this: SqliteStore) {
    await close.call(this)
    throw new Error('not closed')
  })
  const copyClosing = t.mock.method(ContinuousCopy.prototype, 'close')
  await assert.rejects(served.close(), { message: 'not closed' })
  closing.mock.restore()
  assert.equal(copyClosing.mock.callCount(), 1)
  await (await openStoreToServe(config, WATCH)).close()
})

test('a store whose copy cannot begin is closed again', async t => {
  const config = await configWithCopy(t)
  // It cannot be passed to a thread.
  const unusable = { ...config, copyTo: (() => {}) as unknown as string }
  await assert.rejects(openStoreToServe(unusable, WATCH), { name: 'DataCloneError' })
  // The last connection removes the log when it is closed.
  assert.equal(existsSync(logFile(databaseFile(config.dataFolder))), false)
  await (await openStoreToServe(config, WATCH)).close()
})

async function configWithCopy(t: TestContext): Promise<Config> {
  return parseConfig({ PETSTORE_DATA: await temporaryFolder(t), PETSTORE_COPY_TO: await temporaryFolder(t) })
}
