import assert from 'node:assert/strict'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { temporaryFolder } from '../../test/support/folder.ts'
import { connect, databaseFile, prepareDatabase } from './connection.ts'
import { identityOf, leadsTo } from './identity.ts'

test('a file that is written is still the one that was remembered', async t => {
  const { file, database } = await openStore(t)
  const identity = identityOf(file)
  database.exec('UPDATE revision SET corrections = 1; PRAGMA wal_checkpoint(TRUNCATE)')
  assert.ok(leadsTo(file, identity))
})

test('a file whose folder is deleted under an open connection is there no more', async t => {
  const { folder, file } = await openStore(t)
  const identity = identityOf(file)
  await rm(folder, { recursive: true })
  assert.ok(!leadsTo(file, identity))
  await mkdir(folder)
  prepareDatabase(folder, 'production')
  assert.ok(!leadsTo(file, identity), 'nor when another store has been made in its place')
})

test('a file that is replaced under an open connection is there no more, until it is put back', async t => {
  const { folder, file } = await openStore(t)
  const identity = identityOf(file)
  await rename(file, `${file}.aside`)
  prepareDatabase(join(folder, 'other'), 'production')
  await rename(databaseFile(join(folder, 'other')), file)
  assert.ok(!leadsTo(file, identity))
  await rename(`${file}.aside`, file)
  assert.ok(leadsTo(file, identity))
})

async function openStore(t: TestContext) {
  const folder = await temporaryFolder(t)
  prepareDatabase(folder, 'production')
  const file = databaseFile(folder)
  const database = connect(file)
  t.after(() => database.close())
  return { folder, file, database }
}
