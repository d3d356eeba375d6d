import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as streamText } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { Client } from 'pg'
import { DEMO_PETS } from '../src/cli/demo-pets.ts'
import {
  assertUserError,
  makeStore,
  PROGRAM,
  petstore,
  type Serving,
  startServe,
  type TestStore,
} from './support/command-line.ts'
import { until } from './support/eventually.ts'
import { HANDBOOK } from './support/handbook.ts'
import { inTime } from './support/in-time.ts'
import { needs, skip } from './support/servers/needs.ts'
import { makeDatabase, noPostgres, type PostgresServer, startPostgres } from './support/servers/postgres.ts'

/** An acceptable wait for a person. On a busy machine, a process takes seconds of it to start. */
const SOON_MS = 10_000

const ENTERPRISE = ['--plan', 'enterprise', '--per-day', '1000', '--per-minute']

test('serve --demo fills an empty database, and recognizes it when it starts again', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  const store = await makePostgresStore(t)
  const first = await startServe(t, {}, { store, demo: true })
  assert.doesNotMatch(first.stdout, /PETSTORE_DATA/)
  await first.stop('SIGTERM')
  const [pets, accounts, bans, [source]] = await store.jsonEach([
    ['pet', 'list', '--limit', '1000'],
    ['account', 'list'],
    ['ban', 'list'],
    ['source', 'list'],
  ])
  assert.deepEqual(
    pets.map(({ name }: { name: string }) => name),
    DEMO_PETS.map(({ name }) => name),
  )
  assert.deepEqual([accounts.length, bans.length, source.lastRun.outcome], [5, 1, 'synced'])
  await startServe(t, {}, { store, demo: true })
  assert.equal((await store.json('account', 'list')).length, 5)
})

test('every command on accounts, keys and bans works on PostgreSQL, and holds from the next call of the service on', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  const service = await startServe(t, { PETSTORE_BAN_AFTER: '1' }, { store: await makePostgresStore(t) })
  const { store } = service
  const acme = await store.json('account', 'create', 'acme', ...ENTERPRISE, '1')
  assert.equal(acme.id, 1)
  const { key } = await store.json('key', 'create', 'acme', '--name', 'laptop')
  assert.equal(await service.statusOf(key), 200, 'a new key works')
  assert.equal(await service.statusOf(key), 429)
  await store.text('account', 'set-plan', 'acme', ...ENTERPRISE, '2')
  assert.equal(await service.statusOf(key), 200, 'a new plan gives more')

  await until(async () => (await service.codeOf(key)) === 'api_key_banned')
  await store.text('account', 'set-plan', 'acme', ...ENTERPRISE, '100')
  assert.equal(await service.codeOf(key), 'api_key_banned')
  assert.deepEqual(await idsOf(store, 'ban', 'list'), [1])
  await store.text('ban', 'lift', '1')
  assert.equal(await service.statusOf(key), 200, 'a lifted ban is over')
  assert.deepEqual(await idsOf(store, 'ban', 'list'), [])

  const successor = await store.json('key', 'rotate', '1')
  assert.deepEqual([await service.statusOf(key), await service.statusOf(successor.key)], [200, 200])
  assert.equal((await store.json('account', 'rename', 'acme', 'Zoo Zürich')).name, 'Zoo Zürich')
  await store.text('account', 'suspend', 'Zoo Zürich')
  assert.equal(await service.statusOf(key), 401, 'a suspended account is not let in')
  await store.text('account', 'resume', '1')
  assert.equal(await service.statusOf(key), 200)
  await store.text('key', 'revoke', '1')
  assert.deepEqual([await service.statusOf(key), await service.statusOf(successor.key)], [401, 200])
  const [keys, accounts] = await store.jsonEach([
    ['key', 'list'],
    ['account', 'list'],
  ])
  assert.deepEqual(keys.map(idOf), [1, 2])
  assert.deepEqual(accounts.map(idOf), [1])

  await until(async () => (await store.json('usage', '1'))[0]?.banned > 0)
  assert.match(await store.text('usage'), /\nZoo Zürich /)
  await store.text('account', 'delete', '1', '--yes')
  assert.equal(await service.statusOf(successor.key), 401, 'a deleted account has no keys')

  const actions = (await store.json('audit')).map(({ action }: { action: string }) => action)
  assert.deepEqual(actions.toReversed(), [
    'account.create',
    'key.issue',
    'account.set-plan',
    'account.set-plan',
    'ban.lift',
    'key.rotate',
    'account.rename',
    'account.suspend',
    'account.resume',
    'key.revoke',
    'account.delete',
  ])
  assert.deepEqual(await readdir(store.folder), [], 'the folder is left alone')
})

test('an account is shown and suggested, and names are completed, on PostgreSQL', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  const store = await makePostgresStore(t)
  await store.issueKey()
  const { name, usageToday, keys, bans } = await store.json('account', 'show', 'acme')
  assert.deepEqual(
    [name, usageToday, keys.map(idOf), bans],
    ['acme', { admitted: 0, refused: 0, banned: 0, usedPercent: 0 }, [1], []],
  )
  assertUserError(await store.run('key', 'create', 'ACNE'), /did you mean "acme" \(id 1\)\?$/)
  assert.match(await store.text('__complete', 'fish', 'key', 'create', ''), /^acme\taccount 1, /)
})

test('a completion neither creates a store in PostgreSQL nor waits long for a database', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  const database = await makeDatabase()
  t.after(() => database.drop())
  const words = ['__complete', 'fish', 'key', 'create', '']
  const nothing = { code: 0, stdout: '', stderr: '' }
  assert.deepEqual(await petstore(words, { PETSTORE_DATABASE_URL: database.url }), nothing)
  assert.deepEqual(
    await database.run("SELECT FROM pg_tables WHERE tablename = 'account' AND schemaname = current_schema()"),
    [],
  )
  const server = await startPostgres()
  t.after(() => server.close())
  await server.signal('SIGSTOP')
  const completing = petstore(words, { PETSTORE_DATABASE_URL: server.url })
  assert.deepEqual(await inTime(SOON_MS, 'the completion', completing), nothing)
})

test('every command on animals works on PostgreSQL, and holds from the next call of the service on', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  const service = await startServe(t, {}, { store: await makePostgresStore(t) })
  const { store } = service
  const key = await store.issueKey()
  const shown = () => namesShown(service, key)
  assert.equal((await store.json('pet', 'add', 'Rex', '--category', '9223372036854775807')).id, 1)
  assert.deepEqual(await shown(), ['Rex'])
  await store.text('pet', 'correct', '1', '--name', 'Max')
  assert.deepEqual(await shown(), ['Max'])
  assert.match(await store.text('pet', 'show', '1', '--json'), /"categoryId": 9223372036854775807,/)

  const file = join(store.folder, 'animals.ndjson')
  await writeFile(file, '{"name":"Ötzi","categoryId":2}\n{"id":7,"name":"Bella","categoryId":1,"status":"sold"}\n')
  assert.match(await store.text('pet', 'import', file, '--dry-run'), /^Would import 2 animals/)
  assert.deepEqual(await shown(), ['Max'])
  await store.text('pet', 'import', file)
  assert.deepEqual((await shown()).toSorted(), ['Bella', 'Max', 'Ötzi'])
  assert.deepEqual((await idsOf(store, 'pet', 'list', '--name', 'BELLA')).length, 1)
  await store.text('pet', 'delete', '1')
  assert.deepEqual((await shown()).toSorted(), ['Bella', 'Ötzi'])

  const exported = join(store.folder, 'all.ndjson')
  await store.text('pet', 'export', exported)
  const lines = (await readFile(exported, 'utf8')).trimEnd().split('\n')
  assert.deepEqual(lines.map(line => JSON.parse(line).name).toSorted(), ['Bella', 'Ötzi'])
  await writeFile(file, '{"id":1,"name":"Rex","categoryId":1}\n')
  const { code, stderr } = await store.run('pet', 'import', file)
  assert.deepEqual([code, /line 1: id 1 may have been given before/.test(stderr)], [1, true], stderr)
})

test('an import that is stopped at its last step keeps nothing from others, and is ended after seconds', async t => {
  const stopped = await stopAtLastStep(t, '{"name":"Mia","categoryId":2}')
  if (!stopped) return
  const { store, hasEnded, end } = stopped
  assert.equal((await store.run('pet', 'add', 'Max', '--category', '1')).code, 0)
  await hasEnded()
  await end()
  assert.deepEqual(await namesIn(store), ['Rex', 'Max'])
})

test('an update that is stopped at its last step is ended after seconds', async t => {
  const stopped = await stopAtLastStep(t, '{"id":1,"name":"Mia"}', '--update')
  if (!stopped) return
  const { store, hasEnded, end } = stopped
  await hasEnded()
  assert.equal((await store.run('pet', 'correct', '1', '--name', 'Max')).code, 0)
  await end()
  assert.deepEqual(await namesIn(store), ['Max'])
})

/** An import of one line that has been stopped, as by a debugger, before it commits. */
async function stopAtLastStep(t: TestContext, line: string, ...options: string[]) {
  if (noPostgres) return void skip(t, noPostgres)
  const database = await makeDatabase()
  t.after(() => database.drop())
  const store = await makeStore(t, { PETSTORE_DATABASE_URL: database.url })
  await store.text('pet', 'add', 'Rex', '--category', '1')
  const file = join(store.folder, 'animals.ndjson')
  await writeFile(file, `${line}\n`)

  const other = new Client({ connectionString: database.url })
  await other.connect()
  t.after(() => other.end())
  await other.query('BEGIN; LOCK TABLE audit IN EXCLUSIVE MODE')
  const child = spawn(process.execPath, [PROGRAM, 'pet', 'import', file, ...options], {
    env: { ...process.env, ...store.env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  const ending = Promise.all([once(child, 'exit'), streamText(child.stderr)])
  const waiting = async () => (await database.run(WAITING_FOR_AUDIT))[0]?.pid
  await until(async () => (await waiting()) !== undefined)
  const session = `SELECT FROM pg_stat_activity WHERE pid = ${await waiting()}`
  child.kill('SIGSTOP')
  await other.query('COMMIT')
  const hasEnded = () => until(async () => (await database.run(session)).length === 0)
  const end = async () => {
    child.kill('SIGCONT')
    const [exit, stderr] = await ending
    assert.deepEqual(exit, [1, null])
    assert.match(stderr, /^error: /)
  }
  return { store, hasEnded, end }
}

async function namesIn(store: TestStore): Promise<string[]> {
  return (await store.json('pet', 'list')).map(({ name }: { name: string }) => name)
}

const WAITING_FOR_AUDIT = "SELECT pid FROM pg_locks WHERE NOT granted AND relation = 'audit'::regclass"

test('operators’ tokens are created, listed and revoked on PostgreSQL, and hold from the next call on', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  const service = await startServe(t, {}, { store: await makePostgresStore(t) })
  const { store } = service
  const { token } = await store.json('token', 'create', 'Anna', '--role', 'admin')
  const status = async () => {
    const headers = { authorization: `Bearer ${token}` }
    return (await fetch(`${service.operatorUrl}/admin/v1/accounts`, { headers })).status
  }
  assert.equal(await status(), 200)
  assert.deepEqual(await idsOf(store, 'token', 'list'), [1])
  await store.text('token', 'revoke', '1')
  assert.equal(await status(), 401)
})

test('a store in PostgreSQL is not backed up or restored, and the message says what to use instead', async t => {
  const store = await makeStore(t, { PETSTORE_DATABASE_URL: 'postgres://me:geheim@127.0.0.1:1/pets' })
  const file = join(store.folder, 'a.db')
  const [backup, restore] = await store.runEach([
    ['backup', file],
    ['restore', file, '--force'],
  ])
  assert.ok(backup && restore)
  assertUserError(backup, /in PostgreSQL .*pg_dump.*docs\/operations\/postgresql-backups\.md/)
  assertUserError(restore, /in PostgreSQL .*pg_restore.*docs\/operations\/postgresql-backups\.md/)
  assert.deepEqual(await readdir(store.folder), [])
})

test('the handbook’s commands back up and restore a store in PostgreSQL, and no id is reused', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  for (const program of ['pg_dump', 'pg_restore', 'psql']) if (!needs(t, program)) return
  const server = await startPostgres()
  t.after(() => server.close())
  const at = (database: string) => `postgres://postgres@127.0.0.1:${server.port}/${database}`
  const store = await makeStore(t, { PETSTORE_DATABASE_URL: at('postgres') })
  const key = await store.issueKey()
  await store.text('pet', 'add', 'Rex', '--category', '1')
  const lines = [...HANDBOOK.matchAll(/^(?:pg_dump|pg_restore|psql) .*$/gm)].map(([line]) => {
    const here = line.replaceAll('postgres://petstore@db.example.com/restored', at('restored'))
    return here.replaceAll('postgres://petstore@db.example.com/petstore', at('postgres'))
  })
  assert.equal(lines.length, 3)
  execFileSync('psql', [at('postgres'), '--quiet', '--command', 'CREATE DATABASE restored TEMPLATE template0'])
  const run = (line: string | undefined) =>
    execFileSync('sh', ['-ec', line ?? ''], { cwd: store.folder, stdio: 'pipe' })
  const [dump, ...restore] = lines
  run(dump)
  assert.throws(() => run(dump?.replace(`:${server.port}/`, ':1/')), /\npg_dump: /)
  for (const line of restore) run(line)

  const restored = store.with({ PETSTORE_DATABASE_URL: at('restored') })
  const service = await startServe(t, {}, { store: restored })
  assert.deepEqual(await namesShown(service, key), ['Rex'])
  assert.equal((await restored.json('pet', 'add', 'Max', '--category', '1')).id, 1_000_002)
  assert.equal(await service.statusOf(key), 200)
  assert.deepEqual(await namesShown(service, key), ['Rex', 'Max'])
  assert.equal((await restored.json('audit')).length, 4)
})

test('the doctor asks PostgreSQL and Redis, and prints no password', async t => {
  const store = await makeStore(t, {
    PETSTORE_DATABASE_URL: 'postgres://me:geheim@127.0.0.1:1/pets',
    PETSTORE_REDIS_URL: 'redis://me:geheim@127.0.0.1:1',
  })
  const { code, stdout, stderr } = await store.run('doctor')
  assert.deepEqual([code, stderr], [1, ''])
  assert.match(stdout, /^database +fail +The database 127\.0\.0\.1:1\/pets cannot be used/m)
  assert.match(stdout, /^redis +fail +Redis at 127\.0\.0\.1:1 cannot be used/m)
  assert.match(stdout, /\n2 checks failed/)
  assert.doesNotMatch(stdout, /geheim/)
})

test('where the database cannot be used, every kind of command ends soon, in one line without the password', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  const server = await startWithPasswords(t)
  const at = (user: string, database: string) => `postgres://${user}:geheim@127.0.0.1:${server.port}/${database}`
  const cases: readonly (readonly [url: string, message: RegExp])[] = [
    ['postgres://me:geheim@127.0.0.1:1/pets', /127\.0\.0\.1:1\/pets cannot be used: connection refused/],
    [
      'postgres://me:geheim@nowhere.invalid/pets',
      /nowhere\.invalid\/pets cannot be used: the host name cannot be resolved/,
    ],
    [at('keeper', 'postgres'), /password authentication failed for user "keeper"/],
    [at('postgres', 'pets'), /database "pets" does not exist/],
  ]
  const commands = ['account list', 'account create acme --plan free', 'pet export a.csv', 'usage', 'serve']
  for (const [url, message] of cases) await assertEndSoon(t, url, commands, message)
  await server.signal('SIGSTOP')
  for (const command of ['account list', 'pet export a.csv']) {
    await assertEndSoon(t, at('postgres', 'postgres'), [command], /cannot be used: no response arrived in time\.$/)
  }
})

test('a store of the other deployment is reported in one line', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  const store = await makePostgresStore(t)
  await store.issueKey()
  const staging = store.with({ PETSTORE_DEPLOYMENT: 'staging' })
  const endings = await staging.runEach([
    ['account', 'list'],
    ['pet', 'export', 'a.csv'],
  ])
  assert.equal(endings.length, 2)
  for (const ending of endings) assertUserError(ending, /belongs to production/)
})

/** All of them together. */
async function assertEndSoon(t: TestContext, url: string, commands: readonly string[], message: RegExp): Promise<void> {
  const store = await makeStore(t, { PETSTORE_DATABASE_URL: url })
  const running = store.runEach(commands.map(command => command.split(' ')))
  const endings = await inTime(SOON_MS, commands.join(), running)
  assert.equal(endings.length, commands.length)
  for (const ending of endings) {
    assertUserError(ending, message)
    assert.doesNotMatch(ending.stderr, /geheim/)
  }
}

/** A store in its own schema, with an empty folder. */
async function makePostgresStore(t: TestContext): Promise<TestStore> {
  const database = await makeDatabase()
  const store = await makeStore(t, { PETSTORE_DATABASE_URL: database.url })
  t.after(() => database.drop())
  return store
}

/** A server that requires a password only from the user keeper. */
async function startWithPasswords(t: TestContext): Promise<PostgresServer> {
  const file = join(tmpdir(), `petstore-hba-${process.pid}`)
  await writeFile(file, 'host all keeper 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n', {
    mode: 0o644,
  })
  t.after(() => rm(file))
  const server = await startPostgres([`hba_file=${file}`])
  t.after(() => server.close())
  const database = await makeDatabase(server.url)
  await database.run("CREATE USER keeper PASSWORD 'other'")
  return server
}

async function idsOf(store: TestStore, ...command: string[]): Promise<number[]> {
  return (await store.json(...command)).map(idOf)
}

function idOf({ id }: { id: number }): number {
  return id
}

async function namesShown({ url }: Serving, key: string): Promise<string[]> {
  const response = await fetch(`${url}/v1/pets`, { headers: { authorization: `Bearer ${key}` } })
  return ((await response.json()) as { name: string }[]).map(({ name }) => name)
}
