import assert from 'node:assert/strict'
import { once } from 'node:events'
import { copyFileSync, existsSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { temporaryFolder } from '../../test/support/folder.ts'
import { findLostFile } from './data-folder/served-files.ts'
import { databaseFile, indexFile, logFile } from './data-folder/store-files.ts'
import { ensureWholeLog } from './data-folder/whole-log.ts'
import { SqliteStore } from './store.ts'
import { isHeldForWriting } from './write-lock.ts'

test('sqlite: a lock that another process holds for a moment is that of a commit', async t => {
  const { folder, file } = await storeFolder(t)
  const store = await SqliteStore.open(folder, 'production', { inThreads: false })
  t.after(() => store.close())
  await meanwhile(t, file, ["database.exec('BEGIN IMMEDIATE')", "database.exec('COMMIT')"])
  assert.equal(isHeldForWriting(file), false)
})

test('sqlite: a service that is starting has not lost the files that it has yet to open', async t => {
  const { folder, file } = await storeFolder(t)
  assert.equal(existsSync(logFile(file)), false)
  await meanwhile(t, file, ["lock.exec('BEGIN EXCLUSIVE')", "database.exec('SELECT 1 FROM store')"])
  assert.equal(findLostFile(folder), undefined)
  assert.ok(existsSync(logFile(file)), 'the service has opened it')
})

test('sqlite: a process that is closing the store has not lost the log that it deletes before the index', async t => {
  const other = await storeFolder(t)
  const store = await SqliteStore.open(other.folder, 'production', { inThreads: false })
  t.after(() => store.close())
  await store.createPet({ name: 'Rex', categoryId: 7n, status: 'available' }, 0)
  // This process looks at the log of a store only before it first opens it.
  const folder = await temporaryFolder(t)
  const file = databaseFile(folder)
  copyFileSync(other.file, file)
  copyFileSync(indexFile(other.file), indexFile(file))
  await meanwhile(t, file, ['', "rmSync(file + '-shm')"])
  assert.doesNotThrow(() => ensureWholeLog(folder))
  assert.equal(existsSync(indexFile(file)), false)
})

/** A folder with a store that no process has open. */
async function storeFolder(t: TestContext): Promise<{ folder: string; file: string }> {
  const folder = await temporaryFolder(t)
  await (await SqliteStore.open(folder, 'production', { inThreads: false })).close()
  return { folder, file: databaseFile(folder) }
}

/** As another process does: one step now, and the next one a moment later. This thread, which waits for the second step, must not do it. */
async function meanwhile(t: TestContext, file: string, [now, later]: [now: string, later: string]): Promise<void> {
  const code = `
    import { rmSync } from 'node:fs'
    import { DatabaseSync } from 'node:sqlite'
    import { parentPort, workerData as file } from 'node:worker_threads'
    const database = new DatabaseSync(file)
    const lock = new DatabaseSync(file.replace('petstore.db', 'serving.lock'))
    ${now}
    parentPort.postMessage('now')
    setTimeout(() => { ${later} }, 100)
    parentPort.on('message', () => {})`
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), { workerData: file })
  t.after(() => worker.terminate())
  await once(worker, 'message')
}
