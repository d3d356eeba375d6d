import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertRefused, call, send } from '../support/call.ts'
import { createPets } from '../support/pets.ts'
import { startTestService } from '../support/service.ts'

// Contract, "Every response": what a request target may be, and which targets are the same.

const service = await startTestService({ after }, { config: { anonymousPerMinute: 10_000 } })
const { key } = await service.createCaller()
await createPets(service, key, 3)

const get = (path: string) => call(service, { path, key })

test('a percent-encoded unreserved character is the character itself (RFC 3986, section 6.2.2.2)', async t => {
  const same: [encoded: string, plain: string][] = [
    ['/v1/%70ets', '/v1/pets'],
    ['/%76%31/p%65t%73', '/v1/pets'],
    ['/v1/%70ets?limit=2', '/v1/pets?limit=2'],
    ['/v1/pets/%31', '/v1/pets/1'],
    ['/%6Fpenapi%2Ejson', '/openapi.json'],
    ['/%6fpenapi%2ejson', '/openapi.json'],
    [`http://petstore.test/v1/pets/%32`, '/v1/pets/2'],
  ]
  for (const [encoded, plain] of same) {
    await t.test(encoded, async () => {
      const [answer, expected] = [await get(encoded), await get(plain)]
      assert.equal(answer.status, 200, answer.text)
      assert.equal(answer.text, expected.text)
    })
  }
})

test('no other percent-encoded character is decoded, and nothing is decoded twice', async t => {
  for (const path of [
    '/v1%2Fpets',
    '/v1%2fpets/1',
    '/v1/pets%3Flimit=1',
    '/v1/%2570ets',
    '/v1/pets%00',
    '/v1/pets%20',
  ]) {
    await t.test(path, async () => assertRefused(await get(path), 'route_not_found'))
  }
  for (const id of ['%2531', '%2B1', '1%20', '%c3%a9', '%ff']) {
    await t.test(id, async () => assertRefused(await get(`/v1/pets/${id}`), 'pet_not_found'))
  }
})

test('dots are characters like any other: no path leads upwards, however it is written', async t => {
  for (const path of ['/v1/x/%2e%2e/pets', '/v1/%2E%2E/openapi.json', '/v1/%2e/pets', '/docs/%2e%2e/openapi.json']) {
    await t.test(path, async () => assertRefused(await get(path), 'route_not_found'))
  }
})

test('a path below /v1 needs a key, however it is written', async () => {
  for (const path of ['/%761/pets', '/v%31/pets', '/v1/%2e%2e/openapi.json']) {
    assertRefused(await call(service, { path }), 'missing_api_key')
  }
})

test('a query is read as browsers write it (WHATWG URL)', async t => {
  const ascii = Array.from({ length: 0x80 }, (_, code) => String.fromCharCode(code)).join('')
  const url = new URL(`http://petstore.test/v1/pets?limit=2&x=${ascii.replace(/[#&]/g, '')}`)
  const queries = ['?utm={x}&limit=2', '?a=b|c&limit=2', '?^=\\`&limit=2', "?'=%zz&%&limit=2", url.search]
  for (const query of queries) {
    await t.test(query, async () => {
      const answer = await get(`/v1/pets${query}`)
      assert.equal(answer.status, 200, answer.text)
      assert.equal(answer.json.length, 2)
    })
  }
})

test('a known parameter is read in a query of any spelling', async () => {
  assert.equal((await get('/v1/pets?{}|^`\\&%6Cimit=%31')).json.length, 1)
  assertRefused(await get('/v1/pets?status={sold}'), 'invalid_parameter')
})

test('what browsers percent-encode must be percent-encoded, and the refusal says where', async t => {
  const targets: [target: string, message: RegExp][] = [
    ...[...'"<>'].map((character): [string, RegExp] => [`/v1/pets?x=${character}`, /^The query .* percent-encoded/]),
    ...[...'"<>\\^`{|}'].map((character): [string, RegExp] => [`/v1/${character}`, /^The path .* percent-encoded/]),
    ['/v1/pets#top', /^The request target must not .* fragment/],
    ['/v1/pets?x#top', /^The request target must not .* fragment/],
    ['/v1/%zz', /^"%" in the path must be followed by two hexadecimal digits/],
    ['/v1/pets/%4', /^"%" in the path must be followed by two hexadecimal digits/],
    ['http://petstore.test', /^The request target must be a path, such as \/v1\/pets/],
  ]
  for (const [target, message] of targets) {
    await t.test(target, async () => {
      const answer = await send(service, `GET ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`)
      assertRefused(answer, 'malformed_request')
      assert.match(answer.json.message, message)
    })
  }
})

test('a key in the path is in no log, however it is written', async () => {
  const encode = (text: string, times: number): string =>
    times === 0
      ? text
      : encode(
          text.replaceAll(/./g, one => `%${one.charCodeAt(0).toString(16)}`),
          times - 1,
        )
  const some = key.slice(0, 30)
  for (const path of [
    `/v1/pets/${key}`,
    `/v1/pets/${key.slice(0, 20)}`,
    `/v1/pets/${encode('p', 2)}${key.slice(1, 12)}`,
    `/v1/pets/${encode(some, 1)}`,
    `/v1/pets/${encode(some.slice(0, 16), 2)}`,
    `/v1/${encode(some, 1)}^`,
    `/v1/${key.replaceAll('_', '%5F')}^`,
    `/v1/${key.replaceAll('_', '%255f')}`,
  ]) {
    const before = service.logs.length
    await send(service, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
    const lines = service.logs.slice(before)
    assert.equal(lines.length, 1)
    assert.match(JSON.parse(lines[0] ?? '').path, /^(?:\/v1\/(?:pets\/)?)\(withheld\)\^?$/, path)
  }
  const before = service.logs.length
  await get('/v1/pets/%25%2f%31')
  assert.equal(JSON.parse(service.logs[before] ?? '').path, '/v1/pets/%25%2f1', 'another path is in the log')
})
