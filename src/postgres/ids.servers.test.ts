import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { eventually } from '../../test/support/eventually.ts'
import { skip } from '../../test/support/servers/needs.ts'
import { makeWholeDatabase, noPostgres } from '../../test/support/servers/postgres.ts'
import { makePostgresPlace, type PostgresPlace } from '../../test/support/servers/postgres-stores.ts'
import { StoreUnavailable } from '../domain/errors.ts'
import { NOTHING_DONE, type Outcome, type PetTransfer } from '../domain/pet-transfer.ts'
import {
  create,
  createAccount,
  createRequest,
  entry,
  NOW,
  newPet,
  untilSettled,
} from '../domain/store-contract/fixtures.contract.ts'
import type { PublicCall } from '../public/call.ts'
import type { Context } from '../public/operation.ts'
import { OPERATIONS } from '../public/routes.ts'
import { COUNT_EARLIER } from './finish-upgrade.ts'
import { SIDE_BY_SIDE } from './migrate.ts'
import { openPostgresTransfer } from './pet-transfer.ts'
import { PostgresStore } from './store.ts'

const WALKED_MS = 60_000
/** Together with the size of a page: so that the walks leave most of the processor to others. */
const WALK_EVERY_MS = 300
const PAGE = 25
const BASE_URL = 'http://localhost/v1'

/** A commit takes up to 0.8 seconds, most of them much less, and one in twenty fails. */
const SLOW_COMMITS = `CREATE FUNCTION commit_slowly() RETURNS TRIGGER LANGUAGE plpgsql AS $$
  BEGIN
    IF current_setting('petstore.slow', true) IS DISTINCT FROM txid_current()::text THEN
      PERFORM set_config('petstore.slow', txid_current()::text, true);
      PERFORM pg_sleep(0.8 * random() ^ 4);
      IF random() < 0.05 THEN RAISE EXCEPTION 'the commit fails'; END IF;
    END IF;
    RETURN NULL;
  END $$;
  CREATE CONSTRAINT TRIGGER commits_are_slow AFTER INSERT ON pet DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION commit_slowly()`

test('while three instances create animals with slow commits, every walk meets every animal that existed at its start, once', {
  timeout: 2 * WALKED_MS,
}, async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const stores = await openThree(place)
  await place.run(SLOW_COMMITS)
  const end = performance.now() + WALKED_MS
  const isOver = () => performance.now() > end
  let created = 0
  let outOfOrder = 0
  let newest = 0n
  const creating = stores.flatMap(store =>
    Array.from({ length: 6 }, async (_, caller) => {
      for (let count = 0; !isOver(); count += 1) {
        const { id } = await createIn(store, caller, `${caller} ${count}`).catch(orUnavailable)
        if (id === undefined) continue
        created += 1
        if (id < newest) outOfOrder += 1
        else newest = id
        await sleep(20 * Math.random())
      }
    }),
  )
  let imported = 0
  const importing = async () => {
    const transfer = await openPostgresTransfer(place.url, 'production')
    for (; !isOver(); await sleep(100)) imported += (await importInto(transfer, 5).catch(orUnavailable)).imported ?? 0
  }
  let walks = 0
  const walking = stores.map(async store => {
    const read = pageReader(store)
    while (!isOver()) {
      const existing = await idsIn(place)
      const met = await walk(read)
      assert.deepEqual(met, [...new Set(met)].toSorted(inOrder), 'none is met twice')
      const missed = new Set(existing).difference(new Set(met))
      assert.deepEqual([...missed], [], `of ${existing.length} animals`)
      walks += 1
      await sleep(WALK_EVERY_MS)
    }
  })
  await Promise.all([...creating, ...walking, importing()])
  assert.ok(outOfOrder > 100, `${outOfOrder} of ${created} ids were acknowledged after a higher one`)
  for (const store of stores) await untilSettled(store)
  assert.ok(walks > 100, String(walks))
  assert.ok(imported > 100, String(imported))
  t.diagnostic(
    `${walks} walks, ${created} animals, ${outOfOrder} of them acknowledged after a higher id; ${imported} imported`,
  )
})

test('an id is settled when no transaction that could have drawn a lower one is still open', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open({ instances: 'many' })
  await create(store, newPet())
  await untilSettled(store)
  const commit = await place.hold(CREATION)
  assert.equal((await create(store, newPet())).id, 3n)
  await create(store, newPet())
  await sleep(3_500)
  assert.equal(store.settledPetId(), 1n)
  await store.indexPets({ minAnimals: 1, maxMs: 60_000 })
  assert.deepEqual(await place.run('SELECT counted_to::int, indexed_to::int FROM pet_progress'), [
    { counted_to: 1, indexed_to: 1 },
  ])
  await commit()
  await untilSettled(store)
  assert.equal(store.settledPetId(), 4n)
})

test('an id that is drawn and never used does not keep others from being settled', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open({ instances: 'many' })
  await create(store, newPet())
  await place.run(`SELECT nextval('pet_id')`)
  await untilSettled(store)
  assert.equal(store.settledPetId(), 1n)
})

test('operators see that something has changed when an animal appears behind a newer one', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open({ instances: 'many' })
  const commit = await place.hold(CREATION)
  await create(store, newPet())
  const { animals } = await store.readVersions()
  await commit()
  await eventually(async () => assert.notEqual((await store.readVersions()).animals, animals))
})

test('operators see that something has changed when an entry of the audit log appears behind a newer one', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open({ instances: 'many' })
  const commit = await place.hold(
    "INSERT INTO audit (at, actor, origin, action, details) VALUES (0, 'anna', 'console', 'pet.delete', '{}')",
  )
  await createAccount(store, 'Acme')
  const { audit } = await store.readVersions()
  await commit()
  assert.notEqual((await store.readVersions()).audit, audit)
})

test('a creation does not wait for the commit of another one, and an import waits for both', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open({ instances: 'many' })
  const commit = await place.hold(CREATION)
  assert.equal((await create(store, newPet())).id, 2n)
  assert.equal((await store.addPet(newPet(), entry('pet.create'))).id, 3n)
  const events: string[] = []
  const transfer = await openPostgresTransfer(place.url, 'production')
  const importing = importInto(transfer, 1).then(() => events.push('imported'))
  await eventually(async () => assert.equal((await place.waiting()).length, 1))
  events.push('committed')
  await commit()
  await importing
  assert.deepEqual(events, ['committed', 'imported'])
  assert.equal((await create(store, newPet())).id, 5n, 'the ids of the import are not drawn again')
})

test('a creation does not wait until an import is written, except beside instances of 1.1.0', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open({ instances: 'many' })
  const transfer = await openPostgresTransfer(place.url, 'production')
  const isWriting = () => eventually(async () => assert.equal((await place.waiting()).length, 1))
  const letWrite = await place.hold('LOCK TABLE audit IN EXCLUSIVE MODE')
  const importing = importInto(transfer, 3)
  await isWriting()
  assert.equal((await create(store, newPet())).id, 4n)
  await letWrite()
  assert.deepEqual(await importing, { ...NOTHING_DONE, imported: 3, firstId: 1n, lastId: 3n, entryId: 1n })
  await untilSettled(store)
  assert.equal(store.settledPetId(), 4n)

  await place.run('UPDATE store SET version = 1')
  const letWriteAgain = await place.hold('LOCK TABLE audit IN EXCLUSIVE MODE')
  const importingAgain = importInto(transfer, 3)
  await isWriting()
  await assert.rejects(create(store, newPet()), StoreUnavailable)
  await letWriteAgain()
  assert.equal((await importingAgain).lastId, 7n)
  assert.equal((await create(store, newPet())).id, 8n)
})

test('fifty requests that ten callers send to three instances at once create fifty animals', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const stores = await openThree(place)
  const { accountId } = await createRequest(stores[0] as PostgresStore, '')
  const keys = Array.from({ length: 50 }, (_, index) => `key ${index}`)
  const outcomes = await Promise.all(
    Array.from({ length: 10 }, (_, sender) => {
      const own = sender % 2 ? keys : keys.toReversed()
      const store = stores[sender % 3] as PostgresStore
      return Promise.all(own.map(key => store.createPet(newPet(), NOW, { accountId, key, fingerprint: key })))
    }),
  )
  const created = outcomes.flat().filter(({ outcome }) => outcome === 'created')
  assert.equal(created.length, 50)
  assert.equal((await idsIn(place)).length, 50)
})

test('a request that is being carried out elsewhere waits for that, and reads its result', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open({ instances: 'many' })
  const { accountId } = await createRequest(store, '')
  const commit = await place.hold(`SELECT begin_creation(); INSERT INTO idempotent_creation
    VALUES (${accountId}, 'key-1', 'of another', ${NOW}, nextval('pet_id'), 'Rex', 1, 'sold')`)
  const repeated = store.createPet(newPet(), NOW, { accountId, key: 'key-1', fingerprint: 'of the body' })
  await eventually(async () => assert.equal((await place.waiting()).length, 1))
  await commit()
  assert.equal((await repeated).outcome, 'mismatch')
})

test('an upgrade is finished when no instance of an earlier release has served for a while', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  await (await place.open()).close()
  await place.run('UPDATE store SET version = 1')
  const version = async () => (await place.run('SELECT version::int FROM store'))[0]?.version
  // As an instance of 1.1.0 does.
  const endEarlier = await place.hold(`SELECT pg_advisory_xact_lock_shared('revision'::regclass::oid::int, 0)`)
  let finished = 0
  const watch = { committed() {}, leaseLost() {}, leaseRestored() {}, upgradeFinished: () => void finished++ }
  const stores = await Promise.all(
    Array.from({ length: 2 }, () => place.open({ instances: 'many', watch, finishAfterMs: 1_500 })),
  )
  const [store] = stores as [PostgresStore, PostgresStore]
  await sleep(4_000)
  assert.equal(await version(), 1)
  const commit = await place.hold(CREATION)
  let isAdded = false
  const added = create(store, newPet()).then(({ id }) => {
    isAdded = true
    return id
  })
  await sleep(200)
  assert.equal(isAdded, false, 'ids become visible in their order')
  await commit()
  assert.equal(await added, 2n)
  await endEarlier()
  await eventually(() => assert.equal(finished, 1))
  assert.equal(await version(), SIDE_BY_SIDE)
  await place.open({ instances: 'many' })
})

test('an instance of an earlier release on a copy of the database is not one of this database', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  const databases = new AsyncDisposableStack()
  t.after(() => databases.disposeAsync())
  const original = await makeWholeDatabase()
  databases.defer(() => original.drop())
  const store = await PostgresStore.open(original.url, 'production', {})
  await store.close()
  // Its tables have the same numbers, which the locks are held on.
  const copy = await makeWholeDatabase(`TEMPLATE ${new URL(original.url).username}`)
  databases.defer(() => copy.drop())
  const earlier = new Client({ connectionString: copy.url })
  await earlier.connect()
  await earlier.query("SELECT pg_advisory_lock_shared('revision'::regclass::oid::int, 0)")
  const sql = `SELECT ${COUNT_EARLIER} AS instances`
  assert.deepEqual([await copy.run(sql), await original.run(sql)], [[{ instances: 1 }], [{ instances: 0 }]])
  await earlier.end()
})

/** An operator, and callers with and without an idempotency key. Instances receive the same keys: who comes second creates nothing. */
function createIn(store: PostgresStore, caller: number, key: string): Promise<{ id: bigint | undefined }> {
  if (caller === 0) return store.addPet(newPet(), entry('pet.create'))
  const status = caller % 2 ? 'available' : 'sold'
  if (caller < 4) return create(store, newPet({ status }))
  return store.createPet(newPet({ status }), NOW, { accountId: 1n, key, fingerprint: key }).then(creation => {
    assert.ok(creation.outcome === 'created' || creation.outcome === 'replayed', creation.outcome)
    return { id: creation.outcome === 'created' ? creation.pet.id : undefined }
  })
}

async function importInto(transfer: PetTransfer, count: number): Promise<Outcome> {
  const staged = await transfer.beginImport()
  await staged.stage(Array.from({ length: count }, (_, line) => ({ line, id: undefined, ...newPet() })))
  return staged.commit(entry('pet.import'), { skipRefused: false })
}

function orUnavailable(error: unknown): { id: undefined; imported: undefined } {
  assert.ok(error instanceof StoreUnavailable, String(error))
  return { id: undefined, imported: undefined }
}

function openThree(place: PostgresPlace): Promise<PostgresStore[]> {
  return Promise.all(Array.from({ length: 3 }, () => place.open({ instances: 'many' })))
}

/** Draws an id, and creates an animal with it. */
const CREATION = `SELECT begin_creation();
  INSERT INTO pet (id, name, category_id, status) VALUES (nextval('pet_id'), 'Slow', 1, 'sold')`

async function idsIn(place: PostgresPlace): Promise<bigint[]> {
  return (await place.run('SELECT id FROM pet ORDER BY id')).map(({ id }) => BigInt(id as string))
}

/** Reads pages of an instance as its callers do, from its cache. */
function pageReader(store: PostgresStore): (query: string) => Promise<{ body: string; next: string | undefined }> {
  const operation = OPERATIONS.find(({ id }) => id === 'listPets')
  assert.ok(operation)
  const { handle } = operation.serve({ store, baseUrl: BASE_URL } as unknown as Context)
  return async query => {
    const { body, headers } = await handle({
      request: { headers: {} },
      target: { path: '/v1/pets', query },
    } as unknown as PublicCall)
    const next = /pets\?([^>]*)>; rel="next"/.exec(headers.join(' '))?.[1]
    return { body: String(body), next }
  }
}

async function walk(read: ReturnType<typeof pageReader>): Promise<bigint[]> {
  const met: bigint[] = []
  for (let query: string | undefined = `limit=${PAGE}`; query !== undefined; ) {
    const page = await read(query)
    met.push(...[...page.body.matchAll(/"id":(\d+)/g)].map(([, id]) => BigInt(id as string)))
    query = page.next
  }
  return met
}

function inOrder(one: bigint, other: bigint): number {
  return Number(one - other)
}
