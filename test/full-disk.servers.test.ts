import assert from 'node:assert/strict'
import { existsSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { examine } from '../src/app/checks/examine.ts'
import { StoreFull } from '../src/domain/errors.ts'
import { databaseFile } from '../src/sqlite/data-folder/store-files.ts'
import { prepareDatabase } from '../src/sqlite/prepare-database.ts'
import { lockForServing } from '../src/sqlite/serving-lock.ts'
import { SqliteStore } from '../src/sqlite/store.ts'
import { call } from './support/call.ts'
import type { Cleanup } from './support/cleanup.ts'
import { makeStore, startServe } from './support/command-line.ts'
import { execute } from './support/database.ts'
import { eventually } from './support/eventually.ts'
import { temporaryFolder } from './support/folder.ts'
import { assertRefused, startOperatorService } from './support/operator.ts'
import { skip } from './support/servers/needs.ts'
import { mountDisk } from './support/servers/private-disk.ts'
import { runInTurn } from './support/shared-command-process.ts'

// The disk of the store is full. Temporary files are on another disk, unless a test says so.

const MEGABYTES = 24
/** Too much for what is left of the disk: the log alone takes more than twice as much as the file. */
const LEFT_BYTES = 2_000_000
const MANY = `name,categoryId\n${'Rex the first of many animals,7\n'.repeat(60_000)}`

/** A disk, and a cleanup for what uses it: that must end before the disk does. */
async function openDisk(t: TestContext) {
  const opened = new AsyncDisposableStack()
  t.after(() => opened.disposeAsync())
  const cleanup: Cleanup = { after: end => void opened.defer(async () => void (await end())) }
  try {
    return { disk: await mountDisk(cleanup, MEGABYTES), cleanup }
  } catch {
    skip(t, 'a file system cannot be made and mounted')
    return undefined
  }
}

function logBytes(folder: string): number {
  return statSync(join(folder, 'petstore.db-wal')).size
}

test('an import that fills the disk of the store says so, imports nothing and gives the space back', async t => {
  const opened = await openDisk(t)
  if (!opened) return
  const { disk, cleanup } = opened
  const service = await startOperatorService(cleanup, { config: { dataFolder: disk.folder } })
  disk.fill(LEFT_BYTES)
  const answer = await service.call('POST', '/pets/import', { body: MANY, type: 'text/csv' })
  assertRefused(answer, 'store_full', /^The disk of the store is full; retrying does not help/)
  assert.equal(answer.header('retry-after'), '60')
  assert.ok(logBytes(disk.folder) < 100_000, `the log has ${logBytes(disk.folder)} bytes`)
  assert.equal((await service.call('GET', '/pets/totals')).value.total, 0n)
  assert.equal((await service.call('POST', '/pets', { body: { name: 'Rex', categoryId: 7 } })).status, 201)
})

test('doctor warns that the disk of the backups is nearly full', async t => {
  const opened = await openDisk(t)
  if (!opened) return
  const settings = { PETSTORE_DATA: await temporaryFolder(t), PETSTORE_BACKUP_TO: opened.disk.folder }
  const findings = await examine(settings, Date.now())
  const warnings = findings.filter(({ check, outcome }) => check === 'backup' && outcome === 'warn')
  assert.match(warnings[0]?.message ?? '', /^On the disk of \S+, only .* are free: /)
})

test('doctor and the health report the disk to which the file of the store is a link', async t => {
  const opened = await openDisk(t)
  if (!opened) return
  const { disk, cleanup } = opened
  const store = await makeStore(cleanup)
  symlinkSync(join(disk.folder, 'store.db'), databaseFile(store.folder))
  const { operatorUrl } = await startServe(cleanup, {}, { store })
  const { token } = await store.json('token', 'create', 'ops', '--role', 'staff')
  disk.fill()
  const failed = (await examine(store.env, Date.now())).filter(({ outcome }) => outcome === 'fail')
  const words = failed.map(({ check, message }) => `${check} ${message}`).join('\n')
  assert.match(words, /^writing The disk of .*\ndisk .* its log [1-9].*; only 0 bytes of [^\n]*$/)
  const answer = await fetch(`${operatorUrl}/admin/v1/health`, { headers: { authorization: `Bearer ${token}` } })
  assert.match(await answer.text(), /"Of the disk with the store, only 0 bytes of /)
})

test('an import or export for which the disk of temporary files has no room gets 503, and works once there is space', async t => {
  const opened = await openDisk(t)
  if (!opened) return
  const { disk, cleanup } = opened
  const { TMPDIR } = process.env
  process.env.TMPDIR = disk.folder
  const service = await startOperatorService(cleanup).finally(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
  })
  await service.call('POST', '/pets', { body: { name: 'Rex', categoryId: 7 } })
  disk.fill()
  const upload = { body: MANY, type: 'text/csv' }
  const answer = await service.call('POST', '/pets/import', upload)
  assertRefused(
    answer,
    'store_full',
    /^A temporary file cannot be written \(.*\); set TMPDIR to a folder with enough room\.$/,
  )
  assert.equal(answer.header('retry-after'), '60')
  assertRefused(await service.call('GET', '/pets/export'), 'store_full')
  disk.free()
  assert.equal((await service.call('POST', '/pets/import', upload)).value.imported, 60_000n)
})

test('an update from a file that fills the disk of the store says so, and changes nothing', async t => {
  const opened = await openDisk(t)
  if (!opened) return
  const { disk, cleanup } = opened
  const service = await startOperatorService(cleanup, { config: { dataFolder: disk.folder } })
  const count = 30_000
  await service.call('POST', '/pets/import', { body: `name,categoryId\n${'Rex,7\n'.repeat(count)}`, type: 'text/csv' })
  disk.fill(LEFT_BYTES)
  const lines = Array.from({ length: count }, (_, index) => `${index + 1},Bella with a longer name\n`)
  const update = { body: `id,name\n${lines.join('')}`, type: 'text/csv' }
  assertRefused(await service.call('POST', '/pets/import?mode=update', update), 'store_full')
  assert.equal((await service.call('GET', '/pets/1')).value.name, 'Rex')
  disk.free()
  assert.equal((await service.call('POST', '/pets/import?mode=update', update)).value.updated, BigInt(count))
})

test('a change of many animals that fills the disk of the store changes nothing and gives the space back', async t => {
  const opened = await openDisk(t)
  if (!opened) return
  const { disk, cleanup } = opened
  const service = await startOperatorService(cleanup, { config: { dataFolder: disk.folder } })
  await service.call('POST', '/pets/import', { body: `name,categoryId\n${'Rex,7\n'.repeat(10_000)}`, type: 'text/csv' })
  // Later, that would fill the log again.
  await service.store.indexPets({ minAnimals: 1, maxMs: 60_000 })
  const filter = { status: ['available'] }
  const { version } = (await service.call('POST', '/pets/bulk/preview', { body: { filter } })).value
  execute(join(disk.folder, 'petstore.db'), 'PRAGMA wal_checkpoint(TRUNCATE)')
  disk.fill(LEFT_BYTES / 4)
  const change = { body: { filter, change: { status: 'sold' }, version } }
  assertRefused(await service.call('POST', '/pets/bulk/correct', change), 'store_full')
  assert.ok(logBytes(disk.folder) < 100_000, `the log has ${logBytes(disk.folder)} bytes`)
  assert.equal((await service.call('GET', '/pets/1')).value.status, 'available')
})

test('every write says that the disk of the store is full, and works again once there is space', async t => {
  const opened = await openDisk(t)
  if (!opened) return
  const { disk, cleanup } = opened
  const service = await startOperatorService(cleanup, { config: { dataFolder: disk.folder } })
  const { key } = await service.createCaller()
  const pet = JSON.stringify({ name: 'Rex', categoryId: 7 })
  const create = () => call(service, { method: 'POST', path: '/v1/pets', key, body: pet })
  disk.fill()
  const created = await create()
  assert.equal(created.status, 503)
  assert.equal(created.json.code, 'store_full')
  // The refused write has given back the little space that it had taken.
  disk.fill()
  assertRefused(await service.call('POST', '/pets', { body: { name: 'Rex', categoryId: 7 } }), 'store_full')
  disk.fill()
  assertRefused(await service.call('POST', '/accounts', { body: { name: 'Shop', plan: 'free' } }), 'store_full')
  assert.equal((await call(service, { method: 'GET', path: '/v1/pets', key })).status, 200)
  disk.free()
  assert.equal((await create()).status, 201)
})

test('a service whose disk is too full for a call is not ready, and ready again once there is space', async t => {
  const opened = await openDisk(t)
  if (!opened) return
  const { disk, cleanup } = opened
  const service = await startOperatorService(cleanup, { config: { dataFolder: disk.folder } })
  const { key } = await service.createCaller()
  const headers = { 'Idempotency-Key': 'a-larger-write-than-that-of-a-probe' }
  const body = JSON.stringify({ name: 'Rex', categoryId: 7 })
  disk.fill()
  // Between the two, a smaller write may succeed, which the service makes now and then.
  await eventually(async () => {
    const { json } = await call(service, { method: 'POST', path: '/v1/pets', key, headers, body })
    assert.equal(json.code, 'store_full')
    const readiness = await service.ask('GET', '/readyz')
    assertRefused(readiness, 'service_unavailable', /^Not ready: The disk of the store is full/)
  })
  disk.free()
  await eventually(async () => assert.equal((await service.ask('GET', '/readyz')).status, 200))
})

test('an import on the command line says that the disk of the store is full, and gives the space back', async t => {
  const opened = await openDisk(t)
  if (!opened) return
  const { disk, cleanup } = opened
  prepareDatabase(disk.folder, 'production')
  const file = join(await temporaryFolder(t), 'pets.csv')
  await writeFile(file, MANY)
  disk.fill(LEFT_BYTES)
  const [ending] = await runInTurn([['pet', 'import', file]], { ...process.env, PETSTORE_DATA: disk.folder })
  const stderr = 'error: The disk of the store is full. Nothing was written; free some space, then try again.\n'
  assert.deepEqual(ending, { code: 1, stdout: '', stderr })
  const store = await SqliteStore.open(disk.folder, 'production')
  cleanup.after(() => store.close())
  assert.deepEqual((await store.listPets({ status: undefined, afterId: 0n, limit: 1 })).pets, [])
  await store.createPet({ name: 'Rex', categoryId: 7n, status: 'available' }, Date.now())
})

test('a command that cannot even read, because SQLite needs a file for that, says that the disk is full', async t => {
  const opened = await openDisk(t)
  if (!opened) return
  const { folder, fill } = opened.disk
  prepareDatabase(folder, 'production')
  fill()
  const backup = ['backup', join(await temporaryFolder(t), 'backup.db')]
  const stderr = `error: The disk of ${join(folder, 'petstore.db')} is full.\n`
  for (const ending of await runInTurn([['pet', 'list'], backup], { ...process.env, PETSTORE_DATA: folder })) {
    assert.deepEqual(ending, { code: 1, stdout: '', stderr })
  }
  assert.throws(() => lockForServing(folder), /The disk of \S+serving\.lock is full\.$/)
})

test('a store that does not fit on the disk is not created, not even in part, and is once there is space', async t => {
  const opened = await openDisk(t)
  if (!opened) return
  const { disk } = opened
  const folder = join(disk.folder, 'data')
  const refused = []
  for (let left = 100_000; left <= 700_000; left += 50_000) {
    disk.fill(left)
    try {
      prepareDatabase(folder, 'production')
    } catch (error) {
      assert.match(String(error), /The disk of \S+ is full\./)
      assert.ok(!existsSync(join(folder, 'petstore.db')))
      refused.push(left)
    }
    disk.free()
    prepareDatabase(folder, 'production')
    rmSync(folder, { recursive: true })
  }
  assert.ok(refused.length > 3 && refused.length < 12, `refused with ${refused} bytes left`)
})

test('a store without threads reports a full disk as well', async t => {
  const opened = await openDisk(t)
  if (!opened) return
  const { disk, cleanup } = opened
  const store = await SqliteStore.open(disk.folder, 'production', { inThreads: false })
  cleanup.after(() => store.close())
  disk.fill()
  const name = 'x'.repeat(255)
  const fill = async () => {
    for (;;) await store.createPet({ name, categoryId: 7n, status: 'available' }, Date.now())
  }
  await assert.rejects(fill, StoreFull)
})
