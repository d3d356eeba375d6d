import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { roundTripRules } from '../../test/pet-files/round-trip-rules.ts'
import { eventually, untilOthersWritesShow } from '../../test/support/eventually.ts'
import { lockWrites } from '../../test/support/write-lock.ts'
import type { NewAuditEntry } from '../domain/audit.ts'
import { StoreUnavailable } from '../domain/errors.ts'
import { petSyncContract } from '../domain/pet-sync.contract.ts'
import { type OpenedTransfer, petTransferContract } from '../domain/pet-transfer.contract.ts'
import type { PetLine } from '../domain/pet-transfer.ts'
import { undoneLabelContract } from '../domain/undone-label.contract.ts'
import { openSqliteTransfer } from './pet-transfer.ts'
import { SqliteStore } from './store.ts'

const NOW = Date.UTC(2027, 2, 1, 12)
const ENTRY: NewAuditEntry = { at: NOW, actor: 'anna', origin: 'command line', action: 'pet.import', details: {} }
const STRICT = { skipRefused: false }

interface OpenedFolder extends OpenedTransfer {
  folder: string
}

async function openFolder(): Promise<OpenedFolder> {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-transfer-'))
  const store = await SqliteStore.open(folder, 'production', { inThreads: false })
  const others: OpenedTransfer[] = []
  return {
    folder,
    store,
    transfer: await openSqliteTransfer(folder, 'production'),
    async openOther() {
      const other = await openFolder()
      others.push(other)
      return other
    },
    async close() {
      for (const other of others) await other.close()
      await store.close()
      await rm(folder, { recursive: true })
    },
  }
}

async function openFor(t: TestContext): Promise<OpenedFolder> {
  const opened = await openFolder()
  t.after(opened.close)
  return opened
}

petTransferContract('sqlite', openFolder)
roundTripRules('sqlite', openFolder)
petSyncContract('sqlite', openFolder)
undoneLabelContract('sqlite', openFolder)

test('sqlite: the revision of an open store shows an import at once', async t => {
  const { store, transfer } = await openFor(t)
  const before = store.revision()
  const run = await transfer.beginImport()
  await run.stage([petLine(1), petLine(2, 41n)])
  await untilOthersWritesShow()
  assert.deepEqual(store.revision(), before)
  await run.commit(ENTRY, STRICT)
  await eventually(() => assert.deepEqual(store.revision(), { ...before, newestPetId: 42n }))
})

test('sqlite: an import blocks no write while its file is read', async t => {
  const { folder, store, transfer } = await openFor(t)
  const run = await transfer.beginImport()
  await run.stage([petLine(1)])
  const release = await lockWrites(folder)
  await run.stage([petLine(2)])
  assert.equal((await run.preview(STRICT)).imported, 2)
  await release()
  await store.createPet({ name: 'Rex', categoryId: 1n, status: 'sold' }, NOW)
  assert.deepEqual((await readdir(folder)).toSorted(), [
    'petstore.db',
    'petstore.db-shm',
    'petstore.db-wal',
    'petstore.db.known',
  ])
  assert.equal((await run.commit(ENTRY, STRICT)).imported, 2)
})

test('sqlite: an import into a store that has been deleted meanwhile is not reported as done', async t => {
  const { folder, transfer } = await openFor(t)
  const run = await transfer.beginImport()
  await run.stage([petLine(1)])
  await rm(join(folder, 'petstore.db'))
  await assert.rejects(run.commit(ENTRY, STRICT), StoreUnavailable)
})

test('sqlite: an export reads in batches, so that not all animals are in memory at once', async t => {
  const { transfer } = await openFor(t)
  const run = await transfer.beginImport()
  await run.stage(Array.from({ length: 2_500 }, (_, index) => petLine(index + 1)))
  await run.commit(ENTRY, STRICT)
  const out = await transfer.beginExport()
  const sizes = (await Array.fromAsync(out.batches)).map(batch => batch.length)
  await out.close()
  assert.deepEqual(sizes, [1_000, 1_000, 500])
})

function petLine(line: number, id?: bigint): PetLine {
  return { line, id, name: `line ${line}`, categoryId: 7n, status: 'available' }
}
