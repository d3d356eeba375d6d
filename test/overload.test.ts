import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call } from './support/call.ts'
import { startOperatorService } from './support/operator.ts'
import { parseScrape, sumOf } from './support/scrape.ts'

const CALLS = 1_000
const IMPORTED = 20_000

test(`${CALLS} calls at once on new connections, at the start and beside an import, are not an overload`, async t => {
  const service = await startOperatorService(t, { config: { overloadWaitMs: 100 }, embedded: { inThreads: true } })
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
