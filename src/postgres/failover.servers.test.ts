import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startCreations } from '../../test/support/creations.ts'
import { eventually } from '../../test/support/eventually.ts'
import { skip } from '../../test/support/servers/needs.ts'
import { noPostgres, type PostgresServer, query, startPostgres } from '../../test/support/servers/postgres.ts'
import { comeBack, type PostgresPair, startPostgresPair, urlOf } from '../../test/support/servers/postgres-pair.ts'
import { startStoreProcess } from '../../test/support/servers/store-process.ts'
import { StoreUnavailable, UserError } from '../domain/errors.ts'
import { create, createAccount, firstPage, newPet } from '../domain/store-contract/fixtures.contract.ts'
import { PostgresStore } from './store.ts'

// A primary and its standby, the standby promoted in different ways; and a former primary that comes back.

test('a primary that dies during creations loses none, and its standby continues after its promotion', {
  timeout: 120_000,
}, async t => {
  const pair = await startPair(t)
  if (!pair) return
  const { primary, standby, url, promote } = pair
  const { store, events } = await openStore(t, url)
  const { acknowledged, refused, stop } = await startCreations(store, 32)
  await eventually(() => assert.ok(acknowledged.size > 200))
  await primary.signal('SIGKILL')
  await eventually(() => assert.ok(refused() > 0))
  await promote(standby)
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

test('a former primary that comes back is not used, neither by an instance that knew it nor by a new one', async t => {
  const pair = await startPair(t)
  if (!pair) return
  const { primary, standby, url, promote } = pair
  const { store } = await openStore(t, url)
  await create(store, newPet())
  await primary.signal('SIGKILL')
  await promote(standby)
  await eventually(() => create(store, newPet()))

  await comeBack(primary)
  await query(primary.url, 'CREATE TABLE it_accepts_writes ()')
  await create(store, newPet())
  // A new process has seen no timeline, and the first server of the list is the former primary.
  await startStoreProcess(t, url, 'many')
  await eventually(() => assert.equal(store.instances, 2, 'both serve on the new primary'))

  await standby.signal('SIGKILL')
  for (let attempt = 0; attempt < 20; attempt += 1) {
    await assert.rejects(create(store, newPet()), StoreUnavailable)
    await assert.rejects(store.check(), StoreUnavailable)
    await sleep(20)
  }
  const [written] = await query(primary.url, 'SELECT count(*)::int AS pets, max(id)::int AS last FROM pet')
  assert.deepEqual(written, { pets: 1, last: 1 })
  await standby.start()
  await eventually(() => create(store, newPet()))
})

test('an instance leaves a primary that hangs, and cuts its connections when another has been promoted', async t => {
  const pair = await startPair(t)
  if (!pair) return
  const { primary, standby, url, promote } = pair
  const { store } = await openStore(t, url)
  await Promise.all(Array.from({ length: 20 }, () => store.listPets(firstPage)))
  await create(store, newPet())
  await primary.signal('SIGSTOP')
  await promote(standby)
  await eventually(() => create(store, newPet()))
  await eventually(() => store.listPets(firstPage))
  await primary.signal('SIGCONT')
  await eventually(async () => {
    const [row] = await query(
      primary.url,
      `SELECT count(*)::int AS left FROM pg_stat_activity
      WHERE application_name = 'petstore' AND wait_event IS DISTINCT FROM 'SyncRep'`,
    )
    assert.deepEqual(row, { left: 0 })
  })
  for (let read = 0; read < 50; read += 1) {
    const { pets } = await store.listPets(firstPage)
    assert.ok(pets.length >= 2, 'every read is of the new primary')
  }
})

test('a server that becomes read-only is left at once, also by reads', async t => {
  const pair = await startPair(t)
  if (!pair) return
  const { primary, standby, url, promote } = pair
  const { store } = await openStore(t, url)
  await create(store, newPet())
  await Promise.all(Array.from({ length: 20 }, () => store.listPets(firstPage)))
  await query(primary.url, 'ALTER SYSTEM SET default_transaction_read_only = on')
  await query(primary.url, 'SELECT pg_reload_conf()')
  await eventually(() => assert.rejects(store.check(), StoreUnavailable))
  await assert.rejects(store.listPets(firstPage), StoreUnavailable)
  await promote(standby)
  await eventually(() => create(store, newPet()))
})

test('the only server of a URL that becomes read-only is left at once, also by reads', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  const server = await startPostgres()
  t.after(() => server.close())
  const { store } = await openStore(t, urlOf([server]))
  await create(store, newPet())
  await Promise.all(Array.from({ length: 20 }, () => store.listPets(firstPage)))
  const becomeReadOnly = async (value: 'on' | 'off') => {
    await query(server.url, `ALTER SYSTEM SET default_transaction_read_only = ${value}`)
    await query(server.url, 'SELECT pg_reload_conf()')
  }
  await becomeReadOnly('on')
  await eventually(() => assert.rejects(store.check(), StoreUnavailable))
  for (let read = 0; read < 20; read += 1) await assert.rejects(store.listPets(firstPage), StoreUnavailable)
  await becomeReadOnly('off')
  await eventually(() => create(store, newPet()))
})

test('the first start names each server and why it cannot be used', async t => {
  const pair = await startPair(t)
  if (!pair) return
  const { primary, standby } = pair
  const other = await startPostgres()
  t.after(() => other.close())
  const refusal = async (servers: readonly PostgresServer[]) => {
    // Other parameters, because a process remembers what it knows about a URL.
    const url = `${urlOf(servers)}&connect_timeout=${servers.length}`
    const error = await PostgresStore.open(url, 'production').then(
      async store => {
        await store.close()
        assert.fail('opened')
      },
      (reason: unknown) => reason,
    )
    assert.ok(error instanceof UserError, String(error))
    return error.message
  }
  assert.match(
    await refusal([primary, other]),
    /cannot be used: 127\.0\.0\.1:\d+ and 127\.0\.0\.1:\d+ are both primaries; stop the wrong one\.$/,
  )
  await primary.signal('SIGKILL')
  assert.match(
    await refusal([primary, standby]),
    /^The database 127\.0\.0\.1:\d+,127\.0\.0\.1:\d+\/postgres cannot be used: none of its servers is a primary \(127\.0\.0\.1:\d+: connection refused; 127\.0\.0\.1:\d+ is a standby\)\.$/,
  )
})

async function startPair(t: TestContext): Promise<PostgresPair | undefined> {
  if (noPostgres) return void skip(t, noPostgres)
  return startPostgresPair(t)
}

async function openStore(t: TestContext, url: string): Promise<{ store: PostgresStore; events: string[] }> {
  const events: string[] = []
  const watch = {
    committed() {},
    changeFeedLost: () => void events.push('lost'),
    changeFeedRestored: () => void events.push('restored'),
  }
  const store = await PostgresStore.open(url, 'production', { instances: 'many', watch })
  t.after(() => store.close())
  return { store, events }
}
