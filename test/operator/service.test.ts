import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { ownBuild } from '../../src/app/build.ts'
import { describeSettings } from '../../src/app/describe-settings.ts'
import { SETTINGS, TOPICS } from '../../src/app/settings.ts'
import { StoreUnavailable } from '../../src/domain/errors.ts'
import { call as callPublic } from '../support/call.ts'
import { openDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { assertRefused, startOperatorService } from '../support/operator.ts'
import { lockWrites } from '../support/write-lock.ts'

// What operators can find out about the service as it runs.

const service = await startOperatorService({ after })
const { token } = service.staff

test('the version shows which program runs, as which deployment, where and since when', async () => {
  const { value } = await service.call('GET', '/version', { token })
  assert.deepEqual(value, {
    ...(await ownBuild()),
    api: '1.0.0',
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
    deployment: 'production',
    publicUrl: service.baseUrl,
    startedAt: new Date(service.clock.now).toISOString(),
  })
})

test('the health of a service that works is ok', async () => {
  const { value } = await service.call('GET', '/health', { token })
  assert.equal(value.state, 'ok')
  assert.equal(value.instances, 1n)
  assert.deepEqual(
    value.parts.map(({ part, state }: { part: string; state: string }) => `${part} ${state}`),
    ['store ok', 'disk ok', 'service ok', 'counting ok', 'clock ok'],
  )
})

test('the health says why the store fails, and that it works again', async t => {
  const another = await startOperatorService(t)
  const check = another.store.check
  another.store.check = () => Promise.reject(new StoreUnavailable('The disk is full.'))
  const failing = (await another.call('GET', '/health')).value
  assert.equal(failing.state, 'failing')
  assert.deepEqual(failing.parts[0], { part: 'store', state: 'failing', message: 'The disk is full.', since: null })
  another.store.check = check
  await eventually(async () => assert.equal((await another.call('GET', '/health')).value.state, 'ok'))
})

test('the health says how much of the disk is free', async t => {
  let freeBytes = 900 * 1024 ** 2
  const diskSpace = () => ({ freeBytes, totalBytes: 100 * 1024 ** 3 })
  const another = await startOperatorService(t, { backend: 'embedded', diskSpace })
  const ofDisk = async () => {
    const { state, parts } = (await another.call('GET', '/health')).value
    return [state, parts.find(({ part }: { part: string }) => part === 'disk')]
  }
  const only = 'Of the disk with the store, only'
  const message = `${only} 900.0 MiB of 100.0 GiB are free: free up space soon.`
  assert.deepEqual(await ofDisk(), ['degraded', { part: 'disk', state: 'degraded', message, since: null }])
  freeBytes = 50 * 1024 ** 2
  const failing = `${only} 50.0 MiB of 100.0 GiB are free: free up space, or writes will fail.`
  assert.deepEqual(await ofDisk(), ['failing', { part: 'disk', state: 'failing', message: failing, since: null }])
})

test('every setting is shown with its value, its default, its source and its meaning', async () => {
  const { value } = await service.call('GET', '/settings', { token })
  const names = value.map(({ name }: { name: string }) => name)
  assert.deepEqual(
    names,
    Object.values(SETTINGS).map(({ name }) => name),
  )
  const folder = value.find(({ name }: { name: string }) => name === 'PETSTORE_DATA')
  assert.deepEqual(folder, {
    name: 'PETSTORE_DATA',
    topic: 'Data',
    value: service.config.dataFolder,
    default: './data',
    source: 'environment',
    meaning: SETTINGS.dataFolder.meaning,
  })
  const port = value.find(({ name }: { name: string }) => name === 'PETSTORE_PORT')
  assert.deepEqual([port.value, port.default, port.source], ['8080', '8080', 'default'])
})

test('settings are listed topic by topic', () => {
  const topics = Object.values(SETTINGS).map(({ topic }) => topic)
  assert.deepEqual(
    topics.filter((topic, at) => topic !== topics[at - 1]),
    TOPICS,
  )
})

test('no setting shows a user name, a password or another secret', () => {
  const shown = describeSettings({
    PETSTORE_DATABASE_URL: 'postgres://user-secret:pass-secret@db.example.com:5433/petstore?sslpassword=ssl-secret',
    PETSTORE_REDIS_URL: 'rediss://:pass-secret@one.example.com:6380/0?password=secret,redis://u-secret:p-secret@two',
  })
  const values = new Map(shown.map(({ name, value }) => [name, value]))
  assert.equal(values.get('PETSTORE_DATABASE_URL'), 'postgres://db.example.com:5433/petstore')
  assert.equal(values.get('PETSTORE_REDIS_URL'), 'rediss://one.example.com:6380/0,redis://two')
  const local = describeSettings({ PETSTORE_DATABASE_URL: 'postgres:///petstore?host=/run/postgresql&password=secret' })
  const database = local.find(({ name }) => name === 'PETSTORE_DATABASE_URL')
  assert.equal(database?.value, 'postgres:///petstore?host=/run/postgresql')
})

test('the doctor finds what petstore doctor finds', async t => {
  const another = await startOperatorService(t, { now: Date.now() })
  const { value } = await another.call('GET', '/doctor')
  assert.equal(value.ok, true)
  const found = (check: string) => value.findings.find((one: { check: string }) => one.check === check)
  assert.match(found('store').message, /^The production store is intact/)
  assert.match(found('service').message, /^A service, or petstore migrate-store, is running/)
})

test('the doctor reports a problem, and what to do about it', async t => {
  const another = await startOperatorService(t, { embedded: { inThreads: true } })
  const release = await lockWrites(another.config.dataFolder)
  t.after(release)
  const { value } = await another.call('GET', '/doctor')
  assert.equal(value.ok, false)
  const failed = value.findings.filter(({ outcome }: { outcome: string }) => outcome === 'fail')
  assert.match(failed[0].message, /holds the write lock of the store: stop it/)
})

test('calls are answered while the doctor works, and the store stays locked for other services', async t => {
  const another = await startOperatorService(t, { embedded: { inThreads: true } })
  const { key } = await another.createCaller()
  // The doctor reads each of them, which takes longer than the calls below on any machine.
  const animals = openDatabase(another.config.dataFolder)
  animals.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30_000)
    INSERT INTO pet (name, category_id, status) SELECT 'Rex ' || i, i, 'available' FROM n`)
  animals.close()
  const examined = another.call('GET', '/doctor')
  let answered = 0
  let isDone = false
  examined.finally(() => {
    isDone = true
  })
  while (!isDone) {
    assert.equal((await callPublic(another, { path: '/v1/pets', key })).status, 200)
    answered += 1
    // Leaves time for the doctor if there is only one core.
    await setTimeout(5)
  }
  assert.equal((await examined).status, 200)
  assert.ok(answered > 10, `${answered} calls`)
  await assert.rejects(another.startAnother(), /is running on the folder/)
})

test('operators who run the doctor at the same time share one run', async t => {
  const another = await startOperatorService(t)
  const answers = await Promise.all(Array.from({ length: 5 }, () => another.call('GET', '/doctor')))
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
})

test('a service that stops ends the doctor, and does not wait for it', async t => {
  const another = await startOperatorService(t)
  const examined = another.call('GET', '/doctor')
  await another.call('GET', '/version')
  await another.close()
  assertRefused(await examined, 'service_unavailable')
})
