import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseConfig } from '../../src/app/config.ts'
import { DEMO_FEED, DEMO_PETS } from '../../src/cli/demo-pets.ts'
import { fillDemo } from '../../src/cli/fill-demo.ts'
import { labelCategory } from '../../src/domain/administration/categories.ts'
import { addPet } from '../../src/domain/administration/pets.ts'
import { createToken } from '../../src/domain/administration/tokens.ts'
import { dayOf, daysFrom } from '../../src/domain/usage.ts'
import {
  assertUserError,
  environment,
  makeStore,
  PROGRAM,
  runCommand,
  startServe,
  type TestStore,
} from '../support/command-line.ts'
import { temporaryFolder } from '../support/folder.ts'
import { commandLinesOf } from '../support/handbook.ts'

const DAY_MS = 86_400_000

interface JsonPet {
  id: number
  name: string
  categoryId: number
  status: string
}

test('serve --demo', async t => {
  const store = await makeStore(t)
  const first = await startServe(t, {}, { store, demo: true })
  const headers = { authorization: `Bearer ${keyOf(first.stdout)}`, 'content-type': 'application/json' }
  const petsAt = async (url: string) => (await fetch(`${url}/v1/pets?limit=100`, { headers })).text()

  await t.test('prints a key and commands that work as pasted', async () => {
    assert.match(first.stdout, new RegExp(`^ +Base URL +${first.url}/v1$`, 'm'))
    assert.match(first.stdout, new RegExp(`^ +Docs +${first.url}/docs$`, 'm'))
    assert.match(first.stdout, new RegExp(`^ +Operators +${first.operatorUrl}/docs$`, 'm'))
    assert.match(first.stdout, new RegExp(`^ +Data +${store.folder}$`, 'm'))
    assert.match(first.stdout, /^Petstore [\d.]+(-dev)? is running \(production, with sample data\)$/m)
    const [, link = ''] = first.stdout.match(/^ +Sign in +(\S+)$/m) ?? []
    const [page = '', secret] = link.split('#')
    assert.equal(page, `${first.operatorUrl}/console/sign-in`)
    assert.equal((await signIn(first.operatorUrl, secret)).status, 201)
    assert.equal((await signIn(first.operatorUrl, secret)).status, 401)
    assert.match(first.stdout, /^ +Become an operator +petstore token create "\$USER" --role admin$/m)
    assert.match(first.stdout, /^ +Give a partner access +petstore account create "Corner Shop" --plan pro$/m)
    const [, key = ''] = first.stdout.match(/^ +export PETSTORE_API_KEY=(\S+)$/m) ?? []
    assert.match(first.stdout, new RegExp(`^ +API key +${key}$`, 'm'))
    const curl = first.stdout.match(/^ +curl -H "Authorization: Bearer \$PETSTORE_API_KEY" \\\n +'(\S+)'$/m)
    const [, url = ''] = curl ?? []
    assert.equal(url, `${first.url}/v1/pets?limit=3`)
    const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
    assert.equal(((await answer.json()) as unknown[]).length, 3)
    assert.ok(!first.stdout.includes('\u001b'), 'no colours in a file or a pipe')
    for (const line of first.stderr.trimEnd().split('\n')) JSON.parse(line)
  })

  await t.test(
    'fills its store with labels, animals, accounts with keys, two weeks of calls, a ban and a feed',
    async () => {
      const served: { name: string; status: string }[] = JSON.parse(await petsAt(first.url))
      assert.ok(served.length >= 30)
      assert.deepEqual(new Set(served.map(pet => pet.status)), new Set(['available', 'pending', 'sold']))
      assert.ok(
        served.some(pet => /[^ -~]/.test(pet.name)),
        'names beyond ASCII',
      )
      const [categories, pets, accounts, days, bans, sources, feed] = await store.jsonEach([
        ['category', 'list'],
        ['pet', 'list', '--limit', '1000'],
        ['account', 'list'],
        ['usage', '--days', '15', '--by', 'day'],
        ['ban', 'list'],
        ['source', 'list'],
        ['source', 'show', DEMO_FEED.source],
      ])
      assert.equal(categories.length, 8)
      assert.ok(categories.every(({ label }: { label: string }) => label !== ''))
      assert.deepEqual(
        pets.map(({ id, name, categoryId, status }: JsonPet) => ({ id, name, categoryId: BigInt(categoryId), status })),
        DEMO_PETS.map((pet, index) => ({ id: index + 1, ...pet })),
      )
      assert.equal(accounts.length, 5)
      assert.deepEqual([accounts[0].name, accounts[0].plan], ['demo', 'business'])
      for (const { id } of accounts) assert.ok((await store.json('key', 'list', String(id))).length > 0, id)
      await store.act(async ({ store: opened }) => {
        for (const { id } of accounts.slice(1)) {
          const { day } = await opened.findCounts(BigInt(id))
          assert.ok(day)
          const today = dayOf(day.resetsAt - 1)
          const [sum] = await opened.sumUsage({ range: daysFrom(today, today), accountId: BigInt(id), by: [] })
          assert.equal(day.used, sum?.admitted ?? 0, `the calls left to account ${id} agree with its usage`)
          const failed = await opened.listRefusals({ accountId: BigInt(id) })
          assert.ok(failed.length > 0, `account ${id} has failed calls in its usage and in its list`)
        }
      })
      // The oldest day begins at the hour of the start.
      assert.equal(new Set(days.map(({ day }: { day: string }) => day)).size, 15)
      assert.deepEqual([bans.length, sources.length, feed.runs.length], [1, 1, 1])
      assert.deepEqual([feed.runs[0].outcome, feed.runs[0].added], ['synced', DEMO_FEED.pets.length])
    },
  )

  await t.test('recognizes its store, whatever was added to it, and leaves it as it is', async t => {
    const body = '{"name":"Nala","categoryId":3}'
    assert.equal((await fetch(`${first.url}/v1/pets`, { method: 'POST', headers, body })).status, 201)
    const text = await petsAt(first.url)
    await first.stop('SIGTERM')
    assert.equal((await store.run('doctor')).code, 0)
    await store.textEach([
      ['account', 'create', 'Corner Shop', '--plan', 'pro'],
      ['token', 'create', 'anna', '--role', 'admin'],
      ['category', 'label', '3', 'Birds'],
    ])
    const second = await startServe(t, {}, { store, demo: true })
    assert.match(second.stdout, /is running \(production, with sample data\)$/m)
    assert.equal(await second.statusOf(keyOf(second.stdout)), 200)
    assert.equal(await petsAt(second.url), text)
    const keys: { name: string; createdAt: string; expiresAt: string }[] = await store.json('key', 'list', 'demo')
    assert.equal(keys.length, 2, 'each start issues a key')
    for (const { name, createdAt, expiresAt } of keys) {
      assert.deepEqual([name, Date.parse(expiresAt) - Date.parse(createdAt)], ['demo', 7 * DAY_MS])
    }
  })
})

test('commands find the store of the demo while it runs, until there is another one', async t => {
  const place = await temporaryFolder(t)
  const demo = (await makeStore(t)).with({ PETSTORE_DATA: '' })
  const { stdout, stop } = await startServe(t, {}, { store: demo, demo: true, cwd: place })
  assert.deepEqual(stdout.match(/export \w+/g), ['export PETSTORE_API_KEY'])
  assert.match(readFileSync(new URL('../../README.md', import.meta.url), 'utf8'), /^Paste its `export` line into/m)
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, [PROGRAM, ...args], { cwd: place, env: environment({}), encoding: 'utf8' })
  const names = () => JSON.parse(run('account', 'list', '--json').stdout).map(({ name }: { name: string }) => name)
  assert.equal(names()[0], 'demo')
  assert.equal(run('account', 'create', 'Partner', '--plan', 'free').status, 0)
  assert.equal(names().at(-1), 'Partner')
  await writeFile(join(place, 'bad.env'), 'not a setting')
  const runBadly = (command: string) =>
    spawnSync(process.execPath, [PROGRAM, command], { cwd: place, env: environment({ PETSTORE_ENV_FILE: 'bad.env' }) })
  assert.deepEqual([runBadly('version').status, runBadly('--help').status], [0, 0])
  assert.match(String(runBadly('usage').stderr), /^error: Line 1 of .*bad\.env must be KEY=value/)
  // A store that is served cannot be restored: this one is the operator's own.
  assert.equal(run('backup', 'backup.db').status, 0)
  assert.match(run('restore', 'backup.db', '--yes').stdout, /\.\/data/)
  assert.ok(existsSync(join(place, 'data/petstore.db')))
  await rm(join(place, 'data'), { recursive: true })
  await stop('SIGTERM')
  assert.match(run('account', 'list').stderr, /^error: There is no store in .*\/data; /)
  assert.equal(run('account', 'create', 'Real Shelter', '--plan', 'free').status, 0)
  await startServe(t, {}, { store: demo, demo: true, cwd: place })
  assert.deepEqual(names(), ['Real Shelter'])
})

test('a folder with the name of the demo, but with something else in it, stops no command', async t => {
  const place = await temporaryFolder(t)
  await mkdir(join(place, 'demo'))
  await writeFile(join(place, 'demo/serving.lock'), 'not a lock')
  const run = (env: Record<string, string>, ...args: readonly string[]) =>
    spawnSync(process.execPath, [PROGRAM, ...args], { cwd: place, env: environment(env), encoding: 'utf8' })
  assert.equal(run({}, 'version').status, 0)
  const own = { PETSTORE_DATA: join(place, 'own') }
  assert.equal(run(own, 'account', 'create', 'Real Shelter', '--plan', 'free').status, 0)
  assert.match(run(own, 'account', 'list').stdout, /Real Shelter/)
})

test('serve --demo has a store in ./demo unless the settings name one, and its commands work on that store', async t => {
  const place = await temporaryFolder(t)
  const real = (await makeStore(t)).with({ PETSTORE_DATA: join(place, 'data') })
  await real.text('account', 'create', 'Real Shelter', '--plan', 'free')
  const before = readFileSync(join(place, 'data/petstore.db'))
  const unset = real.with({ PETSTORE_DATA: ' ', PETSTORE_DATABASE_URL: ' ' })
  const { stdout } = await startServe(t, {}, { store: unset, demo: true, cwd: place })
  assert.match(stdout, RegExp(`^ +Data +${join(place, 'demo')}$`, 'm'))
  const [choice = ''] = /export PETSTORE_DATA=.*/.exec(stdout) ?? []
  const command = `${choice}; '${process.execPath}' '${PROGRAM}' account list --json`
  const accounts: { name: string }[] = JSON.parse(execFileSync('sh', ['-c', command], { cwd: place, encoding: 'utf8' }))
  assert.equal(accounts[0]?.name, 'demo')
  assert.deepEqual(readFileSync(join(place, 'data/petstore.db')), before)
})

test("the quick start's last line removes the animal that its samples add to the demo", async t => {
  const store = await makeStore(t)
  await fillDemo(parseConfig(store.env), Date.now())
  await store.act(async ({ store: opened, now }) => {
    await opened.createPet({ name: 'Fido', categoryId: 1n, status: 'available' }, now)
  })
  const guide = readFileSync(new URL('../../docs/guides/quick-start.md', import.meta.url), 'utf8')
  const [removal, ...others] = commandLinesOf(guide)
  assert.ok(removal)
  assert.deepEqual(others, [])
  const named = async () => (await store.json('pet', 'list', '--name', 'Fido')).length
  assert.equal(await named(), 1)
  await store.text(...removal.args)
  assert.equal(await named(), 0)
  assert.equal((await store.json('pet', 'list', '--limit', '1000')).length, DEMO_PETS.length)
})

test('serve --demo refuses a store with anything of its own in one line, and changes nothing', async t => {
  const empty = await makeStore(t)
  await empty.text('account', 'create', 'demo', '--plan', 'free')
  const labelled = await makeStore(t)
  await labelled.act(context => labelCategory(context, '1', 'Dogs'))
  const operated = await makeStore(t)
  await operated.act(context => createToken(context, { name: 'anna', role: 'staff' }))
  const stocked = await makeStore(t)
  await stocked.act(context => addPet(context, { name: 'Rex', categoryId: 1n, status: 'available' }))
  const used = await makeStore(t)
  await used.text('account', 'create', 'Real Shelter', '--plan', 'free')
  await used.act(({ store, now }) => store.createPet({ name: 'Rex', categoryId: 1n, status: 'available' }, now))
  const emptied = await makeStore(t)
  await emptied.textEach([
    ['account', 'create', 'acme', '--plan', 'free'],
    ['account', 'delete', 'acme', '--yes'],
  ])
  for (const store of [empty, labelled, operated, stocked, used, emptied]) await assertRefused(store)
})

test('serve --demo does not even upgrade the store of an earlier version that is not its own', async t => {
  const store = await makeStore(t)
  cpSync(new URL('../release/store-1.0.0.db', import.meta.url), join(store.folder, 'petstore.db'))
  await assertRefused(store)
})

async function assertRefused(store: TestStore): Promise<void> {
  const database = join(store.folder, 'petstore.db')
  const before = readFileSync(database)
  const ending = await runCommand(['serve', '--demo'], {
    ...store.env,
    PETSTORE_PORT: '0',
    PETSTORE_OPERATOR_PORT: '0',
  })
  assertUserError(
    ending,
    /The store in \S+ was not made by the demo, .*; run petstore serve, or set PETSTORE_DATA to an empty folder\.$/,
  )
  assert.deepEqual(readFileSync(database), before)
}

function keyOf(stdout: string): string {
  return /^ +API key +(\S+)$/m.exec(stdout)?.[1] ?? ''
}

function signIn(operatorUrl: string, link = ''): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return fetch(`${operatorUrl}/admin/v1/session`, { method: 'POST', headers, body: JSON.stringify({ link }) })
}
