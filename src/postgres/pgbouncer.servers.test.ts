import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { startCreations } from '../../test/support/creations.ts'
import { eventually } from '../../test/support/eventually.ts'
import { inTime } from '../../test/support/in-time.ts'
import { skip } from '../../test/support/servers/needs.ts'
import { noPgBouncer, type PgBouncer, startPgBouncer } from '../../test/support/servers/pgbouncer.ts'
import { type PostgresServer, query, startPostgres } from '../../test/support/servers/postgres.ts'
import { makePlaceIn, openForContract, openTransfer } from '../../test/support/servers/postgres-stores.ts'
import { StoreUnavailable, UserError } from '../domain/errors.ts'
import { petTransferContract } from '../domain/pet-transfer.contract.ts'
import { storeContract } from '../domain/store.contract.ts'
import {
  create,
  createAccount,
  createKey,
  entry,
  firstPage,
  NOW,
  newPet,
} from '../domain/store-contract/fixtures.contract.ts'
import { statementOf } from './connection.ts'
import { PostgresStore } from './store.ts'

let server: PostgresServer
let pooler: PgBouncer

before(async () => {
  if (noPgBouncer) return
  server = await startPostgres()
  pooler = await startPgBouncer(server)
})
after(async () => {
  if (noPgBouncer) return
  await pooler.close()
  await server.close()
})

suite('through PgBouncer with transaction pooling', () => {
  if (noPgBouncer) {
    test('the contract of the store', t => void skip(t, noPgBouncer ?? ''))
    return
  }
  storeContract('PgBouncer', () => openForContract(pooler.makeDatabase))
  petTransferContract('PgBouncer', () => openTransfer(pooler.makeDatabase))

  test('a change by one instance applies on the other from its next call', async t => {
    const { open } = await makePlaceIn(t, pooler.makeDatabase)
    const [writer, reader] = [await open({ instances: 'many' }), await open({ instances: 'many' })]
    const account = await createAccount(writer, 'Acme')
    for (let round = 0; round < 5; round += 1) {
      const { hash, key } = await createKey(writer, account.id)
      const before = reader.revision()
      // Less than it would wait for an instance in vain; how long a change takes is not promised.
      await inTime(2_000, 'a change', writer.revokeKey(key.id, entry('key.revoke')))
      assert.notEqual(reader.revision(), before)
      assert.equal((await reader.findCaller(hash))?.revokedAt, NOW)
    }
    await eventually(() => assert.deepEqual([writer.instances, reader.instances], [2, 2]))
  })

  test('the server ends a statement that waits too long, and no statement of other clients has its limits', async t => {
    const { url, run, open, hold } = await makePlaceIn(t, pooler.makeDatabase)
    const store = await open({ instances: 'many' })
    const pet = await create(store, newPet())
    const release = await hold('LOCK TABLE pet')
    const reads = Array.from({ length: 20 }, () => assert.rejects(store.findPet(pet.id), StoreUnavailable))
    // A call takes two seconds at most. The rest is for the calls that begin together with it.
    await inTime(2_000 + 500, 'a read', Promise.all(reads))
    const { username } = new URL(url)
    const waiting = `SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE usename = '${username}' AND wait_event_type = 'Lock'`
    await eventually(async () => assert.deepEqual(await query(server.url, waiting), [{ waiting: 0 }]))
    await release()
    await eventually(async () => assert.deepEqual(await store.findPet(pet.id), pet))
    await Promise.all(Array.from({ length: 5 }, (_, index) => createAccount(store, `account ${index}`)))
    for (let connection = 0; connection < 20; connection += 1) {
      assert.deepEqual(await run("SELECT current_setting('statement_timeout') AS limit"), [{ limit: '0' }])
    }
  })

  test('a statement has the same name in every process, whatever else it has prepared', () => {
    const expected = `petstore_${hash('sha256', 'SELECT $1 AS one', 'base64url')}`
    assert.deepEqual(statementOf('SELECT ? AS one'), { name: expected, text: 'SELECT $1 AS one' })
  })

  test('an instance that has ended leaves no lock behind in the session that the next client gets', async t => {
    const { url, run, open } = await makePlaceIn(t, pooler.makeDatabase)
    for (let round = 0; round < 3; round += 1) {
      const store = await open({ instances: 'single' })
      await assert.rejects(PostgresStore.open(url, 'production', { instances: 'many' }), UserError)
      await store.close()
    }
    const locks = "SELECT count(*)::int AS locks FROM pg_locks WHERE locktype = 'advisory'"
    await eventually(async () => assert.deepEqual(await run(locks), [{ locks: 0 }]))
  })

  test('creations continue after the pooler was killed and started again, and none is lost or doubled', async t => {
    const own = await startPgBouncer(server)
    t.after(() => own.close())
    const { open } = await makePlaceIn(t, own.makeDatabase)
    const store = await open({ instances: 'many' })
    const { acknowledged, stop } = await startCreations(store, 16)
    await eventually(() => assert.ok(acknowledged.size > 100))
    await own.signal('SIGKILL')
    await own.start()
    const before = acknowledged.size
    await eventually(() => assert.ok(acknowledged.size > before + 100))
    await stop()
    const { pets } = await store.listPets({ ...firstPage, limit: 100_000 })
    assert.deepEqual(new Map(pets.map(({ id, name }) => [name, id])), acknowledged)
  })
})
