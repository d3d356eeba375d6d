import { test } from 'node:test'
import { makeStore } from '../support/command-line.ts'
import { ROUNDS } from '../support/duration-factor.ts'
import { assertWholeDespiteKills } from '../support/killed-syncs.ts'
import { makeDatabase, noPostgres } from '../support/servers/postgres.ts'

test('a process that is killed while it syncs on PostgreSQL has synced all of it or nothing', {
  skip: noPostgres,
}, async t => {
  const database = await makeDatabase()
  t.after(database.drop)
  await assertWholeDespiteKills(await makeStore(t, { PETSTORE_DATABASE_URL: database.url }), 3 * ROUNDS)
})
