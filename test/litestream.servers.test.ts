import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { examine } from '../src/doctor/doctor.ts'
import { databaseFile } from '../src/sqlite/data-folder/store-files.ts'
import { LITESTREAM } from '../tools/litestream.ts'
import { makeStore, runCommand, type Serving, startServe } from './support/command-line.ts'
import { eventually } from './support/eventually.ts'
import { temporaryFolder } from './support/folder.ts'
import { skip } from './support/servers/needs.ts'

test('a store that Litestream replicates is sound, can be backed up, and can be restored from the replica', {
  timeout: 120_000,
}, async t => {
  if (!existsSync(LITESTREAM)) return void skip(t, 'Litestream is not installed')
  const place = await temporaryFolder(t)
  const copy = join(place, 'copy')
  mkdirSync(copy)
  const store = await makeStore(t, { PETSTORE_COPY_TO: copy, PETSTORE_COPY_EVERY: '1' })
  const key = await store.issueKey()
  const service = await startServe(t, {}, { store })
  await createPets(service, key, 25)
  const replica = pathToFileURL(join(place, 'replica')).href
  const replication = replicate(t, databaseFile(store.folder), replica)
  await createPets(service, key, 25)

  // Litestream has created its tables once it has replicated everything.
  const replicated = join(place, 'replicated.db')
  await eventually(async () => {
    rmSync(replicated, { force: true })
    await promisify(execFile)(LITESTREAM, ['restore', '-o', replicated, replica])
    assert.equal(countPets(replicated), 50)
  })
  const backup = join(place, 'backup.db')
  await store.text('backup', backup)
  const findings = await examine(store.env, Date.now())
  assert.deepEqual(
    findings.filter(({ outcome, check }) => outcome === 'fail' || (check === 'store' && outcome !== 'ok')),
    [],
  )
  await createPets(service, key, 1)
  await service.stop('SIGTERM')
  await replication.stop()

  for (const [source, pets] of [
    [backup, 50],
    [replicated, 50],
    [copy, 51],
  ] as const) {
    const restored = await temporaryFolder(t)
    const { code, stderr } = await runCommand(['restore', source], { PETSTORE_DATA: restored })
    assert.deepEqual([code, stderr], [0, ''], source)
    assert.equal(await countServedPets(t, restored, key), pets)
  }
  const placed = await temporaryFolder(t)
  copyFileSync(replicated, databaseFile(placed))
  assert.equal(await countServedPets(t, placed, key), 50)
})

async function createPets({ url }: Serving, key: string, count: number): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  for (let created = 0; created < count; created += 1) {
    const response = await fetch(`${url}/v1/pets`, { method: 'POST', headers, body: '{"name":"Rex","categoryId":1}' })
    assert.equal(response.status, 201)
  }
}

function replicate(t: TestContext, database: string, replica: string): { stop(): Promise<void> } {
  const child = spawn(LITESTREAM, ['replicate', database, replica], { stdio: 'ignore' })
  const ended = once(child, 'exit')
  t.after(() => child.kill('SIGKILL'))
  return {
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

function countPets(file: string): number {
  using database = new DatabaseSync(file, { readOnly: true })
  return Number(database.prepare('SELECT count(*) AS pets FROM pet').get()?.pets)
}

async function countServedPets(t: TestContext, folder: string, key: string): Promise<number> {
  const service = await startServe(t, { PETSTORE_DATA: folder, PETSTORE_COPY_TO: '' })
  const response = await fetch(`${service.url}/v1/pets?limit=100`, { headers: { authorization: `Bearer ${key}` } })
  const pets = (await response.json()) as unknown[]
  await service.stop('SIGTERM')
  return pets.length
}
