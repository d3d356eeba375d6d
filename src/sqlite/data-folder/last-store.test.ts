import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/support/folder.ts'
import { prepareDatabase } from '../prepare-database.ts'
import { ensureLastStore, recordLastStore, stateOf } from './last-store.ts'
import { databaseFile } from './store-files.ts'

test('a store that another process changes while it is being opened is not an older one', async t => {
  const folder = await temporaryFolder(t)
  prepareDatabase(folder, 'production')
  const file = databaseFile(folder)
  using database = new DatabaseSync(file)
  const read = () => stateOf(database)
  ensureLastStore(file, () => {
    const state = read()
    database.exec("UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'audit'")
    database.exec(
      "INSERT INTO sqlite_sequence (name, seq) SELECT 'audit', 1 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'audit')",
    )
    recordLastStore(file, read)
    return state
  })
})

test('a store is an older one if it lacks animals, or only entries of the audit log', async t => {
  const file = databaseFile(await temporaryFolder(t))
  const state = { store: 'its secret', pet: 7n, audit: 7n }
  recordLastStore(file, () => state)
  assert.doesNotThrow(() => ensureLastStore(file, () => ({ ...state, audit: 8n })))
  for (const older of [{ pet: 6n }, { audit: 6n }]) {
    assert.throws(() => ensureLastStore(file, () => ({ ...state, ...older })), /is older than the store last used here/)
  }
})

test('a record goes neither back nor to another store', async t => {
  const file = databaseFile(await temporaryFolder(t))
  const state = { store: 'its secret', pet: 7n, audit: 7n }
  for (const recorded of [state, { ...state, pet: 6n, audit: 6n }, { store: 'another', pet: 9n, audit: 9n }]) {
    recordLastStore(file, () => recorded)
    assert.throws(
      () => ensureLastStore(file, () => ({ ...state, audit: 6n })),
      /is older than the store last used here/,
    )
  }
})

test('a store that another process creates at the same moment is not missing', async t => {
  const folder = await temporaryFolder(t)
  prepareDatabase(folder, 'production')
  ensureLastStore(databaseFile(folder), () => undefined)
})
