import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { generateKey } from '../../src/domain/api-key.ts'
import type { ErrorCode } from '../../src/schema/error-codes.ts'
import {
  assertDescribed,
  assertRefused,
  assertRefusedAs,
  call,
  connect,
  formatRequest,
  send,
  sendUntilEnd,
} from '../support/call.ts'
import { petJson } from '../support/pets.ts'
import { readRate } from '../support/rate.ts'
import { startTestService } from '../support/service.ts'

// Contract, "Every response": refusals by the HTTP parser have the same shape and headers as every other answer.

const service = await startTestService({ after }, { config: { anonymousPerMinute: 10_000 } })
const { key } = await service.createCaller()
await call(service, { method: 'POST', path: '/v1/pets', key, body: petJson() })

const authorization = `Authorization: Bearer ${key}\r\n`
const get = (headers: string) => `GET /v1/pets HTTP/1.1\r\nHost: x\r\n${authorization}${headers}\r\n`
const post = (headers: string, body: string) =>
  `POST /v1/pets HTTP/1.1\r\nHost: x\r\n${authorization}Content-Type: application/json\r\n${headers}\r\n${body}`

const malformed: [what: string, bytes: string | Uint8Array][] = [
  ['a request line that is none', 'hello\r\n\r\n'],
  ['a request line without a target', 'GET\r\n\r\n'],
  ['a request line without a version', 'GET /v1/pets\r\n\r\n'],
  ['an unknown method token', 'FETCH /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['a method in lower case', 'get /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['another protocol', 'GET /v1/pets FTP/1.0\r\nHost: x\r\n\r\n'],
  ['a version of the protocol that is not served', get('').replace('HTTP/1.1', 'HTTP/2.0')],
  ['a version from before headers', get('').replace('HTTP/1.1', 'HTTP/0.9')],
  ['a Host that is none', `GET /v1/pets HTTP/1.1\r\nHost: a b\r\n${authorization}\r\n`],
  ['an unknown version', 'GET /v1/pets HTTP/4.7\r\nHost: x\r\n\r\n'],
  ['a version that is none', 'GET /v1/pets HTTP/x\r\nHost: x\r\n\r\n'],
  ['a word behind the version', 'GET /v1/pets HTTP/1.1 now\r\nHost: x\r\n\r\n'],
  ['a target without a slash', `GET v1/pets HTTP/1.1\r\nHost: x\r\n${authorization}\r\n`],
  ['a fragment in the target', `GET /v1/pets#top HTTP/1.1\r\nHost: x\r\n${authorization}\r\n`],
  ['a NUL in the target', 'GET /v1/\0pets HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['the hello of TLS', Buffer.from('16030100f1010000ed0303a1b2c3d4e5f60718293a4b5c6d7e8f', 'hex')],
  ['a header without a colon', get('Nonsense\r\n')],
  ['a header without a name', get(': x\r\n')],
  ['a space before the colon', get('X-Thing : x\r\n')],
  ['a header name that is no token', get('X(Thing): x\r\n')],
  ['a control character in a header value', get('X-Thing: a\x01b\r\n')],
  ['a bare line feed in a header value', get('X-Thing: a\nb\r\n')],
  ['a NUL in a header value', get('X-Thing: a\0b\r\n')],
  ['a bare carriage return in a header value', get('X-Thing: a\rb\r\n')],
  ['a folded header', get('X-Thing: a\r\n b\r\n')],
  ['a missing Host', `GET /v1/pets HTTP/1.1\r\n${authorization}\r\n`],
  ['a doubled Host', get('Host: y\r\n')],
  ['the same Host twice', get('Host: x\r\n')],
  ['bad percent-encoding in the path', `GET /v1/%zz HTTP/1.1\r\nHost: x\r\n${authorization}\r\n`],
  ['cut-off percent-encoding in the path', `GET /v1/pets/% HTTP/1.1\r\nHost: x\r\n${authorization}\r\n`],
  ['cut-off percent-encoding before the query', `GET /v1/pets%4?x=1 HTTP/1.1\r\nHost: x\r\n${authorization}\r\n`],
  ['a Content-Length that is no number', post('Content-Length: ten\r\n', '')],
  ['a negative Content-Length', post('Content-Length: -1\r\n', '')],
  ['a Content-Length beyond all numbers', post('Content-Length: 99999999999999999999999\r\n', '')],
  ['two Content-Lengths', post('Content-Length: 2\r\nContent-Length: 3\r\n', '{} ')],
  [
    'both Content-Length and Transfer-Encoding',
    post('Content-Length: 2\r\nTransfer-Encoding: chunked\r\n', '2\r\n{}\r\n0\r\n\r\n'),
  ],
  [
    'both Transfer-Encoding and Content-Length',
    post('Transfer-Encoding: chunked\r\nContent-Length: 2\r\n', '2\r\n{}\r\n0\r\n\r\n'),
  ],
  ['a Transfer-Encoding that does not end in chunked', post('Transfer-Encoding: chunked, gzip\r\n', '')],
  ['a Transfer-Encoding other than chunked', post('Transfer-Encoding: gzip\r\n', '')],
]

test('an invalid Host is refused every time it is sent', async () => {
  for (let count = 0; count < 3; count += 1) {
    const [answer] = await sendUntilEnd(service, `GET /v1/pets HTTP/1.1\r\nHost: a b\r\n${authorization}\r\n`)
    assertRefused(answer ?? assert.fail('no answer'), 'malformed_request')
  }
})

for (const [what, bytes] of malformed) {
  test(`${what} is 400 malformed_request, and the connection is closed`, async () => {
    const before = await anonymousRemaining()
    const answers = await sendUntilEnd(service, bytes)
    assert.equal(answers.length, 1)
    const [answer] = answers
    assert.ok(answer)
    assertRefused(answer, 'malformed_request')
    await assertDescribed(bytes, answer)
    assert.equal(answer.header('connection'), 'close')
    const { windows, remaining } = readRate(answer)
    assert.deepEqual(Object.keys(windows), ['anonymous'], 'it is counted on the address')
    assert.equal(remaining, before - 1)
    assert.equal(await anonymousRemaining(), before - 1)
  })
}

test('the message names a line end or a control character in a header value, and repeats nothing of it', async () => {
  const lineEnd = 'The request is not valid HTTP/1.1: a header value contains a line end.'
  const control = 'The request is not valid HTTP/1.1: a header value contains a control character.'
  for (const [value, message] of [
    [`${key}\n`, lineEnd],
    [`${key}\r`, lineEnd],
    [`\n${key}`, lineEnd],
    [`${key}\r\n `, lineEnd],
    [`${key}\0`, control],
    [`${key}\x1b`, control],
  ] as const) {
    const [answer] = await sendUntilEnd(service, get('').replace(key, value))
    assert.ok(answer)
    assertRefused(answer, 'malformed_request')
    assert.deepEqual(JSON.parse(answer.text), { code: 'malformed_request', message, status: 400 })
  }
})

test('no line end is named where there is none', async () => {
  const [answer] = await sendUntilEnd(service, post('Transfer-Encoding: chunked, chunked\r\n', '0\r\n\r\n'))
  assert.equal(JSON.parse(answer?.text ?? '').message, 'The request is not valid HTTP/1.1.')
})

const badChunks: [what: string, body: string][] = [
  ['a chunk size that is no number', 'zz\r\n{}\r\n0\r\n\r\n'],
  ['a chunk longer than its size', '2\r\n{}{}\r\n0\r\n\r\n'],
  ['a chunk size beyond all numbers', 'ffffffffffffffffff\r\n{}\r\n'],
  ['a negative chunk size', '-2\r\n{}\r\n0\r\n\r\n'],
]
for (const [what, body] of badChunks) {
  test(`${what} is 400 malformed_request, and the connection is closed`, async () => {
    const [answer, ...others] = await sendUntilEnd(service, post('Transfer-Encoding: chunked\r\n', body))
    assert.ok(answer)
    assert.deepEqual(others, [])
    assertRefused(answer, 'malformed_request')
    assert.equal(answer.header('connection'), 'close')
  })
}

test('chunk extensions that are too large are 413 body_too_large, and the connection is closed', async () => {
  const body = `2;${'a'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`
  const [answer] = await sendUntilEnd(service, post('Transfer-Encoding: chunked\r\n', body))
  assert.ok(answer)
  assertRefused(answer, 'body_too_large')
  assert.equal(answer.json.message, 'The chunk extensions of the body are too large.')
})

test('a call whose body breaks while its key is still being looked up is counted once, on its account', async () => {
  const { key: fresh } = await service.createCaller({ limits: { perMinute: 10 } })
  const before = await anonymousRemaining()
  const request = post('Transfer-Encoding: chunked\r\n', 'zz\r\n{}\r\n0\r\n\r\n').replace(key, fresh)
  const [answer, ...others] = await sendUntilEnd(service, request)
  assert.ok(answer)
  assert.deepEqual(others, [])
  assertRefused(answer, 'malformed_request')
  assert.equal(answer.header('connection'), 'close')
  assert.equal(readRate(answer).remaining, 9)
  assert.equal(readRate(await call(service, { path: '/v1/pets', key: fresh })).remaining, 8)
  await sendUntilEnd(service, request)
  assert.equal(await anonymousRemaining(), before, 'nor is it counted on the address once the key is known')
})

test('a call whose body breaks while its key is still being looked up is refused for its key if that is not valid', async () => {
  const unknown = generateKey('production')
  const [answer] = await sendUntilEnd(service, post('Transfer-Encoding: chunked\r\n', 'zz\r\n').replace(key, unknown))
  assert.ok(answer)
  assertRefused(answer, 'invalid_api_key')
})

test('what follows the last call of a connection is neither answered nor counted', async () => {
  const before = await anonymousRemaining()
  const answers = await sendUntilEnd(service, `${get('Connection: close\r\n')}nonsense\r\n\r\n`)
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200],
  )
  assert.equal(await anonymousRemaining(), before)
})

test('a bad chunk after a good start never creates an animal', async () => {
  const half = petJson().length.toString(16)
  const before = (await call(service, { path: '/v1/pets?limit=100', key })).json.length
  await sendUntilEnd(service, post('Transfer-Encoding: chunked\r\n', `${half}\r\n${petJson()}\r\nzz\r\n`))
  assert.equal((await call(service, { path: '/v1/pets?limit=100', key })).json.length, before)
})

test('a header section that is too large is 431 headers_too_large', async t => {
  const large: [what: string, headers: string][] = [
    ['one long header', `X-Long: ${'a'.repeat(20_000)}\r\n`],
    ['one very long header', `X-Long: ${'a'.repeat(300_000)}\r\n`],
    ['one long name', `${'a'.repeat(20_000)}: x\r\n`],
    ['many headers', 'X-Many: aaaaaaaaaaaaaaaaaaaa\r\n'.repeat(1_000)],
  ]
  for (const [what, headers] of large) {
    await t.test(what, async () => {
      const [answer, ...others] = await sendUntilEnd(service, get(headers))
      assert.ok(answer)
      assert.deepEqual(others, [])
      assertRefused(answer, 'headers_too_large')
      await assertDescribed(get(headers), answer)
      assert.equal(answer.header('connection'), 'close')
    })
  }
})

test('a request may have 1,000 headers; with more, the refusal says so, however short they are', async () => {
  // Two of them are Host and Authorization.
  assert.equal((await send(service, get('X:\r\n'.repeat(998)))).status, 200)
  const [answer] = await sendUntilEnd(service, get('X:\r\n'.repeat(999)))
  assert.ok(answer)
  assertRefused(answer, 'headers_too_large')
  assert.match(answer.json.message, /at most 1,000 headers/)
})

test('target and headers count together, and the refusal says so', async () => {
  const long = (header: number) =>
    get(`X: ${'a'.repeat(header)}\r\n`).replace('/v1/pets', `/v1/pets?x=${'a'.repeat(8_000)}`)
  assert.equal((await send(service, long(8_000))).status, 200)
  const [answer] = await sendUntilEnd(service, long(9_000))
  assert.ok(answer)
  assertRefused(answer, 'headers_too_large')
  assert.match(answer.json.message, /target and headers must be at most 16,384 bytes/)
})

test('a request target longer than 8,192 bytes is 414 uri_too_long', async t => {
  const target = (length: number) => `/v1/pets?x=${'a'.repeat(length)}`.slice(0, length)
  await t.test('8,192 bytes are not', async () => {
    assert.equal((await call(service, { path: target(8_192), key })).status, 200)
  })
  for (const length of [8_193, 10_000, 15_000]) {
    await t.test(`${length} bytes`, async () => {
      assertRefused(await call(service, { path: target(length), key }), 'uri_too_long')
    })
  }
  for (const length of [17_000, 100_000]) {
    await t.test(`${length} bytes, which are too many for the header section as well`, async () => {
      const [answer] = await sendUntilEnd(service, `GET ${target(length)} HTTP/1.1\r\nHost: x\r\n\r\n`)
      assert.ok(answer)
      assertRefusedAs(answer, ['uri_too_long', 'headers_too_large'])
    })
  }
})

test('an expectation other than 100-continue is 417 expectation_failed', async t => {
  for (const expectation of ['200-ok', 'a miracle', '100-continue, 200-ok']) {
    await t.test(expectation, async () => {
      const answer = await call(service, { path: '/v1/pets', key, headers: { Expect: expectation } })
      assertRefused(answer, 'expectation_failed')
    })
  }
  await t.test('a refusal instead of 100 Continue ends the connection: the body may come or not', async () => {
    for (const [expectation, code] of [
      ['100-continue', 'invalid_api_key'],
      ['200-ok', 'expectation_failed'],
    ] as const) {
      const request = post(`Expect: ${expectation}\r\nContent-Length: 2\r\n`, '').replace(key, '')
      const [answer] = await sendUntilEnd(service, request)
      assert.ok(answer)
      assertRefused(answer, code)
      assert.equal(answer.header('connection'), 'close')
    }
  })
  await t.test('100-continue in any case is met', async () => {
    const headers = { Expect: '100-Continue' }
    const connection = await connect(service)
    connection.write(formatRequest(service, { method: 'POST', path: '/v1/pets', key, body: petJson(), headers }))
    const first = await connection.answer('POST')
    assert.equal((first.status === 100 ? await connection.answer('POST') : first).status, 201)
    connection.destroy()
  })
})

test('CONNECT is refused in the usual shape', async () => {
  for (const target of ['example.com:443', '/v1/pets', '*']) {
    const [answer] = await sendUntilEnd(service, `CONNECT ${target} HTTP/1.1\r\nHost: x\r\n${authorization}\r\n`)
    assert.ok(answer)
    assertRefused(answer, 'method_not_supported')
  }
})

test('a refusal comes after the answers to the calls that were sent before', async t => {
  const list = formatRequest(service, { path: '/v1/pets', key })
  const create = formatRequest(service, { method: 'POST', path: '/v1/pets', key, body: petJson() })
  const refusals: [what: string, bytes: string, code: ErrorCode][] = [
    ['nonsense', 'nonsense\r\n\r\n', 'malformed_request'],
    ['a missing Host', 'GET /v1/pets HTTP/1.1\r\n\r\n', 'malformed_request'],
    ['too large a header section', get(`X-Long: ${'a'.repeat(20_000)}\r\n`), 'headers_too_large'],
    ['CONNECT', 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n', 'method_not_supported'],
  ]
  for (const [what, bytes, code] of refusals) {
    for (const [before, requests, statuses] of [
      ['a list', [list], [200]],
      ['a creation', [create], [201]],
      ['three calls', [create, list, create], [201, 200, 201]],
    ] as const) {
      await t.test(`${what} after ${before}`, async () => {
        const answers = await sendUntilEnd(service, Buffer.concat([...requests, Buffer.from(bytes)]))
        assert.deepEqual(
          answers.slice(0, -1).map(answer => answer.status),
          statuses,
        )
        const last = answers.at(-1)
        assert.ok(last)
        assertRefused(last, code)
        assert.equal(last.header('connection'), 'close')
      })
    }
  }
})

test('a refusal comes after an answer that was already read', async () => {
  const connection = await connect(service)
  connection.write(formatRequest(service, { path: '/v1/pets', key }))
  assert.equal((await connection.answer()).status, 200)
  connection.write('nonsense\r\n\r\n')
  assertRefused(await connection.answer(), 'malformed_request')
  await connection.ended()
})

test('nothing after a refusal is carried out', async () => {
  const before = (await call(service, { path: '/v1/pets?limit=100', key })).json.length
  const create = formatRequest(service, { method: 'POST', path: '/v1/pets', key, body: petJson() })
  const answers = await sendUntilEnd(service, Buffer.concat([Buffer.from('nonsense\r\n\r\n'), create]))
  assert.equal(answers.length, 1)
  const smuggled = post('Content-Length: 4\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${create}`)
  assert.equal((await sendUntilEnd(service, smuggled)).length, 1)
  assert.equal((await call(service, { path: '/v1/pets?limit=100', key })).json.length, before)
})

test('over the limit of the address, even requests that cannot be parsed are answered in the usual shape', async t => {
  const own = await startTestService(t, { config: { anonymousPerMinute: 2 } })
  for (const remaining of [1, 0, 0, 0]) {
    const answer = await send(own, 'nonsense\r\n\r\n')
    assertRefusedAs(answer, remaining === 0 ? ['malformed_request', 'rate_limit_exceeded'] : ['malformed_request'])
    assert.equal(readRate(answer).remaining, remaining)
  }
})

async function anonymousRemaining(): Promise<number> {
  return readRate(await call(service, { method: 'OPTIONS', path: '/v1/pets' })).remaining
}
