import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startCreations } from '../../test/support/creations.ts'
import { eventually } from '../../test/support/eventually.ts'
import { skip } from '../../test/support/servers/needs.ts'
import { noPostgres, type PostgresServer, query } from '../../test/support/servers/postgres.ts'
import { type PostgresPair, startPostgresPair } from '../../test/support/servers/postgres-pair.ts'
import { StoreUnavailable } from '../domain/errors.ts'
import { create, createAccount, entry, firstPage, newPet } from '../domain/store-contract/fixtures.contract.ts'
import { openPostgresTransfer } from './pet-transfer.ts'
import { PostgresStore } from './store.ts'

// A primary and its standby behind one address. The tools that decide on a failover are tested in test/endurance.

test('a primary that dies during creations loses none, and they continue on its standby', async t => {
  const pair = await startPair(t)
  if (!pair) return
  const { store, events } = await openStore(t, pair.url)
  const { acknowledged, refused, stop } = await startCreations(store, 32)
  await eventually(() => assert.ok(acknowledged.size > 200))
  await pair.primary.signal('SIGKILL')
  await eventually(() => assert.ok(refused() > 0))
  await pair.failOver()
  const before = acknowledged.size
  await eventually(() => assert.ok(acknowledged.size > before + 200))
  await stop()

  const { pets } = await store.listPets({ ...firstPage, limit: 1_000_000 })
  assert.deepEqual(new Map(pets.map(({ id, name }) => [name, id])), acknowledged)
  assert.equal(pets.length, acknowledged.size, 'no animal is there twice')
  await eventually(() => assert.deepEqual(events, ['lost', 'restored']))
  await createAccount(store, 'Zoo')
  assert.equal(store.instances, 1)
})

test('a primary that hangs is left, and gets no connection back when it continues', async t => {
  const pair = await startPair(t)
  if (!pair) return
  const { store } = await openStore(t, pair.url)
  await openConnections(store)
  await create(store, newPet())
  await pair.primary.signal('SIGSTOP')
  await pair.failOver()
  await eventually(() => create(store, newPet()))
  await eventually(() => store.listPets(firstPage))
  await pair.primary.signal('SIGCONT')
  await assertLeft(pair.primary)
})

for (const [how, makeFormer] of [
  ['is read-only', 'ALTER SYSTEM SET default_transaction_read_only = on'],
  // The promoted standby no longer follows it.
  ['waits for a standby in vain', undefined],
] as const) {
  test(`a former primary that ${how} is left within seconds, also by an instance that only reads`, async t => {
    const pair = await startPair(t)
    if (!pair) return
    const { store, events } = await openStore(t, pair.url)
    await create(store, newPet())
    await openConnections(store)
    if (makeFormer) {
      await query(pair.primary.url, makeFormer)
      await query(pair.primary.url, 'SELECT pg_reload_conf()')
    }
    // Connections stay, as with a virtual IP address.
    await pair.failOver()
    const other = await PostgresStore.open(pair.url, 'production')
    t.after(() => other.close())
    await create(other, newPet())

    await eventually(() => assert.deepEqual(events, ['lost', 'restored']))
    await assertLeft(pair.primary)
    for (let read = 0; read < 50; read += 1) assert.equal((await store.listPets(firstPage)).pets.length, 2)
  })
}

test('a write whose wait for the standby was cancelled is not acknowledged', async t => {
  const pair = await startPair(t)
  if (!pair) return
  // Without a lease, whose renewals would wait, too.
  const store = await PostgresStore.open(pair.url, 'production')
  t.after(() => store.close())
  await create(store, newPet())
  const transfer = await openPostgresTransfer(pair.url, 'production')
  const run = await transfer.beginImport()
  await run.stage([{ ...newPet(), line: 1, id: undefined }])
  const importPet = () => run.commit(entry('pet.import'), { skipRefused: false })
  for (const write of [() => create(store, newPet()), () => createAccount(store, 'Zoo'), importPet]) {
    // On a busy machine, a write may fail before it waits.
    for (let isCancelled = false; !isCancelled; ) {
      await eventually(() => create(store, newPet()))
      await pair.standby.signal('SIGSTOP')
      let isOver = false
      const written = assert.rejects(write(), StoreUnavailable).finally(() => {
        isOver = true
      })
      while (!isOver && !isCancelled) isCancelled = (await query(pair.primary.url, CANCEL_WAITS)).length > 0
      await written
      await pair.standby.signal('SIGCONT')
    }
  }
  await run.discard()
})

const CANCEL_WAITS = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
  WHERE application_name = 'petstore' AND wait_event = 'SyncRep'`

async function startPair(t: TestContext): Promise<PostgresPair | undefined> {
  if (noPostgres) return void skip(t, noPostgres)
  return startPostgresPair(t)
}

async function openStore(t: TestContext, url: string): Promise<{ store: PostgresStore; events: string[] }> {
  const events: string[] = []
  const watch = {
    committed() {},
    leaseLost: () => void events.push('lost'),
    leaseRestored: () => void events.push('restored'),
  }
  const store = await PostgresStore.open(url, 'production', { instances: 'many', watch })
  t.after(() => store.close())
  return { store, events }
}

/** As many as a store keeps for calls. */
async function openConnections(store: PostgresStore): Promise<void> {
  await Promise.all(Array.from({ length: 20 }, () => store.listPets(firstPage)))
}

async function assertLeft(former: PostgresServer): Promise<void> {
  await eventually(async () => {
    const [row] = await query(
      former.url,
      `SELECT count(*)::int AS left FROM pg_stat_activity
       WHERE application_name = 'petstore' AND wait_event IS DISTINCT FROM 'SyncRep'`,
    )
    assert.deepEqual(row, { left: 0 })
  })
}
