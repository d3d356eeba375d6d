import { test } from 'node:test'
import { openSqliteTransfer } from '../src/sqlite/pet-transfer.ts'
import { SqliteStore } from '../src/sqlite/store.ts'
import { checkHistories } from './animal-histories/check.ts'
import { ROUNDS } from './support/duration-factor.ts'
import { temporaryFolder } from './support/folder.ts'

// With these histories, the test notices most faults that were tried. PETSTORE_TEST_ROUNDS=10 tries ten times as many.
test('sqlite: after any actions on animals, everything is as a model says', async t => {
  const open = async () => {
    const folder = await temporaryFolder(t)
    const store = await SqliteStore.open(folder, 'production', { inThreads: false })
    return { store, transfer: await openSqliteTransfer(folder, 'production'), close: () => store.close() }
  }
  await checkHistories(open, 11, 12 * ROUNDS)
})
