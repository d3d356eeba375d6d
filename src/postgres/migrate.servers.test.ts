import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { eventually } from '../../test/support/eventually.ts'
import { makePostgresPlace, type PostgresPlace } from '../../test/support/servers/postgres-stores.ts'
import { findFreePort } from '../../test/support/servers/private-server.ts'
import { UserError } from '../domain/errors.ts'
import {
  create,
  firstPage,
  NOW,
  newPet,
  OLD_ENTRIES,
  OLD_TOKENS,
  untilSettled,
} from '../domain/store-contract/fixtures.contract.ts'
import { checkOldCorrections, OLD_CORRECTIONS } from '../domain/store-contract/old-corrections.contract.ts'
import { checkOldDeletions, OLD_DELETIONS } from '../domain/store-contract/old-deletions.contract.ts'
import { checkOldNames, OLD_ACCOUNTS } from '../domain/store-contract/old-names.contract.ts'
import { assertOldUsage, OLD_USAGE } from '../domain/store-contract/usage.contract.ts'
import { pause } from '../sqlite/pause.ts'
import { nameOf } from './address.ts'
import { hasRightIndex } from './inspect.ts'
import { KNOWN_BY_OLDEST, MIGRATIONS, SIDE_BY_SIDE, withDatabase } from './migrate.ts'
import { PostgresStore } from './store.ts'

test('when several instances start on an empty database at once, one creates the store, and all serve on it', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const stores = await Promise.all(Array.from({ length: 8 }, () => place.open({ instances: 'many' })))
  const secrets = new Set(stores.map(({ cursorSecret }) => Buffer.from(cursorSecret).toString('hex')))
  assert.equal(secrets.size, 1)
  const pets = await Promise.all(stores.map(store => create(store, newPet())))
  assert.equal(new Set(pets.map(({ id }) => id)).size, 8)
  for (const store of stores) assert.equal((await store.listPets(firstPage)).pets.length, 8)
  assert.deepEqual(await place.run('SELECT deployment, version::int, migrations::int FROM store'), [
    { deployment: 'production', version: SIDE_BY_SIDE, migrations: MIGRATIONS.length },
  ])
})

test('entries of an older version are found by the token of their operator', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  await place.run(MIGRATIONS[0] ?? '')
  await place.run(
    `INSERT INTO store (deployment, cursor_secret, version) VALUES ('production', '\\x00', 1);
     INSERT INTO audit (at, actor, origin, action, details) VALUES ${OLD_ENTRIES}`,
  )
  const store = await place.open()
  const entries = await store.listAudit({ limit: 10 })
  assert.deepEqual(
    entries.map(({ tokenId }) => tokenId),
    OLD_TOKENS,
  )
  await assert.rejects(place.run('UPDATE audit SET token_id = 1'), /append-only/)
})

test('the usage of an older version is found by account and operation, and so is the last call of each key', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  await place.run(MIGRATIONS.slice(0, 2).join('\n'))
  await place.run(
    `INSERT INTO store (deployment, cursor_secret, version) VALUES ('production', '\\x00', 2);
     INSERT INTO account (id, name, plan, per_minute, per_day, created_at) VALUES (1, 'Acme', 'pro', 1, 1, ${NOW});
     INSERT INTO api_key (id, account_id, hash, hint, created_at) VALUES (1, 1, 'hash', 'hint', ${NOW});
     ${OLD_USAGE}`,
  )
  await assertOldUsage(await place.open())
})

test('accounts whose names differ only in case stay, in a store of an older version', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  await place.run(MIGRATIONS[0] ?? '')
  await place.run(
    `INSERT INTO store (deployment, cursor_secret, version) VALUES ('production', '\\x00', 1);
     INSERT INTO account (name, plan, per_minute, per_day, created_at) VALUES ${OLD_ACCOUNTS}`,
  )
  await checkOldNames(await place.open())
})

test('undoing an old addition keeps the animals that have been corrected since', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open()
  await place.run(
    `INSERT INTO pet (id, name, category_id, status) SELECT id, 'Rexy', 7, 'sold' FROM (VALUES (1), (3), (4)) AS given (id);
     ${OLD_CORRECTIONS}`,
  )
  await checkOldCorrections(store)
})

test('animals that were deleted before there was a list of them are in it', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  await place.run(MIGRATIONS.slice(0, 18).join('\n'))
  await place.run(
    `INSERT INTO store (deployment, cursor_secret, version, migrations) VALUES ('production', '\\x00', ${SIDE_BY_SIDE}, 18);
     INSERT INTO pet (id, name, category_id, status) VALUES (1, 'Rex', 7, 'sold');
     ${OLD_DELETIONS}`,
  )
  await checkOldDeletions(await place.open())
})

test('a store belongs to one deployment', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  await place.open()
  const ofProduction = /belongs to production; it cannot be opened as staging/
  await assertUserError(PostgresStore.open(place.url, 'staging'), ofProduction)
  await place.open()
  // Of an older version, it is not brought to this one.
  await place.run('UPDATE store SET version = 0')
  await assertUserError(PostgresStore.open(place.url, 'staging'), ofProduction)
})

test('starts and creations work with any default isolation of the server or the role', async t => {
  for (const level of ['repeatable\\ read', 'serializable']) {
    const place = await makePostgresPlace(t)
    if (!place) return
    const strict = new URL(place.url)
    const options = strict.searchParams.get('options')
    strict.searchParams.set('options', `${options} -cdefault_transaction_isolation=${level}`)
    const stores = await Promise.all(Array.from({ length: 4 }, () => PostgresStore.open(strict.href, 'production')))
    t.after(() => Promise.all(stores.map(store => store.close())))
    for (let round = 0; round < 10; round += 1) {
      const request = { accountId: 1n, key: `key ${round}`, fingerprint: 'of the body' }
      const creations = await Promise.all(stores.map(store => store.createPet(newPet(), NOW, request)))
      assert.deepEqual(creations.map(({ outcome }) => outcome).toSorted(), ['created', ...Array(3).fill('replayed')])
    }
  }
})

test('a store of a newer version is left unchanged', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  await place.open()
  await place.run('UPDATE store SET version = 4711')
  await assertUserError(place.open(), /has version 4711; this program supports up to \d+ \(a newer release wrote it\)/)
})

test('a store that a newer version has extended is used, as long as that version says that it can be', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  await (await place.open()).close()
  await place.run('UPDATE store SET migrations = 4711')
  const store = await place.open()
  await create(store, newPet())
  assert.deepEqual(await place.run('SELECT migrations::int FROM store'), [{ migrations: 4711 }])
})

test('a store that an unreleased version has brought to version 4 is migrated further', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  await place.run(MIGRATIONS.slice(0, 4).join('\n'))
  await place.run("INSERT INTO store (deployment, cursor_secret, version) VALUES ('production', '\\x00', 4)")
  await create(await place.open(), newPet())
  const { length } = MIGRATIONS
  assert.deepEqual(await place.run('SELECT version::int, migrations::int FROM store'), [
    { version: KNOWN_BY_OLDEST, migrations: length },
  ])
})

test('a later migration leaves an upgrade finished', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  await place.run(MIGRATIONS.slice(0, SIDE_BY_SIDE).join('\n'))
  await place.run(`INSERT INTO store (deployment, cursor_secret, version, migrations)
    VALUES ('production', '\\x00', ${SIDE_BY_SIDE}, ${SIDE_BY_SIDE})`)
  await create(await place.open(), newPet())
  assert.deepEqual(await place.run('SELECT version::int, migrations::int FROM store'), [
    { version: SIDE_BY_SIDE, migrations: MIGRATIONS.length },
  ])
})

/** Before names were folded as people type them. */
const BEFORE_AS_TYPED = MIGRATIONS.slice(0, 8).join('\n')
const STORE_OF_8 = `${BEFORE_AS_TYPED};
  INSERT INTO store (deployment, cursor_secret, version, migrations) VALUES ('production', '\\x00', 1, 8);`

test('names that an older version folded are folded again, and only these', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  await place.run(
    `${STORE_OF_8} INSERT INTO pet (id, name, category_id, status)
       SELECT row_number() OVER (ORDER BY n), 'a' || chr(n) || 'b', 1, 'available' FROM generate_series(32, ${0xe0fff}) AS n
       WHERE n NOT BETWEEN 127 AND 159 AND n NOT BETWEEN ${0xd800} AND ${0xf8ff} AND (n < ${0x20000} OR n >= ${0xe0000})
         AND n NOT BETWEEN ${0x3200} AND ${0xa000}`,
  )
  const indexedTo = 1_000
  await place.run(
    `INSERT INTO pet_search (id, search_name) SELECT id, search_name FROM pet WHERE id <= ${indexedTo};
     UPDATE pet_progress SET counted_to = 0, indexed_to = ${indexedTo}; CREATE TABLE before AS SELECT id, xmin::text AS written, search_name FROM pet`,
  )
  const store = await place.open({ instances: 'many' })
  assert.deepEqual(await place.run('SELECT name FROM pet WHERE search_name <> fold(name)'), [])
  const changed = `FROM pet JOIN before USING (id) WHERE pet.search_name <> before.search_name`
  const [{ count } = {}] = await place.run(`SELECT count(*)::int AS count ${changed}`)
  assert.ok(Number(count) > 1_000, `${count}`)
  assert.deepEqual(
    await place.run(
      `SELECT id FROM pet JOIN before USING (id) WHERE pet.xmin::text <> before.written EXCEPT SELECT id ${changed}`,
    ),
    [],
  )
  assert.deepEqual(
    await place.run(`SELECT id::int FROM pet_renamed ORDER BY id`),
    await place.run(`SELECT id::int ${changed} AND id <= ${indexedTo} ORDER BY id`),
  )
  const found = await store.searchPets({ name: 'a\u2019b', limit: 4 })
  assert.deepEqual(
    found.pets.map(({ name }) => name),
    ["a'b", 'a`b', 'a\u00b4b', 'a\u02b9b'],
  )
  await untilSettled(store)
  await store.indexPets({ minAnimals: 1, maxMs: 0 })
  assert.deepEqual(
    await place.run('SELECT id FROM pet_search JOIN pet USING (id) WHERE pet_search.search_name <> pet.search_name'),
    [],
  )
  assert.equal(await hasRightIndex(place.url), true)
  const plan = await place.run(
    "EXPLAIN SELECT id FROM pet_search WHERE trigrams(search_name) @> trigrams(fold('a\u2019b'))",
  )
  assert.match(JSON.stringify(plan), /pet_search_by_trigram/)
})

test('a name that an older instance is storing during the upgrade is folded, too', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  await place.run(STORE_OF_8)
  const older = "INSERT INTO pet (id, name, category_id, status) VALUES (1, 'O\u2019Malley', 1, 'available')"
  const commit = await place.hold(older)
  const opening = place.open()
  await eventually(async () => assert.equal((await place.waiting()).length, 1))
  await commit()
  const store = await opening
  assert.equal((await store.searchPets({ name: "O'Malley", limit: 4 })).pets.length, 1)
})

test('a schema that contains something else is left unchanged', async t => {
  for (const foreign of [
    'CREATE TABLE invoice (id BIGINT)',
    'CREATE TABLE store (deployment TEXT); INSERT INTO store VALUES (1)',
    'CREATE VIEW pet AS SELECT 1 AS id',
  ]) {
    const place = await makePostgresPlace(t)
    if (!place) return
    await place.run(foreign)
    await assertUserError(
      place.open(),
      /holds something other than a Petstore store: create a database for the store alone, or/,
    )
    assert.equal((await listTables(place)).length, 1, foreign)
  }
})

test('an unsuitable database is refused, and the message says what is required', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const at = (change: (url: URL) => void) => {
    const url = new URL(place.url)
    change(url)
    return PostgresStore.open(url.href, 'production')
  }
  const named = (name: string) => (url: URL) => {
    url.pathname = `/${name}`
  }
  const role = `reader_${Date.now()}`
  const latin = `latin_${Date.now()}`
  await place.run(`CREATE ROLE ${role} LOGIN; GRANT USAGE ON SCHEMA ${await schemaOf(place)} TO ${role}`)
  await place.run(`CREATE DATABASE ${latin} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`)
  try {
    await assertUserError(at(named('nowhere')), /database "nowhere" does not exist/)
    await assertUserError(at(named(latin)), /encoding LATIN1.*WITH ENCODING 'UTF8'/)
    const options = (value: string) => (url: URL) => url.searchParams.set('options', value)
    await assertUserError(
      at(options('-csearch_path=nowhere')),
      /no schema .*: create the schema that options=-csearch_path names/,
    )
    const careless = `-csearch_path=${await schemaOf(place)} -csynchronous_commit=off`
    await assertUserError(at(options(careless)), /set synchronous_commit to on/)
    const asReader = (url: URL) => {
      url.username = role
    }
    await assertUserError(at(asReader), /permission denied for schema .*: grant its user the missing privileges/)
    assert.deepEqual(await listTables(place), [])
  } finally {
    await place.run(`DROP DATABASE ${latin}`)
    await place.run(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
  }
})

test('a database that does not respond in time is named, with that reason', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const asked = withDatabase(place.url, 200, client => client.query('SELECT pg_sleep(2)'))
  await assert.rejects(asked, {
    message: `The database ${nameOf(place.url)} cannot be used: no response arrived in time.`,
  })
})

test('an answer that arrives while the process is blocked is in time', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const rows = await withDatabase(place.url, 200, async client => {
    const asked = client.query('SELECT 1::int AS number')
    pause(500)
    return (await asked).rows
  })
  assert.deepEqual(rows, [{ number: 1 }])
})

test('a database that cannot be reached is named, without its password', async () => {
  const port = await findFreePort()
  const opening = PostgresStore.open(`postgres://shop:s3cret@127.0.0.1:${port}/animals`, 'production')
  const error = await assertUserError(
    opening,
    new RegExp(`127\\.0\\.0\\.1:${port}/animals cannot be used: connection refused`),
  )
  assert.ok(!inspect(error, { depth: 9, showHidden: true }).includes('s3cret'))
})

async function assertUserError(opening: Promise<PostgresStore>, message: RegExp): Promise<UserError> {
  const error = await opening.then(
    () => assert.fail(`opened, and not refused with ${message}`),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof UserError, String(error))
  assert.match(error.message, message)
  return error
}

async function schemaOf(place: PostgresPlace): Promise<string> {
  const [{ schema } = {}] = await place.run('SELECT current_schema() AS schema')
  return String(schema)
}

function listTables(place: PostgresPlace): Promise<unknown[]> {
  return place.run(
    "SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'v')",
  )
}
