import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { identifyStore } from '../src/sqlite/backup/inspect.ts'
import { databaseFile } from '../src/sqlite/data-folder/store-files.ts'
import { prepareDatabase } from '../src/sqlite/prepare-database.ts'
import { inReverse } from './support/cleanup.ts'
import { makeStore, PROGRAM, type TestStore } from './support/command-line.ts'
import { canRunInstances, makeSharedStore } from './support/servers/instances.ts'
import { PREVIOUS_RELEASE, previousRelease } from './support/servers/previous-release.ts'
import { mountOwnDisk } from './support/servers/private-disk.ts'
import { callBalancer, startUnderLoad } from './support/servers/steady-load.ts'

/** Less than the backup of a small store takes. */
const ROOM_TO_OPEN_BYTES = 65_536

test('three instances are upgraded one after the other under load, and taken back, and no call fails', {
  timeout: 600_000,
}, async t => {
  const old = canRunInstances(t) ? previousRelease(t) : undefined
  if (old === undefined) return
  const load = await startUnderLoad(t, old)
  const steps: string[] = []
  for (const [direction, program] of [
    ['to this version', PROGRAM],
    [`back to ${PREVIOUS_RELEASE.version}`, old],
    ['to this version again', PROGRAM],
  ] as const) {
    const before = load.answered()
    await load.replaceAll(program)
    steps.push(`${load.answered() - before} ${direction}`)
  }
  await load.stop()
  assert.deepEqual(load.failures, [])
  assert.deepEqual(Object.keys(load.statuses).toSorted(), ['GET 200', 'POST 201'])
  const next = await callBalancer(load.port, load.key, 'POST', false)
  assert.equal(next.id, (load.statuses['POST 201'] ?? 0) + 1, 'each creation made one animal')
  t.diagnostic(`${load.answered()} calls, none failed: ${steps.join(', ')}`)
})

test('changes by operators on one version are visible on the other', async t => {
  const old = canRunInstances(t) ? previousRelease(t) : undefined
  if (old === undefined) return
  const end = inReverse(t)
  const store = await makeSharedStore(end)
  const before = async (...args: string[]) => JSON.parse(await runOld(old, store, [...args, '--json']))
  await before('account', 'create', 'Zoo', '--plan', 'free')
  await store.json('account', 'create', 'Acme', '--plan', 'pro')
  await before('account', 'create', 'Bee', '--plan', 'free')
  await before('account', 'rename', 'Bee', 'Sea')
  for (const name of ['acme', 'zoo', 'SEA']) await store.json('key', 'create', name)
  await before('key', 'create', 'Zoo')
  await assert.rejects(before('account', 'create', 'ACME', '--plan', 'free'), 'as one account for both versions')

  const { id } = await before('pet', 'add', 'Zoë', '--category', '3')
  await store.json('pet', 'correct', String(id), '--name', 'Zoë the 2nd')
  const found = await before('pet', 'list', '--name', 'zoë')
  assert.deepEqual(
    found.map(({ name }: { name: string }) => name),
    ['Zoë the 2nd'],
  )
  await before('pet', 'add', 'O\u2019Malley', '--category', '3')
  assert.equal((await before('pet', 'list', '--name', "o'm")).length, 1, 'the database folds for both')
  await before('pet', 'delete', String(id + 1), '--yes')
  await before('pet', 'correct', String(id), '--status', 'sold')
  const [pet] = await store.json('pet', 'list', '--name', 'zoe')
  assert.equal(pet.status, 'sold')
  await before('pet', 'delete', String(id), '--yes')
  assert.equal((await store.json('pet', 'count')).total ?? 0, 0)
})

test('the embedded store of the previous release is upgraded, and taken back by the backup that was made then', async t => {
  const old = previousRelease(t)
  if (old === undefined) return
  const store = await makeStore(inReverse(t))
  const before = (...args: string[]) => runOld(old, store, args)
  await before('account', 'create', 'Acme', '--plan', 'pro')
  await before('pet', 'add', 'Rex', '--category', '3')
  await store.json('pet', 'add', 'Max', '--category', '3')
  await assert.rejects(before('pet', 'list'), /a newer release wrote it/)

  const [backup = ''] = readdirSync(store.folder).filter(name => name.includes('before-upgrade'))
  assert.equal(backup, 'petstore.db.before-upgrade-3')
  assert.equal(statSync(join(store.folder, backup)).mode & 0o777, 0o600)
  await before('restore', join(store.folder, backup), '--force')
  const names = JSON.parse(await before('pet', 'list', '--json')).map(({ name }: { name: string }) => name)
  assert.deepEqual(names, ['Rex'])
})

test('an embedded store is not upgraded while its disk has no room for the backup', async t => {
  const disk = await mountOwnDisk(t)
  if (!disk) return
  const file = databaseFile(disk.folder)
  cpSync(new URL('release/store-1.0.0.db', import.meta.url), file)
  disk.fill(ROOM_TO_OPEN_BYTES)
  assert.throws(() => prepareDatabase(disk.folder, 'production'), {
    name: 'UserError',
    message: /has no room for the backup made before the upgrade; free as much space as the store takes\.$/,
  })
  disk.free()
  assert.equal(identifyStore(file).version, 1)
  assert.deepEqual(
    readdirSync(disk.folder).filter(name => /upgrade|part/.test(name)),
    [],
  )
  prepareDatabase(disk.folder, 'production')
})

/** Runs a command of the previous release, and returns what it printed. */
async function runOld(old: string, { env }: TestStore, args: readonly string[]): Promise<string> {
  const options = { env: { PATH: process.env.PATH, ...env } }
  return (await promisify(execFile)(process.execPath, [old, ...args], options)).stdout
}
