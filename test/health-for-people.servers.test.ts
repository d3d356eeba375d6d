import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from './support/eventually.ts'
import { type AdminItem, type OperatorService, startOperatorService } from './support/operator.ts'
import { skip } from './support/servers/needs.ts'
import { noPostgres } from './support/servers/postgres.ts'
import { noRedis, startRedis } from './support/servers/redis.ts'

// What operators see of PostgreSQL and Redis through the admin API.

test('the health says that Redis is lost, why and since when, and that it is back', async t => {
  const missing = noPostgres ?? noRedis
  if (missing) return void skip(t, missing)
  const redis = await startRedis()
  t.after(() => redis.close())
  const service = await startOperatorService(t, { backend: 'scaled', config: { redisUrls: [redis.url] } })
  const healthy = await readHealth(service)
  assert.equal(healthy.state, 'ok')
  assert.deepEqual(statesOf(healthy), { store: 'ok', service: 'ok', counting: 'ok', clock: 'ok', changes: 'ok' })

  await redis.signal('SIGKILL')
  const degraded = await eventually(async () => {
    const health = await readHealth(service)
    assert.equal(health.state, 'degraded')
    return health
  })
  assert.deepEqual(statesOf(degraded), { store: 'ok', service: 'ok', counting: 'degraded', clock: 'ok', changes: 'ok' })
  const { message, since } = degraded.parts.find(({ part }: AdminItem) => part === 'counting')
  assert.match(message, /Without Redis, this instance counts its own share of the calls\.$/)
  assert.equal(since, new Date(service.clock.now).toISOString())

  await redis.start()
  await eventually(async () => assert.equal((await readHealth(service)).state, 'ok'))
})

test('the doctor and the settings of a service on PostgreSQL and Redis contain no password', async t => {
  const missing = noPostgres ?? noRedis
  if (missing) return void skip(t, missing)
  const redis = await startRedis()
  t.after(() => redis.close())
  const service = await startOperatorService(t, {
    now: Date.now(),
    backend: 'scaled',
    config: { redisUrls: [redis.url.replace('redis://', 'redis://:pass-secret@')] },
  })
  const settings = await service.call('GET', '/settings')
  const place = new URL(redis.url).host
  const shown = settings.value.find(({ name }: AdminItem) => name === 'PETSTORE_REDIS_URL')
  assert.equal(new URL(shown.value).host, place)
  const doctor = await service.call('GET', '/doctor')
  const ofRedis = doctor.value.findings.filter(({ check }: AdminItem) => check === 'redis')
  assert.ok(ofRedis[0].message.includes(` responds at ${place}; `), ofRedis[0].message)
  const database = doctor.value.findings.find(({ check }: AdminItem) => check === 'store')
  assert.match(database.message, /^The production store can be used/)
  for (const { text } of [settings, doctor]) assert.ok(!text.includes('pass-secret'))
  assert.ok(!service.logs.join('').includes('pass-secret'))
})

async function readHealth(service: OperatorService): Promise<AdminItem> {
  return (await service.call('GET', '/health')).value
}

function statesOf({ parts }: AdminItem): Record<string, string> {
  return Object.fromEntries(parts.map(({ part, state }: AdminItem) => [part, state]))
}
