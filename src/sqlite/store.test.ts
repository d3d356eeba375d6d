import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { copyFile, mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { after, type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Cleanup } from '../../test/support/cleanup.ts'
import { temporaryFolder } from '../../test/support/folder.ts'
import { lockWrites } from '../../test/support/write-lock.ts'
import { StoreBusy, StoreUnavailable, UserError } from '../domain/errors.ts'
import { INT64_MAX } from '../domain/int64.ts'
import { type NewPet, PET_STATUSES } from '../domain/pet.ts'
import type { NewKey } from '../domain/store/accounts.ts'
import { storeContract } from '../domain/store.contract.ts'
import { entry, listAccounts, OLD_ENTRIES, OLD_TOKENS } from '../domain/store-contract/fixtures.contract.ts'
import { checkOldCorrections, OLD_CORRECTIONS } from '../domain/store-contract/old-corrections.contract.ts'
import { checkOldDeletions, OLD_DELETIONS } from '../domain/store-contract/old-deletions.contract.ts'
import { checkOldNames, OLD_ACCOUNTS } from '../domain/store-contract/old-names.contract.ts'
import { assertOldUsage, OLD_USAGE } from '../domain/store-contract/usage.contract.ts'
import { DAY_MS } from '../domain/time.ts'
import { dayOf, daysFrom } from '../domain/usage.ts'
import { deletedPets } from '../sql/deleted-pets.ts'
import { connect } from './connection.ts'
import { databaseFile, logFile } from './data-folder/store-files.ts'
import { SQLITE } from './dialect.ts'
import { SqliteStore, type SqliteStoreOptions } from './store.ts'
import { APPLICATION_ID, createEmptyStore, MIGRATIONS, runMigrations } from './store-version.ts'

const NOW = Date.UTC(2027, 2, 1, 12, 0, 0, 250)
const LIMITS = { perMinute: 60, perDay: 1_000 }
const REX: NewPet = { name: 'Rex', categoryId: 7n, status: 'available' }
/** Those that no rule uses at the moment. */
const kept: SharedStore[] = []
const ended = new AsyncDisposableStack()
after(() => ended.disposeAsync())

storeContract('sqlite', async () => {
  const shared = kept.pop() ?? (await SharedStore.open({ after: end => ended.defer(async () => void (await end())) }))
  await shared.reset()
  return {
    store: shared.store,
    reopen: () => shared.reopen(),
    close: async () => void kept.push(shared),
  }
})

test('sqlite: a process sees the writes of another within milliseconds', async t => {
  const folder = await temporaryFolder(t)
  const service = await openStore(t, folder)
  const commandLine = await openStore(t, folder)
  const before = service.revision()
  const account = await commandLine.createAccount(
    { name: 'Acme', plan: 'free', limits: LIMITS },
    entry('account.create'),
  )
  const key = await commandLine.createKey(newKey(account.id, 'a hash'), entry('key.issue'))
  const { pet } = (await commandLine.createPet(REX, NOW)) as { pet: unknown }
  await setTimeout(5)
  const seen = service.revision()
  assert.notEqual(seen.callers, before.callers)
  assert.equal(seen.newestPetId, 1n)
  assert.deepEqual(await service.findPet(1n), pet)
  assert.equal((await service.findCaller('a hash'))?.keyId, key.id)

  await commandLine.revokeKey(key.id, entry('key.revoke', { at: NOW + 1 }))
  await setTimeout(5)
  assert.notEqual(service.revision().callers, seen.callers)
  assert.equal((await service.findCaller('a hash'))?.revokedAt, NOW + 1)
})

test('sqlite: a key that is revoked between two creations of one transaction permits only the first', async t => {
  const store = await openStore(t, await temporaryFolder(t), { inThreads: true })
  const { id } = await store.createAccount({ name: 'Acme', plan: 'free', limits: LIMITS }, entry('account.create'))
  const key = await store.createKey(newKey(id, 'a hash'), entry('key.issue'))
  const create = () =>
    store.createPet(REX, NOW, undefined, { keyId: key.id, networks: undefined, expiresAt: undefined })
  const revoke = store.revokeKey.bind(store, key.id, entry('key.revoke'))
  const [first, second, isRevoked, last] = await Promise.all([create(), create(), revoke(), create()])
  assert.deepEqual(
    [first.outcome, second.outcome, isRevoked, last.outcome],
    ['created', 'created', true, 'not_permitted'],
  )
})

test('sqlite: a key that another process revokes permits no later creation', async t => {
  const folder = await temporaryFolder(t)
  const [store, other] = [await openStore(t, folder), await openStore(t, folder)]
  const { id } = await store.createAccount({ name: 'Acme', plan: 'free', limits: LIMITS }, entry('account.create'))
  const key = await store.createKey(newKey(id, 'a hash'), entry('key.issue'))
  const create = () =>
    store.createPet(REX, NOW, undefined, { keyId: key.id, networks: undefined, expiresAt: undefined })
  assert.equal((await create()).outcome, 'created')
  await other.revokeKey(key.id, entry('key.revoke'))
  assert.equal((await create()).outcome, 'not_permitted')
})

test('sqlite: two processes that create at the same time lose nothing', async t => {
  const folder = await temporaryFolder(t)
  const stores = [await openStore(t, folder, { inThreads: true }), await openStore(t, folder, { inThreads: true })]
  const rounds = Array.from({ length: 100 }, (_, index) => index)
  const created = await Promise.all(
    rounds.flatMap(index =>
      stores.map(async (store, which) => {
        await setTimeout(index % 10)
        return store.createPet({ ...REX, name: `${which} ${index}` }, NOW)
      }),
    ),
  )
  const ids = created.map(creation => ('pet' in creation ? creation.pet.id : 0n))
  assert.equal(new Set(ids).size, 200)
  for (const store of stores) {
    const { pets } = await store.listPets({ status: undefined, afterId: 0n, limit: 1_000 })
    assert.equal(new Set(pets.map(({ name }) => name)).size, 200)
  }
})

test('sqlite: a creation that is repeated in another process is carried out once', async t => {
  const folder = await temporaryFolder(t)
  const stores = [await openStore(t, folder, { inThreads: true }), await openStore(t, folder, { inThreads: true })]
  for (let round = 0; round < 20; round += 1) {
    const request = { accountId: 1n, key: `key ${round}`, fingerprint: 'of the body' }
    const creations = await Promise.all(stores.map(store => store.createPet(REX, NOW, request)))
    assert.deepEqual(creations.map(({ outcome }) => outcome).toSorted(), ['created', 'replayed'])
  }
})

test('sqlite: the second of two simultaneous equal creations learns that the first is in progress', async t => {
  const store = await openStore(t, await temporaryFolder(t), { inThreads: true })
  const request = { accountId: 1n, key: 'key', fingerprint: 'of the body' }
  const creations = await Promise.all([store.createPet(REX, NOW, request), store.createPet(REX, NOW, request)])
  assert.deepEqual(
    creations.map(({ outcome }) => outcome),
    ['created', 'in_progress'],
  )
})

test('sqlite: a correction of an animal shows in the revision, and in no replay', async t => {
  const folder = await temporaryFolder(t)
  const store = await openStore(t, folder)
  const request = { accountId: 1n, key: 'key', fingerprint: 'of the body' }
  await store.createPet(REX, NOW, request)
  const corrections: number[] = [store.revision().corrections]
  for (const sql of ["UPDATE pet SET name = 'Max', status = 'sold' WHERE id = 1", 'DELETE FROM pet WHERE id = 1']) {
    execute(folder, sql)
    await setTimeout(5)
    corrections.push(store.revision().corrections)
    assert.equal((await store.findPet(1n))?.name, sql.startsWith('UPDATE') ? 'Max' : undefined)
    assert.deepEqual(await store.createPet(REX, NOW, request), { outcome: 'replayed', pet: { id: 1n, ...REX } })
  }
  assert.equal(new Set(corrections).size, 3)
})

test('sqlite: an animal has its checksum when it is created, and when it is corrected', async t => {
  const folder = await temporaryFolder(t)
  const store = await openStore(t, folder)
  await store.createPet(REX, NOW)
  const added = await store.addPet(REX, entry('pet.create'))
  await store.correctPet(added, { ...added, name: 'Max' }, entry('pet.correct'))
  const database = connect(databaseFile(folder))
  t.after(() => database.close())
  const sql = 'SELECT name, checksum = pet_checksum(name, category_id, status) AS is_right FROM pet ORDER BY id'
  const rows = database.prepare(sql).all()
  assert.deepEqual(
    rows.map(({ name, is_right }) => [name, is_right]),
    [
      [REX.name, 1n],
      ['Max', 1n],
    ],
  )
})

test('sqlite: the id of a deleted animal is not used again, not even after reopening', async t => {
  const folder = await temporaryFolder(t)
  const store = await openStore(t, folder)
  for (let count = 0; count < 3; count += 1) await store.createPet(REX, NOW)
  execute(folder, 'DELETE FROM pet WHERE id >= 2')
  assert.deepEqual(await store.createPet(REX, NOW), { outcome: 'created', pet: { id: 4n, ...REX } })
  execute(folder, 'DELETE FROM pet')
  await store.close()
  const reopened = await openStore(t, folder)
  assert.equal(reopened.revision().newestPetId, 4n)
  assert.deepEqual(await reopened.createPet(REX, NOW), { outcome: 'created', pet: { id: 5n, ...REX } })
})

test('sqlite: reads continue while a write waits for another process', async t => {
  const folder = await temporaryFolder(t)
  const store = await openStore(t, folder, { inThreads: true })
  await store.createPet(REX, NOW)
  const other = new DatabaseSync(databaseFile(folder))
  other.exec("BEGIN IMMEDIATE; UPDATE pet SET name = 'Max'")
  let done = false
  const creation = store.createPet(REX, NOW).finally(() => {
    done = true
  })
  for (let read = 0; read < 20; read += 1) {
    await setTimeout(5)
    assert.equal((await store.findPet(1n))?.name, 'Rex')
    assert.equal((await store.listPets({ status: undefined, afterId: 0n, limit: 20 })).pets.length, 1)
    store.revision()
  }
  assert.equal(done, false, 'no read has waited')
  other.exec('COMMIT')
  other.close()
  assert.equal((await creation).outcome, 'created')
})

inEitherWay('sqlite: a failed write does not affect the others in its transaction', async (t, options) => {
  const folder = await temporaryFolder(t)
  const store = await openStore(t, folder, options)
  execute(
    folder,
    "CREATE TRIGGER full BEFORE INSERT ON pet WHEN new.name = 'bad' BEGIN SELECT RAISE(ABORT, 'disk full'); END",
  )
  const names = ['a', 'bad', 'b', 'c', 'bad', 'd']
  const created = await Promise.allSettled(names.map(name => store.createPet({ ...REX, name }, NOW)))
  for (const [index, result] of created.entries()) {
    if (names[index] === 'bad') assert.ok(result.status === 'rejected' && result.reason instanceof StoreUnavailable)
    else assert.ok(result.status === 'fulfilled' && result.value.outcome === 'created')
  }
  const { pets } = await store.listPets({ status: undefined, afterId: 0n, limit: 100 })
  assert.deepEqual(
    pets.map(({ name }) => name),
    ['a', 'b', 'c', 'd'],
  )
})

test('sqlite: only the three statuses can be stored, and checking them makes no table for each animal', async t => {
  const folder = await temporaryFolder(t)
  await openStore(t, folder)
  const insert = (status: string) => `INSERT INTO pet (name, category_id, status) VALUES ('Rex', 7, '${status}')`
  for (const status of PET_STATUSES) execute(folder, insert(status))
  for (const status of ['evil', '', 'SOLD']) assert.throws(() => execute(folder, insert(status)), /CHECK constraint/)
  using database = new DatabaseSync(databaseFile(folder))
  const steps = database.prepare(`EXPLAIN ${insert('sold')}`).all()
  assert.deepEqual(
    steps.filter(({ opcode }) => opcode === 'OpenEphemeral'),
    [],
  )
})

test('sqlite: a creation that failed can be repeated with its idempotency key', async t => {
  const folder = await temporaryFolder(t)
  const store = await openStore(t, folder)
  const request = { accountId: 1n, key: 'key', fingerprint: 'of the body' }
  execute(folder, "CREATE TRIGGER full AFTER INSERT ON pet BEGIN SELECT RAISE(ABORT, 'disk full'); END")
  await assert.rejects(store.createPet(REX, NOW, request), StoreUnavailable)
  execute(folder, 'DROP TRIGGER full')
  assert.equal((await store.createPet(REX, NOW, request)).outcome, 'created')
})

test('sqlite: a store of version 1 keeps everything; its deprecated calls are in the usage', async t => {
  const folder = await temporaryFolder(t)
  execute(
    folder,
    `${readFileSync(new URL('migrations/0001_initial.sql', import.meta.url), 'utf8')}
     INSERT INTO store (deployment, cursor_secret) VALUES ('production', randomblob(32));
     INSERT INTO account (id, name, plan, per_minute, per_day, created_at) VALUES
       (1, 'Acme', 'enterprise', 7, 9, ${NOW}), (2, 'Zoo', 'free', 60, 1000, ${NOW + 1});
     INSERT INTO api_key (id, account_id, hash, hint, name, created_at, expires_at, revoked_at, replaced_by) VALUES
       (1, 1, 'hash 1', 'aaaa', 'laptop', ${NOW}, ${NOW + 5}, ${NOW + 3}, NULL),
       (2, 2, 'hash 2', 'bbbb', NULL, ${NOW}, NULL, NULL, NULL);
     UPDATE api_key SET replaced_by = 2 WHERE id = 1;
     INSERT INTO ban (id, key_id, started_at, ends_at, ordinal) VALUES (1, 1, ${NOW}, ${NOW + 900_000}, 2);
     INSERT INTO pet (id, name, category_id, status) VALUES (5, 'Rex', ${INT64_MAX}, 'sold');
     INSERT INTO idempotent_creation VALUES (1, 'key', 'of the body', ${NOW}, 5, 'Rex', 7, 'available');
     INSERT INTO account_count VALUES (1, 3, ${NOW + 50_000}, 9, ${NOW + 60_000});
     INSERT INTO deprecated_use (account_id, calls, last_at) VALUES (1, 41, ${NOW - 3 * DAY_MS});
     PRAGMA user_version = 1`,
  )
  const store = await openStore(t, folder)
  const never = { suspendedAt: undefined, deprecatedCalls: 0, lastDeprecatedCallAt: undefined }
  const acme = { id: 1n, name: 'Acme', plan: 'enterprise', limits: { perMinute: 7, perDay: 9 }, createdAt: NOW }
  const zoo = { id: 2n, name: 'Zoo', plan: 'free', limits: LIMITS, createdAt: NOW + 1 }
  const lastDeprecatedCallAt = NOW - 3 * DAY_MS
  assert.deepEqual(await listAccounts(store), [
    { ...acme, ...never, deprecatedCalls: 41, lastDeprecatedCallAt },
    { ...zoo, ...never },
  ])
  const access = { scope: 'read-write', networks: undefined }
  const key = { accountName: 'Acme', ...access, createdAt: NOW, lastUsedAt: undefined, lastUsedFrom: undefined }
  const rotated = { name: 'laptop', hint: 'aaaa', expiresAt: NOW + 5, revokedAt: NOW + 3, replacedBy: 2n }
  const banned = { banEndsAt: NOW + 900_000 }
  const fresh = { name: undefined, hint: 'bbbb', expiresAt: undefined, revokedAt: undefined, replacedBy: undefined }
  assert.deepEqual(await store.listKeys(), [
    { id: 1n, accountId: 1n, ...key, ...rotated, ...banned },
    { id: 2n, accountId: 2n, ...key, accountName: 'Zoo', ...fresh, banEndsAt: undefined },
  ])
  const term = { source: undefined, earnedIn: undefined, startedAt: NOW, endsAt: NOW + 900_000, ordinal: 2 }
  assert.deepEqual(await store.listBans(), [{ id: 1n, keyId: 1n, ...term, liftedAt: undefined }])
  const pet = { id: 5n, name: 'Rex', categoryId: INT64_MAX, status: 'sold' }
  assert.deepEqual((await store.listPets({ status: undefined, afterId: 0n, limit: 9 })).pets, [pet])
  for (const minAnimals of [99, 1]) {
    await store.indexPets({ minAnimals, maxMs: 1_000 })
    assert.deepEqual(await store.countPets({}), { available: 0, pending: 0, sold: 1 })
    assert.deepEqual((await store.searchPets({ name: 'rex', limit: 9 })).pets, [pet])
  }
  const replay = await store.createPet(REX, NOW, { accountId: 1n, key: 'key', fingerprint: 'of the body' })
  assert.deepEqual(replay, { outcome: 'replayed', pet: { id: 5n, ...REX } })
  const counts = { minute: { used: 3, resetsAt: NOW + 50_000 }, day: { used: 9, resetsAt: NOW + 60_000 } }
  assert.deepEqual(await store.listCounts(NOW), [{ accountId: 1n, counts }])
  const [usage, ...others] = await store.sumUsage({
    range: daysFrom(0, 99_999),
    by: ['day', 'account', 'key', 'operation'],
  })
  assert.deepEqual(
    [usage?.day, usage?.accountName, usage?.keyId, usage?.operation, usage?.admitted, usage?.lastAt, others],
    [dayOf(NOW) - 3, 'Acme', 0n, 'getPet', 41, lastDeprecatedCallAt, []],
  )
  assert.equal(await store.deleteAccount(1n, entry('account.delete')), true, 'nothing holds on to it')
})

test('sqlite: entries of an older version are found by the token of their operator', async t => {
  const folder = await temporaryFolder(t)
  makeSecondVersion(folder, `INSERT INTO audit (at, actor, origin, action, details) VALUES ${OLD_ENTRIES}`)
  const store = await openStore(t, folder)
  const entries = await store.listAudit({ limit: 10 })
  assert.deepEqual(
    entries.map(({ tokenId }) => tokenId),
    OLD_TOKENS,
  )
  assert.throws(() => execute(folder, 'UPDATE audit SET token_id = 1'), /append-only/)
})

test('sqlite: the usage of an older version is found by account and operation, and so is the last call of each key', async t => {
  const folder = await temporaryFolder(t)
  {
    using database = connect(databaseFile(folder))
    for (const migration of MIGRATIONS.slice(0, 4)) database.exec(migration)
    database.exec(
      `INSERT INTO store (deployment, cursor_secret) VALUES ('production', randomblob(32));
       INSERT INTO account (id, name, name_key, plan, per_minute, per_day, created_at) VALUES (1, 'Acme', 'acme', 'pro', 1, 1, ${NOW});
       INSERT INTO api_key (id, account_id, hash, hint, created_at) VALUES (1, 1, 'hash', 'hint', ${NOW});
       ${OLD_USAGE};
       PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = 4`,
    )
  }
  await assertOldUsage(await openStore(t, folder))
})

test('sqlite: accounts whose names differ only in case stay, in a store of an older version', async t => {
  const folder = await temporaryFolder(t)
  makeSecondVersion(folder, `INSERT INTO account (name, plan, per_minute, per_day, created_at) VALUES ${OLD_ACCOUNTS}`)
  await checkOldNames(await openStore(t, folder))
})

test('sqlite: undoing an old addition keeps the animals that have been corrected since', async t => {
  const folder = await temporaryFolder(t)
  {
    using database = connect(databaseFile(folder))
    runMigrations(database, 0, 3)
    const pets = [1, 3, 4].map(id => `(${id}, 'Rexy', 7, 'sold', pet_checksum('Rexy', 7, 'sold'))`)
    database.exec(
      `INSERT INTO store (deployment, cursor_secret) VALUES ('production', randomblob(32));
       INSERT INTO pet (id, name, category_id, status, checksum) VALUES ${pets};
       ${OLD_CORRECTIONS}
       PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = 3`,
    )
  }
  await checkOldCorrections(await openStore(t, folder))
})

test('sqlite: animals that were deleted before there was a list of them are in it', async t => {
  const folder = await temporaryFolder(t)
  {
    using database = connect(databaseFile(folder))
    runMigrations(database, 0, 14)
    database.exec(
      `INSERT INTO store (deployment, cursor_secret) VALUES ('production', randomblob(32));
       INSERT INTO pet (id, name, category_id, status, checksum) VALUES (1, 'Rex', 7, 'sold', pet_checksum('Rex', 7, 'sold'));
       ${OLD_DELETIONS};
       PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = 14`,
    )
  }
  await checkOldDeletions(await openStore(t, folder))
})

test('sqlite: a search among deleted animals begins with them, whatever its conditions, not with the history', () => {
  using database = createEmptyStore()
  for (const conditions of [{ categoryId: 7n }, { statuses: ['sold'] as const }, { name: 'rex' }]) {
    const { sql, values } = deletedPets({ ...conditions, limit: 100 }, SQLITE)
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values)
    assert.deepEqual(
      plan.map(({ detail }) => String(detail).split(' ', 2).join(' ')),
      ['SCAN deleted_pet', 'SEARCH pet_change', 'SEARCH audit'],
    )
  }
})

test('sqlite: an audit entry can neither be changed nor deleted', async t => {
  const folder = await temporaryFolder(t)
  const store = await openStore(t, folder)
  await store.addPet(REX, entry('pet.create'))
  const before = await store.listAudit({ limit: 10 })
  for (const sql of [
    "UPDATE audit SET actor = 'nobody'",
    'UPDATE audit SET id = id + 1',
    'DELETE FROM audit WHERE id = 1',
    'DELETE FROM audit',
    "UPDATE OR REPLACE audit SET details = '{}'",
    "INSERT OR REPLACE INTO audit (id, at, actor, origin, action, details) VALUES (1, 0, 'nobody', 'x', 'pet.create', '{}')",
  ]) {
    assert.throws(() => execute(folder, sql), /append-only/, sql)
  }
  assert.deepEqual(await store.listAudit({ limit: 10 }), before)
})

test('sqlite: a change whose audit entry cannot be written is rolled back', async t => {
  const folder = await temporaryFolder(t)
  const store = await openStore(t, folder)
  const account = await store.createAccount({ name: 'Acme', plan: 'free', limits: LIMITS }, entry('account.create'))
  const key = await store.createKey(newKey(account.id, 'a hash'), entry('key.issue'))
  const ban = await store.createBan(key.id, {
    source: '192.0.2.7',
    earnedIn: 'minute',
    startedAt: NOW,
    endsAt: NOW + 900_000,
    ordinal: 1,
  })
  const pet = await store.addPet(REX, entry('pet.create'))
  const newToken = { hash: 'token', hint: 'hint', name: 'ada', role: 'admin', expiresAt: undefined } as const
  const token = await store.createToken(newToken, entry('token.create'))
  const session = { hash: 'session', tokenId: token.id, expiresAt: NOW + 9 }
  await store.createSession(session, entry('session.sign-in'))
  const before = contentsOf(folder)
  execute(folder, "CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'disk full'); END")
  const plan = { perMinute: 300, perDay: 10_000 }
  const writes: (() => Promise<unknown>)[] = [
    () => store.addPet(REX, entry('pet.create')),
    () => store.correctPet(pet, { ...pet, name: 'Max' }, entry('pet.correct')),
    () => store.deletePet(pet, entry('pet.delete')),
    () => store.createAccount({ name: 'Zoo', plan: 'free', limits: LIMITS }, entry('account.create')),
    () => store.renameAccount(account.id, 'Zoo', entry('account.rename')),
    () => store.setPlan(account.id, 'pro', plan, entry('account.set-plan')),
    () => store.setSuspended(account.id, NOW, entry('account.suspend')),
    () => store.deleteAccount(account.id, entry('account.delete')),
    () => store.createKey(newKey(account.id, 'another hash'), entry('key.issue')),
    () => store.replaceKey(key.id, NOW, newKey(account.id, 'another hash'), entry('key.rotate')),
    () => store.revokeKey(key.id, entry('key.revoke')),
    () => store.liftBan(ban.id, entry('ban.lift')),
    () => store.createToken({ ...newToken, hash: 'another' }, entry('token.create')),
    () => store.revokeToken(token.id, entry('token.revoke')),
    () => store.createSession({ ...session, hash: 'another' }, entry('session.sign-in')),
    () => store.deleteSession('session', entry('session.sign-out')),
  ]
  for (const write of writes) await assert.rejects(write, StoreUnavailable, String(write))
  await Promise.allSettled(writes.map(write => write()))
  assert.deepEqual(contentsOf(folder), before)
  execute(folder, 'DROP TRIGGER full')
  for (const write of writes) await write().catch(() => undefined)
  assert.notDeepEqual(contentsOf(folder), before, 'which could have been done')
})

test('sqlite: closing aborts a long read', async t => {
  const folder = await temporaryFolder(t)
  const store = await openStore(t, folder, { inThreads: true })
  insertManyAnimals(folder)
  assert.deepEqual(await store.searchPets(NOBODY), { pets: [], hasMore: false })
  const reads = Array.from({ length: 16 }, () => store.searchPets(NOBODY))
  const refused = Promise.all(reads.slice(10).map(read => assert.rejects(read, StoreUnavailable)))
  await Promise.allSettled(reads.slice(0, 1))
  await store.close()
  await refused
  await Promise.allSettled(reads)
})

test('sqlite: calls are served while a long read runs', async t => {
  const folder = await temporaryFolder(t)
  const store = await openStore(t, folder, { inThreads: true })
  insertManyAnimals(folder)
  let isRunning = true
  const reads = Promise.all(Array.from({ length: 16 }, () => store.searchPets(NOBODY))).finally(() => {
    isRunning = false
  })
  for (let call = 0; call < 5; call += 1) {
    assert.equal((await store.findPet(1n))?.name, 'Rex 1')
    assert.equal((await store.createPet(REX, NOW)).outcome, 'created')
  }
  assert.ok(isRunning, 'the reads still run')
  await reads
})

test('sqlite: when several long reads are waiting, further ones are refused immediately', async t => {
  const store = await openStore(t, await temporaryFolder(t), { inThreads: true })
  const reads = await Promise.allSettled(Array.from({ length: 100 }, () => store.searchPets(NOBODY)))
  assert.equal(reads.filter(({ status }) => status === 'fulfilled').length, 16)
  for (const read of reads.slice(16)) assert.ok(read.status === 'rejected' && read.reason instanceof StoreUnavailable)
  assert.deepEqual(await store.searchPets(NOBODY), { pets: [], hasMore: false })
})

test('sqlite: a read that cannot be sent to its thread fails alone', async t => {
  const store = await openStore(t, await temporaryFolder(t), { inThreads: true })
  const impossible = store.searchPets({ ...NOBODY, name: (() => {}) as never })
  const next = store.searchPets(NOBODY)
  await assert.rejects(impossible, StoreUnavailable)
  assert.deepEqual(await next, { pets: [], hasMore: false })
})

inEitherWay(
  'sqlite: nothing is acknowledged once the file of the store has been deleted or replaced',
  async (t, options) => {
    const losses = [
      (folder: string) => rm(folder, { recursive: true }),
      (folder: string) => rename(databaseFile(folder), join(folder, 'moved.db')),
      async (folder: string) => {
        await rename(databaseFile(folder), join(folder, 'moved.db'))
        await copyFile(join(folder, 'moved.db'), databaseFile(folder))
      },
    ]
    for (const takeAway of losses) {
      for (const hasWritten of [true, false]) {
        const folder = await temporaryFolder(t)
        const store = await openStore(t, folder, options)
        if (hasWritten) await store.createPet(REX, NOW)
        await takeAway(folder)
        const left = await readdir(folder).catch(() => [])
        await assert.rejects(store.createPet(REX, NOW), StoreUnavailable)
        await assert.rejects(store.check(), StoreUnavailable)
        if (options.inThreads) await assert.rejects(store.searchPets(NOBODY), StoreUnavailable, 'in a new thread')
        assert.deepEqual(await readdir(folder).catch(() => []), left, 'and nothing is made in its place')
      }
    }
  },
)

test('sqlite: nothing is acknowledged if the file of the store is deleted while it is written', async t => {
  const folder = await temporaryFolder(t)
  const store = await openStore(t, folder)
  const pet = {
    ...REX,
    /** Read within the transaction. */
    get name() {
      rmSync(databaseFile(folder), { force: true })
      return REX.name
    },
  }
  const request = { accountId: 1n, key: 'key', fingerprint: 'of the body' }
  await assert.rejects(store.createPet(pet, NOW, request), StoreUnavailable)
})

test('sqlite: a list of bans is read without delaying calls', async t => {
  const store = await openStore(t, await temporaryFolder(t), { inThreads: true })
  let isListed = false
  const listed = store.listBans({ inForceAt: NOW }).then(() => {
    isListed = true
  })
  await setTimeout(0)
  assert.equal(isListed, false, 'a thread has yet to be started for it')
  await listed
})

test('sqlite: a failed read does not affect the following ones', async t => {
  const folder = await temporaryFolder(t)
  const store = await openStore(t, folder, { inThreads: true })
  execute(folder, 'ALTER TABLE operation_usage RENAME TO lost')
  const [failed, found] = await Promise.allSettled([
    store.sumUsage({ range: daysFrom(0, 1), by: [] }),
    store.searchPets({ ...NOBODY, name: 'rex' }),
  ])
  assert.ok(failed?.status === 'rejected' && failed.reason instanceof StoreUnavailable)
  assert.equal(found?.status, 'fulfilled')
})

inEitherWay('sqlite: closing waits for the writes under way, and later ones are refused', async (t, options) => {
  const folder = await temporaryFolder(t)
  const store = await openStore(t, folder, options)
  const creations = Array.from({ length: 10 }, () => store.createPet(REX, NOW))
  await store.close()
  for (const { outcome } of await Promise.all(creations)) assert.equal(outcome, 'created')
  await assert.rejects(store.createPet(REX, NOW), StoreUnavailable)
  const { pets } = await (await openStore(t, folder, options)).listPets({ status: undefined, afterId: 0n, limit: 100 })
  assert.equal(pets.length, 10)
})

inEitherWay('sqlite: closing leaves one database file, without a log', async (t, options) => {
  const folder = await temporaryFolder(t)
  const store = await openStore(t, folder, options)
  await store.createPet(REX, NOW)
  await store.close()
  assert.deepEqual((await readdir(folder)).sort(), ['petstore.db', 'petstore.db.known'])
})

test('sqlite: processes that create a store at the same moment create one', async t => {
  const folder = join(await temporaryFolder(t), 'new', 'store')
  const script = `
    const store = await SqliteStore.open(${JSON.stringify(folder)}, 'production')
    process.stdout.write(Buffer.from(store.cursorSecret).toString('hex'))
    await store.close()`
  const secrets = await Promise.all(Array.from({ length: 3 }, () => run(process.execPath, childArguments(script))))
  assert.equal(new Set(secrets).size, 1)
  assert.match(secrets[0] ?? '', /^[0-9a-f]{64}$/)
})

test('sqlite: only its owner may use a new folder and its files', { skip: process.platform === 'win32' }, async t => {
  const folder = join(await temporaryFolder(t), 'data')
  await openStore(t, folder)
  assert.equal((await stat(folder)).mode & 0o777, 0o700)
  for (const name of await readdir(folder)) assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600, name)
})

test('sqlite: a store of a newer version is refused in one clear line', async t => {
  const folder = await temporaryFolder(t)
  await (await SqliteStore.open(folder, 'production')).close()
  execute(folder, 'PRAGMA user_version = 1000')
  await refuses(folder, /version 1000.*newer/)
})

test('sqlite: a store belongs to one deployment', async t => {
  const folder = await temporaryFolder(t)
  await (await SqliteStore.open(folder, 'production')).close()
  await refuses(folder, /production.*staging/, 'staging')
  await (await SqliteStore.open(folder, 'production')).close()
})

test('sqlite: a folder that cannot be created or written, and a file that is not a store, are user errors', async t => {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'file'), 'text')
  await refuses(join(folder, 'file'), /file/)
  await refuses(join(folder, 'file', 'below'), /cannot be written.*PETSTORE_DATA/)

  await mkdir(join(folder, 'other'))
  await writeFile(databaseFile(join(folder, 'other')), 'This is no database. '.repeat(1_000))
  await refuses(join(folder, 'other'), /petstore\.db is not a Petstore store/)

  await mkdir(join(folder, 'read-only'), { mode: 0o500 })
  const isRoot = process.getuid?.() === 0
  if (!isRoot && process.platform !== 'win32') await refuses(join(folder, 'read-only'), /cannot be written/)
})

test('sqlite: while another process keeps the store locked', { concurrency: true }, async t => {
  await Promise.all([
    t.test('it is not in order, and neither is one that is broken', async t => {
      const folder = await temporaryFolder(t)
      const store = await openStore(t, folder, { inThreads: true, busyTimeoutMs: 100 })
      const release = await lockWrites(folder)
      const [whileLocked] = await Promise.allSettled([store.check()])
      await release()
      assert.ok(whileLocked?.status === 'rejected' && whileLocked.reason instanceof StoreUnavailable)
      await store.check()
      execute(folder, 'DROP TABLE store')
      await assert.rejects(store.check(), StoreUnavailable)
    }),
    t.test('writes that wait too long all fail at once, and the next ones succeed', async t => {
      const folder = await temporaryFolder(t)
      const busyTimeoutMs = 500
      const store = await openStore(t, folder, { inThreads: true, busyTimeoutMs })
      const release = await lockWrites(folder)
      const startedAt = performance.now()
      const creations = Array.from({ length: 20 }, () => store.createPet(REX, NOW))
      for (const creation of await Promise.allSettled(creations)) {
        assert.ok(creation.status === 'rejected' && creation.reason instanceof StoreBusy)
      }
      assert.ok(performance.now() - startedAt < 20 * busyTimeoutMs, 'they do not wait one after the other')
      await release()
      assert.equal((await store.createPet(REX, NOW)).outcome, 'created')
    }),
  ])
})

test('sqlite: every connection is configured to sync each commit', async t => {
  const folder = await temporaryFolder(t)
  await openStore(t, folder)
  const connection = connect(databaseFile(folder))
  const pragma = (name: string) => Object.values(connection.prepare(`PRAGMA ${name}`).get() ?? {})[0]
  assert.deepEqual([pragma('journal_mode'), pragma('synchronous')], ['wal', 2n])
  connection.close()
})

test('sqlite: a log that a large write has made long is short again after the next writes', async t => {
  const folder = await temporaryFolder(t)
  const store = await openStore(t, folder)
  const log = `${databaseFile(folder)}-wal`
  execute(folder, 'CREATE TABLE large (content); INSERT INTO large VALUES (zeroblob(25000000))')
  assert.ok((await stat(log)).size > 25_000_000)
  execute(folder, 'PRAGMA wal_checkpoint')
  await store.createPet(REX, NOW)
  assert.ok((await stat(log)).size <= 16_777_216)
})

test('sqlite: a check writes to the disk, unless something has just been written without a failure', async t => {
  const folder = await temporaryFolder(t)
  const store = await openStore(t, folder)
  const log = logFile(databaseFile(folder))
  /** @param agoMs when the last write was */
  const writes = async (agoMs: number) => {
    const last = (Date.now() - agoMs) / 1_000
    await utimes(log, last, last)
    const { mtimeMs } = await stat(log)
    await store.check()
    return (await stat(log)).mtimeMs !== mtimeMs
  }
  assert.deepEqual([await writes(1_000), await writes(9_000)], [false, true])
  assert.equal(await writes(-3_600_000), true, 'the clock has been set back')
  execute(folder, "CREATE TRIGGER full BEFORE INSERT ON pet BEGIN SELECT RAISE(ABORT, 'disk full'); END")
  await assert.rejects(store.createPet(REX, NOW), StoreUnavailable)
  assert.deepEqual([await writes(1_000), await writes(1_000)], [true, false], 'after a failure')
})

test('sqlite: what has expired is deleted, however much it is', async t => {
  const folder = await temporaryFolder(t)
  const store = await openStore(t, folder)
  execute(
    folder,
    `WITH RECURSIVE number (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM number WHERE value < 5001)
     INSERT INTO idempotent_creation SELECT 1, value, 'of the body', 0, value, 'Rex', 7, 'sold' FROM number`,
  )
  await store.deleteExpired(NOW, 0)
  assert.equal(contentsOf(folder).idempotent_creation?.length, 0)
})

/** A store that the rules of the contract share: starting its threads for each rule would take longer than the rules. */
class SharedStore {
  store: SqliteStore
  readonly #folder: string
  readonly #created: string

  /** Opens a new store, until the end of the file. */
  static async open(t: Cleanup): Promise<SharedStore> {
    const folder = await temporaryFolder(t)
    const shared = new SharedStore(folder, await SqliteStore.open(folder, 'production'))
    t.after(() => shared.store.close())
    execute(folder, `VACUUM INTO '${shared.#created}'`)
    return shared
  }

  private constructor(folder: string, store: SqliteStore) {
    this.#folder = folder
    this.#created = join(folder, 'created.db')
    this.store = store
  }

  /** Makes every table as it was when the store was created. */
  async reset(): Promise<void> {
    using source = new DatabaseSync(this.#created, { readOnly: true })
    const file = databaseFile(this.#folder)
    await backup(source, file)
    // Otherwise, a store that is older than the one before would not open again.
    await rm(`${file}.known`, { force: true })
  }

  async reopen(): Promise<SqliteStore> {
    await this.store.close()
    this.store = await SqliteStore.open(this.#folder, 'production')
    return this.store
  }
}

/** A search that goes through all animals and finds none. */
const NOBODY = { name: 'nobody', limit: 10 }

/** Enough for a search through all of them to take a while. */
function insertManyAnimals(folder: string): void {
  execute(
    folder,
    `WITH RECURSIVE number (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM number WHERE value < 200000)
     INSERT INTO pet (name, category_id, status) SELECT 'Rex ' || value, 7, 'sold' FROM number`,
  )
}

/** The same test for a store of a service and for one of a command. */
function inEitherWay(name: string, body: (t: TestContext, options: SqliteStoreOptions) => Promise<void>): void {
  for (const inThreads of [true, false])
    test(`${name}, ${inThreads ? 'in threads' : 'here'}`, t => body(t, { inThreads }))
}

/** Without threads, which take longer to start than most of these tests, unless the options say so. */
async function openStore(t: TestContext, folder: string, options: SqliteStoreOptions = {}): Promise<SqliteStore> {
  const store = await SqliteStore.open(folder, 'production', { inThreads: false, ...options })
  t.after(() => store.close().catch(() => undefined))
  return store
}

/** A store from the second version, with these rows. */
function makeSecondVersion(folder: string, rows: string): void {
  const migrations = ['0001_initial', '0002_operators'].map(name =>
    readFileSync(new URL(`migrations/${name}.sql`, import.meta.url), 'utf8'),
  )
  execute(
    folder,
    `${migrations.join('')}
     INSERT INTO store (deployment, cursor_secret) VALUES ('production', randomblob(32));
     ${rows};
     PRAGMA user_version = 2`,
  )
}

/** Acts as another process may. */
function execute(folder: string, sql: string): void {
  const database = new DatabaseSync(databaseFile(folder), { timeout: 5_000 })
  database.exec(sql)
  database.close()
}

/** Every row of every table, except for traces of the attempt. */
function contentsOf(folder: string): Record<string, unknown[]> {
  const database = new DatabaseSync(databaseFile(folder), { readBigInts: true, timeout: 5_000 })
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all()
  const rows = tables.map(({ name }) => [String(name), database.prepare(`SELECT * FROM "${name}"`).all()] as const)
  database.close()
  return Object.fromEntries(rows)
}

function newKey(accountId: bigint, hash: string): NewKey {
  const terms = { name: undefined, scope: 'read-write', networks: undefined, expiresAt: undefined } as const
  return { accountId, hash, hint: 'hint', ...terms }
}

async function refuses(folder: string, message: RegExp, deployment: 'production' | 'staging' = 'production') {
  await assert.rejects(SqliteStore.open(folder, deployment), (error: Error) => {
    assert.ok(error instanceof UserError, String(error.stack))
    assert.match(error.message, message)
    assert.doesNotMatch(error.message, /\n/)
    return true
  })
}

/** The arguments for Node to run a script with `SqliteStore`. */
function childArguments(script: string): string[] {
  const url = JSON.stringify(new URL('store.ts', import.meta.url))
  return ['--eval', `import { SqliteStore } from ${url}\n${script}`]
}

/** Runs a program to its end, and returns what it printed. */
async function run(program: string, parameters: readonly string[]): Promise<string> {
  const child = spawn(program, parameters, { stdio: ['ignore', 'pipe', 'pipe'] })
  const [printed, complaints, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  assert.equal(code, 0, complaints)
  return printed
}
