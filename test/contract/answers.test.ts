import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ErrorCode } from '../../src/schema/error-codes.ts'
import { assertRefused, assertRefusedAs, type Call, call, connect, formatRequest, send } from '../support/call.ts'
import { eventually } from '../support/eventually.ts'
import { createPet, createPets, petJson } from '../support/pets.ts'
import { readRate } from '../support/rate.ts'
import { startTestService } from '../support/service.ts'
import { openSocket } from '../support/transport.ts'

// Contract, "Every response". The headers and the shape of each answer are checked in every test: see support/contract-checks.ts.

const service = await startTestService({ after })
const { key } = await service.createCaller()
await createPets(service, key, 2)

test('request and response bodies are JSON', async () => {
  for (const answer of [
    await createPet(service, key),
    await call(service, { path: '/v1/pets', key }),
    await call(service, { path: '/v1/pets/1', key }),
    await call(service, { path: '/v1/pets/0', key }),
  ]) {
    assert.match(answer.header('content-type') ?? '', /^application\/json(?:; ?charset=utf-8)?$/)
    JSON.parse(answer.text)
  }
})

test('every refusal has the same shape, with the status of the response and a code from one list', async t => {
  const longTarget = `/v1/pets?x=${'a'.repeat(9_000)}`
  const refusals: [code: ErrorCode, request: Call][] = [
    ['malformed_request', { path: '/v1/%zz', key }],
    ['invalid_parameter', { path: '/v1/pets?limit=0', key }],
    ['invalid_cursor', { path: '/v1/pets?cursor=x', key }],
    ['invalid_json', { method: 'POST', path: '/v1/pets', key, body: '{' }],
    ['invalid_body', { method: 'POST', path: '/v1/pets', key, body: '{}' }],
    [
      'invalid_idempotency_key',
      { method: 'POST', path: '/v1/pets', key, body: petJson(), headers: { 'Idempotency-Key': 'a b' } },
    ],
    ['missing_api_key', { path: '/v1/pets' }],
    ['invalid_api_key', { path: '/v1/pets', key: 'nonsense' }],
    ['pet_not_found', { path: '/v1/pets/0', key }],
    ['route_not_found', { path: '/v1/dogs', key }],
    ['method_not_allowed', { method: 'DELETE', path: '/v1/pets', key }],
    ['body_too_large', { method: 'POST', path: '/v1/pets', key, body: ' '.repeat(70_000) }],
    ['uri_too_long', { path: longTarget, key }],
    ['unsupported_media_type', { method: 'POST', path: '/v1/pets', key, body: 'a=b', type: 'text/plain' }],
    ['expectation_failed', { path: '/v1/pets', key, headers: { Expect: 'a-miracle' } }],
    ['headers_too_large', { path: '/v1/pets', key, headers: { 'X-Long': 'a'.repeat(20_000) } }],
  ]
  for (const [code, request] of refusals) {
    await t.test(code, async () => assertRefused(await call(service, request), code))
  }
})

test('a message says what is wrong and what is expected', async () => {
  const answer = await call(service, { path: '/v1/pets?limit=1000', key })
  assert.match(answer.json.message, /^limit must be an integer from 1 to 100\.?$/)
})

test('every response has the three rate-limit headers, a date and a request id, with any status', async t => {
  const { header } = await createPet(service, key).then(answer => ({ header: answer.header.bind(answer) }))
  const location = new URL(header('location') ?? '', service.baseUrl).pathname
  const etag = (await call(service, { path: location, key })).header('etag') ?? ''
  const calls: [status: number, request: Call][] = [
    [200, { path: '/v1/pets', key }],
    [200, { path: '/docs' }],
    [200, { path: '/openapi.json' }],
    [201, { method: 'POST', path: '/v1/pets', key, body: petJson() }],
    [204, { method: 'OPTIONS', path: '/v1/pets' }],
    [304, { path: location, key, headers: { 'If-None-Match': etag } }],
    [401, { path: '/v1/pets' }],
    [404, { path: '/v1/nothing', key }],
    [404, { path: '/nothing' }],
    [405, { method: 'PUT', path: '/v1/pets', key, body: '{}' }],
  ]
  for (const [status, request] of calls) {
    await t.test(`${request.method ?? 'GET'} ${request.path} → ${status}`, async () => {
      assert.equal((await call(service, request)).status, status)
    })
  }
})

test('a well-formed request id of the client is kept, any other replaced by a new one', async t => {
  const kept = ['a', 'order-17', 'A.b_c~d:e/f+g=h@i-0', 'x'.repeat(128), '0b0e8a9e-1d6c-4a6a-9a3c-5f6a0d7c1e11']
  const replaced = ['', 'x'.repeat(129), 'two words', 'comma,', '"quoted"', 'h\u00e9', '<script>']
  const idFor = async (id: string) =>
    (await call(service, { path: '/v1/pets', key, headers: { 'X-Request-Id': id } })).header('x-request-id') ?? ''
  for (const id of kept) {
    await t.test(`keeps ${id.slice(0, 40)}`, async () => assert.equal(await idFor(id), id))
  }
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
  for (const id of replaced) {
    await t.test(`replaces ${JSON.stringify(id.slice(0, 40))}`, async () => assert.match(await idFor(id), uuid))
  }
  await t.test('two calls without one have different ones', async () => {
    const ids = await Promise.all([1, 2].map(() => call(service, { path: '/v1/pets', key })))
    assert.notEqual(ids[0]?.header('x-request-id'), ids[1]?.header('x-request-id'))
  })
  await t.test('two request ids are none', async () => {
    const headers = [['X-Request-Id', 'one'] as const, ['X-Request-Id', 'two'] as const]
    assert.match((await call(service, { path: '/v1/pets', key, headers })).header('x-request-id') ?? '', uuid)
  })
})

test('Reset is in Unix seconds, rounded up', async () => {
  const { key } = await service.createCaller({ plan: 'free' })
  const { reset } = readRate(await call(service, { path: '/v1/pets', key }))
  assert.equal(service.clock.now % 1_000, 250)
  assert.equal(reset, (service.clock.now - 250) / 1_000 + 61)
})

test('RateLimit-Policy and RateLimit show both windows', async () => {
  const { key } = await service.createCaller({ plan: 'free' })
  const answer = await call(service, { path: '/v1/pets', key })
  assert.equal(answer.header('ratelimit-policy'), '"minute";q=60;w=60, "day";q=1000;w=86400')
  assert.equal(answer.header('ratelimit'), `"minute";r=59;t=60, "day";r=999;t=${12 * 3_600}`)
})

test('paths are exact: no folding of case or slashes, no redirects; any other is 404 route_not_found', async t => {
  const paths = [
    '/v1/pets/',
    '/v1/Pets',
    '/V1/pets',
    '/v1//pets',
    '//v1/pets',
    '/v1/pets/1/',
    '/v1/pets/1/photos',
    '/v1/pets/',
    '/v1/./pets',
    '/v1/x/../pets',
    '/v1/p%2565ts',
    '/v1/pets%2f1',
    '/v1/pets;a=b',
    '/v1/pet',
    '/v1',
    '/v1/',
    '/v2/pets',
    '/pets',
    '/',
    '/Docs',
    '/openapi.json/',
    '/openapi',
  ]
  for (const path of paths) {
    await t.test(path, async () => {
      const answer = await call(service, { path, key })
      assertRefused(answer, 'route_not_found')
      assert.equal(answer.header('location'), undefined)
    })
  }
})

test('a known path with another method is 405 with Allow', async t => {
  const allowed: [path: string, allow: string, needsKey: boolean][] = [
    ['/v1/pets', 'GET, HEAD, POST, OPTIONS', true],
    ['/v1/pets/1', 'GET, HEAD, OPTIONS', true],
    ['/v1/pets/none', 'GET, HEAD, OPTIONS', true],
    ['/openapi.json', 'GET, HEAD, OPTIONS', false],
    ['/docs', 'GET, HEAD, OPTIONS', false],
  ]
  for (const [path, allow, needsKey] of allowed) {
    for (const method of ['PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', ...(path === '/v1/pets' ? [] : ['POST'])]) {
      await t.test(`${method} ${path}`, async () => {
        const answer = await call(service, { method, path, key: needsKey ? key : undefined })
        assertRefused(answer, 'method_not_allowed')
        assert.equal(answer.header('allow'), allow)
      })
    }
  }
})

test('HEAD answers as GET without a body', async t => {
  for (const path of ['/v1/pets?limit=1', '/v1/pets/1', '/v1/pets/0', '/v1/pets?limit=0', '/openapi.json', '/docs']) {
    await t.test(path, async () => {
      const get = await call(service, { path, key })
      const head = await call(service, { method: 'HEAD', path, key })
      const changing = ['date', 'x-request-id', 'x-ratelimit-remaining', 'ratelimit']
      const lasting = (headers: typeof get.headers) =>
        headers.filter(([name]) => !changing.includes(name.toLowerCase())).toSorted()
      assert.equal(head.status, get.status)
      assert.deepEqual(lasting(head.headers), lasting(get.headers))
      assert.equal(head.header('content-length'), String(get.body.length))
    })
  }
})

test('the answer to HEAD leaves the connection ready for the next call', async () => {
  const connection = await connect(service)
  connection.write(formatRequest(service, { method: 'HEAD', path: '/v1/pets', key }))
  assert.equal((await connection.answer('HEAD')).status, 200)
  connection.write(formatRequest(service, { path: '/v1/pets/1', key }))
  assert.equal((await connection.answer()).json.id, 1)
  connection.destroy()
})

test('OPTIONS answers 204 with Allow, needs no key and costs nothing', async t => {
  const allowed: [path: string, allow: string][] = [
    ['/v1/pets', 'GET, HEAD, POST, OPTIONS'],
    ['/v1/pets/1', 'GET, HEAD, OPTIONS'],
    ['/openapi.json', 'GET, HEAD, OPTIONS'],
    ['/docs', 'GET, HEAD, OPTIONS'],
  ]
  for (const [path, allow] of allowed) {
    await t.test(path, async () => {
      const answer = await call(service, { method: 'OPTIONS', path })
      assert.equal(answer.status, 204)
      assert.equal(answer.header('allow'), allow)
    })
  }
  await t.test('OPTIONS *', async () => {
    const answer = await call(service, { method: 'OPTIONS', path: '*' })
    assert.equal(answer.status, 204)
    assert.ok(answer.header('allow'))
  })
  await t.test('it shows the anonymous window, and costs nothing of it', async () => {
    const own = await startTestService(t)
    const { key } = await own.createCaller({ plan: 'free' })
    for (const one of [undefined, key, 'nonsense']) {
      const { windows } = readRate(await call(own, { method: 'OPTIONS', path: '/v1/pets', key: one }))
      assert.deepEqual(Object.keys(windows), ['anonymous'])
      assert.equal(windows.anonymous?.remaining, 600)
    }
    assert.equal(readRate(await call(own, { path: '/v1/pets', key })).remaining, 59)
  })
  await t.test('on an unknown path it goes through the later gates', async () => {
    assertRefused(await call(service, { method: 'OPTIONS', path: '/v1/nothing' }), 'missing_api_key')
    assertRefused(await call(service, { method: 'OPTIONS', path: '/v1/nothing', key }), 'route_not_found')
    assertRefused(await call(service, { method: 'OPTIONS', path: '/nothing' }), 'route_not_found')
  })
})

test('calls sent ahead on one connection are answered in their order', async () => {
  const connection = await connect(service)
  const calls: Call[] = [
    { method: 'POST', path: '/v1/pets', key, body: petJson({ name: '"First"' }) },
    { path: '/v1/pets/0', key },
    { method: 'OPTIONS', path: '/v1/pets' },
    { method: 'HEAD', path: '/v1/pets', key },
    { path: '/v1/pets/1', key },
    { path: '/v1/pets' },
  ]
  connection.write(Buffer.concat(calls.map(one => formatRequest(service, one))))
  const statuses: number[] = []
  for (const { method } of calls) statuses.push((await connection.answer(method)).status)
  assert.deepEqual(statuses, [201, 404, 204, 200, 200, 401])
  connection.destroy()
})

test('HTTP/1.0 is answered, without Host, and the connection closed', async () => {
  const connection = await connect(service)
  connection.write(`GET /v1/pets/1 HTTP/1.0\r\nAuthorization: Bearer ${key}\r\n\r\n`)
  assert.equal((await connection.answer()).json.id, 1)
  await connection.ended()
})

test('the absolute form of a request target works with any host', async () => {
  const answer = await call(service, { path: 'http://elsewhere.example/v1/pets/1', key })
  assert.equal(answer.json.id, 1)
})

test('the body of one call is never read as the next call', async () => {
  let connection = await connect(service)
  const body = 'DELETE /v1/pets/1 HTTP/1.1\r\n\r\n'
  for (const [status, request] of [
    [200, { path: '/v1/pets', key, body }],
    [405, { method: 'PUT', path: '/v1/pets', key, body }],
    [415, { method: 'POST', path: '/v1/pets', key, body, type: 'text/plain' }],
    [400, { method: 'POST', path: '/v1/pets', key, body }],
    [401, { method: 'POST', path: '/v1/pets', body }],
    [204, { method: 'OPTIONS', path: '/v1/pets', body }],
  ] as const) {
    connection.write(formatRequest(service, request))
    const answer = await connection.answer()
    assert.equal(answer.status, status)
    if (answer.header('connection') !== 'close') continue
    await connection.ended()
    connection = await connect(service)
  }
  connection.write(formatRequest(service, { path: '/v1/pets/1', key }))
  assert.equal((await connection.answer()).json.id, 1)
  connection.destroy()
})

test('a refusal reaches a client that is still sending a large body', async t => {
  const body = Buffer.alloc(5_000_000, ' ')
  const calls: [code: ErrorCode, request: Call][] = [
    ['missing_api_key', { method: 'POST', path: '/v1/pets' }],
    ['route_not_found', { method: 'POST', path: '/v1/nothing', key }],
    ['method_not_allowed', { method: 'PUT', path: '/v1/pets', key }],
    ['unsupported_media_type', { method: 'POST', path: '/v1/pets', key, type: 'text/plain' }],
    ['body_too_large', { method: 'POST', path: '/v1/pets', key }],
    ['malformed_request', { method: 'POST', path: '/v1/%zz', key }],
  ]
  for (const [code, request] of calls) {
    await t.test(code, async () => assertRefused(await call(service, { ...request, body }), code))
  }
})

test('a refusal that ends the connection reaches a client that keeps sending before it reads', async () => {
  const socket = (await openSocket(service.port)).setEncoding('utf8').pause()
  const headers = { 'X-Request-Id': 'sends-on' }
  const body = Buffer.alloc(200_000, ' ')
  const request = formatRequest(service, { method: 'POST', path: '/v1/%zz', key, headers, body })
  socket.write(request.subarray(0, 50_000))
  await eventually(() => assert.ok(service.logs.some(line => line.includes('sends-on'))))
  // A connection that was closed as soon as it was answered is reset by the first of these, and ended by the second.
  for (const from of [50_000, 60_000, 70_000]) {
    await new Promise(written => socket.write(request.subarray(from, from + 10_000), written))
    await sleep(10)
  }
  assert.match(await text(socket), /^HTTP\/1\.1 400 .*"malformed_request"/s)
})

test('a request to upgrade the protocol is declined with an ordinary response', async () => {
  for (const protocol of ['websocket', 'h2c']) {
    const headers = { Connection: 'Upgrade', Upgrade: protocol }
    assert.equal((await call(service, { path: '/v1/pets', key, headers })).status, 200)
  }
})

test('the public pages need no key and count against the address', async t => {
  const own = await startTestService(t)
  const docs = await call(own, { path: '/docs' })
  assert.equal(docs.status, 200)
  assert.match(docs.header('content-type') ?? '', /^text\/html\b/)
  assert.equal(docs.header('ratelimit-policy'), '"anonymous";q=600;w=60')
  assert.equal(readRate(docs).remaining, 599)
  const document = await call(own, { path: '/openapi.json' })
  assert.equal(document.status, 200)
  assert.match(document.header('content-type') ?? '', /^application\/json\b/)
  assert.match(document.json.openapi, /^3\.1\./)
  assert.equal(document.json.info.version, '1.0.0')
  assert.equal(readRate(document).remaining, 598)
})

test('an internal error has the usual shape and reveals no details', async t => {
  const own = await startTestService(t)
  const { key } = await own.createCaller()
  await createPets(own, key, 3)
  await own.backend.execute('ALTER TABLE pet RENAME TO lost_pet')
  for (const request of [
    { path: '/v1/pets?limit=2&status=sold', key },
    { path: '/v1/pets/2', key },
    { method: 'POST', path: '/v1/pets', key, body: petJson() },
  ]) {
    const answer = await call(own, request)
    assertRefusedAs(answer, ['internal_error', 'service_unavailable'])
    assert.doesNotMatch(answer.text, /table|relation|pets\b.*no such|sqlite|postgres/i)
  }
  await own.backend.execute('ALTER TABLE lost_pet RENAME TO pet')
  assert.equal((await call(own, { path: '/v1/pets/2', key })).json.id, 2)
})

test('bad input never gets a 5xx', async t => {
  const inputs: [what: string, request: Call][] = [
    ['5,000 nested arrays', { method: 'POST', path: '/v1/pets', key, body: '['.repeat(5_000) + ']'.repeat(5_000) }],
    ['30,000 nested objects', { method: 'POST', path: '/v1/pets', key, body: '{"a":'.repeat(12_000) }],
    ['an exponent of many digits', post('1e99999999999999999999')],
    ['a negative exponent of many digits', post('1e-99999999999999999999')],
    ['a number of 60,000 digits', post('9'.repeat(60_000))],
    ['a number of 60,000 zeros between ones', post(`1${'0'.repeat(60_000)}1`)],
    ['a number of 60,000 zeros behind the point', post(`1.${'0'.repeat(60_000)}1`)],
    ['a name of 60,000 escapes', { method: 'POST', path: '/v1/pets', key, body: `{"name":"${'\\n'.repeat(30_000)}"}` }],
    ['members of Object.prototype', { method: 'POST', path: '/v1/pets', key, body: '{"__proto__":{"name":"Rex"}}' }],
    ['a null body', { method: 'POST', path: '/v1/pets', key, body: 'null' }],
    ['a query of bad escapes', { path: '/v1/pets?limit=%&status=%ff&cursor=%c3%28', key }],
    ['a cursor of 8,000 characters', { path: `/v1/pets?cursor=${'A'.repeat(8_000)}`, key }],
    ['an id of 8,000 digits', { path: `/v1/pets/${'1'.repeat(8_000)}`, key }],
    ['an entity tag of 10,000 quotes', { path: '/v1/pets', key, headers: { 'If-None-Match': '"'.repeat(10_000) } }],
    [
      'an authorization of 10,000 spaces',
      { path: '/v1/pets', headers: { Authorization: `Bearer${' '.repeat(9_999)}x` } },
    ],
  ]
  function post(categoryId: string): Call {
    return { method: 'POST', path: '/v1/pets', key, body: petJson({ categoryId }) }
  }
  for (const [what, request] of inputs) {
    await t.test(what, async () => {
      const before = process.cpuUsage()
      const { status } = await call(service, request)
      assert.ok(status < 500, String(status))
      // The service runs in this process.
      const { user, system } = process.cpuUsage(before)
      assert.ok(user + system < 1_000_000, 'and it costs less than a second of the processor')
    })
  }
  assert.ok(!service.logs.some(line => line.includes('a call failed')), 'nor is it an error in the log')
})

test('no response has a header twice or names the software behind it', async () => {
  for (const answer of [
    await call(service, { path: '/v1/pets', key }),
    await call(service, { path: '/v1/nothing' }),
    await send(service, 'nonsense\r\n\r\n'),
  ]) {
    const names = answer.headers.map(([name]) => name.toLowerCase()).filter(name => name !== 'link')
    assert.deepEqual(names, [...new Set(names)])
    assert.equal(answer.header('server'), undefined)
    assert.equal(answer.header('x-powered-by'), undefined)
  }
})
