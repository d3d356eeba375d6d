import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { Client } from 'pg'
import { type MoveReport, moveStore } from '../src/app/migrate-store.ts'
import { createAccount, deleteAccount, setPlan, suspendAccount } from '../src/domain/administration/accounts.ts'
import { liftBan } from '../src/domain/administration/bans.ts'
import { labelCategory } from '../src/domain/administration/categories.ts'
import { createClaimLink } from '../src/domain/administration/claim-links.ts'
import { issueKey, revokeKey, rotateKey } from '../src/domain/administration/keys.ts'
import { createToken, revokeToken } from '../src/domain/administration/tokens.ts'
import { UserError } from '../src/domain/errors.ts'
import type { IdempotentRequest } from '../src/domain/idempotency.ts'
import { INT64_MAX, INT64_MIN } from '../src/domain/int64.ts'
import { PET_STATUSES } from '../src/domain/pet.ts'
import { repeatableRequest } from '../src/domain/repeatable-request.ts'
import { hashSecret } from '../src/domain/secret.ts'
import type { Store } from '../src/domain/store.ts'
import { refusedCall } from '../src/domain/store-contract/refusals.contract.ts'
import { daysFrom, USAGE_DIMENSIONS } from '../src/domain/usage.ts'
import { openPostgresTransfer } from '../src/postgres/pet-transfer.ts'
import { PostgresStore } from '../src/postgres/store.ts'
import { databaseFile } from '../src/sqlite/data-folder/store-files.ts'
import { openSqliteTransfer } from '../src/sqlite/pet-transfer.ts'
import { lockForServing } from '../src/sqlite/serving-lock.ts'
import { SqliteStore } from '../src/sqlite/store.ts'
import { StoreSource } from '../src/sqlite/store-source.ts'
import { adminContext } from './support/admin-context.ts'
import { call } from './support/call.ts'
import { assertUserError, PROGRAM, petstore } from './support/command-line.ts'
import { execute, openDatabase } from './support/database.ts'
import { eventually } from './support/eventually.ts'
import { temporaryFolder } from './support/folder.ts'
import { skip } from './support/servers/needs.ts'
import { makeDatabase, noPostgres, type TestDatabase } from './support/servers/postgres.ts'
import { startTestService } from './support/service.ts'
import type { Ending } from './support/shared-command-process.ts'

const NOW = Date.UTC(2027, 2, 1, 12, 0, 0, 250)
const DAY = Math.floor(NOW / 86_400_000)
/** The request of an operator who may repeat it. */
const OF_OPERATOR = repeatableRequest(
  { tokenId: 1n, key: 'k' },
  { method: 'POST', target: '/admin/v1/accounts', body: new Uint8Array() },
)
/** Rows in a batch. */
const MANY = 1_000

/** Every name is kept exactly as it was sent. */
const ODD_NAMES = [
  'null',
  'NULL',
  '\\N',
  '{"a",b}',
  "O'Malley; DROP TABLE pet; --",
  ' back\\slash \\x41 \\u0041 "quoted" {braces}, commas ',
  '🐕‍🦺 👩‍👩‍👧‍👦',
  'e\u0301 é ﬁ ß İ ı',
  '\u202eright to left\u202c שלום مرحبا',
  '\ufeff\ufffd\uffff\u{10ffff}',
  '𝒳'.repeat(255),
  '%s $1 :name ? @',
]

interface Place {
  folder: string
  database: TestDatabase
  /** Moves the store in this process, because a command takes many times as long. */
  move(from?: string): Promise<MoveReport>
  moveByCommand(): Promise<Ending>
  settings: Record<string, string>
}

/** An embedded store's folder, and an empty database. Undefined, and the test skipped, where there is no PostgreSQL. */
async function makePlace(t: TestContext): Promise<Place | undefined> {
  if (noPostgres) {
    skip(t, noPostgres)
    return undefined
  }
  const folder = await temporaryFolder(t)
  const database = await makeDatabase()
  t.after(() => database.drop())
  const settings = { PETSTORE_DATA: folder }
  return {
    folder,
    database,
    move: (from = folder) =>
      moveStore({
        from,
        to: database.url,
        deployment: 'production',
        actor: { name: 'ada', origin: '192.0.2.7' },
        clock: () => NOW,
        signal: new AbortController().signal,
        onProgress() {},
      }),
    moveByCommand: () => petstore(['migrate-store', '--to', database.url, '--json'], settings),
    settings,
  }
}

/** The same, with rows in every table of the store. The target has a store that was never used, which counts as empty. */
async function makeFilledPlace(t: TestContext): Promise<Place | undefined> {
  const place = await makePlace(t)
  if (!place) return undefined
  const source = await SqliteStore.open(place.folder, 'production')
  await fill(source, place.folder)
  await source.close()
  await openTarget(place)
  return place
}

/** The same, with unused stores on both sides. */
async function makeEmptyPlace(t: TestContext): Promise<Place | undefined> {
  const place = await makePlace(t)
  if (!place) return undefined
  await openSource(place.folder)
  await openTarget(place)
  return place
}

/** The marker of a folder whose store has been moved. */
function markOf(folder: string): string {
  return join(folder, 'petstore.db.moved')
}

async function openSource(folder: string): Promise<void> {
  await (await SqliteStore.open(folder, 'production')).close()
}

async function openTarget({ database }: Place): Promise<void> {
  await (await PostgresStore.open(database.url, 'production')).close()
}

async function assertRefused(work: Promise<unknown>, message: RegExp): Promise<void> {
  await assert.rejects(work, (error: unknown) => {
    assert.ok(error instanceof UserError, String(error))
    assert.match(error.message, message)
    return true
  })
}

test('everything in a store is the same after the move, and new ids continue after the old ones', async t => {
  const place = await makePlace(t)
  if (!place) return
  const source = await SqliteStore.open(place.folder, 'production')
  const request = await fill(source, place.folder)
  const before = await describe(source)
  await source.close()

  const { code, stdout, stderr } = await place.moveByCommand()
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
  const report = JSON.parse(stdout)
  assert.deepEqual([report.resumed, report.newestAnimalId], [false, before.pets.length + 1])
  const rows = Object.fromEntries(report.tables.map(({ name, rows }: { name: string; rows: number }) => [name, rows]))
  assert.deepEqual([rows.pet, rows.account, rows.api_key], [before.pets.length, before.accounts.length, 5])
  assert.ok(
    Object.values(rows).every(count => Number(count) > 0),
    'every table had rows to move',
  )

  const target = await PostgresStore.open(place.database.url, 'production')
  t.after(() => target.close())
  const [moved, ...audit] = await target.listAudit({ limit: 1_000 })
  assert.deepEqual({ ...(await describe(target)), audit }, before)
  assert.equal(moved?.id, (before.audit[0]?.id ?? 0n) + 1n)
  assert.deepEqual([moved?.action, moved?.origin], ['store.move', 'command line'])
  assert.deepEqual(moved?.details, { animals: rows.pet, accounts: rows.account })
  assert.equal(await target.findSession(SESSION), undefined, 'sessions have ended')

  assert.equal((await target.createPet({ ...PET, name: 'again' }, NOW + 1, request)).outcome, 'replayed')
  assert.equal((await target.findCreation(OF_OPERATOR.key, NOW + 1))?.fingerprint, OF_OPERATOR.fingerprint)
  assert.equal(
    (await target.createPet({ ...PET, name: 'again' }, NOW, { ...request, fingerprint: 'b' })).outcome,
    'mismatch',
  )
  await rm(markOf(place.folder))
  const back = await SqliteStore.open(place.folder, 'production')
  t.after(() => back.close())
  assert.deepEqual(await describe(back), before, 'the embedded store is as it was')
  assert.deepEqual(await newIds(target), await newIds(back), 'not even the ids of deleted animals are given again')
})

const LEFT_OUT =
  /^(session|sign_in_link|revision|caller_change|instance|added_usage|usage_writer|correction|pet_count|pet_total|pet_progress|pet_recount|pet_renamed|pet_search)\./

test('every table is moved with every column, except sessions, their links, and what services derive or need only while they run', async t => {
  const place = await makePlace(t)
  if (!place) return
  const source = StoreSource.open(place.folder, 'production')
  const moved = source.tables.flatMap(({ name, columns }) => Object.keys(columns).map(column => `${name}.${column}`))
  source[Symbol.dispose]()
  const embedded = openDatabase(place.folder)
  const there = embedded
    .prepare(
      "SELECT t.name || '.' || c.name AS name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'",
    )
    .all()
    .map(({ name }) => String(name))
    .filter(name => !/^(sqlite_sequence|pet_search_\w+)\./.test(name) && !LEFT_OUT.test(name))
  embedded.close()
  // PostgreSQL has checksums of its own, and computes how a name is searched.
  assert.deepEqual(there.toSorted(), [...moved, 'pet.checksum', 'pet.search_name'].toSorted())

  await openTarget(place)
  const columns = await place.database.run(
    "SELECT table_name || '.' || column_name AS name FROM information_schema.columns WHERE table_schema = current_schema()",
  )
  const target = columns.map(({ name }) => String(name)).filter(name => !LEFT_OUT.test(name))
  assert.deepEqual(target.toSorted(), [...moved, 'pet.search_name', 'store.migrations', 'store.version'].toSorted())
})

test('a service on the database continues where the one on the embedded store stopped', async t => {
  const place = await makePlace(t)
  if (!place) return
  const embedded = { dataFolder: place.folder, databaseUrl: undefined, redisUrls: [] }
  const old = await startTestService(t, { backend: 'embedded', now: NOW, config: embedded })
  const { key, account } = await old.createCaller({ limits: { perDay: 1_000 } })
  const other = await old.issueKey(account)
  const banned = await old.issueKey(account)
  const revoked = await old.issueKey(account)
  await revokeKey(old.adminContext(), String(revoked.id))
  await old.store.createBan(banned.id, {
    source: '127.0.0.1',
    earnedIn: 'minute',
    startedAt: NOW,
    endsAt: NOW + 3_600_000,
    ordinal: 1,
  })
  const creation = { method: 'POST', path: '/v1/pets', key, body: '{"name":"Rex","categoryId":9223372036854775807}' }
  for (let count = 0; count < 3; count += 1)
    await call(old, { ...creation, headers: { 'idempotency-key': `k${count}` } })
  const page = await call(old, { path: '/v1/pets?limit=2', key })
  const next = /<[^>]*(\/v1\/pets[^>]+)>; rel="next"/.exec(page.header('link') ?? '')?.[1] as string
  await old.close()

  await place.move()
  const config = { dataFolder: '/dev/null/none', databaseUrl: place.database.url, redisUrls: [] }
  const service = await startTestService(t, { backend: 'embedded', now: NOW + 1_000, config })
  const second = await call(service, { path: next, key })
  assert.equal(second.text, '[{"id":3,"name":"Rex","categoryId":9223372036854775807,"status":"available"}]')
  assert.match(second.header('ratelimit') ?? '', /"day";r=995;/, 'the fifth call of the day')
  assert.equal((await call(service, { path: '/v1/pets', key: other.key })).status, 200)
  assert.equal((await call(service, { path: '/v1/pets', key: revoked.key })).status, 401)
  const refused = await call(service, { path: '/v1/pets', key: banned.key })
  assert.deepEqual([refused.status, refused.header('retry-after')], [429, '3599'])
  const replay = await call(service, { ...creation, headers: { 'idempotency-key': 'k1' } })
  assert.equal(replay.header('idempotency-replayed'), 'true')
  assert.match((await call(service, creation)).text, /^\{"id":4,/)
  await service.close()

  const store = await PostgresStore.open(place.database.url, 'production')
  t.after(() => store.close())
  const sums = await store.sumUsage({ range: daysFrom(DAY, DAY), operation: 'createPet', by: ['account'] })
  assert.deepEqual([sums.length, sums[0]?.admitted], [1, 5], 'three calls of before, and two')
})

/** The table that a move is about to write when it is killed, and the number of animals written in the end. */
const KILLED_AT = [
  ['store', 0],
  ['operator_token', 0],
  ['pet', 2 * MANY],
  ['audit', 2 * MANY + 1],
] as const

test('the same command resumes a killed move, and meanwhile nothing else can open the database', async t => {
  const place = await makeFilledPlace(t)
  if (!place) return
  const { folder, database, move, moveByCommand } = place
  execute(databaseFile(folder), `${MANY_PETS} LIMIT ${2 * MANY - ODD_NAMES.length - 1}`)
  for (const sql of MANY_OTHERS) execute(databaseFile(folder), sql)

  for (const [table, animals] of KILLED_AT) {
    const move = await startUntil(t, place, table)
    if (table === 'pet') await move.letOneBatchPass()
    await move.kill()
    // PostgreSQL still runs the last statement of the killed move.
    await eventually(async () => assert.equal(await writtenAnimals(database), animals, table))
  }
  for (const open of [
    () => PostgresStore.open(database.url, 'production'),
    () => PostgresStore.open(database.url, 'production', { instances: 'single' }),
    () => openPostgresTransfer(database.url, 'production'),
  ]) {
    await assertRefused(open(), /^A store is being moved into 127\.0\.0\.1:\d+\/postgres: first finish the move/)
  }

  // Everything has been checked, and the move is about to finish.
  await (await startUntil(t, place, THE_END)).kill()
  // Or it has just set the last id, which stays although the rest is rolled back.
  const source = openDatabase(folder)
  const last = source.prepare("SELECT CAST(seq AS TEXT) AS id FROM sqlite_sequence WHERE name = 'pet'").get()?.id
  source.close()
  await database.run(`SELECT setval('pet_id', ${last})`)
  const { code, stdout, stderr } = await moveByCommand()
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
  assert.equal(JSON.parse(stdout).resumed, true)
  assert.deepEqual(
    await database.run("SELECT FROM pg_tables WHERE tablename = 'store_move' AND schemaname = current_schema()"),
    [],
  )
  const target = await PostgresStore.open(database.url, 'production')
  t.after(() => target.close())
  await rm(markOf(folder))
  const back = await SqliteStore.open(folder, 'production')
  t.after(() => back.close())
  const [moved, ...audit] = await target.listAudit({ limit: 1_000 })
  assert.equal(moved?.action, 'store.move')
  assert.deepEqual({ ...(await describe(target)), audit }, await describe(back))
  const creations =
    'SELECT CAST(account_id AS TEXT) AS account, key, CAST(pet_id AS TEXT) AS pet FROM idempotent_creation ORDER BY 1, 2'
  const embedded = openDatabase(folder)
  t.after(() => embedded.close())
  const kept = embedded.prepare(creations).all()
  assert.deepEqual(
    await database.run(creations),
    kept.map(row => ({ ...row })),
  )
  await assertRefused(move(), /already holds a store, which was moved there at \S+; choose an empty database/)
})

test('a change in the database before the move is finished is noticed, and its table is named', async t => {
  const place = await makeFilledPlace(t)
  if (!place) return
  const { database, move } = place
  await (await startUntil(t, place, THE_END)).kill()

  const changes = [
    [
      "UPDATE pet SET name = name || ' ' WHERE id = 2",
      "UPDATE pet SET name = rtrim(name, ' ') WHERE id = 2",
      /in pet \(\d+ rows sent, \d+ found\)/,
    ],
    [
      'UPDATE api_key SET expires_at = NULL WHERE id = 2',
      `UPDATE api_key SET expires_at = ${NOW + 1_000} WHERE id = 2`,
      /in api_key \(/,
    ],
    [
      "INSERT INTO account (id, name, plan, per_minute, per_day, created_at) VALUES (99, 'x', 'free', 1, 1, 1)",
      "DELETE FROM account WHERE name = 'x'",
      /in account \(3 rows sent, 4 found\)/,
    ],
    [
      'UPDATE store SET cursor_secret = cursor_secret || cursor_secret',
      'UPDATE store SET cursor_secret = substring(cursor_secret FROM 1 FOR 32)',
      /in store \(/,
    ],
  ] as const
  for (const [change, undo, message] of changes) {
    await database.run(change)
    await assertRefused(move(), message)
    await database.run(undo)
  }
  assert.equal((await move()).isResumed, true)
})

test('writes during a move by a program that had opened the database before are noticed', async t => {
  const place = await makePlace(t)
  if (!place) return
  const { folder, database, move } = place
  await openSource(folder)
  const other = await PostgresStore.open(database.url, 'production')
  t.after(() => other.close())

  const late = await startUntil(t, place, THE_END)
  // Waits behind the move, and proceeds when the move has been killed.
  const creation = other.createPet(PET, NOW)
  await late.kill()
  assert.ok('pet' in (await creation))
  await database.run('DELETE FROM pet')
  await assertRefused(move(), /Another program created animals in \S+ during the move/)
  await database.run("DROP TABLE store_move; SELECT setval('pet_id', 0)")

  // The move is about to begin, and waits for another move that is beginning.
  const client = new Client({ connectionString: database.url })
  await client.connect()
  t.after(() => client.end())
  await client.query('BEGIN; CREATE TABLE store_move ()')
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid')
  const held = `SELECT FROM pg_stat_activity WHERE ${rows[0].pid} = ANY (pg_blocking_pids(pid))`
  const refused = assertRefused(move(), /already holds a store; choose an empty database/)
  await eventually(async () => assert.equal((await database.run(held)).length, 1))
  await createAccount(adminContext(other, NOW), { name: 'acme', plan: 'free', limits: {} })
  await client.end()
  await refused
  assert.deepEqual(await database.run("SELECT FROM pg_tables WHERE tablename = 'store_move'"), [])
})

test('a move is not resumed when the embedded store has changed since, or is another store', async t => {
  const place = await makeFilledPlace(t)
  if (!place) return
  const { folder, move } = place
  await (await startUntil(t, place, 'pet')).kill()
  const changed = await SqliteStore.open(folder, 'production')
  await changed.addPet(PET, ENTRY)
  await changed.close()
  await assertRefused(move(), /of another store, or this store has changed since \(pet, audit\)/)

  const other = await temporaryFolder(t)
  await openSource(other)
  await assertRefused(move(other), /was of another store/)
})

test('after a move, the folder is refused until the moved marker is deleted', async t => {
  const place = await makeEmptyPlace(t)
  if (!place) return
  await place.move()
  const refused = await petstore(['account', 'list'], { PETSTORE_DATA: place.folder })
  assertUserError(
    refused,
    /must not be used: This store was moved to PostgreSQL at .* To go back .*, delete \S+\.moved\.$/,
  )
  const doctor = await petstore(['doctor'], { PETSTORE_DATA: place.folder })
  assert.match(doctor.stdout, /store +fail +The store in \S+ must not be used: This store was moved/)
  await rm(markOf(place.folder))
  assert.equal((await petstore(['account', 'list'], { PETSTORE_DATA: place.folder })).code, 0)
})

test('during a move, no other process can write the embedded store or serve on it', async t => {
  const place = await makeEmptyPlace(t)
  if (!place) return
  const moving = await startUntil(t, place, 'store')
  assert.throws(() => lockForServing(place.folder), {
    name: 'UserError',
    message: /A service or petstore migrate-store is running on the folder/,
  })
  await assertRefused(place.move(), /A service or petstore migrate-store is running on the folder \S+; stop it first/)
  const impatient = new DatabaseSync(databaseFile(place.folder), { timeout: 0 })
  assert.throws(() => impatient.exec('BEGIN IMMEDIATE'), /database is locked/)
  impatient.close()
  await moving.kill()
})

test('a database that holds something else, or that a service uses, is left alone', async t => {
  const place = await makePlace(t)
  if (!place) return
  const { folder, database, move } = place
  await openSource(folder)

  await database.run('CREATE TABLE foreign_thing (id INT)')
  await assertRefused(move(), /holds something other than a Petstore store/)
  await database.run('DROP TABLE foreign_thing')

  const config = { dataFolder: '/dev/null/none', databaseUrl: database.url, redisUrls: [] }
  const service = await startTestService(t, { backend: 'embedded', config })
  await assertRefused(move(), /A service or another move is running on \S+; stop it first/)
  await service.close()
  assert.deepEqual(
    await database.run("SELECT FROM pg_tables WHERE tablename = 'store_move' AND schemaname = current_schema()"),
    [],
  )

  const target = await PostgresStore.open(database.url, 'production')
  const pet = await target.addPet(PET, ENTRY)
  await target.deletePet(pet, { ...ENTRY, action: 'pet.delete' })
  await target.close()
  await assertRefused(move(), /already holds a store; choose an empty database or a separate schema/)
})

test('an error in the settings is reported without the password', async t => {
  const place = await makePlace(t)
  if (!place) return
  const { folder, database, settings } = place
  assertUserError(
    await petstore(['migrate-store'], settings),
    /The target is missing: add --to or set PETSTORE_DATABASE_URL\.$/,
    2,
  )
  assertUserError(
    await petstore(['migrate-store', '--to', 'mysql://me:hush@db/x'], settings),
    /^error: --to must be a URL such as postgres:\/\/user:/,
    2,
  )
  assertUserError(await petstore(['migrate-store', '--to', database.url], settings), /There is no store in /)
  await openSource(folder)
  const nowhere = 'postgres://me:hush@127.0.0.1:1/x'
  for (const ending of [
    await petstore(['migrate-store', '--to', nowhere], settings),
    await petstore(['migrate-store'], { ...settings, PETSTORE_DATABASE_URL: nowhere }),
  ]) {
    assertUserError(ending, /The database 127\.0\.0\.1:1\/x cannot be used: connection refused/)
    assert.doesNotMatch(ending.stderr, /hush/)
  }
  const staging = { ...settings, PETSTORE_DEPLOYMENT: 'staging' }
  assertUserError(await petstore(['migrate-store', '--to', database.url], staging), /belongs to production/)
})

test('a row that PostgreSQL cannot hold is reported with its table', async t => {
  const place = await makePlace(t)
  if (!place) return
  await openSource(place.folder)
  execute(databaseFile(place.folder), "INSERT INTO pet (name, category_id, status) VALUES ('a' || char(0), 1, 'sold')")
  await assertRefused(place.move(), /A row of the table pet cannot be moved: invalid byte sequence .*0x00/)
})

test('a move that is stopped, or loses its connection, says that the same command resumes it', async t => {
  const place = await makeEmptyPlace(t)
  if (!place) return
  const { database, move } = place
  const stopped = await startUntil(t, place, 'store')
  stopped.child.kill('SIGINT')
  assert.deepEqual(await stopped.ending, {
    exit: [null, 'SIGINT'],
    stderr: 'Stopped: run the same command again to resume.\n',
  })
  await stopped.release()

  const lost = await startUntil(t, place, THE_END)
  await database.run(`SELECT pg_terminate_backend(pid) FROM (${waitingAt(THE_END)}) AS waiting`)
  const { exit, stderr } = await lost.ending
  assert.deepEqual(exit, [1, null])
  assert.match(stderr, /^error: The move into \S+ was interrupted \(.+\); run the same command again to resume\.\n$/)
  await lost.release()
  assert.equal((await move()).isResumed, true)
})

test('50,000 animals are moved in bounded memory', async t => {
  const place = await makePlace(t)
  if (!place) return
  await openSource(place.folder)
  execute(databaseFile(place.folder), `${MANY_PETS} LIMIT 50000`)
  const startedAt = performance.now()
  const { code, stderr } = await petstore(['migrate-store', '--to', place.database.url], {
    ...place.settings,
    // Too little for all of them at once.
    NODE_OPTIONS: '--max-old-space-size=32',
  })
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
  t.diagnostic(`50,000 animals moved in ${Math.round(performance.now() - startedAt)} ms`)
  assert.deepEqual(await place.database.run('SELECT count(*), max(id) FROM pet'), [{ count: '50000', max: '50000' }])
})

const PET = { name: 'Rex', categoryId: 7n, status: 'available' } as const
const ENTRY = { at: NOW, actor: 'ada', origin: '192.0.2.7', action: 'pet.create', details: {} } as const

/** To be followed by a LIMIT. */
const MANY_PETS = `INSERT INTO pet (name, category_id, status)
  WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers)
  SELECT replace(hex(zeroblob(120)), '00', '🐕') || number, number, 'pending' FROM numbers`

/** More than a batch of rows whose keys have several columns, and API keys that refer to a much later one. */
const MANY_OTHERS = [
  `INSERT INTO idempotent_creation (account_id, key, fingerprint, created_at, pet_id, name, category_id, status)
   WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers)
   SELECT 1 + number % 2, char(33 + number % 94) || number, 'f', number, number, 'x', 1, 'sold' FROM numbers LIMIT ${MANY + 1}`,
  `INSERT INTO usage SELECT number % 3, number % 2, number % 5, char(65 + number % 58) || number, 1, 0, 0, 1, 0, 0, 0, number
   FROM (WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers)
     SELECT number FROM numbers LIMIT ${MANY + 1})`,
  `INSERT INTO api_key (account_id, hash, hint, created_at)
   WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers)
   SELECT 1, 'hash ' || number, 'hint', number FROM numbers LIMIT ${MANY + 1}`,
  'UPDATE api_key SET replaced_by = (SELECT max(id) FROM api_key) WHERE id = 4',
]

/** Rows in every table, and ids whose rows were deleted last. The returned request has created an animal. */
async function fill(store: Store, folder: string): Promise<IdempotentRequest> {
  const at = (milliseconds = 0) => adminContext(store, NOW + milliseconds)
  await store.confirmClock(NOW - 1)
  const acme = await createAccount({ ...at(), request: OF_OPERATOR }, { name: 'acme', plan: 'free', limits: {} })
  await createAccount(at(), {
    name: "Käufer & Söhne's 🐕 {shop}",
    plan: 'enterprise',
    limits: { perMinute: 1, perDay: 2 },
  })
  await suspendAccount(at(), String((await createAccount(at(), { name: 'idle', plan: 'pro', limits: {} })).id))
  await setPlan(at(), { account: 'acme', plan: 'business', limits: {} })
  await deleteAccount(at(), String((await createAccount(at(), { name: 'gone', plan: 'pro', limits: {} })).id))

  const key = await issueKey(at(), { account: 'acme', name: 'laptop 💻', expiresAt: NOW + 1_000 })
  await issueKey(at(), { account: 'acme' })
  await rotateKey(at(), { keyId: '2', overlapSeconds: 1 })
  await rotateKey(at(), { keyId: '3', overlapSeconds: 0 })
  await revokeKey(at(), String((await issueKey(at(), { account: 'idle' })).id))
  await store.createBan(key.id, {
    source: '127.0.0.1',
    earnedIn: 'minute',
    startedAt: NOW - 9,
    endsAt: NOW + 900_000,
    ordinal: 1,
  })
  await liftBan(at(), String(key.id))
  await store.createBan(key.id, {
    source: '127.0.0.1',
    earnedIn: 'minute',
    startedAt: NOW,
    endsAt: NOW + 1_800_000,
    ordinal: 2,
  })

  await store.saveCounts([
    {
      accountId: acme.id,
      counts: { minute: { used: 3, resetsAt: NOW + 5 }, day: { used: 99_999, resetsAt: NOW + 9_000 } },
    },
    { accountId: 2n, counts: { day: { used: 1, resetsAt: NOW + 9_000 } } },
  ])
  await store.addRefusals([
    refusedCall({ keyId: key.id, sequence: 2 ** 50, path: '/v1/pets?name=🐕\\', userAgent: undefined }),
    refusedCall({ keyId: key.id, calledAt: NOW - 1 }),
  ])
  await store.addUsage(
    ['getPet', 'listPets', 'none'].map((operation, index) => ({
      hour: (DAY - index) * 24 + 23,
      accountId: BigInt(index + 1),
      keyId: key.id,
      operation,
      admitted: 7 + index,
      refused: Number.MAX_SAFE_INTEGER,
      banned: 1,
      status2xx: 5,
      status3xx: 0,
      status4xx: 2,
      status5xx: index,
      lastAt: NOW,
      lastFrom: '192.0.2.7',
    })),
  )
  const { token, id } = await createToken(at(), { name: 'Ada „🐈“', role: 'admin' })
  await revokeToken(at(), String((await createToken(at(), { name: 'Ben', role: 'staff', expiresAt: NOW + 9 })).id))
  assert.ok(token)
  await store.createSession(
    { hash: SESSION, tokenId: id, expiresAt: NOW + 9_000 },
    { ...ENTRY, action: 'session.sign-in' },
  )

  const categories = [INT64_MAX, INT64_MIN, 0n, -1n, 2n ** 53n + 1n]
  for (const [index, name] of ODD_NAMES.entries()) {
    await store.createPet(
      { name, categoryId: categories[index % 5] ?? 0n, status: PET_STATUSES[index % 3] ?? 'sold' },
      NOW,
    )
  }
  const request = { accountId: acme.id, key: '!"#{},\\~', fingerprint: 'a' }
  await store.createPet({ ...PET, name: 'again' }, NOW, request)
  await store.addPet(PET, { ...ENTRY, details: { name: ODD_NAMES.join('\n\u0000') } })
  const last = { id: BigInt(ODD_NAMES.length) + 2n, ...PET }
  await store.deletePet(last, { ...ENTRY, action: 'pet.delete' })
  await store.bringBackPet(last, { ...ENTRY, action: 'pet.restore' })
  await store.deletePet(last, { ...ENTRY, action: 'pet.delete' })
  await labelCategory(at(), String(INT64_MIN), 'Dogs')
  await createClaimLink(at(), { account: 'acme', terms: { name: 'till' }, validForSeconds: 3_600 })
  const sync = await (await openSqliteTransfer(folder, 'production')).beginSync({
    source: 'riverside',
    mayCreate: true,
  })
  await sync.stage([{ line: 2, externalId: 'A1 🐈', change: { name: 'Rex', categoryId: 1n } }])
  await sync.commit({ ...ENTRY, action: 'pet.sync', details: { file: 'feed.csv' } }, { skipRefused: false })
  return request
}

const SESSION = hashSecret('session')

/** Everything that a store's interface returns. */
async function describe(store: Store) {
  const accounts = await store.listAccounts({ at: NOW })
  const keys = await store.listKeys()
  return {
    cursorSecret: Buffer.from(store.cursorSecret).toString('hex'),
    clockConfirmedAt: (await store.readClock()).confirmedAt,
    accounts,
    keys,
    bans: await store.listBans(),
    counts: await Promise.all(accounts.map(({ id }) => store.findCounts(id))),
    tokens: await store.listTokens(),
    pets: (await store.listPets({ status: undefined, afterId: 0n, limit: 1_000_000 })).pets,
    deleted: (await store.searchDeletedPets({ limit: 1_000 })).pets,
    usage: await store.sumUsage({ range: daysFrom(0, DAY), by: ['day', 'account', 'key', 'operation'] }),
    usageByHour: await store.sumUsage({ range: { unit: 'hour', first: 0, last: DAY * 24 + 23 }, by: USAGE_DIMENSIONS }),
    refusals: await store.listRefusals({ accountId: 1n }),
    audit: await store.listAudit({ limit: 1_000 }),
    categories: await store.listCategories({ limit: 1_000 }),
    sources: await store.listSources({}),
    runs: await store.listSourceRuns({ sourceId: 1n, limit: 10 }),
    origins: await store.findByExternalId('A1 🐈'),
    claimLinks: await store.listClaimLinks({ limit: 1_000 }),
    history: await store.listPetHistory({ petId: BigInt(ODD_NAMES.length) + 2n, limit: 1_000 }),
  }
}

/** The next id of each kind. */
async function newIds(store: Store): Promise<bigint[]> {
  const account = await createAccount(adminContext(store, NOW), { name: 'next', plan: 'free', limits: {} })
  const key = await issueKey(adminContext(store, NOW), { account: 'next' })
  const ban = await store.createBan(key.id, {
    source: '127.0.0.1',
    earnedIn: 'minute',
    startedAt: NOW,
    endsAt: NOW + 1,
    ordinal: 1,
  })
  const token = await createToken(adminContext(store, NOW), { name: 'next', role: 'staff' })
  const pet = await store.addPet(PET, ENTRY)
  return [account.id, key.id, ban.id, token.id, pet.id]
}

async function writtenAnimals(database: TestDatabase): Promise<number> {
  return Number((await database.run("SELECT written FROM store_move WHERE name = 'pet'"))[0]?.written)
}

const WAITING = `SELECT pid FROM pg_locks WHERE NOT granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

/** The point at which a move has checked everything and is about to finish. */
const THE_END = 'the end'

function waitingAt(place: string): string {
  return `${WAITING} AND ${place === THE_END ? "locktype = 'advisory' AND classid = 'pet'::regclass" : `relation = '${place}'::regclass`}`
}

interface Moving {
  child: ChildProcess
  ending: Promise<{ exit: unknown[]; stderr: string }>
  /** Allows exactly one batch to be written. */
  letOneBatchPass(): Promise<void>
  /** Resumes the move. */
  release(): Promise<void>
  /** With SIGKILL; PostgreSQL then still runs the statement that was waiting. */
  kill(): Promise<void>
}

/** Starts a move, and returns when it is about to write a table, or to finish. */
async function startUntil(t: TestContext, { database, settings }: Place, place: string): Promise<Moving> {
  let lock = await takeLock(database, place)
  await lock.taken
  const child = spawn(process.execPath, [PROGRAM, 'migrate-store', '--to', database.url], {
    env: settings,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ending = Promise.all([once(child, 'exit'), text(child.stderr)]).then(([exit, stderr]) => ({ exit, stderr }))
  t.after(async () => {
    child.kill('SIGKILL')
    await lock.release()
    await ending
  })
  const untilWaiting = (count: number) =>
    eventually(async () => {
      assert.equal(child.exitCode, null)
      const waiting = await database.run(waitingAt(place))
      assert.equal(waiting.length, count)
    })
  await untilWaiting(1)
  const release = () => lock.release()
  return {
    child,
    ending,
    async letOneBatchPass() {
      // Locks are given in the order in which they are asked for.
      const next = await takeLock(database, place)
      await untilWaiting(2)
      await lock.release()
      lock = next
      await lock.taken
      await untilWaiting(1)
    },
    release,
    async kill() {
      child.kill('SIGKILL')
      assert.deepEqual((await ending).exit, [null, 'SIGKILL'])
      await release()
    },
  }
}

/** Keeps a table from being written, or a move from finishing. */
async function takeLock(database: TestDatabase, place: string) {
  const client = new Client({ connectionString: database.url })
  await client.connect()
  const taken = client.query(
    `BEGIN; ${place === THE_END ? 'SELECT lock_pet_ids()' : `LOCK TABLE ${place} IN EXCLUSIVE MODE`}`,
  )
  let isReleased = false
  return {
    taken,
    async release() {
      if (!isReleased) await client.end()
      isReleased = true
    },
  }
}
