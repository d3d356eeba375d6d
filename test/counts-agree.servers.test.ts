import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Redis } from 'ioredis'
import { daysFrom } from '../src/domain/usage.ts'
import { keysOf } from '../src/redis/keys.ts'
import { call } from './support/call.ts'
import { eventually } from './support/eventually.ts'
import { skip } from './support/servers/needs.ts'
import { noPostgres } from './support/servers/postgres.ts'
import { noRedis, startRedis } from './support/servers/redis.ts'
import { startTestService } from './support/service.ts'

test('calls whose decision is awaited when Redis falls silent are counted, logged and in the usage once', async t => {
  const missing = noPostgres ?? noRedis
  if (missing) return void skip(t, missing)
  const server = await startRedis()
  t.after(() => server.close())
  const redis = new Redis(server.url)
  t.after(() => redis.disconnect())
  const service = await startTestService(t, { backend: 'scaled', config: { redisUrls: [server.url] } })
  const { key, account } = await service.createCaller()
  const callTimes = async (times: number) => {
    const calls = Array.from({ length: times }, () => call(service, { path: '/v1/pets', key }))
    for (const { status } of await Promise.all(calls)) assert.equal(status, 200)
  }

  await callTimes(20)
  await server.signal('SIGSTOP')
  await callTimes(50)
  assert.equal(service.logs.filter(line => line.includes('Redis is unavailable')).length, 1)
  await callTimes(20)
  await server.signal('SIGCONT')
  await eventually(() => assert.ok(service.logs.some(line => line.includes('Redis is available again'))))
  await callTimes(10)

  assert.equal(Number(await redis.hget(keysOf(service.store).account(account.id), 'used1')), 100)
  await service.close()
  assert.equal(service.logs.join('').split('"listPets"').length - 1, 100)
  const store = await service.openStore()
  const [sum] = await store.sumUsage({ range: daysFrom(0, 100_000), accountId: account.id, by: ['operation'] })
  assert.deepEqual([sum?.admitted, sum?.status2xx], [100, 100])
})
