import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { call as callPublic, sendUntilEnd } from '../support/call.ts'
import { startOperatorService } from '../support/operator.ts'
import { createPet } from '../support/pets.ts'
import { parseScrape, type Series, sumOf } from '../support/scrape.ts'

// The metrics as Prometheus reads them. The meaning of each metric is tested in src/metrics.

const service = await startOperatorService({ after }, { config: { anonymousPerMinute: 12 } })

test('the metrics are in the format of Prometheus, without a token', async () => {
  const answer = await service.ask('GET', '/metrics', { token: null })
  assert.equal(answer.status, 200)
  assert.match(answer.header('content-type') ?? '', /^text\/plain; version=0\.0\.4; charset=utf-8$/)
  assert.ok(parseScrape(answer.text).length > 50)
})

test('a call of the public API counts as a request and as an outcome for its plan', async () => {
  const { key } = await service.createCaller({ limits: { perMinute: 3 } })
  const moved = await whatMoves(async () => {
    await createPet(service, key)
    for (let n = 0; n < 4; n += 1) await callPublic(service, { path: '/v1/pets', key })
  })
  assert.equal(moved('petstore_http_requests_total', { operation: 'createPet', status: '201' }), 1)
  assert.equal(moved('petstore_http_requests_total', { operation: 'listPets', status: '200' }), 2)
  assert.equal(moved('petstore_http_requests_total', { operation: 'listPets', status: '429' }), 2)
  assert.equal(moved('petstore_calls_total', { plan: 'enterprise', outcome: 'admitted' }), 3)
  assert.equal(moved('petstore_calls_total', { plan: 'enterprise', outcome: 'refused' }), 2)
  assert.equal(moved('petstore_http_request_duration_seconds_count'), 5)
  assert.ok(moved('petstore_store_commit_writes_sum') >= 1)
  assert.ok(moved('petstore_store_commit_duration_seconds_count') >= 1)
})

test('calls without a key over the limit of their address are counted', async () => {
  const moved = await whatMoves(async () => {
    for (let n = 0; n < 15; n += 1) await callPublic(service, { path: '/v1/pets' })
  })
  assert.equal(moved('petstore_anonymous_refused_total'), 3)
  assert.equal(moved('petstore_calls_total'), 0)
})

test('bytes that are not a request are counted by the code of the refusal', async () => {
  const moved = await whatMoves(async () => {
    service.clock.advanceSeconds(60)
    await sendUntilEnd(service, 'nonsense\r\n\r\n')
  })
  assert.equal(moved('petstore_connections_refused_total', { code: 'malformed_request' }), 1)
})

test('every operation of both APIs has its own series from the start', async () => {
  const series = parseScrape((await service.ask('GET', '/metrics', { token: null })).text)
  for (const [url, metric] of [
    [`${service.url}/openapi.json`, 'petstore_http_requests_total'],
    [`${service.operatorUrl}/openapi.json`, 'petstore_operator_requests_total'],
  ] as const) {
    const { paths } = (await (await fetch(url)).json()) as Document
    const operations = Object.values(paths).flatMap(methods => Object.values(methods))
    for (const { operationId } of operations) {
      const row = { operation: operationId, status: '503' }
      assert.equal(sumOf(series, metric, row), 0, `${metric} of ${operationId}`)
    }
  }
})

interface Document {
  paths: Record<string, Record<string, { operationId: string }>>
}

test('calls of the admin API are counted by operation and status, separately from the public API', async () => {
  const moved = await whatMoves(async () => {
    await service.call('GET', '/pets')
    await service.call('GET', '/pets', { token: null })
    await service.call('POST', '/accounts', { token: service.staff.token, body: {} })
    await service.ask('GET', '/livez')
    await service.ask('GET', '/nothing')
  })
  const requests = (operation: string, status: string) =>
    moved('petstore_operator_requests_total', { operation, status })
  assert.deepEqual(
    [
      requests('searchPets', '200'),
      requests('searchPets', '401'),
      requests('createAccount', '403'),
      requests('livez', '200'),
      requests('none', '404'),
    ],
    [1, 1, 1, 1, 1],
  )
  assert.equal(moved('petstore_http_requests_total'), 0)
})

test('nothing that a client sends adds a series', async () => {
  const series = async () => (await scrape()).map(({ name, labels }) => name + JSON.stringify(labels)).toSorted()
  for (const path of ['/v1/one', '/one']) await callPublic(service, { path })
  await service.ask('GET', '/one')
  const before = await series()
  for (const path of ['/v1/one', '/v1/two', '/three']) {
    await callPublic(service, { path, headers: { 'User-Agent': path } })
    await service.ask('GET', path)
  }
  const added = (await series()).filter(one => !before.includes(one))
  assert.deepEqual(added, [])
})

async function scrape(): Promise<Series[]> {
  return parseScrape((await service.ask('GET', '/metrics')).text)
}

/** By how much each metric has increased during an action. */
async function whatMoves(
  work: () => Promise<void>,
): Promise<(name: string, labels?: Record<string, string>) => number> {
  const before = await scrape()
  await work()
  const after = await scrape()
  return (name, labels = {}) => {
    const sum = sumOf(after, name, labels)
    assert.notEqual(sum, undefined, `there is ${name}`)
    return (sum ?? 0) - (sumOf(before, name, labels) ?? 0)
  }
}
