import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { examine } from '../src/app/checks/examine.ts'
import { createAccount } from '../src/domain/administration/accounts.ts'
import { issueKey } from '../src/domain/administration/keys.ts'
import { databaseFile } from '../src/sqlite/data-folder/store-files.ts'
import { LITESTREAM } from '../tools/litestream.ts'
import {
  environment,
  makeStore,
  PROGRAM,
  runCommand,
  type Serving,
  startServe,
  withoutNewStore,
} from './support/command-line.ts'
import { eventually } from './support/eventually.ts'
import { temporaryFolder } from './support/folder.ts'
import { HANDBOOK } from './support/handbook.ts'
import { skip } from './support/servers/needs.ts'

const run = promisify(execFile)

test('a store that Litestream replicates is sound, can be backed up, and can be restored from the replica', async t => {
  if (!existsSync(LITESTREAM)) return void skip(t, 'Litestream is not installed')
  const place = await temporaryFolder(t)
  const store = await makeStore(t)
  const key = await store.issueKey()
  const service = await startServe(t, {}, { store })
  await createPets(service, key, 25)
  const replica = pathToFileURL(join(place, 'replica')).href
  const replication = replicate(t, [databaseFile(store.folder), replica])
  await createPets(service, key, 25)

  // Litestream has created its tables once it has replicated everything.
  const replicated = join(place, 'replicated.db')
  await eventually(async () => {
    rmSync(replicated, { force: true })
    await run(LITESTREAM, ['restore', '-o', replicated, replica])
    assert.equal(countPets(replicated), 50)
  })
  const backup = join(place, 'backup.db')
  await store.text('backup', backup)
  const findings = await examine(store.env, Date.now())
  assert.deepEqual(
    findings.filter(({ outcome, check }) => outcome === 'fail' || (check === 'store' && outcome !== 'ok')),
    [],
  )
  await service.stop('SIGTERM')
  await replication.stop()

  for (const [source, pets] of [
    [backup, 50],
    [replicated, 50],
  ] as const) {
    const restored = await temporaryFolder(t)
    const { code, stderr } = await runCommand(['restore', source], { PETSTORE_DATA: restored })
    assert.deepEqual([code, withoutNewStore(stderr)], [0, ''], source)
    assert.equal(await countServedPets(t, restored, key), pets)
  }
  const placed = await temporaryFolder(t)
  copyFileSync(replicated, databaseFile(placed))
  assert.equal(await countServedPets(t, placed, key), 50)
})

/** The two seconds of the handbook, and more for a busy machine. */
const MAX_LOST_MS = 2_000 + 5_000
const CREATORS = 4

test('the handbook restores a lost machine, and a moment, from a replica: all but the last seconds are there', async t => {
  if (!existsSync(LITESTREAM)) return void skip(t, 'Litestream is not installed')
  const place = await temporaryFolder(t)
  const handbook = readHandbook(place)
  mkdirSync(handbook.replica)
  mkdirSync(handbook.data)
  const store = (await makeStore(t)).with({ PETSTORE_DATA: handbook.data })
  const key = await store.act(async context => {
    const limits = { perMinute: 1_000_000, perDay: 1_000_000 }
    await createAccount(context, { name: 'acme', plan: 'enterprise', limits })
    return (await issueKey(context, { account: 'acme' })).key
  })
  const service = await startServe(t, {}, { store })
  const replication = replicate(t, ['-config', handbook.configFile])

  const acknowledged: { id: number; requestedAt: number; at: number }[] = []
  const creators = Array.from({ length: CREATORS }, async () => {
    for (;;) {
      const requestedAt = Date.now()
      const id = await createPet(service, key).catch(() => undefined)
      if (id === undefined) return
      acknowledged.push({ id, requestedAt, at: Date.now() })
      await sleep(5)
    }
  })
  const restoreTo = async (moment?: number) => {
    const file = join(place, 'look.db')
    rmSync(file, { force: true })
    const until = moment === undefined ? [] : ['-timestamp', new Date(moment).toISOString()]
    await run(LITESTREAM, [
      'restore',
      '-config',
      handbook.configFile,
      ...until,
      '-o',
      file,
      databaseFile(handbook.data),
    ])
    return countPets(file)
  }
  await eventually(async () => assert.ok((await restoreTo()) > 50), 200)
  const moment = Math.ceil(Date.now() / 1_000) * 1_000
  await eventually(async () => {
    assert.ok(Date.now() > moment + 3_000)
    assert.ok((await restoreTo()) > (await restoreTo(moment)))
  }, 200)
  service.child.kill('SIGKILL')
  await replication.stop('SIGKILL')
  const lostAt = Date.now()
  await Promise.all(creators)
  rmSync(handbook.data, { recursive: true })

  await handbook.run(handbook.restoreNewest)
  const newest = await idsOf(handbook.data)
  assert.equal(newest.size, Math.max(...newest), 'every animal until the last one')
  const lost = acknowledged.filter(({ id }) => !newest.has(id))
  const lostMs = lostAt - Math.min(lostAt, ...lost.map(({ at }) => at))
  t.diagnostic(`${acknowledged.length} acknowledged; ${lost.length} lost, of the last ${lostMs} ms`)
  assert.ok(lostMs <= MAX_LOST_MS, `lost the last ${lostMs} ms`)
  assert.equal(await countServedPets(t, handbook.data, key), Math.min(newest.size, 100))

  const restoreMoment = handbook.restoreMomentAt(new Date(moment))
  // The second time, Litestream's own files of the replaced store are still there.
  for (const more of [5, 7]) {
    await handbook.run(restoreMoment)
    const past = await idsOf(handbook.data)
    for (const { id, requestedAt, at } of acknowledged) {
      if (at < moment - MAX_LOST_MS) assert.ok(past.has(id), `animal ${id} is of an earlier time`)
      if (requestedAt > moment) assert.ok(!past.has(id), `animal ${id} is of a later time`)
    }
    assert.ok(past.size < newest.size)
    const restarted = await startServe(t, {}, { store })
    const continued = replicate(t, ['-config', handbook.configFile])
    await createPets(restarted, key, more)
    await eventually(async () => assert.equal(await restoreTo(), past.size + more), 200)
    await continued.stop()
    assert.equal((await restarted.stop('SIGTERM')).code, 0)
  }
})

/** The configuration and the commands of the handbook as they stand, in folders of the test. */
function readHandbook(place: string) {
  const section = HANDBOOK.split('\n## ').find(part => part.startsWith('Litestream\n')) ?? ''
  const blocks = [...section.matchAll(/```(?:yaml|sh)\n(.*?)```/gs)].map(([, block = '']) => block)
  const [data, replica, programs] = ['data', 'replica', 'programs'].map(name => join(place, name)) as [
    string,
    string,
    string,
  ]
  const inPlace = (block: string) =>
    block.replaceAll('/var/lib/petstore', data).replaceAll('/mnt/replica', replica).replaceAll('/var/tmp', place)
  const [config = '', , restoreNewest = ''] = blocks.map(inPlace)
  const [, option = ''] = /`(-timestamp) \S+Z`/.exec(section) ?? []
  const configFile = join(place, 'litestream.yml')
  writeFileSync(configFile, config)
  mkdirSync(programs)
  for (const [name, line] of [
    ['petstore', `exec '${process.execPath}' '${PROGRAM}' "$@"`],
    ['litestream', `command=$1; shift; exec '${LITESTREAM}' "$command" -config '${configFile}' "$@"`],
    // The test starts and stops both programs itself, as one user.
    ['systemctl', 'true'],
    ['chown', 'true'],
  ] as const) {
    writeFileSync(join(programs, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 })
  }
  return {
    data,
    replica,
    configFile,
    restoreNewest,
    restoreMomentAt: (moment: Date) =>
      restoreNewest.replace('litestream restore ', `litestream restore ${option} ${moment.toISOString()} `),
    /** Any command that fails ends it, also `petstore doctor`. */
    run: (script: string) =>
      run('/bin/sh', ['-euc', script], {
        env: { ...environment({ PETSTORE_DATA: data }), PATH: `${programs}:${process.env.PATH}` },
      }),
  }
}

async function idsOf(folder: string): Promise<Set<number>> {
  using database = new DatabaseSync(databaseFile(folder), { readOnly: true })
  return new Set(
    database
      .prepare('SELECT id FROM pet')
      .all()
      .map(({ id }) => Number(id)),
  )
}

async function createPet({ url }: Serving, key: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const response = await fetch(`${url}/v1/pets`, { method: 'POST', headers, body: '{"name":"Rex","categoryId":1}' })
  assert.equal(response.status, 201)
  return ((await response.json()) as { id: number }).id
}

async function createPets(service: Serving, key: string, count: number): Promise<void> {
  for (let created = 0; created < count; created += 1) await createPet(service, key)
}

function replicate(t: TestContext, args: readonly string[]): { stop(signal?: NodeJS.Signals): Promise<void> } {
  const child = spawn(LITESTREAM, ['replicate', ...args], { stdio: 'ignore' })
  const ended = once(child, 'exit')
  t.after(() => child.kill('SIGKILL'))
  return {
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      await ended
    },
  }
}

function countPets(file: string): number {
  using database = new DatabaseSync(file, { readOnly: true })
  return Number(database.prepare('SELECT count(*) AS pets FROM pet').get()?.pets)
}

async function countServedPets(t: TestContext, folder: string, key: string): Promise<number> {
  const service = await startServe(t, { PETSTORE_DATA: folder })
  const response = await fetch(`${service.url}/v1/pets?limit=100`, { headers: { authorization: `Bearer ${key}` } })
  const pets = (await response.json()) as unknown[]
  await service.stop('SIGTERM')
  return pets.length
}
