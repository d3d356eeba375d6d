import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { revokeToken } from '../../src/domain/administration/tokens.ts'
import { generateToken } from '../../src/domain/operator.ts'
import { hashSecret, hintOf } from '../../src/domain/secret.ts'
import { formatJson } from '../../src/schema/exact-json.ts'
import { assertRefused as assertRefusedInPublic, call as callPublic } from '../support/call.ts'
import { petstore } from '../support/command-line.ts'
import { malformedCredentials } from '../support/malformed-credentials.ts'
import { assertRefused, type CallOptions, startOperatorService } from '../support/operator.ts'
import { exampleOf, GUARDED } from '../support/operator-examples.ts'
import { only } from '../support/rate.ts'

// The admin API accepts only operator tokens and their sessions.

const service = await startOperatorService({ after })
const { token } = service.admin
const { key } = await service.createCaller()
const browser = await service.signIn(token)
const expired = await service.createToken('admin', { expiresAt: service.clock.now + 1 })
service.clock.advance(1)
const revoked = await service.createToken('admin')
await revokeToken(service.adminContext(), String(revoked.id))

/** A token of the other deployment that the store knows. */
const foreign = generateToken('staging')
const eve = { name: 'Eve', role: 'admin', expiresAt: undefined } as const
const entry = { at: 0, actor: 'Eve', origin: '', action: 'token.create', details: {} } as const
await service.store.createToken({ ...eve, hash: hashSecret(foreign), hint: hintOf(foreign) }, entry)

const bearer = (text: string): CallOptions => ({ token: null, headers: { Authorization: `Bearer ${text}` } })
const headers = (texts: string | string[]): CallOptions => ({
  token: null,
  headers: [texts].flat().map(text => ['Authorization', text] as const),
})

const WRONG_TOKENS: [what: string, credentials: CallOptions][] = [
  ['an API key', bearer(key)],
  ['an API key as a cookie', { cookie: `petstore_session_live=${key}` }],
  ['a token as a cookie', { cookie: `petstore_session_live=${token}` }],
  ['a token that was never issued', bearer(generateToken('production'))],
  ['a mistyped token', bearer(token.slice(0, -1) + (token.endsWith('0') ? '1' : '0'))],
  ['a token cut short', bearer(token.slice(0, -1))],
  ['a token in another case', bearer(token.toUpperCase())],
  ['an expired token', bearer(expired.token)],
  ['a revoked token', bearer(revoked.token)],
  ["the other deployment's token", bearer(foreign)],
  ['the hash of a token', bearer(hashSecret(token))],
]
const WRONG: typeof WRONG_TOKENS = [
  ...WRONG_TOKENS,
  ...malformedCredentials().map(([what, , format]): (typeof WRONG_TOKENS)[number] => [what, headers(format(token))]),
  ["a session's secret as a token", bearer(browser.secret)],
  ["a session's CSRF token as a token", bearer(browser.csrf)],
  ['a wrong token beside the cookie of a good session', { ...bearer(revoked.token), cookie: browser.cookie }],
]

test('without credentials every call is refused and changes nothing', async t => {
  for (const operation of GUARDED) {
    await t.test(operation.id, async () => {
      const { method, path, options } = await exampleOf(operation, service)
      const before = service.snapshot()
      const answer = await service.call(method, path, { ...options, token: null })
      assertRefused(answer, 'missing_token')
      assert.equal(only(answer, 'WWW-Authenticate'), 'Bearer')
      assert.deepEqual(service.snapshot(), before)
    })
  }
})

test('with wrong credentials every call is refused and changes nothing', async t => {
  for (const operation of GUARDED) {
    await t.test(operation.id, async () => {
      const { method, path, options } = await exampleOf(operation, service)
      const before = service.snapshot()
      for (const [what, credentials] of WRONG) {
        service.clock.advance(6_000)
        const both = [...list(options.headers), ...list(credentials.headers)]
        const answer = await service.call(method, path, { ...options, ...credentials, headers: both })
        assert.equal(`${answer.status} ${answer.code}`, '401 invalid_token', what)
        assert.equal(only(answer, 'WWW-Authenticate'), 'Bearer error="invalid_token"')
      }
      assert.deepEqual(service.snapshot(), before)
    })
  }
})

test('all invalid tokens of the right form get the same response', async () => {
  const responses = new Set<string>()
  for (const [what, credentials] of WRONG_TOKENS.filter(([, { cookie }]) => cookie === undefined)) {
    service.clock.advance(6_000)
    const answer = await service.call('GET', '/session', credentials)
    responses.add(`${what}: ${answer.text}`.slice(what.length))
  }
  assert.equal(responses.size, 1)
})

test('the response to a header of the wrong form names the fault, whatever the token, and repeats nothing', async () => {
  for (const [what, fault, ...formats] of malformedCredentials()) {
    for (const format of formats) {
      for (const text of [token, revoked.token, generateToken('production'), 'xyzzy']) {
        service.clock.advance(6_000)
        const answer = await service.call('GET', '/session', headers(format(text)))
        const message = `The operator token is not valid: ${fault}.`
        assert.deepEqual(JSON.parse(answer.text), { code: 'invalid_token', message, status: 401 }, what)
      }
    }
  }
})

test('so does the response to signing in with such a token', async () => {
  for (const [format, fault] of [
    ['"T"', 'it contains quotes'],
    ['<T>', 'it contains brackets'],
    ['T\n', 'it contains a line end'],
    ['T\\n', 'it contains a line end'],
    ['Bearer T', 'it begins with "Bearer"'],
    ['T T', 'it contains a space'],
    ['\u201cT\u201d', 'it contains quotes'],
    ['T\u200b', 'it contains a character that is invisible or not ASCII'],
    ['', 'it is empty'],
  ] as const) {
    for (const text of [token, revoked.token]) {
      service.clock.advance(6_000)
      const body = { token: format.replaceAll('T', text) }
      const answer = await service.call('POST', '/session', { token: null, body })
      assertRefused(answer, 'invalid_token', `The operator token is not valid: ${fault}.`)
    }
  }
})

test('a session cannot begin with an invalid token', async () => {
  service.clock.advance(60_000)
  const before = service.snapshot()
  for (const text of [key, expired.token, revoked.token, foreign, browser.secret, '', 'x'.repeat(60_000)]) {
    assertRefused(await service.call('POST', '/session', { token: null, body: { token: text } }), 'invalid_token')
  }
  for (const body of [{}, { token: null }, { token: 5 }, { token: [token] }]) {
    assertRefused(await service.call('POST', '/session', { token: null, body }), 'invalid_body')
  }
  assert.deepEqual(service.snapshot(), before)
})

test("the scheme's case does not matter", async () => {
  for (const scheme of ['bearer', 'BEARER', 'Bearer  ']) {
    assert.equal((await service.call('GET', '/session', headers(`${scheme} ${token}`))).status, 200)
  }
})

test('a token names its holder, and works until the exact moment when it expires', async t => {
  const another = await startOperatorService(t)
  const expiresAt = another.clock.now + 5_000
  const brief = await another.createToken('staff', { name: 'Bea', expiresAt })
  const answer = await another.call('GET', '/session', { token: brief.token })
  assert.deepEqual(answer.value, {
    operator: { tokenId: brief.id, name: 'Bea', role: 'staff' },
    expiresAt: new Date(expiresAt).toISOString(),
    csrfToken: null,
  })
  another.clock.now = expiresAt - 1
  assert.equal((await another.call('GET', '/session', { token: brief.token })).status, 200)
  another.clock.now = expiresAt
  assertRefused(await another.call('GET', '/session', { token: brief.token }), 'invalid_token')
})

test('a token created on the command line works immediately, and is refused from the next call after it was revoked there', async () => {
  const settings = { PETSTORE_DATA: service.config.dataFolder }
  const run = async (...args: string[]) => JSON.parse((await petstore([...args, '--json'], settings)).stdout)
  const made = await run('token', 'create', 'Cleo', '--role', 'staff')
  assert.equal((await service.call('GET', '/pets', { token: made.token })).status, 200)
  await run('token', 'revoke', String(made.id))
  assertRefused(await service.call('GET', '/pets', { token: made.token }), 'invalid_token')
})

test('a call without credentials does not reveal which paths exist below /admin/v1', async () => {
  const targets = [
    '/admin/v1',
    '/admin/v1/',
    '/admin/v1/nothing-here',
    '/admin/v1/pets/',
    '/admin/v1//pets',
    '/admin/v1/%2570ets',
  ]
  for (const target of targets) {
    service.clock.advance(60_000)
    assertRefused(await service.ask('GET', target, { token: null }), 'missing_token')
    assertRefused(await service.ask('POST', target, bearer(key)), 'invalid_token')
    assertRefused(await service.ask('GET', target), 'route_not_found')
  }
  assertRefused(await service.ask('DELETE', '/admin/v1/pets', { token: null }), 'missing_token')
  assertRefused(await service.ask('DELETE', '/admin/v1/pets'), 'method_not_allowed')
})

test('the admin API is not on the public port', async () => {
  for (const operation of GUARDED) {
    const { method, path, options } = await exampleOf(operation, service)
    const before = service.snapshot()
    const { body, headers = {} } = options
    for (const credential of [undefined, key, token]) {
      const request = { method, path: `/admin/v1${path}`, key: credential, headers }
      const sent = body === undefined ? request : { ...request, body: formatJson(body) }
      assertRefusedInPublic(await callPublic(service, sent), 'route_not_found')
    }
    assert.deepEqual(service.snapshot(), before)
  }
  for (const path of ['/metrics', '/readyz', '/livez']) {
    assertRefusedInPublic(await callPublic(service, { path, key: token }), 'route_not_found')
  }
})

test("the public API is not on the operators' port, and does not accept operator tokens", async () => {
  for (const credentials of [{ token: null }, bearer(key), { token }]) {
    for (const target of ['/v1/pets', '/v1/pets/1', '/v1']) {
      assertRefused(await service.ask('GET', target, credentials), 'route_not_found')
    }
  }
  for (const path of ['/v1/pets', '/v1/pets/1', '/v1']) {
    assertRefusedInPublic(await callPublic(service, { path, key: token }), 'invalid_api_key')
  }
  const cookie = { Cookie: browser.cookie }
  assertRefusedInPublic(await callPublic(service, { path: '/v1/pets', headers: cookie }), 'missing_api_key')
})

function list(headers: CallOptions['headers'] = {}): readonly (readonly [string, string])[] {
  return Array.isArray(headers) ? headers : Object.entries(headers)
}
