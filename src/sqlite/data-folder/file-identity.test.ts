import assert from 'node:assert/strict'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { temporaryFolder } from '../../../test/support/folder.ts'
import { connect } from '../connection.ts'
import { prepareDatabase } from '../prepare-database.ts'
import { identityOf, isFileAt } from './file-identity.ts'
import { databaseFile } from './store-files.ts'

test('a file that is written keeps its identity', async t => {
  const { file, database } = await openStore(t)
  const identity = identityOf(file)
  database.exec('UPDATE revision SET corrections = 1; PRAGMA wal_checkpoint(TRUNCATE)')
  assert.ok(isFileAt(file, identity))
})

test('a file whose folder is deleted under an open connection is no longer there', async t => {
  const { folder, file } = await openStore(t)
  const identity = identityOf(file)
  await rm(folder, { recursive: true })
  assert.ok(!isFileAt(file, identity))
  await mkdir(folder)
  prepareDatabase(folder, 'production')
  assert.ok(!isFileAt(file, identity), 'not even when another store was created in its place')
})

test('a file that is replaced under an open connection is no longer there, until it is put back', async t => {
  const { folder, file } = await openStore(t)
  const identity = identityOf(file)
  await rename(file, `${file}.aside`)
  prepareDatabase(join(folder, 'other'), 'production')
  await rename(databaseFile(join(folder, 'other')), file)
  assert.ok(!isFileAt(file, identity))
  await rename(`${file}.aside`, file)
  assert.ok(isFileAt(file, identity))
})

async function openStore(t: TestContext) {
  const folder = await temporaryFolder(t)
  prepareDatabase(folder, 'production')
  const file = databaseFile(folder)
  const database = connect(file)
  t.after(() => database.close())
  return { folder, file, database }
}
