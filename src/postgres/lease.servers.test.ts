import assert from 'node:assert/strict'
import { after, before, suite, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { eventually } from '../../test/support/eventually.ts'
import { inTime } from '../../test/support/in-time.ts'
import { skip } from '../../test/support/servers/needs.ts'
import { makeDatabase, noPostgres, type PostgresServer, startPostgres } from '../../test/support/servers/postgres.ts'
import { startStoreProcess } from '../../test/support/servers/store-process.ts'
import { startUnsteadyLine } from '../../test/support/servers/unsteady-line.ts'
import { StoreUnavailable, UserError } from '../domain/errors.ts'
import { create, createAccount, createKey, entry, NOW, newPet } from '../domain/store-contract/fixtures.contract.ts'
import { Connection } from './connection.ts'
import { PostgresStore } from './store.ts'

/** No instance may act on anything for longer after its last renewal. */
const SURE_MS = 2_500
/** How long an unresponsive instance may delay a write: four seconds. The rest is for the write itself. */
const PATIENCE_MS = 4_000 + 500

let server: PostgresServer | undefined
/** For the test that breaks it. */
let brittle: PostgresServer | undefined

before(async () => {
  if (noPostgres) return
  // Creating one blocks the process, for longer than a call may take.
  server = await startPostgres()
  brittle = await startPostgres()
})
after(async () => {
  await server?.close()
  await brittle?.close()
})

test('a change by one instance applies on every other from its next call', async t => {
  const place = await makePlace(t)
  if (!place) return
  const stores = [await place.open(), await place.open()] as const
  for (let round = 0; round < 12; round += 1) {
    const [writer, reader] = round % 2 === 0 ? stores : [stores[1], stores[0]]
    const account = await createAccount(writer, `account ${round}`)
    const { hash, key } = await createKey(writer, account.id)
    const term = { source: '192.0.2.7', earnedIn: 'minute' as const, startedAt: NOW, endsAt: NOW + 900_000, ordinal: 1 }
    const ban = { id: 0n }
    const pet = await create(writer, newPet())
    const corrected = { ...pet, name: 'Max' }
    const before = reader.revision()
    assert.equal((await reader.findCaller(hash))?.plan, 'free', 'a new key')

    const limits = { perMinute: 300, perDay: 10_000 }
    await change('callers', () => writer.setPlan(account.id, 'pro', limits, entry('account.set-plan')))
    assert.deepEqual((await reader.findCaller(hash))?.limits, limits)
    await change('callers', async () => Object.assign(ban, await writer.createBan(key.id, term)))
    assert.equal((await reader.findCaller(hash))?.bans[0]?.id, ban.id)
    await change('callers', () => writer.liftBan(ban.id, entry('ban.lift')))
    assert.equal((await reader.findCaller(hash))?.bans[0]?.liftedAt, NOW)
    await change('callers', () => writer.revokeKey(key.id, entry('key.revoke')))
    assert.equal((await reader.findCaller(hash))?.revokedAt, NOW)
    await change('corrections', () => writer.correctPet(pet, corrected, entry('pet.correct')))
    assert.deepEqual(await reader.findPet(pet.id), corrected)
    await change('corrections', () => writer.deletePet(corrected, entry('pet.delete')))
    assert.equal(await reader.findPet(pet.id), undefined)
    await change('callers', () => createKey(writer, account.id))
    assert.ok(reader.revision().callers >= before.callers + 5)

    async function change(number: 'callers' | 'corrections', write: () => Promise<unknown>): Promise<void> {
      const earlier = { writer: writer.revision(), reader: reader.revision() }
      const ms = await timed(write)
      const now = { writer: writer.revision(), reader: reader.revision() }
      assert.notEqual(now.writer[number], earlier.writer[number], `the writer’s ${number}; ${place?.events}`)
      assert.notEqual(now.reader[number], earlier.reader[number], `the reader’s ${number}; ${place?.events}; ${ms} ms`)
    }
  }
  assert.deepEqual(place.events, [])
})

test('a change makes every instance forget the caller that it names, and no other', async t => {
  const place = await makePlace(t)
  if (!place) return
  const stores = [await place.open(), await place.open(), await place.open('command')] as const
  const [one, other, command] = stores
  const caller = async () => {
    const { id: accountId } = await createAccount(one, `account ${names++}`)
    return { accountId, keyId: (await createKey(one, accountId)).key.id }
  }
  let names = 0
  const [changed, sibling, kept] = [await caller(), await caller(), await caller()]
  sibling.accountId = changed.accountId
  const term = { source: '192.0.2.7', earnedIn: 'minute' as const, startedAt: NOW, endsAt: NOW + 900_000, ordinal: 1 }
  const ban = { id: 0n }
  const changes: [name: string, of: 'key' | 'account', write: (store: PostgresStore) => Promise<unknown>][] = [
    ['ban', 'key', async store => Object.assign(ban, await store.createBan(changed.keyId, term))],
    ['lift', 'key', store => store.liftBan(ban.id, entry('ban.lift'))],
    ['suspend', 'account', store => store.setSuspended(changed.accountId, NOW, entry('account.suspend'))],
    ['revoke', 'key', store => store.revokeKey(changed.keyId, entry('key.revoke'))],
    ['delete', 'account', store => store.deleteAccount(changed.accountId, entry('account.delete'))],
  ]
  for (const [index, [name, of, write]] of changes.entries()) {
    const readAt = [one, other].map(store => store.revision().callers)
    await write(stores[index % 3] as PostgresStore)
    for (const [place, store] of [one, other].entries()) {
      const isForgotten = (ids: typeof kept) => store.lastChangeOf(ids) > (readAt[place] as number)
      assert.deepEqual(
        [changed, sibling, kept].map(isForgotten),
        [true, of === 'account', false],
        `${name}, instance ${place}`,
      )
    }
  }
  const lastChanges = () => [one, other].map(store => store.lastChangeOf(kept))
  const before = lastChanges()
  await createKey(command, kept.accountId)
  await createAccount(other, 'new')
  assert.deepEqual(lastChanges(), before)
  assert.deepEqual(place.events, [])
})

test('an instance that cannot read which callers have changed forgets all of them', async t => {
  const place = await makePlace(t)
  if (!place) return
  const [one, command] = [await place.open(), await place.open('command')] as const
  const { id: accountId } = await createAccount(command, 'kept')
  const kept = { accountId, keyId: (await createKey(command, accountId)).key.id }
  const isForgottenAfter = async (change: () => Promise<unknown>) => {
    const readAt = one.revision().callers
    await change()
    await eventually(() => assert.ok(one.revision().callers > readAt))
    return one.lastChangeOf(kept) > readAt
  }
  assert.equal(await isForgottenAfter(() => createAccount(command, 'other')), false)
  const unnamed = 'UPDATE revision SET callers = callers + 1'
  assert.equal(await isForgottenAfter(() => place.run(unnamed)), true, 'a row is missing')
  const many = `INSERT INTO account (name, plan, per_minute, per_day, created_at)
    SELECT 'account ' || n, 'free', 1, 1, 0 FROM generate_series(1, 2000) AS n`
  assert.equal(await isForgottenAfter(() => place.run(many)), true, 'more than are read at once')
  const dump = 'UPDATE revision SET callers = callers - 9'
  assert.equal(await isForgottenAfter(() => place.run(dump)), true, 'an earlier state was restored')
  assert.equal(await isForgottenAfter(() => place.cut()), true, 'the lease was lost')
})

test('a change by a command applies on every instance, in every process, from the next call', async t => {
  const place = await makePlace(t)
  if (!place) return
  const command = await place.open('command')
  const instance = await place.open()
  const other = await startStoreProcess(t, place.url, 'many')
  const { id } = await createAccount(command, 'Acme')
  for (let round = 0; round < 4; round += 1) {
    const before = [instance.revision(), await other.revision()]
    await command.setSuspended(id, round % 2 === 0 ? NOW : undefined, entry('account.suspend'))
    const afterwards = [instance.revision(), await other.revision()]
    for (const [index, revision] of afterwards.entries()) {
      assert.notEqual(revision.callers, before[index]?.callers, `instance ${index} in round ${round}`)
    }
  }
})

test('a change waits until an instance of 1.1.0 knows it, also when the numbers grow beyond the range of locks', async t => {
  const place = await makePlace(t)
  if (!place) return
  await place.open('command')
  await place.run(`UPDATE store SET version = 1; UPDATE revision SET callers = ${2 ** 31 - 12}, corrections = 2`)
  const writer = await place.open()
  const earlier = new Client({ connectionString: place.url })
  await earlier.connect()
  t.after(() => earlier.end())
  const lockOf = (number: number) => `('revision'::regclass::oid::int, ${number % 2 ** 31})`
  for (let round = 0, known = 2 ** 31 - 10; round < 20; round += 1, known += 1) {
    await earlier.query(`SELECT pg_advisory_lock_shared${lockOf(known)}`)
    let isAcknowledged = false
    const created = createAccount(writer, `account ${round}`).then(() => {
      isAcknowledged = true
    })
    await eventually(async () => {
      const [row] = await place.run('SELECT callers::float8 + corrections AS number FROM revision')
      assert.equal(row?.number, known + 1)
    })
    await sleep(round === 0 ? 300 : 20)
    assert.equal(isAcknowledged, false)
    await earlier.query(`SELECT pg_advisory_lock_shared${lockOf(known + 1)}, pg_advisory_unlock_shared${lockOf(known)}`)
    await created
    await earlier.query(`SELECT pg_advisory_unlock_shared${lockOf(known + 1)}`)
  }
})

test('an instance keeps nothing beside one of 1.1.0, whose changes do not wait for it, and little until the upgrade is finished', async t => {
  const place = await makePlace(t)
  if (!place) return
  const store = await place.open()
  const caller = { accountId: 1n, keyId: 1n }
  const isKept = () => {
    const { callers } = store.revision()
    return store.lastChangeOf(caller) <= callers
  }
  assert.equal(isKept(), true)
  const known = store.revision()
  await place.run('UPDATE store SET version = 1')
  await eventually(() => assert.notEqual(store.revision(), known))
  const earlier = new Client({ connectionString: place.url })
  await earlier.connect()
  t.after(() => earlier.end())
  await earlier.query(`SELECT pg_advisory_lock_shared('revision'::regclass::oid::int, 1)`)
  await eventually(() => assert.equal(isKept(), false))
  await sleep(1_500)
  assert.equal(isKept(), false)
  await earlier.query('SELECT pg_advisory_unlock_all()')
  await eventually(() => assert.equal(isKept(), true))
  const before = store.revision()
  await sleep(30)
  assert.notEqual(store.revision(), before)
  await place.run('UPDATE store SET version = 10')
  await eventually(async () => {
    const { callers } = store.revision()
    await sleep(100)
    assert.equal(store.revision().callers, callers)
  })
})

// These wait most of the time.
suite('the lease, held and lost', { concurrency: 4 }, () => {
  test('a write that changes nothing leaves the revision as it is', async t => {
    const place = await makePlace(t)
    if (!place) return
    const [writer, reader] = [await place.open(), await place.open()]
    const before = reader.revision()
    for (let count = 0; count < 10; count += 1) await create(writer, newPet())
    await writer.revokeKey(4_711n, entry('key.revoke'))
    await sleep(1_500)
    assert.equal(reader.revision(), before, 'the same object')
  })

  test('a change is found without news of it', async t => {
    const place = await makePlace(t)
    if (!place) return
    const stores = [await place.open(), await place.open()]
    await createAccount(stores[0] as PostgresStore, 'Acme')
    const before = stores.map(store => store.revision().callers)
    await place.run('UPDATE account SET per_day = per_day + 1')
    await eventually(() => {
      for (const [index, store] of stores.entries()) assert.notEqual(store.revision().callers, before[index])
    })
    assert.deepEqual(place.events, [])
  })

  test('an idle instance sends one statement a second, and holds nothing between them', async t => {
    const place = await makePlace(t)
    if (!place) return
    const store = await place.open()
    const [before = {}] = await place.run('SELECT renewals::int FROM instance')
    const startedAt = performance.now()
    const asked = t.mock.method(Client.prototype, 'query')
    const { username } = new URL(place.url)
    await sleep(3_500)
    const seconds = (performance.now() - startedAt) / 1_000
    const sent = asked.mock.calls.filter(call => (call.this as Connection).user === username).length
    const [after = {}] = await place.run('SELECT renewals::int FROM instance')
    assert.ok(sent >= 2 && sent <= Math.ceil(seconds), `${sent} statements in ${seconds} s`)
    assert.ok(Number(after.renewals) - Number(before.renewals) >= sent - 1)
    const held = `SELECT FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE usename = '${username}' AND state = 'idle'`
    assert.deepEqual(await place.run(held), [])
    assert.equal(store.instances, 1)
  })

  for (const fault of ['stopped', 'cut off', 'stopped and cut off'] as const) {
    test(`an instance that is ${fault} delays one change by its lease, and no other one; when it returns, it serves nothing that is old`, async t => {
      const place = await makePlace(t)
      if (!place) return
      const store = await place.open()
      const { accountId, keyId, hash } = await makeCaller(store)
      const line = await startUnsteadyLine(t, place.url, () => 0)
      const other = await startStoreProcess(t, line.url, 'many')
      assert.equal((await other.findCaller(hash))?.revokedAt, undefined)
      assert.equal(await other.keeps({ accountId, keyId }), true)
      await eventually(() => assert.equal(store.instances, 2))
      if (fault !== 'stopped') line.cut()
      if (fault !== 'cut off') await other.signal('SIGSTOP')
      const revoking = timed(() => store.revokeKey(keyId, entry('key.revoke')))
      const delayed = await inTime(PATIENCE_MS, 'the change', revoking)
      // Its last renewal was up to a second ago.
      assert.ok(delayed >= SURE_MS / 4, `it was waited for: ${delayed} ms`)
      // Less than it would wait for that instance; how long a change takes is not promised.
      await inTime(SURE_MS - 500, 'a change that waits for no instance', createAccount(store, 'second'))
      const answers = Promise.all(
        Array.from({ length: 20 }, () => other.keeps({ accountId, keyId }).catch(error => String(error))),
      )
      await other.signal('SIGCONT')
      // It finds out before it serves anything.
      for (const kept of await answers) assert.match(String(kept), /lease of this instance has ended|false/)
      line.restore()
      await eventually(async () => assert.equal((await other.findCaller(hash))?.revokedAt, NOW))
      await eventually(() => assert.equal(store.instances, 2))
    })
  }

  test('an instance that has lost its lease reads and creates nothing, although its other connections work', async t => {
    const place = await makePlace(t)
    if (!place) return
    const store = await place.open()
    const { id } = await create(store, newPet())
    const calls = [() => store.findPet(id), () => store.searchPets({ limit: 1 }), () => create(store, newPet())]
    for (const call of calls) await call()
    const holder = new Client({ connectionString: place.adminUrl })
    await holder.connect()
    t.after(() => holder.end())
    await holder.query('BEGIN; LOCK TABLE instance')
    const hasEnded = /The lease of this instance has ended/
    await eventually(() => assert.throws(() => store.revision(), hasEnded))
    for (const call of calls) await assert.rejects(call(), hasEnded, String(call))
    await holder.query('COMMIT')
    await eventually(() => store.revision())
    for (const call of calls) await call()
  })

  test('an instance that is cut off serves nothing after its lease, leaves the server in peace, and returns without help', async t => {
    const place = await makePlace(t)
    if (!place) return
    const store = await place.open()
    const { hash } = await makeCaller(store)
    const before = store.revision()
    const opening = t.mock.method(Connection.prototype, 'open')
    const { username } = new URL(place.url)
    const unblock = await place.block()
    const blockedAt = performance.now()
    let servedAt = blockedAt
    const serve = () => {
      const now = performance.now()
      store.revision()
      servedAt = now
    }
    await eventually(() => assert.throws(serve, StoreUnavailable))
    assert.ok(servedAt - blockedAt < SURE_MS + 1_000, `${servedAt - blockedAt} ms`)
    await eventually(() => assert.deepEqual(place.events, ['lost']))
    assert.throws(() => store.lastChangeOf({ accountId: 1n, keyId: 1n }), StoreUnavailable)
    await assert.rejects(store.findCaller(hash), StoreUnavailable)
    await assert.rejects(store.createPet(newPet(), NOW), StoreUnavailable)
    await sleep(5_000)
    // Other tests open connections as well. Those of calls are not counted.
    const attempts = opening.mock.calls.filter(call => (call.this as Connection).user === username).length
    assert.ok(attempts < 25, `${attempts} attempts`)
    await place.run(`UPDATE account SET per_day = per_day + 1`)
    await unblock()
    await eventually(() => assert.deepEqual(place.events, ['lost', 'restored']))
    const back = store.revision()
    assert.ok(back.callers > before.callers && back.corrections > before.corrections, 'everything is forgotten')
    await place.run(`UPDATE account SET per_day = per_day + 1`)
    await eventually(() => assert.equal(store.revision().callers, back.callers + 1))
    await sleep(1_500)
    assert.equal(store.revision().callers, back.callers + 1, 'nothing is looked up again without need')
  })

  test('a connection that is cut again and again loses no change', async t => {
    const place = await makePlace(t)
    if (!place) return
    const store = await place.open()
    const { id } = await createAccount(store, 'Acme')
    let isOver = false
    const cutting = (async () => {
      while (!isOver) {
        await place.cut()
        await sleep(20)
      }
    })()
    const callers = [store.revision().callers]
    for (let round = 0; round < 50; round += 1) {
      await place.run(`UPDATE account SET per_day = ${1_000 + round} WHERE id = ${id}`)
      await eventually(
        () => assert.notEqual(store.revision().callers, callers.at(-1), `change ${round} is not seen`),
        1,
      )
      callers.push(store.revision().callers)
    }
    isOver = true
    await cutting
    assert.deepEqual(
      callers,
      callers.toSorted((one, other) => one - other),
    )
    assert.equal(new Set(callers).size, callers.length)
    await eventually(() => assert.equal(place.events.at(-1), 'restored'))
    for (const [index, word] of place.events.entries()) assert.equal(word, index % 2 === 0 ? 'lost' : 'restored')
  })

  test('a server that hangs is noticed, and so is its return', async t => {
    const own = brittle
    const place = await makePlace(t, own)
    if (!place || !own) return
    const store = await place.open()
    for (const fault of ['SIGSTOP', 'SIGKILL'] as const) {
      place.events.length = 0
      await own.signal(fault)
      await eventually(() => assert.throws(() => store.revision(), StoreUnavailable))
      await eventually(() => assert.deepEqual(place.events, ['lost']))
      if (fault === 'SIGSTOP') await own.signal('SIGCONT')
      else await own.start()
      await eventually(() => assert.deepEqual(place.events, ['lost', 'restored']))
      const { callers } = store.revision()
      await place.run(`UPDATE revision SET callers = callers + 1`)
      await eventually(() => assert.equal(store.revision().callers, callers + 1))
    }
  })

  test('instances are counted as they come, go and are killed', async t => {
    const place = await makePlace(t)
    if (!place) return
    const first = await place.open()
    assert.equal(first.instances, 1)
    const second = await place.open()
    assert.equal(second.instances, 2)
    const third = await startStoreProcess(t, place.url, 'many')
    await place.open('command')
    await eventually(() => assert.deepEqual([first.instances, second.instances], [3, 3]))
    await third.signal('SIGKILL')
    await eventually(() => assert.deepEqual([first.instances, second.instances], [2, 2]))
    await place.close(second)
    assert.deepEqual(await place.run('SELECT count(*)::int AS left FROM instance'), [{ left: 1 }])
    await eventually(() => assert.equal(first.instances, 1))
  })

  test('an instance without Redis serves only alone', async t => {
    const place = await makePlace(t)
    if (!place) return
    await Promise.all([
      refused('single', 'single', /no Redis.*PETSTORE_REDIS_URL.*or stop them/),
      refused('single', 'many', /without Redis.*PETSTORE_REDIS_URL.*or stop it/),
      refused('many', 'single', /no Redis.*PETSTORE_REDIS_URL.*or stop them/),
    ])
    const other = await makePlace(t)
    await Promise.all([place.open('single'), other?.open('single')])

    async function refused(first: 'single' | 'many', second: 'single' | 'many', message: RegExp): Promise<void> {
      const own = await makePlace(t)
      assert.ok(own)
      const serving = await own.open(first)
      await own.open('command')
      await assert.rejects(own.open(second), (error: unknown) => {
        assert.ok(error instanceof UserError)
        assert.equal(error.kind, 'conflict')
        assert.match(error.message, message)
        return true
      })
      await own.close(serving)
      await own.open(second)
      if (second === 'many') assert.equal((await own.open('many')).instances, 2)
    }
  })

  test('an instance that restarts quickly waits until the previous one has ended', async t => {
    const place = await makePlace(t)
    if (!place) return
    const before = await startStoreProcess(t, place.url, 'single')
    const opening = place.open('single')
    await sleep(500)
    await before.signal('SIGKILL')
    assert.equal((await opening).instances, 1)
  })

  test('an instance that was replaced while it was disconnected reports it, and returns when it can', async t => {
    const place = await makePlace(t)
    if (!place) return
    await place.open('single')
    const unblock = await place.block()
    await eventually(() => assert.deepEqual(place.events, ['lost']))
    const other = await startStoreProcess(t, place.adminUrl, 'single')
    await unblock()
    await eventually(() => assert.match(place.events[1] ?? '', /^lost: Other instances are serving/))
    await other.signal('SIGKILL')
    await eventually(() => assert.equal(place.events[2], 'restored'))
    assert.equal(place.events.length, 3)
  })
})

/** A schema in a database, for a separate user whose new connections can be refused. */
interface Place {
  url: string
  adminUrl: string
  /** The events of the leases of all instances, in order. */
  events: string[]
  /** Opens an instance, or a store for a command. It ends with the test. */
  open(instances?: 'single' | 'many' | 'command', url?: string): Promise<PostgresStore>
  close(store: PostgresStore): Promise<void>
  run(sql: string): Promise<Record<string, unknown>[]>
  /** Ends the connections of the leases. */
  cut(): Promise<void>
  /** The same, and refuses new connections until this is undone. */
  block(): Promise<() => Promise<void>>
}

async function makePlace(t: TestContext, on = server): Promise<Place | undefined> {
  if (!on) return void skip(t, noPostgres ?? 'no server')
  const database = await makeDatabase(on.url)
  const [{ user } = {}] = await database.run(`SELECT current_schema() || '_user' AS user`)
  await database.run(`CREATE ROLE ${user} LOGIN; GRANT ALL ON SCHEMA ${String(user).replace(/_user$/, '')} TO ${user}`)
  const url = database.url.replace('postgres@', `${user}@`)
  const events: string[] = []
  const watch = {
    committed() {},
    leaseLost: (error: unknown) => void events.push(error instanceof UserError ? `lost: ${error.message}` : 'lost'),
    leaseRestored: () => void events.push('restored'),
    changed() {
      for (const store of opened) store.renew()
    },
  }
  const opened = new Set<PostgresStore>()
  const close = async (store: PostgresStore) => {
    if (opened.delete(store)) await store.close()
  }
  t.after(async () => {
    for (const store of opened) await close(store)
  })
  const cut = async () => {
    await database.run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE usename = '${user}' AND query LIKE '%UPDATE instance SET%'`)
  }
  return {
    url,
    adminUrl: database.url,
    events,
    async open(instances = 'many', at = url) {
      const options = instances === 'command' ? {} : { instances, watch }
      const store = await PostgresStore.open(at, 'production', options)
      opened.add(store)
      return store
    },
    close,
    run: database.run,
    cut,
    async block() {
      await database.run(`ALTER ROLE ${user} CONNECTION LIMIT 0`)
      await cut()
      return async () => void (await database.run(`ALTER ROLE ${user} CONNECTION LIMIT -1`))
    },
  }
}

async function makeCaller(store: PostgresStore): Promise<{ accountId: bigint; keyId: bigint; hash: string }> {
  const { id: accountId } = await createAccount(store, 'Acme')
  const { key, hash } = await createKey(store, accountId)
  return { accountId, keyId: key.id, hash }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
