import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { examine } from '../src/doctor/doctor.ts'
import { until } from './support/command-line.ts'
import { eventually } from './support/eventually.ts'
import { parseScrape, sumOf } from './support/scrape.ts'
import { mountOwnDisk } from './support/servers/private-disk.ts'
import { startTestService } from './support/service.ts'

test('a full disk of the copy stops no creation and is reported everywhere; copying resumes when it has room', {
  timeout: 90_000,
}, async t => {
  const disk = await mountOwnDisk(t)
  if (!disk) return
  const copyTo = join(disk.folder, 'copy')
  mkdirSync(copyTo)
  const service = await startTestService(t, { config: { copyTo, copyEverySeconds: 1 }, backend: 'embedded' })
  const { key } = await service.createCaller()
  const create = async () => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const body = '{"name":"Rex","categoryId":1}'
    return (await fetch(`${service.baseUrl}/pets`, { method: 'POST', headers, body })).status
  }
  const metric = async (name: string) => {
    const text = await (await fetch(`${service.operatorUrl}/metrics`)).text()
    return sumOf(parseScrape(text), name) ?? 0
  }
  const copiedTo = () => metric('petstore_copied_to_timestamp_seconds')
  const findings = async () => {
    const env = { PETSTORE_DATA: service.config.dataFolder, PETSTORE_COPY_TO: copyTo, PETSTORE_COPY_EVERY: '1' }
    const found = await examine(env, Date.now())
    return found.filter(({ check }) => check === 'copy')
  }
  await until(async () => (await copiedTo()) > 0)
  const [sound] = await findings()
  assert.equal(sound?.outcome, 'ok')
  assert.match(sound.message, /^The copy in \S+ can restore any time from \S+ to \S+\.$/)

  disk.fill()
  await eventually(async () => {
    assert.equal(await create(), 201)
    assert.ok((await metric('petstore_copy_errors_total')) > 0)
  }, 300)
  const before = await copiedTo()
  for (let creation = 0; creation < 20; creation += 1) assert.equal(await create(), 201)
  assert.equal(await copiedTo(), before)
  assert.ok(
    service.logs.some(
      line =>
        /the continuous copy failed.*the disk is full/.test(line) ||
        /the disk is full.*the continuous copy failed/.test(line),
    ),
  )
  assert.match(
    (await findings()).map(({ outcome, message }) => `${outcome} ${message}`).join('\n'),
    /warn On the disk of \S+, only /,
  )

  disk.free()
  const now = Date.now() / 1_000
  await until(async () => (await copiedTo()) > now)
  assert.ok(service.logs.some(line => line.includes('the continuous copy works again')))
})
