import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { pause } from '../../src/sqlite/pause.ts'
import { assertRefused, type Call, call, connect, formatRequest } from '../support/call.ts'
import { eventually } from '../support/eventually.ts'
import { loadDescription } from '../support/openapi.ts'
import { petJson } from '../support/pets.ts'
import { only, readRate } from '../support/rate.ts'
import { type Answer, rawCall } from '../support/raw.ts'
import { parseScrape, sumOf } from '../support/scrape.ts'
import { startTestService } from '../support/service.ts'
import { portOf } from '../support/started.ts'

// Contract, "Overload". Here, a call that has to wait at all while others run is already an overload.
const CALLERS = 300
const ARRIVAL_MS = 300
const service = await startTestService(
  { after },
  { overload: { longWaitMs: 0, standingMs: 0, maxWaitMs: 0, quietMs: 0 } },
)
const { key } = await service.createCaller()
const description = await loadDescription()

const REQUESTS: readonly Call[] = [
  { method: 'GET', path: '/v1/pets', key },
  { method: 'HEAD', path: '/v1/pets', key },
  { method: 'GET', path: '/v1/pets/1', key },
  { method: 'POST', path: '/v1/pets', key, body: petJson() },
  { method: 'GET', path: '/v1/pets' },
]
/** Sent on the last connection. It is not valid, and the bytes after it must not be read as a call. */
const MALFORMED = 'POST /v1/pets HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'

test('during an overload, calls are refused with 503 overloaded and Retry-After, neither counted nor carried out', async () => {
  const connections = await Promise.all(Array.from({ length: CALLERS }, () => connect(service)))
  const malformed = await connect(service)
  // The service accepts one connection at a time: only those that it has accepted can all call at once.
  for (const connection of [...connections, malformed]) {
    connection.write(formatRequest(service, { method: 'OPTIONS', path: '/v1/pets' }))
    assert.equal((await connection.answer('OPTIONS')).status, 204)
  }
  const requests = connections.map((_, index) => REQUESTS[index % REQUESTS.length] as Call)
  for (const [index, connection] of connections.entries()) {
    connection.write(formatRequest(service, requests[index] as Call))
  }
  malformed.write(MALFORMED)
  // The service runs in this process. When it looks at its sockets again, all calls are there, even if a balancer has brought them.
  pause(ARRIVAL_MS)
  assert.deepEqual(
    (await malformed.answersUntilEnd(['POST'])).map(({ status }) => status),
    [400],
  )
  const answers = await Promise.all(connections.map((connection, index) => connection.answer(requests[index]?.method)))
  const refused: Answer[] = []
  for (const [index, answer] of answers.entries()) {
    const { method = '', path } = requests[index] as Call
    description?.check(method, path, answer)
    if (answer.status !== 503) continue
    refused.push(answer)
    assert.equal(only(answer, 'Retry-After'), '1')
    if (method !== 'HEAD') assertRefused(answer, 'overloaded')
    // The key has not been read: the limits shown are those of the address.
    assert.deepEqual(Object.keys(readRate(answer).windows), ['anonymous'])
  }
  assert.ok(refused.length > 0 && refused.length < CALLERS, `${refused.length} of ${CALLERS} were refused`)

  const isCounted = ({ status }: Answer, index: number) => status !== 503 && requests[index]?.key !== undefined
  const counted = answers.filter(isCounted).length
  const next = await call(service, { path: '/v1/pets', key })
  assert.equal(readRate(next).windows.minute?.remaining, 1_000_000 - counted - 1)
  const created = answers.filter(({ status }) => status === 201).length
  assert.equal((await service.store.listPets({ status: undefined, afterId: 0n, limit: 100 })).pets.length, created)

  // A refused call ends no connection: each is answered again, now that there are fewer.
  for (const connection of connections) {
    connection.write(formatRequest(service, { path: '/v1/pets', key }))
    assert.equal((await connection.answer()).status, 200)
    connection.destroy()
  }
  await eventually(async () => {
    const metrics = await Promise.all(service.instances.map(({ operatorUrl }) => scrape(operatorUrl)))
    const all = metrics.flat()
    assert.equal(sumOf(all, 'petstore_overload_refused_total'), refused.length)
    assert.equal(sumOf(all, 'petstore_http_requests_total', { status: '503' }), refused.length)
    assert.equal(sumOf(all, 'petstore_http_requests_total', { status: '503', operation: 'none' }) ?? 0, 0)
    assert.equal(sumOf(all, 'petstore_overloaded'), 0)
    assert.equal(sumOf(all, 'petstore_store_errors_total'), 0)
  })
  const lines = service.logs.map(line => JSON.parse(line))
  const ended = lines.filter(({ msg }) => msg === 'the overload has ended')
  assert.equal(
    ended.reduce((sum, line) => sum + line.refused, 0),
    refused.length,
  )
  assert.equal(lines.filter(({ msg }) => msg.startsWith('overloaded: ')).length, ended.length)
  assert.ok(lines.every(({ code }) => code !== 'overloaded'))
})

async function scrape(operatorUrl: string) {
  const [answer] = await rawCall(portOf(operatorUrl), 'GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
  return parseScrape(answer?.text ?? '')
}
