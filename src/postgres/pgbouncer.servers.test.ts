import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { startCreations } from '../../test/support/creations.ts'
import { eventually } from '../../test/support/eventually.ts'
import { skip } from '../../test/support/servers/needs.ts'
import { noPgBouncer, type PgBouncer, startPgBouncer } from '../../test/support/servers/pgbouncer.ts'
import { type PostgresServer, startPostgres } from '../../test/support/servers/postgres.ts'
import { makePlaceIn, openForContract, openTransfer } from '../../test/support/servers/postgres-stores.ts'
import { UserError } from '../domain/errors.ts'
import { petTransferContract } from '../domain/pet-transfer.contract.ts'
import { storeContract } from '../domain/store.contract.ts'
import { createAccount, createKey, entry, firstPage, NOW } from '../domain/store-contract/fixtures.contract.ts'
import { Connection } from './connection.ts'
import { hasSessions } from './inspect.ts'
import { PostgresStore } from './store.ts'

// The real PgBouncer, in the mode that works and in the one that does not.

let server: PostgresServer
let session: PgBouncer
let transaction: PgBouncer

before(async () => {
  if (noPgBouncer) return
  server = await startPostgres()
  session = await startPgBouncer(server, 'session')
  transaction = await startPgBouncer(server, 'transaction')
})
after(async () => {
  if (noPgBouncer) return
  await session.close()
  await transaction.close()
  await server.close()
})

suite('through PgBouncer with session pooling', () => {
  if (noPgBouncer) {
    test('the contract of the store', t => void skip(t, noPgBouncer ?? ''))
    return
  }
  storeContract('PgBouncer', () => openForContract(session.makeDatabase))
  petTransferContract('PgBouncer', () => openTransfer(session.makeDatabase))

  test('a change by one instance applies on the other from its next call', async t => {
    const { open } = await makePlaceIn(t, session.makeDatabase)
    const [writer, reader] = [await open({ instances: 'many' }), await open({ instances: 'many' })]
    const account = await createAccount(writer, 'Acme')
    for (let round = 0; round < 20; round += 1) {
      const { hash, key } = await createKey(writer, account.id)
      const before = reader.revision()
      const startedAt = performance.now()
      await writer.revokeKey(key.id, entry('key.revoke'))
      assert.ok(performance.now() - startedAt < 900, 'no instance was waited for in vain')
      assert.notEqual(reader.revision(), before)
      assert.equal((await reader.findCaller(hash))?.revokedAt, NOW)
    }
    await eventually(() => assert.deepEqual([writer.instances, reader.instances], [2, 2]))
  })

  test('an instance that has ended leaves no lock behind in the session that the next client gets', async t => {
    const { url, open } = await makePlaceIn(t, session.makeDatabase)
    for (let round = 0; round < 3; round += 1) {
      const store = await open({ instances: 'single' })
      await assert.rejects(PostgresStore.open(url, 'production', { instances: 'many' }), UserError)
      await store.close()
    }
    const long = new Connection(url, { connectMs: 1_000, statementMs: 0 })
    await long.open()
    const { rows } = await long.query("SELECT count(*)::int AS locks FROM pg_locks WHERE locktype = 'advisory'")
    await long.close()
    assert.deepEqual(rows, [{ locks: 0 }])
  })

  test('creations continue after the pooler was killed and started again, and none is lost or doubled', {
    timeout: 60_000,
  }, async t => {
    const own = await startPgBouncer(server, 'session')
    t.after(() => own.close())
    const { open, url } = await makePlaceIn(t, own.makeDatabase)
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
    assert.ok(await hasSessions(url))
  })
})

suite('through PgBouncer with transaction pooling', () => {
  test('an instance refuses to start, however quiet the pooler is', async t => {
    if (noPgBouncer) return void skip(t, noPgBouncer)
    const { url } = await makePlaceIn(t, transaction.makeDatabase)
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await assert.rejects(PostgresStore.open(url, 'production', { instances: 'many' }), (error: unknown) => {
        assert.ok(error instanceof UserError, String(error))
        assert.match(error.message, /points to a pooler in transaction mode/)
        return true
      })
    }
    assert.equal(await hasSessions(url), false)
  })
})
