import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { roundTripRules } from '../../test/pet-files/round-trip-rules.ts'
import { eventually } from '../../test/support/eventually.ts'
import { skip } from '../../test/support/servers/needs.ts'
import { makeDatabase, noPostgres, type TestDatabase } from '../../test/support/servers/postgres.ts'
import { makePostgresPlace, type OpenedTransferIn, openTransfer } from '../../test/support/servers/postgres-stores.ts'
import type { NewAuditEntry } from '../domain/audit.ts'
import { StoreUnavailable } from '../domain/errors.ts'
import { petSyncContract } from '../domain/pet-sync.contract.ts'
import { petTransferContract } from '../domain/pet-transfer.contract.ts'
import type { PetLine } from '../domain/pet-transfer.ts'
import type { Undo } from '../domain/pet-undo.ts'
import { create, newPet } from '../domain/store-contract/fixtures.contract.ts'
import { undoneLabelContract } from '../domain/undone-label.contract.ts'
import { TAKE_TURN_OF_ANIMALS } from './dialect.ts'
import { openPostgresTransfer } from './pet-transfer.ts'
import type { PostgresStore } from './store.ts'

const NOW = Date.UTC(2027, 2, 1, 12)
const ENTRY: NewAuditEntry = { at: NOW, actor: 'anna', origin: 'command line', action: 'pet.import', details: {} }
const STRICT = { skipRefused: false }
/** The server ends other connections that are idle in a transaction for this long. */
const SILENT_MS = 2_000

type OpenedSchema = OpenedTransferIn<TestDatabase>

const open = () => openTransfer(makeDatabase)

const rule = (sentence: string, check: (opened: OpenedSchema) => Promise<void>) =>
  test(`postgres: ${sentence}`, async (t: TestContext) => {
    if (noPostgres) return void skip(t, noPostgres)
    const opened = await open()
    t.after(opened.close)
    await check(opened)
  })

if (noPostgres) rule('animals in bulk', async () => {})
else {
  petTransferContract('postgres', open)
  roundTripRules('postgres', open)
  petSyncContract('postgres', open)
  undoneLabelContract('postgres', open)
}

rule('imports that are committed at the same time as creations skip no id and use none twice', async opened => {
  const { store, transfer } = opened
  const runs = await Promise.all([transfer.beginImport(), transfer.beginImport(), transfer.beginImport()])
  for (const run of runs) await run.stage(Array.from({ length: 400 }, (_, index) => petLine(index + 1)))
  const creations = Array.from({ length: 100 }, () => store.createPet(PET, NOW))
  const [outcomes] = await Promise.all([Promise.all(runs.map(run => run.commit(ENTRY, STRICT))), ...creations])
  for (const { firstId, lastId } of outcomes) assert.equal((lastId ?? 0n) - (firstId ?? 0n), 399n)
  assert.deepEqual(await opened.database.run('SELECT count(*), min(id), max(id) FROM pet'), [
    { count: '1300', min: '1', max: '1300' },
  ])
})

rule('of concurrent imports that give one number to different words, one is carried out', async opened => {
  const { store, transfer } = opened
  const commits = ['Dogs', 'Cats', 'Birds'].map(async label => {
    const run = await transfer.beginImport()
    await run.stage([petLine(1)])
    return run.commit(ENTRY, { ...STRICT, newCategories: [{ id: PET.categoryId, label }] })
  })
  const outcomes = await Promise.allSettled(commits)
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
  assert.equal((await store.searchPets({ limit: 10 })).pets.length, 1)
  assert.equal((await store.listAudit({ action: 'category.label', limit: 10 })).length, 1)
})

test('postgres: of concurrent imports that give one word to different numbers, one is carried out', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open()
  const transfer = await openPostgresTransfer(place.url, 'production')
  const ids = [7n, 8n, 9n]
  const runs = await Promise.all(ids.map(() => transfer.beginImport()))
  await Promise.all(runs.map((run, index) => run.stage([{ ...petLine(1), categoryId: ids[index] as bigint }])))
  // All of them are in their last step before one can write its label.
  const release = await place.hold('LOCK TABLE category IN EXCLUSIVE MODE')
  const commits = runs.map((run, index) =>
    run.commit(ENTRY, { ...STRICT, newCategories: [{ id: ids[index] as bigint, label: 'Dogs' }] }),
  )
  const settled = Promise.allSettled(commits)
  await eventually(async () => assert.equal((await place.waiting()).length, ids.length))
  await release()
  assert.equal((await settled).filter(({ status }) => status === 'fulfilled').length, 1)
  assert.equal((await store.findCategories(ids)).length, 1)
  assert.equal((await store.searchPets({ limit: 10 })).pets.length, 1)
})

test('postgres: an import cannot give a label to a category while an undo returns it to another one', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open()
  const transfer = await openPostgresTransfer(place.url, 'production')
  const begin = async (id: bigint, label: string) => {
    const run = await transfer.beginImport()
    await run.stage([{ ...petLine(1), categoryId: id }])
    return () => run.commit(ENTRY, { ...STRICT, newCategories: [{ id, label }] })
  }
  const { entryId } = await (await begin(7n, 'Dogs'))()
  const undo = (id: bigint) => store.undo(id, { ...ENTRY, action: 'pet.undo' }) as Promise<Undo>
  const undone = await undo(entryId as bigint)
  const commit = await begin(8n, 'dogs')
  const release = await place.hold('LOCK TABLE category IN EXCLUSIVE MODE')
  const returned = undo(undone.entryId)
  await eventually(async () => assert.equal((await place.waiting()).length, 1))
  const refused = assert.rejects(commit(), /The label "dogs" was given to category 7/)
  await eventually(async () => assert.equal((await place.waiting()).length, 2))
  await release()
  assert.deepEqual((await returned).labels, [{ categoryId: 7n, label: 'Dogs', outcome: 'returned' }])
  await refused
  assert.deepEqual(await store.findCategories([7n, 8n]), [{ id: 7n, label: 'Dogs' }])
})

rule('two syncs of one source at the same time add each animal once', async ({ store, transfer }) => {
  const terms = { source: 'riverside', mayCreate: true }
  const runs = await Promise.all([transfer.beginSync(terms), transfer.beginSync(terms)])
  for (const run of runs) {
    await run.stage(Array.from({ length: 400 }, (_, at) => ({ line: at + 2, externalId: `a${at}`, change: PET })))
  }
  const entry: NewAuditEntry = { ...ENTRY, action: 'pet.sync' }
  const outcomes = await Promise.all(runs.map(run => run.commit(entry, STRICT)))
  assert.deepEqual(
    outcomes.map(({ imported, unchanged }) => imported + unchanged),
    [400, 400],
  )
  assert.equal((await store.listPets({ status: undefined, afterId: 0n, limit: 1_000 })).pets.length, 400)
})

test('postgres: a file that changes animals has done so for every instance, from its next call', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const instances = [await place.open({ instances: 'many' }), await place.open({ instances: 'many' })]
  const { id } = await create(instances[0] as PostgresStore, newPet())
  const transfer = await openPostgresTransfer(place.url, 'production')
  const changes = {
    async update(name: string) {
      const run = await transfer.beginUpdate()
      await run.stage([{ line: 2, id, change: { name } }])
      await run.commit({ ...ENTRY, action: 'pet.update' }, STRICT)
    },
    async sync(name: string) {
      const run = await transfer.beginSync({ source: 'riverside', mayCreate: true })
      await run.stage([{ line: 2, externalId: 'a', change: { ...PET, name } }])
      await run.commit({ ...ENTRY, action: 'pet.sync' }, STRICT)
    },
  }
  for (const name of ['Max', 'Moritz']) {
    for (const [kind, change] of Object.entries(changes)) {
      const before = instances.map(instance => instance.revision().corrections)
      await change(name)
      const after = instances.map(instance => instance.revision().corrections)
      for (const [index, former] of before.entries())
        assert.ok(Number(after[index]) > former, `${kind} ${name}, ${index}`)
    }
  }
})

test('postgres: an update applies to animals that are corrected after it has read them, and before its turn', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open()
  const [rex, max] = [await create(store, newPet({ name: 'Rex' })), await create(store, newPet({ name: 'Max' }))]
  const transfer = await openPostgresTransfer(place.url, 'production')
  const run = await transfer.beginUpdate()
  await run.stage([rex, max].map(({ id }, at) => ({ line: at + 2, id, change: { name: 'Moritz' } })))

  const endTurn = await place.hold(TAKE_TURN_OF_ANIMALS)
  const updating = run.commit({ ...ENTRY, action: 'pet.update' }, STRICT)
  await eventually(async () => assert.equal((await place.waiting()).length, 1))
  await endTurn(`UPDATE pet SET name = 'Moritz', category_id = 99 WHERE id = ${rex.id}`)
  const { updated, unchanged } = await updating
  assert.deepEqual({ updated, unchanged }, { updated: 1, unchanged: 1 })
  assert.deepEqual(await store.findPet(rex.id), { ...rex, name: 'Moritz', categoryId: 99n })
  assert.deepEqual(await store.findPet(max.id), { ...max, name: 'Moritz' })
})

rule('an import whose connection is lost creates nothing, and the next one works', async opened => {
  const { database } = opened
  const name = `transfer_${randomUUID()}`
  const transfer = await openPostgresTransfer(`${database.url}&application_name=${name}`, 'production')
  const run = await transfer.beginImport()
  await run.stage([petLine(1), petLine(2, 5n)])
  const ended = await database.run(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '${name}'`,
  )
  assert.equal(ended.length, 1)
  await assert.rejects(run.commit(ENTRY, STRICT), StoreUnavailable)
  await run.discard()
  assert.deepEqual(await database.run('SELECT id FROM pet'), [])
  const another = await transfer.beginImport()
  await another.stage([petLine(1), petLine(2, 5n)])
  assert.equal((await another.commit(ENTRY, STRICT)).imported, 2)
})

rule('an import whose commit is not confirmed says so', async ({ transfer, database }) => {
  await database.run(`CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END';
    CREATE CONSTRAINT TRIGGER audit_is_the_end AFTER INSERT ON audit DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION die()`)
  const run = await transfer.beginImport()
  await run.stage([petLine(1)])
  await assert.rejects(run.commit(ENTRY, STRICT), {
    name: 'StoreUnavailable',
    message: 'It is unknown whether the import was committed; see petstore audit.',
  })
})

rule('an import or export may be idle for longer than other connections', async ({ transfer }) => {
  const first = await transfer.beginImport()
  await first.stage(Array.from({ length: 2_500 }, (_, index) => petLine(index + 1)))
  await first.commit(ENTRY, STRICT)
  const run = await transfer.beginImport()
  await run.stage([petLine(1)])
  const out = await transfer.beginExport()
  await sleep(SILENT_MS + 1_000)
  const sizes = (await Array.fromAsync(out.batches)).map(batch => batch.length)
  await out.close()
  assert.deepEqual(sizes, [1_000, 1_000, 500], 'not all animals are in memory at once')
  assert.equal((await run.commit(ENTRY, STRICT)).firstId, 2_501n)
})

const PET = { name: 'Rex', categoryId: 7n, status: 'available' } as const

function petLine(line: number, id?: bigint): PetLine {
  return { line, id, ...PET }
}
