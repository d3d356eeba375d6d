import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Client } from 'pg'
import { compareClocks } from '../src/app/checks/clock.ts'
import { examine as examineAll } from '../src/app/checks/examine.ts'
import { judgeRedis } from '../src/app/checks/redis.ts'
import { untilSettled } from '../src/domain/store-contract/fixtures.contract.ts'
import { MIGRATIONS } from '../src/postgres/migrate.ts'
import { PostgresStore } from '../src/postgres/store.ts'
import { inspectRedis, type RedisState } from '../src/redis/inspect.ts'
import type { Finding } from '../src/schema/responses/service.ts'
import { makeStore as makeEmbeddedStore, startServe } from './support/command-line.ts'
import { eventually } from './support/eventually.ts'
import { makeLimitedDatabase } from './support/servers/limited-database.ts'
import { skip } from './support/servers/needs.ts'
import {
  makeDatabase,
  noPostgres,
  type PostgresServer,
  query,
  startPostgres,
  type TestDatabase,
} from './support/servers/postgres.ts'
import { findFreePort } from './support/servers/private-server.ts'
import { noRedis, type RedisServer, startRedis } from './support/servers/redis.ts'
import { startWatchedRedis } from './support/servers/redis-sentinel.ts'

test('counts or an index that do not agree with the animals are a warning, with statements that rebuild them', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  const database = await makeDatabase()
  t.after(() => database.drop())
  const store = await PostgresStore.open(database.url, 'production', { instances: 'many' })
  t.after(() => store.close())
  await store.createPet({ name: 'Rex', categoryId: 7n, status: 'sold' }, Date.now())
  await untilSettled(store)
  const index = () => store.indexPets({ minAnimals: 1, maxMs: 60_000 })
  for (const damage of ['UPDATE pet_count SET animals = 9', 'DELETE FROM pet_search']) {
    await index()
    assert.equal(outcomeOf(await examine({ PETSTORE_DATABASE_URL: database.url }), 'index'), 'ok')
    await database.run(damage)
    const found = await examine({ PETSTORE_DATABASE_URL: database.url })
    assert.equal(outcomeOf(found, 'index'), 'warn')
    const [, statements] =
      /do not match the animals\. To rebuild them, run (BEGIN; .* COMMIT;)$/.exec(messageOf(found, 'index')) ?? []
    await database.run(statements as string)
  }
  await index()
  assert.equal((await store.countPets({})).sold, 1)
  assert.equal(outcomeOf(await examine({ PETSTORE_DATABASE_URL: database.url }), 'index'), 'ok')
})

test('with a healthy PostgreSQL, every check is ok', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  const server = await startServer(t, ['fsync=on'])
  const { url } = await makeStore(t, server)
  const findings = await examine({ PETSTORE_DATABASE_URL: url })
  assert.deepEqual(
    findings.map(({ check, outcome }) => `${check} ${outcome}`),
    [
      'settings ok',
      'temporary files ok',
      'database ok',
      'durability ok',
      'connections ok',
      'store ok',
      'size ok',
      'service ok',
      'index ok',
      'versions ok',
      'tokens warn',
      'clock ok',
      'clock ok',
    ],
  )
  const texts = findings.map(({ message }) => message).join('\n')
  assert.match(texts, /^PostgreSQL \d+\.\d+ responds at 127\.0\.0\.1:\d+\/postgres\.$/m)
  assert.match(texts, /^The production store can be used \(highest animal id: 1, accounts: 0, keys: 0\)\.$/m)
  assert.match(texts, /, PostgreSQL \d+\.\d+, store version \d+\.$/m)
  assert.match(texts, /^The store takes \d+\.\d KiB, the whole database \d+\.\d MiB; /m)
  assert.match(texts, /^No instances of the service are running on the store\.$/m)
})

test('nothing is written into the database, whether there is a store or not', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  const database = await makeEmptyDatabase(t)
  const tables = () => database.run('SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace')
  const found = await examine({ PETSTORE_DATABASE_URL: database.url })
  assert.equal(outcomeOf(found, 'store'), 'ok')
  assert.match(messageOf(found, 'store'), /no store in .* yet; it is created when needed/)
  assert.deepEqual(await tables(), [])
})

test('a database that cannot be reached or used is one failure, which shows no password', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  const server = await startServer(t)
  const { port } = server
  const cases: readonly (readonly [url: string, message: RegExp])[] = [
    ['postgres://me:geheim@127.0.0.1:1/pets', /^The database 127\.0\.0\.1:1\/pets cannot be used: connection refused/],
    [`postgres://postgres:geheim@127.0.0.1:${port}/pets`, /^The database .* database "pets" does not exist/],
    [`postgres://nobody:geheim@127.0.0.1:${port}/postgres`, /^The database .* role "nobody" does not exist/],
  ]
  for (const [url, message] of cases) {
    const found = await examine({ PETSTORE_DATABASE_URL: url })
    assert.equal(outcomeOf(found, 'database'), 'fail')
    assert.match(messageOf(found, 'database'), message)
    assert.doesNotMatch(JSON.stringify(found), /geheim/)
  }
  await server.signal('SIGSTOP')
  const found = await examine({ PETSTORE_DATABASE_URL: server.url })
  await server.signal('SIGCONT')
  assert.match(messageOf(found, 'database'), /cannot be used: no response arrived in time\.$/)
})

test('a store of the other deployment, a newer store, and a database without a store are failures', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  const database = await makeStore(t)
  const found = (settings = {}) => examine({ PETSTORE_DATABASE_URL: database.url, ...settings })
  const staging = await found({ PETSTORE_DEPLOYMENT: 'staging' })
  assert.equal(outcomeOf(staging, 'store'), 'fail')
  assert.match(messageOf(staging, 'store'), /belongs to production; set PETSTORE_DEPLOYMENT=production/)

  await database.run('UPDATE store SET version = 999')
  assert.match(messageOf(await found(), 'store'), /version 999.*newer/)

  const other = await makeEmptyDatabase(t)
  await other.run('CREATE TABLE something_else (id int)')
  const none = await examine({ PETSTORE_DATABASE_URL: other.url })
  assert.equal(outcomeOf(none, 'store'), 'fail')
  const missing = await examine({ PETSTORE_DATABASE_URL: database.url.replace(schemaOf(database), 'nowhere') })
  assert.match(messageOf(missing, 'store'), /no schema/)
})

test('a store that is still to be upgraded can be used, and is a warning', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  const database = await makeEmptyDatabase(t)
  await database.run(
    `${MIGRATIONS[0]}; INSERT INTO store (deployment, cursor_secret, version) VALUES ('production', '\\x00', 1)`,
  )
  const found = await examine({ PETSTORE_DATABASE_URL: database.url })
  assert.deepEqual([outcomeOf(found, 'store'), outcomeOf(found, 'versions')], ['ok', 'warn'])
  assert.match(messageOf(found, 'versions'), /still has version 1/)
  const ofDatabase = found.filter(({ check }) => check === 'database').map(({ outcome }) => outcome)
  assert.deepEqual(ofDatabase, ['ok'], 'no upgrade is unfinished')
})

test('a store that a newer release has extended can be used', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  const { url, run } = await makeStore(t)
  await run('UPDATE store SET migrations = 4711')
  const found = await examine({ PETSTORE_DATABASE_URL: url })
  assert.deepEqual([outcomeOf(found, 'store'), outcomeOf(found, 'versions')], ['ok', 'ok'])
  assert.match(messageOf(found, 'versions'), /; a newer release has extended the store, and this one can use it\.$/)
})

test('an unfinished upgrade is a warning, and ids that connections keep for later are a failure', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  const { url, run } = await makeStore(t)
  const others = async () => {
    const ofDatabase = (await examine({ PETSTORE_DATABASE_URL: url })).filter(({ check }) => check === 'database')
    return ofDatabase.slice(1).map(({ outcome, message }) => `${outcome} ${message}`)
  }
  assert.deepEqual(await others(), [])
  await run('UPDATE store SET version = 1')
  const [unfinished, ...none] = await others()
  assert.match(unfinished ?? '', /^warn The upgrade of the store is unfinished: instances of earlier releases may be /)
  await run('ALTER SEQUENCE pet_id CACHE 20')
  const [kept = '', ...both] = await others()
  assert.match(kept, /^fail The sequence pet_id has CACHE 20, so lists can miss new animals; as the owner, run ALTER/)
  assert.deepEqual([none, both], [[], [unfinished]])
  // As the message says.
  await run(/ALTER .*/.exec(kept)?.[0] as string)
  assert.deepEqual(await others(), [unfinished])
})

test('a user who may not create tables is a failure while there is no store', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  const server = await startServer(t)
  const database = await makeEmptyDatabase(t, server)
  await database.run('CREATE USER reader')
  const url = database.url.replace('postgres@', 'reader@')
  // Without the right to use it, the schema is not seen at all.
  await database.run(`GRANT USAGE ON SCHEMA ${schemaOf(database)} TO reader`)
  const found = await examine({ PETSTORE_DATABASE_URL: url })
  assert.equal(outcomeOf(found, 'store'), 'fail')
  assert.match(messageOf(found, 'store'), /this user may not create it; run GRANT CREATE ON SCHEMA/)
})

test('a user who lacks a right that the service needs is a failure, which names the right', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  const server = await startServer(t)
  await query(server.url, 'REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC')
  const { url, owner, user } = await makeLimitedDatabase(server.url)
  const found = () => examine({ PETSTORE_DATABASE_URL: url })
  assert.equal(outcomeOf(await found(), 'store'), 'ok')
  for (const right of [
    'SELECT ON pet_change',
    'INSERT ON idempotent_creation',
    'UPDATE ON pet_count',
    'DELETE ON session',
    'INSERT ON audit',
    'UPDATE ON SEQUENCE pet_id',
    'TEMPORARY ON DATABASE postgres',
  ]) {
    await owner.run(`REVOKE ${right} FROM ${user}`)
    const message = messageOf(await found(), 'store')
    assert.ok(message.endsWith(`; as the owner, run GRANT ${right} TO ${user}`), message)
    // As the message says.
    await owner.run(/GRANT .*/.exec(message)?.[0] as string)
    assert.equal(outcomeOf(await found(), 'store'), 'ok')
  }
  await owner.run('CREATE TABLE invoice (id int)')
  assert.equal(outcomeOf(await found(), 'store'), 'ok', 'a table of another program')
  await owner.run(`REVOKE SELECT ON SEQUENCE pet_id FROM ${user}`)
  assert.match(JSON.stringify(await found()), /permission denied for sequence pet_id/)
})

test('the service works for a user with only the rights that the handbook grants', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  const { url, drop } = await makeLimitedDatabase()
  t.after(drop)
  const store = await makeEmbeddedStore(t, { PETSTORE_DATABASE_URL: url })
  await store.text('account', 'create', 'acme', '--plan', 'free')
  const { key } = await store.json('key', 'create', 'acme')
  const service = await startServe(t, { PETSTORE_BAN_AFTER: '1' }, { store })
  const call = (method: string) =>
    fetch(`${service.url}/v1/pets`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': '1' },
      ...(method === 'POST' && { body: '{"name":"Rex","categoryId":1}' }),
    })
  assert.equal((await call('POST')).status, 201)
  const file = join(store.folder, 'pets.csv')
  writeFileSync(file, 'name,categoryId,status\nBella,1,sold\n')
  await store.text('pet', 'import', file)
  await store.text('pet', 'correct', '1', '--name', 'Max')
  await store.text('pet', 'delete', '1', '--yes')
  assert.deepEqual(
    (await (await call('GET')).json()).map(({ name }: { name: string }) => name),
    ['Bella'],
  )
  await service.stop('SIGTERM')
  await store.text('account', 'delete', 'acme', '--yes')
  assert.doesNotMatch(service.stdout, /permission denied|"level":50/)
})

test('a server that acknowledges writes before they are on disk is a warning, and a read-only one a failure', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  const server = await startServer(t, ['fsync=off', 'full_page_writes=off'])
  const { url, run } = await makeStore(t, server)
  const found = await examine({ PETSTORE_DATABASE_URL: url })
  assert.equal(outcomeOf(found, 'durability'), 'warn')
  assert.match(messageOf(found, 'durability'), /set fsync and full_page_writes to on/)
  await run('ALTER DATABASE postgres SET synchronous_commit = off')
  assert.match(
    messageOf(await examine({ PETSTORE_DATABASE_URL: url }), 'durability'),
    /fsync and synchronous_commit and/,
  )
  await run('ALTER DATABASE postgres SET default_transaction_read_only = on')
  const readOnly = await examine({ PETSTORE_DATABASE_URL: url })
  assert.equal(outcomeOf(readOnly, 'database'), 'fail')
  assert.match(messageOf(readOnly, 'database'), /is read-only/)
})

test('connections that run out are a warning', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  const server = await startServer(t, ['max_connections=10'])
  const clients = Array.from({ length: 7 }, () => new Client({ connectionString: server.url }))
  await Promise.all(clients.map(client => client.connect()))
  const before = await examine({ PETSTORE_DATABASE_URL: server.url })
  const last = new Client({ connectionString: server.url })
  await last.connect()
  const found = await examine({ PETSTORE_DATABASE_URL: server.url })
  const veryLast = new Client({ connectionString: server.url })
  await veryLast.connect()
  const full = await examine({ PETSTORE_DATABASE_URL: server.url })
  await Promise.all([...clients, last, veryLast].map(client => client.end()))
  assert.deepEqual([outcomeOf(before, 'connections'), outcomeOf(found, 'connections')], ['ok', 'warn'])
  assert.match(messageOf(found, 'connections'), /^9 of the 10 connections/)
  assert.equal(outcomeOf(full, 'database'), 'ok')
})

test('settings of the user that make statements fail are a warning, with the statements that reset them', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  const { url, run } = await makeStore(t, await startServer(t))
  const warnings = async () => {
    const found = await examine({ PETSTORE_DATABASE_URL: url })
    return found.filter(({ check, outcome }) => check === 'database' && outcome !== 'ok').map(({ message }) => message)
  }
  assert.deepEqual(await warnings(), [])
  await run(
    "ALTER ROLE postgres SET lock_timeout = '5s'; ALTER ROLE postgres SET default_transaction_isolation = serializable",
  )
  const [message = ''] = await warnings()
  // As the message says.
  const remedy = /ALTER ROLE .*/.exec(message)?.[0] ?? ''
  assert.match(remedy, /default_transaction_isolation.*lock_timeout/)
  await run(remedy)
  assert.deepEqual(await warnings(), [])
})

test('commits that do not wait for a standby are a warning, because a failover may lose them', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  const primary = await startServer(t, ['fsync=on'])
  const durability = async () => {
    const found = await examine({ PETSTORE_DATABASE_URL: primary.url })
    return `${outcomeOf(found, 'durability')}: ${messageOf(found, 'durability')}`
  }
  assert.equal(await durability(), 'ok: PostgreSQL acknowledges writes only when they are on its disk.')
  const standby = await startPostgres([], primary)
  t.after(() => standby.close())
  const set = async (setting: string) => {
    await query(primary.url, `ALTER SYSTEM SET ${setting}`)
    await query(primary.url, 'SELECT pg_reload_conf()')
  }
  const warning = /^warn: A standby follows PostgreSQL, .* set synchronous_standby_names, and synchronous_commit to on/
  await eventually(async () => assert.match(await durability(), warning))
  assert.match(messageOf(await examine({ PETSTORE_DATABASE_URL: standby.url }), 'database'), /is read-only/)
  await set("synchronous_standby_names = '*'")
  const both = 'ok: PostgreSQL acknowledges writes only when they are on its disk and a standby has them.'
  await eventually(async () => assert.equal(await durability(), both))
  // Then commits wait only for the disk of the primary.
  await set('synchronous_commit = local')
  await eventually(async () => assert.match(await durability(), warning))
})

test('the instances that run on the store are counted', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  const database = await makeStore(t)
  const watch = { committed() {}, leaseLost() {}, leaseRestored() {} }
  const counted = async () => messageOf(await examine({ PETSTORE_DATABASE_URL: database.url }), 'service')
  const stores: PostgresStore[] = []
  t.after(() => Promise.all(stores.map(store => store.close())))
  for (const words of ['1 instance of the service is running', '2 instances of the service are running']) {
    stores.push(await PostgresStore.open(database.url, 'production', { instances: 'many', watch }))
    assert.ok((await counted()).startsWith(words))
  }
})

test('an instance of 1.1.0 that runs on the store is counted', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  const { url, run } = await makeStore(t)
  await run('UPDATE store SET version = 1')
  const earlier = new Client({ connectionString: url })
  await earlier.connect()
  t.after(() => earlier.end())
  // It holds two such locks while it switches to a new number of changes.
  await earlier.query(
    "SELECT pg_advisory_lock_shared('revision'::regclass::oid::int, number) FROM generate_series(1, 2) AS number",
  )
  const message = messageOf(await examine({ PETSTORE_DATABASE_URL: url }), 'service')
  assert.equal(message, '1 instance of the service is running on the store.')
})

test('an admin token in the database counts only while it is active', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  const database = await makeStore(t)
  const insert = (hash: string, role: string, expiresAt: number | null, revokedAt: number | null) =>
    database.run(`INSERT INTO operator_token (hash, hint, name, role, created_at, expires_at, revoked_at)
      VALUES ('${hash}', 'x', 'x', '${role}', 0, ${expiresAt}, ${revokedAt})`)
  const outcome = async () => outcomeOf(await examine({ PETSTORE_DATABASE_URL: database.url }), 'tokens')
  await insert('a', 'staff', null, null)
  await insert('b', 'admin', 1, null)
  await insert('c', 'admin', null, 1)
  assert.equal(await outcome(), 'warn')
  await insert('d', 'admin', Date.now() + 600_000, null)
  assert.equal(await outcome(), 'ok')
})

test('a clock behind the newest time in the database is a failure', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  const now = Date.now()
  const late = now + 3_600_000
  for (const sql of [
    `INSERT INTO audit (at, actor, origin, action, details)
     VALUES (${now}, 'a', 'b', 'store.create', '{}'), (${late}, 'a', 'b', 'store.create', '{}')`,
    `INSERT INTO account (name, plan, per_minute, per_day, created_at) VALUES ('a', 'free', 1, 1, ${now});
     INSERT INTO api_key (account_id, hash, hint, created_at) VALUES (1, 'a', 'b', ${now});
     INSERT INTO ban (key_id, started_at, ends_at, ordinal) VALUES (1, ${now}, ${now}, 1), (1, ${late}, ${late}, 2)`,
    `INSERT INTO idempotent_creation (account_id, key, fingerprint, created_at, pet_id, name, category_id, status)
     VALUES (1, 'a', 'b', ${late}, 1, 'Rex', 7, 'sold'), (1, 'c', 'd', ${now}, 2, 'Rex', 7, 'sold')`,
  ]) {
    const database = await makeStore(t)
    await database.run(sql)
    const found = await examine({ PETSTORE_DATABASE_URL: database.url })
    assert.equal(outcomeOf(found, 'clock'), 'fail', sql)
    assert.match(messageOf(found, 'clock'), /seconds before the newest time in the store/)
  }
})

test('a clock of PostgreSQL that is an hour ahead is a failure', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  const { url, run } = await makeEmptyDatabase(t)
  await run(`CREATE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql
    AS $$ SELECT pg_catalog.clock_timestamp() + interval '1 hour' $$`)
  const found = await examine({ PETSTORE_DATABASE_URL: `${url},pg_catalog` })
  const failures = found.filter(({ check, outcome }) => check === 'clock' && outcome === 'fail')
  assert.match(failures[0]?.message ?? '', /^The clock of PostgreSQL at \S+ is 3(599|600)\.\d seconds ahead of this /)
})

test('a clock that is a second apart is a warning, a minute a failure', () => {
  const judge = (aheadMs: number) => compareClocks('Redis at x', aheadMs)
  assert.deepEqual([judge(999).outcome, judge(-999).outcome], ['ok', 'ok'])
  assert.deepEqual([judge(1_000).outcome, judge(-59_999).outcome, judge(60_000).outcome], ['warn', 'warn', 'fail'])
  assert.match(judge(2_500).message, /^The clock of Redis at x is 2\.5 seconds ahead of this machine's/)
  assert.match(judge(-2_500).message, /2\.5 seconds behind this machine's/)
})

test('with a healthy Redis, every check is ok', async t => {
  if (noRedis) return void skip(t, noRedis)
  const redis = await startCache(t, ['--maxmemory', '100mb'])
  const found = await examineRedis(redis.url)
  assert.deepEqual(
    found.map(({ check, outcome }) => `${check} ${outcome}`),
    ['redis ok', 'redis ok', 'clock ok', 'redis ok'],
  )
  assert.match(
    messageOf(found, 'redis'),
    /^\w+ \d+\.\d+\.\d+ responds at 127\.0\.0\.1:\d+; it uses .* of 100\.0 MiB of memory/,
  )
})

test('Sentinels are examined, and the primary that they name', async t => {
  if (noRedis) return void skip(t, noRedis)
  const { primary, replica, sentinels, urls } = await startWatchedRedis(t)
  const messages = async () => (await examineRedis(urls.join())).map(({ outcome, message }) => `${outcome}: ${message}`)
  const healthy = (await messages()).join('\n')
  assert.match(healthy, /^ok: \w+ \d+\.\d+\.\d+ responds at 127\.0\.0\.1:\d+, 127\.0\.0\.1:\d+, 127\.0\.0\.1:\d+; /)
  assert.equal(healthy.match(/^ok: The Sentinel at 127\.0\.0\.1:\d+ can fail over to a replica\.$/gm)?.length, 3)
  await Promise.all([...sentinels.slice(1), primary, replica].map(server => server.signal('SIGKILL')))
  const broken = (await messages()).join('\n')
  assert.match(broken, /^fail: Redis at .* cannot be used: connection refused\.$/m)
  assert.equal(
    broken.match(/^warn: The Sentinel at .* cannot fail over to a replica: connection refused\.$/gm)?.length,
    2,
  )
})

test('Redis without PostgreSQL is a warning: it serves one instance only', async t => {
  if (noRedis) return void skip(t, noRedis)
  const redis = await startCache(t)
  const [settings] = await examine({ PETSTORE_REDIS_URL: redis.url })
  assert.deepEqual([settings?.check, settings?.outcome], ['settings', 'warn'])
  assert.match(settings?.message ?? '', /the embedded store serves one instance only/)
  const both = await examine({ PETSTORE_REDIS_URL: redis.url, PETSTORE_DATABASE_URL: 'postgres://127.0.0.1:1/pets' })
  assert.doesNotMatch(JSON.stringify(both), /embedded store/)
})

test('a Redis that cannot be reached or used is a failure, which shows no password', async t => {
  if (noRedis) return void skip(t, noRedis)
  const redis = await startCache(t)
  await redis.command('CONFIG SET requirepass geheim')
  const { port } = redis
  const cases: readonly (readonly [url: string, message: RegExp])[] = [
    ['redis://:geheim@127.0.0.1:1', /^Redis at 127\.0\.0\.1:1 cannot be used: connection refused/],
    [`redis://127.0.0.1:${port}`, /cannot be used: NOAUTH/],
    [`redis://:geheimer@127.0.0.1:${port}`, /cannot be used: WRONGPASS/],
  ]
  for (const [url, message] of cases) {
    const found = await examineRedis(url)
    assert.equal(outcomeOf(found, 'redis'), 'fail')
    assert.match(messageOf(found, 'redis'), message)
    assert.doesNotMatch(JSON.stringify(found), /geheim/)
  }
  assert.equal(outcomeOf(await examineRedis(`redis://:geheim@127.0.0.1:${port}`), 'redis'), 'ok')
  await redis.signal('SIGSTOP')
  assert.match(
    messageOf(await examineRedis(`redis://:geheim@127.0.0.1:${port}`), 'redis'),
    /cannot be used: .*timed out/,
  )
  await redis.signal('SIGCONT')
})

test('a Redis that is short of memory or drops counts is a warning', async t => {
  if (noRedis) return void skip(t, noRedis)
  const redis = await startCache(t, ['--maxmemory', '1100kb', '--maxmemory-policy', 'allkeys-lru'])
  const findings = await examineRedis(redis.url)
  const warnings = findings.filter(({ outcome }) => outcome === 'warn').map(({ message }) => message)
  assert.equal(warnings.length, 2)
  assert.match(warnings[0] ?? '', /is low on memory; raise maxmemory/)
  assert.match(warnings[1] ?? '', /maxmemory-policy allkeys-lru\); set it to noeviction/)
})

test('the effect of a restart of Redis is reported', async t => {
  if (noRedis) return void skip(t, noRedis)
  const [forgetful, keeper] = [await startCache(t), await startCache(t, ['--save', '3600', '1'])]
  const text = async ({ url }: RedisServer) => (await examineRedis(url)).map(({ message }) => message).join('\n')
  assert.match(await text(forgetful), /saves nothing to disk: a restart loses the strikes/)
  assert.match(await text(keeper), /its data survives a restart/)
  const { clockAheadMs, state } = await inspectRedis([keeper.url])
  const judged = (change: object) =>
    judgeRedis('x', { clockAheadMs, state: { ...(state as RedisState), ...change } }, false).map(
      ({ message }) => message,
    )
  assert.ok(judged({ isPersistent: undefined }).some(message => /does not report whether/.test(message)))
  assert.ok(judged({ hasSavingFailed: true }).some(message => /may refuse writes/.test(message)))
})

test('a replica, an incomplete cluster, and several servers that are not a cluster are failures', async t => {
  if (noRedis) return void skip(t, noRedis)
  const primary = await startCache(t)
  const replica = await startCache(t, ['--replicaof', '127.0.0.1', String(primary.port)])
  const busPort = String(await findFreePort())
  const node = await startCache(t, ['--cluster-enabled', 'yes', '--cluster-port', busPort])
  const failures = async (urls: string) =>
    (await examineRedis(urls)).filter(({ outcome }) => outcome === 'fail').map(({ message }) => message)
  await eventually(async () => assert.match((await failures(replica.url)).join(), /is a read-only replica/))
  assert.match((await failures(node.url)).join(), /is a cluster node; list several nodes/)
  assert.match((await failures(`${node.url}?cluster=true`)).join(), /The cluster of .* is incomplete/)
  const coverage = async () =>
    (await examineRedis(`${node.url}?cluster=true`)).some(({ message }) =>
      /cluster-require-full-coverage/.test(message),
    )
  assert.equal(await coverage(), true)
  await node.command('CONFIG SET cluster-require-full-coverage no')
  assert.equal(await coverage(), false)
  const both = await failures(`${primary.url},${primary.url}`)
  assert.deepEqual([both.length, ...both.map(message => /is not a cluster node/.test(message))], [2, true, true])
  const { clockAheadMs, state } = await inspectRedis([replica.url])
  const inCluster = { ...(state as RedisState), isOfCluster: true, isClusterWhole: true }
  const judged = judgeRedis('x', { clockAheadMs, state: inCluster }, true)
  assert.ok(
    judged.every(({ outcome }) => outcome !== 'fail'),
    'a replica of a cluster',
  )
})

async function examine(settings: Record<string, string>): Promise<Finding[]> {
  return examineAll({ PETSTORE_DATA: '.', ...settings }, Date.now())
}

/** The findings about Redis. */
async function examineRedis(urls: string): Promise<Finding[]> {
  const findings = await examine({ PETSTORE_REDIS_URL: urls })
  return findings.filter(({ check, message }) => check === 'redis' || /The clock of (Redis|Valkey)/.test(message))
}

/** The worst outcome of a check. */
function outcomeOf(findings: readonly Finding[], check: string): string | undefined {
  const outcomes = findings.filter(finding => finding.check === check).map(({ outcome }): string => outcome)
  return ['fail', 'warn', 'ok'].find(outcome => outcomes.includes(outcome))
}

function messageOf(findings: readonly Finding[], check: string): string {
  return findings.find(finding => finding.check === check)?.message ?? ''
}

async function startServer(t: TestContext, settings: readonly string[] = []): Promise<PostgresServer> {
  const server = await startPostgres(settings)
  t.after(() => server.close())
  return server
}

/** On the server that tests share, unless another is given. */
async function makeEmptyDatabase(t: TestContext, server?: PostgresServer): Promise<TestDatabase> {
  const database = await makeDatabase(server?.url)
  if (!server) t.after(() => database.drop())
  return database
}

/** A store with one animal. */
async function makeStore(t: TestContext, server?: PostgresServer): Promise<TestDatabase> {
  const database = await makeEmptyDatabase(t, server)
  const store = await PostgresStore.open(database.url, 'production')
  await store.createPet({ name: 'Rex', categoryId: 7n, status: 'available' }, Date.now())
  await store.close()
  return database
}

function schemaOf({ url }: TestDatabase): string {
  return /test_\w+/.exec(url)?.[0] ?? ''
}

async function startCache(t: TestContext, options: readonly string[] = []): Promise<RedisServer> {
  const server = await startRedis(options)
  t.after(() => server.close())
  return server
}
