import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pause } from '../src/sqlite/pause.ts'
import { call, connect, formatRequest } from './support/call.ts'
import { eventually } from './support/eventually.ts'
import { startOperatorService } from './support/operator.ts'
import { parseScrape, sumOf } from './support/scrape.ts'

const CALLS = 1_000
const IMPORTED = 20_000

test(`${CALLS} calls at once on new connections, at the start and beside an import, are not an overload`, async t => {
  const service = await startOperatorService(t, {
    config: { overloadWaitMs: 100 },
    embedded: { inThreads: true },
    // The callers are in this process, too: on a busy machine, some send their call a while after they have connected.
    timeouts: { headersMs: 60_000, requestMs: 60_000 },
  })
  const { key } = await service.createCaller()
  const burst = () => Promise.all(Array.from({ length: CALLS }, () => call(service, { path: '/v1/pets', key })))
  const lines = Array.from({ length: IMPORTED }, (_, line) => `{"name":"Animal ${line}","categoryId":${line}}`)
  const atStart = await burst()
  const [imported, beside] = await Promise.all([
    service.call('POST', '/pets/import', { body: lines.join('\n'), type: 'application/x-ndjson' }),
    burst(),
  ])
  assert.equal(imported.status, 200)
  assert.deepEqual(new Set([...atStart, ...beside].map(({ status }) => status)), new Set([200]))
  const metrics = parseScrape((await service.ask('GET', '/metrics')).text)
  assert.equal(sumOf(metrics, 'petstore_overload_refused_total'), 0)
  assert.ok(service.logs.every(line => !line.includes('overload')))
})

test('the metrics and the health show an overload for as long as it lasts', async t => {
  const overload = { longWaitMs: 0, standingMs: 0, maxWaitMs: 60_000, quietMs: Number.POSITIVE_INFINITY }
  const service = await startOperatorService(t, { overload })
  const gauge = async () => sumOf(parseScrape((await service.ask('GET', '/metrics')).text), 'petstore_overloaded')
  const health = async () => (await service.call('GET', '/health')).value.state
  assert.deepEqual([await gauge(), await health()], [0, 'ok'])
  const connections = await Promise.all(Array.from({ length: 100 }, () => connect(service)))
  for (const connection of connections) {
    connection.write(formatRequest(service, { method: 'OPTIONS', path: '/v1/pets' }))
    await connection.answer('OPTIONS')
  }
  for (const connection of connections) connection.write(formatRequest(service, { path: '/v1/pets' }))
  // The service runs in this process: when it looks at its sockets again, all calls are there.
  pause(100)
  await eventually(async () => assert.equal(await gauge(), 1))
  assert.equal(await health(), 'degraded')
})
