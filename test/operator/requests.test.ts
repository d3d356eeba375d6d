import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { parseInt64 } from '../../src/domain/int64.ts'
import { OPERATIONS } from '../../src/operator/routes.ts'
import { eventually } from '../support/eventually.ts'
import { type AdminAnswer, assertRefused, connectToOperators, startOperatorService } from '../support/operator.ts'
import { CHANGING, exampleOf } from '../support/operator-examples.ts'
import { only } from '../support/rate.ts'

// HTTP on the operators' listener: the same shapes and the same strictness as on the public listener.

const service = await startOperatorService({ after })
const WITH_BODY = OPERATIONS.filter(({ body }) => body)
const WITH_QUERY = OPERATIONS.filter(({ query }) => query)

test('a known path with another method is 405, with the allowed methods', async () => {
  for (const [method, path, allow] of [
    ['DELETE', '/pets', 'GET, HEAD, POST, OPTIONS'],
    ['PUT', '/pets/1', 'GET, HEAD, PATCH, DELETE, OPTIONS'],
    ['GET', '/keys/1/revoke', 'POST, OPTIONS'],
    ['POST', '/accounts/1/plan', 'PUT, OPTIONS'],
    ['TRACE', '/session', 'POST, GET, HEAD, DELETE, OPTIONS'],
  ] as const) {
    const answer = await service.ask(method, `/admin/v1${path}`)
    assertRefused(answer, 'method_not_allowed', `This path allows ${allow}.`)
    assert.equal(only(answer, 'Allow'), allow)
  }
})

test('OPTIONS is 204 on every path, and allows no page of another site', async () => {
  const headers = { Origin: 'https://evil.test', 'Access-Control-Request-Method': 'DELETE' }
  for (const { path } of OPERATIONS) {
    const answer = await service.ask('OPTIONS', `/admin/v1${path.replace(/\{\w+\}/, '1')}`, { token: null, headers })
    assert.equal(answer.status, 204)
    assert.match(only(answer, 'Allow'), /OPTIONS$/)
  }
  assert.equal((await service.ask('OPTIONS', '*', { token: null })).status, 204)
})

test('HEAD is answered as GET, without a body', async () => {
  for (const target of ['/admin/v1/pets', '/admin/v1/accounts', '/admin/v1/session', '/readyz', '/metrics', '/docs']) {
    const [head, get] = [await service.ask('HEAD', target), await service.ask('GET', target)]
    assert.equal(head.status, get.status)
    assert.equal(head.header('content-type'), get.header('content-type'))
  }
  assert.equal((await service.ask('HEAD', '/admin/v1/pets', { token: null })).status, 401)
})

test('a well-formed X-Request-Id is kept', async () => {
  for (const target of ['/admin/v1/pets', '/admin/v1/nothing', '/livez']) {
    const answer = await service.ask('GET', target, { headers: { 'X-Request-Id': 'their-id.7' } })
    assert.equal(only(answer, 'X-Request-Id'), 'their-id.7')
  }
})

test('a byte order mark before a JSON body is named', async () => {
  const body = '\ufeff{"name":"Rex","categoryId":7}'
  const message = 'The body must be one JSON value; it has a byte order mark (U+FEFF) at character 1.'
  assertRefused(await service.call('POST', '/pets', { body }), 'invalid_json', message)
})

test('every operation with a body refuses anything that is not a JSON object, and changes nothing', async t => {
  for (const operation of WITH_BODY) {
    await t.test(operation.id, async () => {
      const { method, path, options } = await exampleOf(operation, service)
      const before = service.snapshot()
      const send = (body: string | Uint8Array | undefined, more = {}): Promise<AdminAnswer> =>
        service.call(method, path, { ...options, body, type: 'application/json', ...more })
      for (const body of [
        '',
        '{',
        '{"name":"a","name":"b"}',
        '{"name":"\\ud800"}',
        `${'['.repeat(33)}${']'.repeat(33)}`,
      ]) {
        assertRefused(await send(body), 'invalid_json')
      }
      assertRefused(await send(undefined), 'invalid_json')
      assertRefused(await send(Buffer.from('{"name":"\xff"}', 'latin1')), 'invalid_json')
      for (const body of ['[]', 'null', '"name"', '5']) assertRefused(await send(body), 'invalid_body')
      // A misspelt member must not be ignored silently.
      for (const body of ['{"nmae":"Rex"}', '{"__proto__":{}}']) {
        assertRefused(await send(body), 'invalid_body', /unknown member /)
      }
      assertRefused(await send(`{"padding":"${'x'.repeat(65_536)}"}`), 'body_too_large')
      for (const type of [
        null,
        'text/plain',
        'application/x-www-form-urlencoded',
        'application/json; charset=latin1',
      ]) {
        assertRefused(await send('{}', { type }), 'unsupported_media_type')
      }
      const compressed = { headers: { ...options.headers, 'Content-Encoding': 'gzip' } }
      assertRefused(await send('{}', compressed), 'unsupported_media_type')
      assert.deepEqual(service.snapshot(), before)
    })
  }
})

test('a parameter must not be repeated or empty, and unknown ones are refused', async t => {
  for (const operation of WITH_QUERY) {
    await t.test(operation.id, async () => {
      const { method, path, options } = await exampleOf(operation, service)
      const ask = (query: string) => service.call(method, `${path}?${query}`, options)
      for (const name of Object.keys(operation.query?.properties ?? {})) {
        const refused = new RegExp(`\\b${name} must be `)
        assertRefused(await ask(`${name}=`), 'invalid_parameter', refused)
        assertRefused(await ask(`${name}=1&${name}=1`), 'invalid_parameter', refused)
      }
      for (const unknown of ['nonsense', 'constructor', '__proto__', 'Limit', '']) {
        assertRefused(await ask(`${unknown}=1`), 'invalid_parameter', /unknown parameter /)
      }
    })
  }
})

test('a query that is not UTF-8 is refused, and no animal gets a name with replaced characters', async () => {
  const importWith = (name: string) =>
    service.call('POST', `/pets/import?defaultName=${name}&dryRun=true`, {
      type: 'text/csv',
      body: 'name,categoryId\n,1\n',
    })
  // As Latin-1, half a character, and a surrogate.
  for (const name of ['Zo%EB', '%E3%81', '%ED%A0%80']) {
    const answer = await importWith(name)
    assertRefused(answer, 'invalid_parameter', 'The query must be percent-encoded UTF-8.')
  }
  for (const name of ['Zo%C3%AB', '%EF%BF%BD', '%ef%bf%bd', '100%'])
    assert.equal((await importWith(name)).status, 200, name)
})

test('a limit and the start of a page have only one spelling', async () => {
  for (const path of ['/pets', '/accounts', '/keys', '/bans', '/audit']) {
    for (const limit of ['0', '101', '-1', '+5', '05', '5.0', '1e1', ' 5', '0x5', '999999999999']) {
      const answer = await service.call('GET', `${path}?limit=${encodeURIComponent(limit)}`)
      assertRefused(answer, 'invalid_parameter', 'limit must be an integer from 1 to 100.')
    }
    for (const limit of ['1', '100']) assert.equal((await service.call('GET', `${path}?limit=${limit}`)).status, 200)
    const edge = path === '/bans' || path === '/audit' ? 'before' : 'after'
    for (const id of ['x', '1.0', '01', '9223372036854775808']) {
      assertRefused(await service.call('GET', `${path}?${edge}=${id}`), 'invalid_parameter')
    }
    assert.equal((await service.call('GET', `${path}?${edge}=9223372036854775807`)).status, 200)
  }
})

test('an invalid id and an unknown id are 404', async t => {
  const ids = ['0', '-1', '01', '1.0', '1e3', '%2531', 'null', '999999', '9223372036854775807', '9223372036854775808']
  for (const operation of OPERATIONS.filter(({ path }) => path.includes('{'))) {
    await t.test(operation.id, async () => {
      const { method, options } = await exampleOf(operation, service)
      const before = service.snapshot()
      // Every int64 is a category.
      const isKnown = (id: string) => operation.id === 'labelCategory' && parseInt64(id) !== undefined
      for (const id of ids.filter(id => !isKnown(id))) {
        const path = operation.path.replace(/\{\w+\}/, id)
        assertRefused(await service.call(method, path, options), 'not_found')
      }
      assert.deepEqual(service.snapshot(), before)
    })
  }
})

test('errors of Node’s parser have the same shape', async () => {
  const host = 'Host: 127.0.0.1\r\n'
  for (const [bytes, code] of [
    ['nonsense\r\n\r\n', 'malformed_request'],
    ['GET /admin/v1/pets HTTP/1.1\r\n\r\n', 'malformed_request'],
    [`GET /admin/v1/pets HTTP/1.1\r\n${host}${host}\r\n`, 'malformed_request'],
    [`GET /admin/v1/<pets> HTTP/1.1\r\n${host}\r\n`, 'malformed_request'],
    [`GET /admin/v1/%zz HTTP/1.1\r\n${host}\r\n`, 'malformed_request'],
    [`CONNECT petstore:1 HTTP/1.1\r\n${host}\r\n`, 'method_not_supported'],
    [`GET /admin/v1/pets?${'x'.repeat(8_200)} HTTP/1.1\r\n${host}\r\n`, 'uri_too_long'],
    [`GET /admin/v1/pets HTTP/1.1\r\n${host}X: ${'x'.repeat(20_000)}\r\n\r\n`, 'headers_too_large'],
    [`POST /admin/v1/session HTTP/1.1\r\n${host}Expect: magic\r\n\r\n`, 'expectation_failed'],
  ] as const) {
    assertRefused(await service.send(bytes), code)
  }
})

test('a call that does not arrive in time is refused', async t => {
  const another = await startOperatorService(t, { timeouts: { headersMs: 300, requestMs: 600, checkEveryMs: 50 } })
  const connection = await connectToOperators(another)
  connection.write('GET /admin/v1/pets HTTP/1.1\r\nHost: a')
  assertRefused(await connection.answer(), 'request_timeout')
  await connection.ended()
})

test('a call whose sender leaves before the end of its body is logged without a status, and is no error', async () => {
  const connection = await connectToOperators(service)
  const head = `Host: 127.0.0.1\r\nAuthorization: Bearer ${service.admin.token}\r\nX-Request-Id: left-early\r\n`
  connection.write(
    `POST /admin/v1/pets HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n`,
  )
  // 100 Continue: the service waits for the body.
  await connection.arrival()
  connection.reset()
  const lines = () => service.logs.filter(line => line.includes('left-early'))
  const [line = ''] = await eventually(() => {
    assert.notEqual(lines().length, 0)
    return lines()
  })
  const { level, msg, operation, status } = JSON.parse(line)
  assert.deepEqual([level, msg, operation, status], [30, 'call', 'addPet', undefined])
})

test('a connection serves several calls, also after refused ones', async () => {
  const connection = await connectToOperators(service)
  const head = `Host: 127.0.0.1\r\nAuthorization: Bearer ${service.admin.token}\r\n`
  const body = '{"name":"Rex","categoryId":1}'
  const post = `POST /admin/v1/pets HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  connection.write(
    `GET /admin/v1/none HTTP/1.1\r\n${head}\r\n${post}${post.replace(head, 'Host: localhost\r\n')}GET /livez HTTP/1.1\r\n${head}\r\n`,
  )
  const statuses = []
  for (const method of ['GET', 'POST', 'POST', 'GET']) statuses.push((await connection.answer(method)).status)
  assert.deepEqual(statuses, [404, 201, 401, 200])
})

test('an operation without a body ignores one', async () => {
  for (const operation of CHANGING.filter(({ body, upload }) => !body && !upload)) {
    const { method, path, options } = await exampleOf(operation, service)
    const answer = await service.call(method, path, { ...options, body: '{"role":', type: 'text/plain' })
    assert.equal(answer.status, operation.status, operation.id)
  }
})
