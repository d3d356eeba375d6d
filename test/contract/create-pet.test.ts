import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  assertRefused,
  assertRefusedAs,
  type Call,
  call,
  connect,
  formatRequest,
  send,
  sendUntilEnd,
} from '../support/call.ts'
import { createPet, petJson } from '../support/pets.ts'
import type { Answer } from '../support/raw.ts'
import { startTestService } from '../support/service.ts'

// Specification, "POST /pets", and contract, "Operations".

const service = await startTestService({ after }, { embedded: { inThreads: true } })
const { account, key } = await service.createCaller()

const post = (body: string | Uint8Array, more: Partial<Call> = {}) =>
  call(service, { method: 'POST', path: '/v1/pets', key, body, ...more })
const idempotent = (idempotencyKey: string, body = petJson(), more: Partial<Call> = {}) =>
  post(body, { headers: { 'Idempotency-Key': idempotencyKey }, ...more })

test('a creation is answered 201 with the animal, its id among it, and Location', async () => {
  const answer = await post('{"name":"Rex","categoryId":7,"status":"pending"}')
  assert.equal(answer.status, 201)
  const { id } = answer.json
  assert.deepEqual(answer.json, { id, name: 'Rex', categoryId: 7, status: 'pending' })
  const location = new URL(answer.header('location') ?? '', service.baseUrl)
  assert.equal(location.pathname, `/v1/pets/${id}`)
  assert.equal((await call(service, { path: location.pathname, key })).text, answer.text)
})

test('Location is built from the public base address, never from Host', async t => {
  const own = await startTestService(t, { config: { publicUrls: { production: 'https://pets.example/v1' } } })
  const { key } = await own.createCaller()
  const head = `POST /v1/pets HTTP/1.1\r\nHost: evil.example\r\nAuthorization: Bearer ${key}\r\n`
  const answer = await send(
    own,
    `${head}Content-Type: application/json\r\nContent-Length: ${petJson().length}\r\n\r\n${petJson()}`,
  )
  assert.equal(answer.status, 201)
  const location = new URL(answer.header('location') ?? '', 'https://pets.example/v1/pets').href
  assert.equal(location, 'https://pets.example/v1/pets/1')
})

test('name is 1 to 255 code points, not blank, without control characters, and kept byte for byte', async t => {
  const kept: [what: string, name: string][] = [
    ['one character', 'A'],
    ['255 characters', 'a'.repeat(255)],
    ['255 characters of two UTF-16 units each', '🐈'.repeat(255)],
    ['space around', '  Rex  '],
    ['a composed letter', '\u00e9'],
    ['a decomposed letter', 'e\u0301'],
    ['a joined family', '👩‍👩‍👧'],
    ['right-to-left', 'שלום'],
    ['quotes, backslashes and slashes', '"\\/'],
    ['HTML', '<script>alert(1)</script>'],
    ['SQL', "'; DROP TABLE pets; --"],
    ['a line separator', 'a\u2028b'],
    ['a zero-width space', '\u200b'],
    ['a noncharacter', '\ufffe'],
    ['the replacement character', '\ufffd'],
    ['the name of a number', '1'],
    ['null in letters', 'null'],
  ]
  for (const [what, name] of kept) {
    await t.test(`kept: ${what}`, async () => {
      const created = await createPet(service, key, { name: JSON.stringify(name) })
      assert.equal(created.json.name, name)
      const path = `/v1/pets/${created.json.id}`
      assert.equal((await call(service, { path, key })).json.name, name)
    })
  }
  await t.test('kept: the same name twice', async () => {
    await createPet(service, key, { name: '"Twin"' })
    await createPet(service, key, { name: '"Twin"' })
  })
  const refused: [what: string, json: string | undefined][] = [
    ['missing', undefined],
    ['null', 'null'],
    ['a number', '1'],
    ['a boolean', 'true'],
    ['an array', '["Rex"]'],
    ['an object', '{}'],
    ['empty', '""'],
    ['a space', '" "'],
    ['spaces of many kinds', '"\u00a0\u2003\u3000\ufeff"'],
    ['256 characters', `"${'a'.repeat(256)}"`],
    ['256 characters of two UTF-16 units each', `"${'🐈'.repeat(256)}"`],
    ['a tab', '"a\\tb"'],
    ['a line feed', '"a\\n"'],
    ['DEL', '"a\u007f"'],
    ['a C1 control', '"a\\u0085b"'],
  ]
  for (const [what, json] of refused) {
    await t.test(`refused: ${what}`, async () => assertRefused(await post(petJson({ name: json })), 'invalid_body'))
  }
})

test('categoryId is any int64, exact in and out', async t => {
  const exact: [json: string, digits: string][] = [
    ['0', '0'],
    ['-0', '0'],
    ['1', '1'],
    ['-1', '-1'],
    ['9007199254740993', '9007199254740993'],
    ['9223372036854775807', '9223372036854775807'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['1.0', '1'],
    ['-3.000', '-3'],
    ['1e3', '1000'],
    ['1E+3', '1000'],
    ['10e-1', '1'],
    ['1.5e1', '15'],
    ['9.223372036854775807e18', '9223372036854775807'],
    ['9223372036854775807.0', '9223372036854775807'],
    ['92233720368547758070e-1', '9223372036854775807'],
    ['-9.223372036854775808E18', '-9223372036854775808'],
    ['0e999999999', '0'],
    ['0.0e-999999999', '0'],
    [`7${'0'.repeat(500)}e-500`, '7'],
    [`0.${'0'.repeat(500)}7e501`, '7'],
  ]
  for (const [json, digits] of exact) {
    await t.test(`${json.slice(0, 30)} is ${digits}`, async () => {
      const created = await createPet(service, key, { categoryId: json })
      assert.equal(categoryOf(created), digits)
      const path = `/v1/pets/${created.json.id}`
      assert.equal(categoryOf(await call(service, { path, key })), digits)
    })
  }
  const refused = [
    undefined,
    '9223372036854775808',
    '-9223372036854775809',
    '18446744073709551615',
    '1.5',
    '15e-1',
    '1e-1',
    '1e19',
    '1e400',
    '-1e400',
    '1e999999999999',
    '1e-999999999999',
    '9223372036854775807.5',
    '0.00000000000000000000000001',
    '"1"',
    'true',
    'null',
    '[]',
    '[1]',
    '{}',
  ]
  for (const json of refused) {
    await t.test(`refused: ${json ?? 'missing'}`, async () => {
      assertRefused(await post(petJson({ categoryId: json })), 'invalid_body')
    })
  }
})

test('an int64 comes back digit for digit in lists and replays as well', async t => {
  const own = await startTestService(t)
  const { key } = await own.createCaller()
  const request: Call = {
    method: 'POST',
    path: '/v1/pets',
    key,
    body: petJson({ categoryId: '9223372036854775807' }),
    headers: { 'Idempotency-Key': 'exact' },
  }
  for (const answer of [
    await call(own, request),
    await call(own, request),
    await call(own, { path: '/v1/pets', key }),
  ]) {
    assert.equal(categoryOf(answer), '9223372036854775807')
  }
})

test('an omitted status becomes available; null or any other value is 400', async t => {
  assert.equal((await createPet(service, key)).json.status, 'available')
  for (const status of ['available', 'pending', 'sold']) {
    assert.equal((await createPet(service, key, { status: JSON.stringify(status) })).json.status, status)
  }
  for (const json of ['null', '""', '"Sold"', '"gone"', '1', 'true', '[]', '["sold"]', '{}']) {
    await t.test(`refused: ${json}`, async () => assertRefused(await post(petJson({ status: json })), 'invalid_body'))
  }
})

test("unknown members, a client's id among them, are ignored", async () => {
  const before = (await createPet(service, key)).json.id
  const members = {
    id: '1',
    color: '"brown"',
    tags: '[{"a":null},1.5,"x"]',
    __proto__x: '{}',
    constructor: '1',
    '': '0',
  }
  const { json } = await createPet(service, key, members)
  assert.deepEqual(json, { id: before + 1, name: 'Rex', categoryId: 7, status: 'available' })
  const tricky = await post('{"__proto__":{"status":"sold"},"name":"Rex","categoryId":7}')
  assert.equal(tricky.json.status, 'available')
})

test('the message says of each missing member that it is required, and of each wrong one what it must be', async () => {
  const name = 'name must be a string of 1 to 255 characters, not blank, without control characters'
  const categoryId = 'categoryId must be an integer from -9223372036854775808 to 9223372036854775807'
  for (const [body, message] of [
    ['{}', 'name is required; categoryId is required.'],
    ['{"status":"sold"}', 'name is required; categoryId is required.'],
    ['{"categoryId":1}', 'name is required.'],
    ['{"name":"Rex"}', 'categoryId is required.'],
    ['{"name":null,"categoryId":null}', `${name}; ${categoryId}.`],
    ['{"name":""}', `${name}; categoryId is required.`],
    ['{"categoryId":"1"}', `name is required; ${categoryId}.`],
    // Members are not taken from a prototype.
    ['{"__proto__":{"name":"Rex","categoryId":7}}', 'name is required; categoryId is required.'],
  ] as const) {
    const answer = await post(body)
    assertRefused(answer, 'invalid_body')
    assert.deepEqual(JSON.parse(answer.text), { code: 'invalid_body', message, status: 400 })
  }
})

test('a body that is not an object is 400', async t => {
  for (const body of ['[]', 'null', 'true', '1', '"Rex"', `[${petJson()}]`]) {
    await t.test(body, async () => assertRefused(await post(body), 'invalid_body'))
  }
})

test('a byte order mark outside of strings is named', async () => {
  const message = (at: number) =>
    `The body must be one JSON value; it has a byte order mark (U+FEFF) at character ${at}.`
  for (const [body, at] of [
    [`\ufeff${petJson()}`, 1],
    ['\ufeff', 1],
    [`\r\n\ufeff${petJson()}`, 3],
    [`{\ufeff"name":"Rex","categoryId":7}`, 2],
    ['{}\ufeff', 3],
  ] as const) {
    const answer = await post(body)
    assertRefused(answer, 'invalid_json')
    assert.equal(JSON.parse(answer.text).message, message(at))
  }
  assert.equal((await post(petJson({ name: '"\ufeffRex"' }))).status, 201)
})

test('a body that is not JSON is 400 invalid_json', async t => {
  const bodies: [what: string, body: string | Uint8Array][] = [
    ['empty', ''],
    ['space', '  \n'],
    ['a word', 'hello'],
    ['cut off', petJson().slice(0, -1)],
    ['followed by more', `${petJson()}x`],
    ['twice', petJson() + petJson()],
    ['a trailing comma', '{"name":"Rex","categoryId":7,}'],
    ['single quotes', "{'name':'Rex','categoryId':7}"],
    ['a bare name', '{name:"Rex","categoryId":7}'],
    ['a comment', `/* */${petJson()}`],
    ['NaN', petJson({ categoryId: 'NaN' })],
    ['Infinity', petJson({ categoryId: 'Infinity' })],
    ['a leading zero', petJson({ categoryId: '01' })],
    ['a leading plus', petJson({ categoryId: '+1' })],
    ['a bare point', petJson({ categoryId: '1.' })],
    ['hexadecimal', petJson({ categoryId: '0x1' })],
    ['a bare exponent', petJson({ categoryId: '1e' })],
    ['a bare control character', petJson({ name: '"a\u0001b"' })],
    ['a bad escape', petJson({ name: '"\\x41"' })],
    ['a duplicate member', '{"name":"Rex","name":"Rex","categoryId":7}'],
    ['a duplicate member in another spelling', '{"name":"Rex","n\\u0061me":"Max","categoryId":7}'],
    ['a duplicate member inside', petJson({ more: '{"a":1,"a":1}' })],
    ['a duplicate unknown member', '{"x":1,"x":2,"name":"Rex","categoryId":7}'],
    ['a duplicate __proto__', '{"__proto__":1,"__proto__":2,"name":"Rex","categoryId":7}'],
    ['a lone high surrogate', petJson({ name: '"a\\ud800"' })],
    ['a lone low surrogate', petJson({ name: '"\\udc00a"' })],
    ['surrogates in the wrong order', petJson({ name: '"\\udc00\\ud800"' })],
    ['a lone surrogate in an unknown member', petJson({ x: '"\\ud800"' })],
    ['a lone surrogate in a member name', petJson().replace('{', '{"\\ud800":1,')],
    ['NUL', petJson({ name: '"a\\u0000b"' })],
    ['NUL in an unknown member', petJson({ x: '"\\u0000"' })],
    ['an invalid UTF-8 byte', bytes(petJson(), 'Rex', [0xff])],
    ['overlong UTF-8', bytes(petJson(), 'Rex', [0xc0, 0xaf])],
    ['a surrogate in UTF-8', bytes(petJson(), 'Rex', [0xed, 0xa0, 0x80])],
    ['cut-off UTF-8', bytes(petJson(), 'Rex', [0xf0, 0x9f, 0x90])],
    ['UTF-16', Buffer.from(petJson(), 'utf16le')],
    ['nesting of 33', petJson({ x: `${'['.repeat(32)}${']'.repeat(32)}` })],
    ['nesting of 33 objects', petJson({ x: `${'{"a":'.repeat(32)}1${'}'.repeat(32)}` })],
    ['nesting of 30,000', '['.repeat(30_000)],
  ]
  for (const [what, body] of bodies) {
    await t.test(what, async () => assertRefused(await post(body), 'invalid_json'))
  }
})

test('nesting of 32 is not too deep', async () => {
  await createPet(service, key, { x: `${'['.repeat(31)}${']'.repeat(31)}` })
  await createPet(service, key, { x: `${'{"a":'.repeat(31)}1${'}'.repeat(31)}`, y: '[[]]' })
})

test('a body may have 64 KiB and no byte more, however it is sent', async t => {
  const largest = petJson().padEnd(65_536, ' ')
  await t.test('65,536 bytes', async () => assert.equal((await post(largest)).status, 201))
  await t.test('65,537 bytes', async () => assertRefused(await post(`${largest} `), 'body_too_large'))
  await t.test('1 MB', async () => assertRefused(await post(' '.repeat(1_000_000)), 'body_too_large'))
  const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`
  const chunked = (body: string) => {
    const chunks = body.match(/.{1,10000}/gs) ?? []
    const lines = chunks.map(chunk => `${chunk.length.toString(16)}\r\n${chunk}\r\n`)
    return `${head}Transfer-Encoding: chunked\r\n\r\n${lines.join('')}0\r\n\r\n`
  }
  await t.test('65,536 bytes in chunks', async () => assert.equal((await send(service, chunked(largest))).status, 201))
  await t.test('65,537 bytes in chunks', async () =>
    assertRefused(await send(service, chunked(`${largest} `)), 'body_too_large'),
  )
  await t.test('a connection that continues after 413 is in step', async () => {
    const connection = await connect(service)
    connection.write(formatRequest(service, { method: 'POST', path: '/v1/pets', key, body: `${largest} ` }))
    const answer = await connection.answer()
    assertRefused(answer, 'body_too_large')
    if (answer.header('connection') === 'close') return
    connection.write(formatRequest(service, { path: '/v1/pets/1', key }))
    assert.equal((await connection.answer()).json.id, 1)
    connection.destroy()
  })
  await t.test('more than 8 MiB, which is not awaited', async () => {
    for (const rest of [
      'Content-Length: 8388609\r\n\r\n',
      `Transfer-Encoding: chunked\r\n\r\n900000\r\n${' '.repeat(8_388_609)}`,
    ]) {
      const [answer] = await sendUntilEnd(service, head + rest)
      assert.ok(answer)
      assertRefused(answer, 'body_too_large')
    }
  })
  await t.test('what waits for 100 Continue is refused before it is sent', async () => {
    const [answer] = await sendUntilEnd(service, `${head}Expect: 100-continue\r\nContent-Length: 70000\r\n\r\n`)
    assert.ok(answer)
    assertRefused(answer, 'body_too_large')
  })
})

test('the service sends 100 Continue to a client that waits for it', async () => {
  const connection = await connect(service)
  const request = formatRequest(service, {
    method: 'POST',
    path: '/v1/pets',
    key,
    body: petJson(),
    headers: { Expect: '100-continue' },
  })
  const headLength = request.indexOf('\r\n\r\n') + 4
  connection.write(request.subarray(0, headLength))
  assert.equal((await connection.answer()).status, 100)
  connection.write(request.subarray(headLength))
  assert.equal((await connection.answer()).status, 201)
  connection.destroy()
})

test('a body is read completely, whatever pieces it arrives in', async () => {
  const connection = await connect(service)
  const request = formatRequest(service, { method: 'POST', path: '/v1/pets', key, body: petJson({ name: '"Zoë 🐈"' }) })
  for (const byte of request) {
    connection.write(Buffer.of(byte))
    await new Promise(setImmediate)
  }
  assert.equal((await connection.answer()).json.name, 'Zoë 🐈')
  connection.destroy()
})

test('the media type is application/json, in UTF-8; any other is 415', async t => {
  const understood = [
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json ; charset=Utf-8',
    'application/json; charset="utf-8"',
  ]
  for (const type of understood) {
    await t.test(type, async () => assert.equal((await post(petJson(), { type })).status, 201))
  }
  const refused = [
    null,
    '',
    'text/plain',
    'text/json',
    'application/jsonp',
    'application/json-patch+json',
    'application/problem+json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=latin1',
    'application/json; charset=utf-16',
    'application/json; charset=',
    'application/json, text/plain',
    'json',
    '*/*',
  ]
  for (const type of refused) {
    await t.test(`refused: ${type ?? 'missing'}`, async () => {
      assertRefused(await post(petJson(), { type }), 'unsupported_media_type')
    })
  }
  await t.test('refused: a repeated one', async () => {
    const headers = [['Content-Type', 'application/json'] as const, ['Content-Type', 'text/plain'] as const]
    assertRefused(await post(petJson(), { type: null, headers }), 'unsupported_media_type')
  })
})

test('an empty body is 415 without a media type and 400 invalid_json with it', async () => {
  assertRefused(await call(service, { method: 'POST', path: '/v1/pets', key }), 'unsupported_media_type')
  assertRefused(await post('', { type: null }), 'unsupported_media_type')
  assertRefused(
    await call(service, { method: 'POST', path: '/v1/pets', key, type: 'application/json' }),
    'invalid_json',
  )
})

test('a content coding other than identity is 415', async t => {
  for (const coding of ['gzip', 'br', 'deflate', 'zstd', 'gzip, identity', 'x']) {
    await t.test(coding, async () => {
      assertRefused(await post(petJson(), { headers: { 'Content-Encoding': coding } }), 'unsupported_media_type')
    })
  }
  assert.equal((await post(petJson(), { headers: { 'Content-Encoding': 'identity' } })).status, 201)
})

test('only JSON is read from a body, and nothing is coerced', async () => {
  for (const members of [
    { name: '5' },
    { categoryId: '"5"' },
    { categoryId: 'true' },
    { status: '0' },
    { name: 'false' },
  ]) {
    assertRefused(await post(petJson(members)), 'invalid_body')
  }
})

test('ids start at 1, rise, and are never used again', async t => {
  const own = await startTestService(t)
  const { key } = await own.createCaller()
  for (let id = 1; id <= 3; id++) assert.equal((await createPet(own, key)).json.id, id)
  await call(own, { method: 'POST', path: '/v1/pets', key, body: '{}' })
  const together = await Promise.all(Array.from({ length: 20 }, () => createPet(own, key)))
  const ids = together.map(answer => answer.json.id)
  assert.equal(new Set(ids).size, 20)
  assert.ok(Math.min(...ids) > 3)
  await own.close()
  const next = await own.startAnother()
  assert.ok((await createPet(next, key)).json.id > Math.max(...ids))
})

test('an answered creation is on disk: another process reads it at once', async t => {
  const own = await startTestService(t)
  const { key } = await own.createCaller()
  const other = await own.openStore()
  for (let round = 0; round < 10; round++) {
    const { json } = await createPet(own, key, { categoryId: String(round) })
    assert.equal((await other.findPet(BigInt(json.id)))?.categoryId, BigInt(round))
  }
})

test('the same idempotency key and body replays the first 201, byte for byte, with Idempotency-Replayed', async t => {
  const own = await startTestService(t)
  const { key } = await own.createCaller()
  const request: Call = {
    method: 'POST',
    path: '/v1/pets',
    key,
    body: petJson({ name: '"Zoë"', categoryId: '9007199254740993' }),
    headers: { 'Idempotency-Key': 'order-17' },
  }
  const first = await call(own, request)
  assert.equal(first.status, 201)
  assert.equal(first.header('idempotency-replayed'), undefined)
  await createPet(own, key)
  for (let again = 0; again < 3; again++) {
    const replay = await call(own, request)
    assert.equal(replay.status, 201)
    assert.deepEqual(replay.body, first.body)
    assert.equal(replay.header('idempotency-replayed'), 'true')
    assert.deepEqual(lasting(replay), lasting(first))
  }
  assert.equal((await createPet(own, key)).json.id, 3, 'and makes no second animal')
})

test('an idempotency key is remembered for 24 h', async t => {
  const own = await startTestService(t)
  const { key } = await own.createCaller()
  const request: Call = { method: 'POST', path: '/v1/pets', key, body: petJson(), headers: { 'Idempotency-Key': 'k' } }
  assert.equal((await call(own, request)).json.id, 1)
  own.clock.advanceSeconds(86_399)
  assert.equal((await call(own, request)).json.id, 1)
  own.clock.advanceSeconds(2)
  // As a service does each hour. The age of keys is judged at a time that is known to be right.
  await own.store.confirmClock(own.clock.now)
  const anew = await call(own, request)
  assert.equal(anew.json.id, 2)
  assert.equal(anew.header('idempotency-replayed'), undefined)
  assert.equal((await call(own, request)).json.id, 2, 'and is then remembered anew')
})

test('an idempotency key with another body is 422', async () => {
  await idempotent('taken')
  for (const body of [petJson({ name: '"Max"' }), `${petJson()} `, petJson({ status: '"available"' })]) {
    assertRefused(await idempotent('taken', body), 'idempotency_key_reused')
  }
  assert.equal((await idempotent('taken')).header('idempotency-replayed'), 'true')
})

test('an idempotency key belongs to the account: its other keys replay, other accounts create', async () => {
  const { key: second } = await service.issueKey(account)
  const { key: stranger } = await service.createCaller()
  const first = await idempotent('shared')
  const replay = await idempotent('shared', petJson(), { key: second })
  assert.deepEqual(replay.body, first.body)
  const strange = await idempotent('shared', petJson(), { key: stranger })
  assert.equal(strange.header('idempotency-replayed'), undefined)
  assert.notEqual(strange.json.id, first.json.id)
})

test('an idempotency key is case-sensitive', async () => {
  assert.notEqual((await idempotent('Case')).json.id, (await idempotent('case')).json.id)
})

test('a refused creation leaves its idempotency key free', async () => {
  assertRefused(await idempotent('free', '{}'), 'invalid_body')
  const answer = await idempotent('free')
  assert.equal(answer.status, 201)
  assert.equal(answer.header('idempotency-replayed'), undefined)
})

test('an idempotency key survives a restart', async t => {
  const own = await startTestService(t, { config: { publicUrls: { production: 'https://pets.example/v1' } } })
  const { key } = await own.createCaller()
  const request: Call = { method: 'POST', path: '/v1/pets', key, body: petJson(), headers: { 'Idempotency-Key': 'k' } }
  const first = await call(own, request)
  await own.close()
  const next = await own.startAnother()
  const replay = await call(next, request)
  assert.deepEqual(replay.body, first.body)
  assert.equal(replay.header('location'), first.header('location'))
  assert.equal(replay.header('idempotency-replayed'), 'true')
})

test('an idempotency key is 1 to 255 visible ASCII characters; any other is 400', async t => {
  for (const good of ['!', '~', 'a'.repeat(255), '"quoted"', '8e03978e-40d5-43e8-bc93-6894a57f9324', 'a,b']) {
    await t.test(`${good.slice(0, 40)} is one`, async () => assert.equal((await idempotent(good)).status, 201))
  }
  for (const bad of ['', 'a'.repeat(256), 'two words', 'a\tb', 'caf\u00e9', '\u00ff']) {
    await t.test(`${JSON.stringify(bad.slice(0, 40))} is none`, async () => {
      assertRefused(await idempotent(bad), 'invalid_idempotency_key')
    })
  }
  await t.test('two are none', async () => {
    const headers = [['Idempotency-Key', 'one'] as const, ['Idempotency-Key', 'two'] as const]
    assertRefused(await post(petJson(), { headers }), 'invalid_idempotency_key')
  })
})

test('the same request sent many times at once creates one animal', async t => {
  const own = await startTestService(t)
  const { key } = await own.createCaller()
  const request: Call = { method: 'POST', path: '/v1/pets', key, body: petJson(), headers: { 'Idempotency-Key': 'k' } }
  const answers = await Promise.all(Array.from({ length: 30 }, () => call(own, request)))
  const created = answers.filter(answer => answer.status === 201)
  assert.equal(created.filter(answer => answer.header('idempotency-replayed') === undefined).length, 1)
  for (const answer of created) assert.equal(answer.json.id, 1)
  for (const answer of answers.filter(answer => answer.status !== 201)) assertInProgress(answer)
  assert.equal((await call(own, { path: '/v1/pets', key })).json.length, 1)
})

test('creations with different idempotency keys are independent, even simultaneous ones', async t => {
  const own = await startTestService(t)
  const { key } = await own.createCaller()
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      call(own, {
        method: 'POST',
        path: '/v1/pets',
        key,
        body: petJson({ categoryId: String(index % 2) }),
        headers: { 'Idempotency-Key': `key-${index}` },
      }),
    ),
  )
  for (const answer of answers) assert.equal(answer.status, 201, answer.text)
  assert.equal(new Set(answers.map(answer => answer.json.id)).size, 30)
})

test('while a creation is still running, its idempotency key is 409 with Retry-After', async t => {
  const own = await startTestService(t, { embedded: { inThreads: true } })
  const { key } = await own.createCaller()
  const request: Call = { method: 'POST', path: '/v1/pets', key, body: petJson(), headers: { 'Idempotency-Key': 'k' } }
  const release = await own.backend.lockWrites()
  const codes = ['idempotency_in_progress', 'idempotency_key_reused'] as const
  const same: Promise<Answer>[] = []
  const other: Promise<Answer>[] = []
  try {
    for (let sent = 0; sent < 6; sent += 1) same.push(call(own, request))
    // The instance that is processing it answers; other instances wait for its result.
    assertInProgress(await Promise.race(same))
    for (let sent = 0; sent < 6; sent += 1) other.push(call(own, { ...request, body: petJson({ name: '"Max"' }) }))
    assertRefusedAs(await Promise.race(other), codes)
  } finally {
    await release()
  }
  const answers = await Promise.all(same)
  const created = answers.filter(answer => answer.status === 201)
  const [first, ...others] = created.filter(answer => answer.header('idempotency-replayed') === undefined)
  assert.ok(first)
  assert.deepEqual(others, [])
  for (const answer of created) assert.deepEqual(answer.body, first.body)
  const refused = answers.filter(answer => answer.status !== 201)
  for (const answer of [...refused, ...(await Promise.all(other))]) assertRefusedAs(answer, codes)
  assert.deepEqual((await call(own, request)).body, first.body)
  assert.equal((await createPet(own, key)).json.id, 2)
})

test('while the store cannot be written, a creation gets 503 service_unavailable and its connection ends; reads keep working', async t => {
  const own = await startTestService(t, { embedded: { inThreads: true, busyTimeoutMs: 500 } })
  const { key } = await own.createCaller()
  await createPet(own, key)
  const release = await own.backend.lockWrites()
  const waiting = call(own, { method: 'POST', path: '/v1/pets', key, body: petJson() })
  try {
    assert.equal((await call(own, { path: '/v1/pets/1', key })).json.id, 1)
    const refused = await waiting
    assertRefused(refused, 'service_unavailable')
    assert.equal(refused.json.message, 'The store was busy with other work for too long; retry shortly.')
    assert.equal(refused.header('connection'), 'close')
  } finally {
    await release()
  }
  assert.equal((await createPet(own, key)).status, 201)
})

function assertInProgress(answer: Answer): void {
  assertRefused(answer, 'idempotency_in_progress')
  assert.match(answer.header('retry-after') ?? '', /^[1-9][0-9]*$/)
}

function categoryOf(answer: Answer): string | undefined {
  return /"categoryId":(-?[0-9]+)/.exec(answer.text)?.[1]
}

/** The parts that a replay has in common with its first answer. */
function lasting(answer: Answer): unknown[] {
  const own = ['date', 'x-request-id', 'x-ratelimit-remaining', 'ratelimit', 'idempotency-replayed']
  return answer.headers.filter(([name]) => !own.includes(name.toLowerCase())).toSorted()
}

/** A text with one part of it replaced by bytes. */
function bytes(text: string, part: string, replacement: number[]): Buffer {
  const [before = '', behind = ''] = text.split(part)
  return Buffer.concat([Buffer.from(before), Buffer.from(replacement), Buffer.from(behind)])
}
