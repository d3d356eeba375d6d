import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { after, type TestContext, test } from 'node:test'
import {
  NetworkError,
  NotFoundError,
  PetstoreClient,
  type PetstoreError,
  ServiceError,
} from '../../client/src/index.ts'
import { errorOf } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { CUT_BEFORE } from '../support/faults.ts'
import { startFaultyProxy } from '../support/faulty-proxy.ts'
import { startTestService } from '../support/service.ts'

// A mistake in the base address is reported immediately or within seconds, with the address and what to do.

/** Far below the 90 seconds that a call may take, and far above the time that the error takes. */
const SOON_MS = 20_000

const service = await startTestService({ after })
const { key } = await service.createCaller()

for (const [path, likely] of [
  ['', '/v1'],
  ['/', '/v1'],
  ['/V1', '/v1'],
  ['/v2', '/v1'],
  ['/docs', '/v1'],
  ['/v1/more', '/v1'],
  ['/api', '/api/v1'],
  ['/api/v1/more', '/api/v1'],
] as const) {
  test(`an address that ends in "${path}" is a NotFoundError that names the likely one`, async () => {
    const error = await failureAt(service.url + path)
    assert.ok(error instanceof NotFoundError, String(error))
    assert.equal(`${error.status} ${error.code}`, '404 route_not_found')
    const given = service.url + path.replace(/\/$/, '')
    assert.ok(error.message.endsWith(` baseUrl is ${given}; did you mean ${service.url}${likely}?`), error.message)
    assert.ok(error.requestId && service.logs.some(line => line.includes(error.requestId ?? '')))
  })
}

test('a server that is not a Petstore is a ServiceError with its address', async t => {
  const { url } = await startServer(t, (_, response) => response.end('<html>'))
  const error = await failureAt(`${url}/v1`)
  assert.ok(error instanceof ServiceError)
  assert.equal(error.message, `The response does not come from a Petstore. Check baseUrl: ${url}/v1.`)
  assert.match((await failureAt(url)).message, /did you mean http:\/\/127\.0\.0\.1:\d+\/v1\?$/)
})

test('a redirect is a ServiceError with its target', async t => {
  const { url } = await startServer(t, (request, response) => {
    response.writeHead(308, { location: `https://petstore.example${request.url}` }).end()
  })
  const error = await failureAt(`${url}/v1`)
  assert.ok(error instanceof ServiceError)
  assert.match(error.message, /^The response redirects to https:\/\/petstore\.example\/v1\/pets, /)
})

test('an address where nothing responds soon gives a NetworkError with the address and the reason', async () => {
  const port = await freePort()
  for (const [address, reason] of [
    [`http://127.0.0.1:${port}/v1`, `connect ECONNREFUSED 127.0.0.1:${port}`],
    ['http://petstore.invalid/v1', 'getaddrinfo (?:ENOTFOUND|EAI_AGAIN) petstore.invalid'],
    [service.url.replace('http', 'https'), '[A-Z_]+'],
  ] as const) {
    const error = await failureAt(address)
    assert.ok(error instanceof NetworkError, String(error))
    assert.equal(error.code, 'network_error')
    assert.match(error.message, new RegExp(`^${address} could not be reached: ${reason}\\. Check baseUrl\\.$`))
    assert.ok(error.cause instanceof Error)
  }
})

test('many calls at once to such an address all fail soon', async () => {
  const client = clientAt(`http://127.0.0.1:${await freePort()}/v1`)
  const startedAt = performance.now()
  const errors = await Promise.all(Array.from({ length: 32 }, () => errorOf(client.pets.list())))
  for (const error of errors) assert.ok(error instanceof NetworkError)
  assert.ok(performance.now() - startedAt < SOON_MS)
})

test('before anything has answered, a lost connection is retried three times', async t => {
  const { key } = await service.createCaller()
  const proxy = await startFaultyProxy(t, service.url, { choose: () => CUT_BEFORE })
  const error = await errorOf(clientAt(`${proxy.url}/v1`, key).pets.list())
  assert.ok(error instanceof NetworkError)
  assert.equal(proxy.requests.length, 4)
})

test('once anything has responded, the client waits for a service that is gone', async t => {
  const { key } = await service.createCaller()
  const port = await freePort()
  const start = () => startServer(t, (_, response) => response.writeHead(418).end(), port)
  let failures = 0
  const client = new PetstoreClient({
    apiKey: key,
    baseUrl: `http://127.0.0.1:${port}/v1`,
    onResponse({ error }) {
      if (error instanceof NetworkError) failures += 1
    },
  })
  const { end } = await start()
  assert.ok((await errorOf(client.pets.list())) instanceof ServiceError)
  await end()
  const waiting = errorOf(client.pets.list())
  await eventually(() => assert.ok(failures > 4, `${failures}`))
  await start()
  assert.ok((await waiting) instanceof ServiceError, 'it is the answer of the second server')
})

/** A server on this port, or on a free one, that ends with the test at the latest. */
async function startServer(t: TestContext, answer: RequestListener, port = 0) {
  const server = createServer(answer).listen(port, '127.0.0.1')
  await once(server, 'listening')
  const end = async () => {
    server.closeAllConnections()
    if (server.listening) await new Promise(resolve => server.close(resolve))
  }
  t.after(end)
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, end }
}

async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return port
}

function clientAt(baseUrl: string, apiKey = key): PetstoreClient {
  return new PetstoreClient({ apiKey, baseUrl })
}

async function failureAt(baseUrl: string): Promise<PetstoreError> {
  const startedAt = performance.now()
  const error = await errorOf(clientAt(baseUrl).pets.list())
  assert.ok(performance.now() - startedAt < SOON_MS)
  return error as PetstoreError
}
