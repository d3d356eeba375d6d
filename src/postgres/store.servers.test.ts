import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../test/support/eventually.ts'
import { inTime } from '../../test/support/in-time.ts'
import { makeLimitedDatabase } from '../../test/support/servers/limited-database.ts'
import { skip } from '../../test/support/servers/needs.ts'
import { makeDatabase, noPostgres, startPostgres } from '../../test/support/servers/postgres.ts'
import { makePostgresPlace, openForContract } from '../../test/support/servers/postgres-stores.ts'
import { StoreBusy, StoreUnavailable } from '../domain/errors.ts'
import { storeContract } from '../domain/store.contract.ts'
import { countsOf } from '../domain/store-contract/counts.contract.ts'
import {
  create,
  createAccount,
  createKey,
  createToken,
  entry,
  firstPage,
  LIMITS,
  NOW,
  newKey,
  newPet,
  newToken,
} from '../domain/store-contract/fixtures.contract.ts'
import { usageOf } from '../domain/store-contract/usage.contract.ts'
import { DAY_MS } from '../domain/time.ts'
import { dayOf, daysFrom } from '../domain/usage.ts'
import { COMMAND_CONNECT_MS, Connection } from './connection.ts'
import { PostgresStore } from './store.ts'

/** The longest that a call may take while the database does not respond. The rest is for the calls that begin together with it. */
const BOUND_MS = 2_000 + 500

if (noPostgres) {
  test('postgres: the contract of the store', t => void skip(t, noPostgres ?? ''))
} else {
  storeContract('postgres', () => openForContract(makeDatabase))
}

test('a lock on the animals delays creations for less than two seconds, and no other call', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open({ instances: 'many' })
  const pet = await create(store, newPet())
  const release = await place.hold('SELECT lock_pet_ids()')
  const refused = Array.from({ length: 50 }, () => inTime(BOUND_MS, 'a creation', errorOf(create(store, newPet()))))
  const added = inTime(BOUND_MS, 'an addition', errorOf(store.addPet(newPet(), entry('pet.create'))))
  for (let count = 0; count < 20; count += 1) {
    assert.deepEqual(await store.findPet(1n), pet)
    await store.check()
  }
  for (const error of await Promise.all(refused)) assert.ok(error instanceof StoreUnavailable, String(error))
  assert.ok((await added) instanceof StoreBusy)
  await release()
  assert.equal((await create(store, newPet())).id, 2n, 'nothing of what was refused is carried out')
  assert.equal((await store.listPets(firstPage)).pets.length, 2)
})

test('a lock on a table that calls need makes the check fail in time, until the lock is gone', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open({ instances: 'many' })
  await create(store, newPet())
  const before = store.revision()
  for (const lock of [
    'pet IN ACCESS EXCLUSIVE MODE',
    'pet IN SHARE MODE',
    'idempotent_creation IN EXCLUSIVE MODE',
    'api_key IN ACCESS EXCLUSIVE MODE',
    'account IN ACCESS EXCLUSIVE MODE',
    'ban IN ACCESS EXCLUSIVE MODE',
  ]) {
    await store.check()
    const release = await place.hold(`LOCK TABLE ${lock}`)
    await inTime(BOUND_MS, `the check beside ${lock}`, assert.rejects(store.check(), StoreUnavailable, lock))
    await release()
  }
  await store.check()
  assert.deepEqual(store.revision(), before)
})

test('a right that a call has lacked makes the check fail, although the check does not need it', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  const { url, owner, user, drop } = await makeLimitedDatabase()
  t.after(drop)
  const calls: [right: string, call: (store: PostgresStore) => Promise<unknown>][] = [
    ['INSERT ON audit', store => createAccount(store, 'Acme')],
    ['INSERT ON audit', store => store.addPet(newPet(), entry('pet.create'))],
    ['SELECT ON account_count', store => store.findCounts(1n)],
    ['SELECT ON account_count', store => store.listCounts(NOW)],
  ]
  for (const [right, call] of calls) {
    const store = await PostgresStore.open(url, 'production')
    t.after(() => store.close())
    await owner.run(`REVOKE ${right} FROM ${user}`)
    await store.check()
    await assert.rejects(call(store), StoreUnavailable)
    await assert.rejects(store.check(), ({ cause }) => /permission denied for table/.test(String(cause)), String(call))
    await owner.run(`GRANT ${right} TO ${user}`)
  }
})

test('creations that arrive during a delay are refused in their own time, or carried out if that is enough', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open({ instances: 'many' })
  const release = await place.hold('SELECT lock_pet_ids()')
  const first = errorOf(create(store, newPet()))
  await new Promise(resolve => setTimeout(resolve, 1_200))
  const second = errorOf(create(store, newPet({ name: 'Mia' })))
  assert.ok((await first) instanceof StoreUnavailable)
  await release()
  assert.equal(await second, undefined)
  assert.deepEqual(
    (await store.listPets(firstPage)).pets.map(({ name }) => name),
    ['Mia'],
  )
})

test('an operator’s write that does not get its turn is refused within two seconds, and writes nothing', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open({ instances: 'many' })
  const account = await createAccount(store, 'Acme')
  const release = await place.hold("SELECT take_turn('account')")
  const writes = Array.from({ length: 30 }, () => [
    store.setPlan(account.id, 'pro', LIMITS, entry('account.set-plan')),
    store.createToken(newToken(), entry('token.create')),
  ]).flat()
  const refused = inTime(BOUND_MS, 'a write', Promise.all(writes.map(errorOf)))
  await create(store, newPet())
  await store.saveCounts([countsOf(account.id, 1)])
  assert.equal((await store.listPets(firstPage)).pets.length, 1)
  for (const error of await refused) assert.ok(error instanceof StoreUnavailable, String(error))
  await release()
  assert.deepEqual(await store.listTokens(), [])
  assert.deepEqual(await store.findAccount(account.id), account)
  assert.equal((await store.listAudit({ limit: 10 })).length, 1)
})

test('counts are saved in the order of their accounts: two instances that save the same ones never block each other', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open({ instances: 'many' })
  const accounts = await Promise.all(['Acme', 'Zoo'].map(name => createAccount(store, name)))
  const [first, second] = accounts.map(({ id }) => id).toSorted((one, other) => Number(one - other))
  const counts = [second, first].map(id => countsOf(id as bigint, 1))
  await store.saveCounts(counts)
  const release = await place.hold(`SELECT FROM account_count WHERE account_id = ${second} FOR UPDATE`)
  const saved = store.saveCounts(counts)
  await eventually(async () => assert.equal((await place.waiting()).length, 1))
  assert.deepEqual(await place.run('SELECT account_id FROM account_count FOR UPDATE SKIP LOCKED'), [])
  await release()
  await saved
})

test('a change of many animals may take longer than a call', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open({ instances: 'many' })
  const { id } = await create(store, newPet())
  const { version } = await store.previewPets({ ids: [id] })
  const release = await place.hold(`SELECT FROM pet WHERE id = ${id} FOR UPDATE`)
  const change = errorOf(store.correctPets({ ids: [id] }, { name: 'Max' }, version, entry('pet.correct-many')))
  await assert.rejects(store.addPet(newPet(), entry('pet.create')), StoreUnavailable)
  await release()
  assert.equal(await change, undefined)
  assert.equal((await store.findPet(id))?.name, 'Max')
})

test('when several long reads are waiting, further ones are refused immediately, and short ones continue', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open({ instances: 'many' })
  const account = await createAccount(store, 'Acme')
  const release = await place.hold('LOCK TABLE pet IN ACCESS EXCLUSIVE MODE')
  const search = { name: 'rex', limit: 1_000 }
  const searches = Array.from({ length: 60 }, () => errorOf(store.searchPets(search)))
  assert.deepEqual(await store.findAccount(account.id), account)
  const refused = await inTime(BOUND_MS, 'the refusal', Promise.all(searches.slice(30)))
  assert.equal(refused.filter(error => error instanceof StoreUnavailable).length, 30)
  await release()
  const errors = await Promise.all(searches)
  assert.ok(errors.filter(error => error === undefined).length >= 3)
  assert.deepEqual(await store.searchPets(search), { pets: [], hasMore: false })
})

test('a long read that waits for its turn is answered', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open({ instances: 'many' })
  const release = await place.hold('LOCK TABLE pet IN ACCESS EXCLUSIVE MODE')
  const search = { name: 'rex', limit: 1_000 }
  const searches = Array.from({ length: 9 }, () => errorOf(store.searchPets(search)))
  await sleep(2_000)
  await release()
  for (const error of await Promise.all(searches)) assert.equal(error, undefined)
})

test('an instance whose clock is ahead forgets nothing too early', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open()
  const now = Date.now()
  const today = dayOf(now)
  const { id: accountId } = await createAccount(store, 'Acme')
  const { token } = await createToken(store)
  const request = { accountId, key: 'key', fingerprint: 'of the body' }
  await store.createPet(newPet(), now, request)
  await store.createSession({ hash: 'hash', tokenId: token.id, expiresAt: now + DAY_MS }, entry('session.sign-in'))
  await store.addUsage([usageOf({ accountId, keyId: 1n, admitted: 1, day: today - 1 })])
  await store.deleteExpired(now + 400 * DAY_MS, today + 400 - 1)
  assert.equal((await store.createPet(newPet(), now, request)).outcome, 'replayed')
  assert.ok(await store.findSession('hash'))
  assert.equal((await store.sumUsage({ range: daysFrom(0, today), by: [] })).length, 1)
})

test('what one instance is deleting because it has expired is left to it by the others', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open()
  await place.run(`INSERT INTO idempotent_creation (account_id, key, fingerprint, created_at, pet_id, name, category_id, status)
    SELECT 1, 'key ' || number, '', 0, number, '', 1, 'sold' FROM generate_series(1, 3) AS number`)
  const commit = await place.hold("DELETE FROM idempotent_creation WHERE key = 'key 2'")
  await store.deleteExpired(Date.now(), 0)
  assert.deepEqual(await place.run('SELECT key FROM idempotent_creation'), [{ key: 'key 2' }])
  await commit()
})

test('changes of callers that every instance has read are forgotten, and no others', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open({ instances: 'many' })
  await place.run(`UPDATE revision SET callers = 20000;
    INSERT INTO caller_change (number, account_id) SELECT number, 1 FROM generate_series(9000, 20000) AS number`)
  await store.deleteExpired(Date.now(), 0)
  assert.deepEqual(await place.run('SELECT min(number)::int AS first, max(number)::int AS last FROM caller_change'), [
    { first: 10_001, last: 20_000 },
  ])
})

test('an account with many idempotency keys is deleted just as quickly', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open()
  const { id } = await createAccount(store, 'Acme')
  await place.run(`INSERT INTO idempotent_creation (account_id, key, fingerprint, created_at, pet_id, name, category_id, status)
    SELECT ${id}, 'key ' || number, '', 0, number, '', 1, 'sold' FROM generate_series(1, 12000) AS number`)
  assert.equal(await store.deleteAccount(id, entry('account.delete')), true)
  const [{ left } = {}] = await place.run('SELECT count(*)::int AS left FROM idempotent_creation')
  assert.ok(Number(left) > 0 && Number(left) < 12_000, `${left} are left to be forgotten in time`)
  await store.deleteExpired(Date.now(), 0)
  assert.deepEqual(await place.run('SELECT FROM idempotent_creation'), [])
})

test('an account is deleted also if its idempotency keys cannot be forgotten yet', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open()
  const { id } = await createAccount(store, 'Acme')
  const release = await place.hold('LOCK TABLE idempotent_creation IN ACCESS EXCLUSIVE MODE')
  assert.equal(await store.deleteAccount(id, entry('account.delete')), true)
  await release()
  assert.equal(await store.findAccount(id), undefined)
})

test('a read whose connection is cut off runs again, and a write does not', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open()
  const pet = await create(store, newPet())
  const account = await createAccount(store, 'Acme')
  for (const [table, isWrite] of [
    ['pet', false],
    ['account_count', true],
  ] as const) {
    const release = await place.hold(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`)
    const call = errorOf(isWrite ? store.saveCounts([countsOf(account.id, 1)]) : store.findPet(pet.id))
    await eventually(async () => {
      const cut = await place.run(
        `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE relation = '${table}'::regclass AND NOT granted`,
      )
      assert.equal(cut.length, 1)
    })
    await release()
    const error = await call
    if (isWrite) assert.ok(error instanceof StoreUnavailable)
    else assert.equal(error, undefined)
  }
  await store.saveCounts([countsOf(account.id, 1)])
})

test('an instance that hangs within a transaction delays others only for some seconds', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open()
  await create(store, newPet())
  const still = await new Connection(place.url, { connectMs: COMMAND_CONNECT_MS, statementMs: 0 }).open()
  t.after(() => still.end())
  await still.begin('SELECT lock_pet_ids()')
  assert.equal((await eventually(() => create(store, newPet()))).id, 2n)
})

test('a store is closed immediately even while the database hangs, and keeps no process alive', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  const server = await startPostgres()
  t.after(() => server.close())
  const store = await PostgresStore.open(server.url, 'production', { instances: 'many' })
  await create(store, newPet())
  await createAccount(store, 'Acme')
  await store.listAccounts({ at: NOW })
  assert.ok(countConnections(server.port) >= 4)
  await server.signal('SIGSTOP')
  await inTime(BOUND_MS, 'closing', store.close())
  await eventually(() => assert.equal(countConnections(server.port), 0))
})

test('closing aborts a long read', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open({ instances: 'many' })
  const release = await place.hold('LOCK TABLE pet IN ACCESS EXCLUSIVE MODE')
  const refused = assert.rejects(store.searchPets({ limit: 1 }), StoreUnavailable)
  await eventually(async () => assert.equal((await place.waiting()).length, 1))
  await inTime(BOUND_MS, 'closing', store.close())
  await refused
  await release()
})

test('audit entries can neither be changed nor deleted', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open()
  await createAccount(store, 'Acme')
  const before = await store.listAudit({ limit: 10 })
  for (const sql of [
    "UPDATE audit SET actor = 'nobody'",
    'DELETE FROM audit',
    'DELETE FROM audit WHERE id = 4711',
    'TRUNCATE audit',
    'INSERT INTO audit SELECT * FROM audit ON CONFLICT (id) DO UPDATE SET at = 0',
  ]) {
    await assert.rejects(place.run(sql), /append-only/, sql)
  }
  assert.deepEqual(await store.listAudit({ limit: 10 }), before)
})

test('a change whose audit entry cannot be written is rolled back', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open()
  const account = await createAccount(store, 'Acme')
  const { key, hash } = await createKey(store, account.id)
  const pet = await create(store, newPet())
  const before = { caller: await store.findCaller(hash), revision: await place.run('SELECT * FROM revision') }
  await place.run(
    'CREATE TRIGGER log_is_full BEFORE INSERT ON audit FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()',
  )
  const writes: (() => Promise<unknown>)[] = [
    () => createAccount(store, 'Zoo'),
    () => store.setPlan(account.id, 'pro', LIMITS, entry('account.set-plan')),
    () => store.deleteAccount(account.id, entry('account.delete')),
    () => createKey(store, account.id),
    () => store.replaceKey(key.id, NOW, newKey(account.id), entry('key.rotate')),
    () => store.revokeKey(key.id, entry('key.revoke')),
    () => createToken(store),
    () => store.addPet(newPet(), entry('pet.create')),
    () => store.correctPet(pet, { ...pet, name: 'Max' }, entry('pet.correct')),
    () => store.deletePet(pet, entry('pet.delete')),
  ]
  for (const write of writes) await assert.rejects(write, StoreUnavailable, String(write))
  await place.run('DROP TRIGGER log_is_full ON audit')
  const after = { caller: await store.findCaller(hash), revision: await place.run('SELECT * FROM revision') }
  assert.deepEqual(after, before)
  assert.deepEqual(await store.listKeys(), [key])
  assert.deepEqual(await store.listTokens(), [])
  assert.deepEqual((await store.listPets(firstPage)).pets, [pet])
  assert.ok((await create(store, newPet())).id > 1n)
})

test('a text that PostgreSQL cannot store finds nothing', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open()
  await create(store, newPet())
  assert.equal(await store.findAccountByName('\0'), undefined)
  assert.equal(await store.findCaller('a\0b'), undefined)
  const search = { name: 'Rex\0', limit: 1_000 }
  assert.deepEqual(await store.searchPets(search), { pets: [], hasMore: false })
  assert.deepEqual(await store.sumUsage({ range: daysFrom(0, 9), operation: '\0', by: [] }), [])
})

test('an account whose counts are being saved is deleted with them', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open()
  const { id } = await createAccount(store, 'Acme')
  const save = await place.hold(`SELECT FROM account WHERE id = ${id} FOR KEY SHARE;
    INSERT INTO account_count (account_id, day_used, day_resets_at) VALUES (${id}, 1, ${NOW})`)
  const deletion = store.deleteAccount(id, entry('account.delete'))
  await eventually(async () => assert.equal((await place.waiting()).length, 1))
  await save()
  assert.equal(await deletion, true)
  assert.deepEqual(await store.findCounts(id), {})
})

test('counts that are saved while one of their accounts is being deleted are saved for the others', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open()
  const [first, second] = [await createAccount(store, 'first'), await createAccount(store, 'second')]
  const commit = await place.hold(`DELETE FROM account WHERE id = ${first.id}`)
  const saving = store.saveCounts([countsOf(first.id, 1), countsOf(second.id, 2)])
  await eventually(async () => assert.equal((await place.waiting()).length, 1))
  await commit()
  await saving
  assert.deepEqual(await store.listCounts(NOW), [countsOf(second.id, 2)])
})

test('several instances that write accounts, counts and usage at once never make each other fail', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const stores = [await place.open(), await place.open(), await place.open()]
  const [first] = stores as [PostgresStore]
  const accounts = await Promise.all(Array.from({ length: 12 }, (_, index) => createAccount(first, `account ${index}`)))
  const keys = await Promise.all(accounts.map(({ id }) => createKey(first, id)))
  const usage = keys.map(({ key }) => usageOf({ accountId: key.accountId, keyId: key.id, admitted: 1 }))
  const counts = accounts.map(({ id }) => countsOf(id, 1))
  const rounds = 12
  const work = stores.map(async (store, index) => {
    // Each in another order.
    const turned = <Item>(items: readonly Item[]) => (index % 2 === 0 ? items : items.toReversed())
    for (let round = 0; round < rounds; round += 1) {
      const { id } = accounts[round] as { id: bigint }
      const own = await createAccount(store, `of ${index} in ${round}`)
      await createKey(store, own.id)
      await Promise.all([
        store.saveCounts(turned([...counts, countsOf(own.id, 1)])),
        store.addUsage(turned(usage)),
        store.renameAccount(id, `account ${index} ${round}`, entry('account.rename')),
        store.setPlan(id, 'pro', LIMITS, entry('account.set-plan')),
        store.deleteAccount(own.id, entry('account.delete')),
        create(store, newPet()),
        store.deleteExpired(NOW, 0),
      ])
    }
  })
  await Promise.all(work)
  const [sum] = await first.sumUsage({ range: daysFrom(0, 99_999), by: [] })
  assert.equal(sum?.admitted, stores.length * rounds * keys.length)
  assert.equal((await first.listAccounts({ at: NOW })).length, accounts.length)
  assert.equal((await first.listCounts(NOW)).length, accounts.length)
})

test('audit entries of one turn become visible in the order of their ids, on whichever instance they are written', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const stores = [await place.open(), await place.open()] as const
  let isOver = false
  const writing = Promise.all(
    Array.from({ length: 60 }, (_, index) => createToken(stores[index % 2 === 0 ? 0 : 1])),
  ).finally(() => {
    isOver = true
  })
  do {
    const ids = (await stores[0].listAudit({ limit: 100 })).map(({ id }) => id)
    assert.deepEqual(
      ids,
      ids.map((_, index) => BigInt(ids.length - index)),
    )
  } while (!isOver)
  await writing
  assert.equal((await stores[0].listAudit({ limit: 100 })).length, 60)
})

/** The error with which a call ends, if it fails. */
function errorOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
}

/** How many connections this process has to a port of this machine. */
function countConnections(port: number): number {
  // biome-ignore lint/suspicious/noExplicitAny: what Node shows for debugging has no type
  const handles: any[] = (process as any)._getActiveHandles()
  return handles.filter(({ remotePort }) => remotePort === port).length
}

function sleep(milliseconds: number): Promise<undefined> {
  return new Promise(resolve => setTimeout(resolve, milliseconds, undefined))
}
