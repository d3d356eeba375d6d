import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { revokeToken } from '../../src/domain/administration/tokens.ts'
import { generateSession, SESSION_MS } from '../../src/domain/session.ts'
import { type AdminAnswer, assertRefused, type CallOptions, startOperatorService } from '../support/operator.ts'
import { CHANGING, exampleOf, GUARDED } from '../support/operator-examples.ts'
import { only } from '../support/rate.ts'

// A browser signs in with a token and then sends its cookie with every request. Pages of other sites cannot exploit that.

const service = await startOperatorService({ after })
const { host } = new URL(service.operatorUrl)
const OWN_ORIGIN = { Origin: `http://${host}` }

/** Changes that our own page makes: all except signing in. */
const CHANGES = CHANGING.filter(({ role }) => role !== 'anyone')

/** The headers of a call that a page of another site makes a browser send. */
const FOREIGN: [what: string, headers: Record<string, string>][] = [
  ['another origin', { Origin: 'https://evil.test' }],
  ['an origin that begins like ours', { Origin: `http://${host}.evil.test` }],
  ['our host at another port', { Origin: 'http://127.0.0.1:1' }],
  ['an opaque origin', { Origin: 'null' }],
  ['an empty origin', { Origin: '' }],
  ['two origins', { Origin: `http://${host}, https://evil.test` }],
  ['another site, by Sec-Fetch-Site', { 'Sec-Fetch-Site': 'cross-site' }],
  ['a neighbour of the same site', { 'Sec-Fetch-Site': 'same-site' }],
  ['another site, with our origin', { ...OWN_ORIGIN, 'Sec-Fetch-Site': 'cross-site' }],
]

test('signing in sets a cookie that no script can read and no other site can send, and returns the operator', async () => {
  const { answer, secret, csrf } = await service.signIn(service.staff.token)
  assert.match(secret, /^[\w-]{43,}$/)
  const cookie = `petstore_session_live=${secret}; Max-Age=43200; HttpOnly; SameSite=Strict`
  assert.equal(only(answer, 'Set-Cookie'), cookie)
  assert.deepEqual(answer.value, {
    operator: { tokenId: service.staff.id, name: 'Sam', role: 'staff' },
    expiresAt: new Date(service.clock.now + SESSION_MS).toISOString(),
    csrfToken: csrf,
  })
  assert.ok(!answer.text.includes(secret), 'the secret is in the cookie alone')
})

test('the cookie is Secure exactly when the browser used https', async () => {
  for (const [forwarded, isSecure] of [
    ['https', true],
    ['HTTPS', true],
    // The protocol between the browser and the first of two proxies comes first.
    ['https, http', true],
    ['https,https', true],
    ['http, https', false],
    ['http', false],
    ['', false],
  ] as const) {
    const { answer } = await service.signIn(service.admin.token, { 'X-Forwarded-Proto': forwarded })
    assert.equal(/; Secure(?:;|$)/.test(only(answer, 'Set-Cookie')), isSecure, forwarded)
  }
})

test('no two sessions share their secrets', async () => {
  const browsers = await Promise.all(Array.from({ length: 8 }, () => service.signIn(service.admin.token)))
  assert.equal(new Set(browsers.flatMap(({ secret, csrf }) => [secret, csrf])).size, 16)
})

test('a session allows everything that its token allows', async t => {
  const { cookie, csrf } = await service.signIn(service.admin.token)
  for (const operation of GUARDED.filter(({ id }) => id !== 'signOut')) {
    await t.test(operation.id, async () => {
      const { method, path, options } = await exampleOf(operation, service)
      const sent = method === 'GET' ? { cookie } : { cookie, csrf, headers: { ...options.headers, ...OWN_ORIGIN } }
      const answer = await service.call(method, path, { ...options, ...sent })
      assert.equal(answer.status, operation.status, answer.text)
    })
  }
})

test('a page can read the CSRF token of its own session again', async () => {
  const { cookie, csrf } = await service.signIn(service.staff.token)
  assert.equal((await service.call('GET', '/session', { cookie })).value.csrfToken, csrf)
})

test('a change needs the CSRF token of its own session', async t => {
  const { cookie, csrf, secret } = await service.signIn(service.admin.token)
  const other = await service.signIn(service.admin.token)
  const wrong = [undefined, '', other.csrf, csrf.slice(1), `${csrf}=`, csrf.toLowerCase(), secret, service.admin.token]
  for (const operation of CHANGES) {
    await t.test(operation.id, async () => {
      const { method, path, options } = await exampleOf(operation, service)
      const before = service.snapshot()
      for (const sent of wrong) {
        const headers = { ...options.headers, ...OWN_ORIGIN, 'Sec-Fetch-Site': 'same-origin' }
        assertRefused(await service.call(method, path, { ...options, cookie, csrf: sent, headers }), 'csrf_refused')
      }
      assert.deepEqual(service.snapshot(), before)
    })
  }
})

test('a change must not come from a page of another site, even with the CSRF token', async t => {
  const { cookie, csrf } = await service.signIn(service.admin.token)
  for (const operation of CHANGES) {
    await t.test(operation.id, async () => {
      const { method, path, options } = await exampleOf(operation, service)
      const before = service.snapshot()
      for (const [what, foreign] of FOREIGN) {
        const headers = { ...options.headers, ...foreign }
        const answer = await service.call(method, path, { ...options, cookie, csrf, headers })
        assert.equal(answer.code, 'csrf_refused', what)
      }
      assert.deepEqual(service.snapshot(), before)
    })
  }
})

test('a page of another site cannot sign its reader in as someone else', async () => {
  const body = { token: service.staff.token }
  const before = service.snapshot()
  for (const [, headers] of FOREIGN) {
    const answer = await service.call('POST', '/session', { token: null, body, headers })
    assertRefused(answer, 'csrf_refused')
    assert.equal(answer.header('set-cookie'), undefined)
  }
  // A browser sends a form anywhere without a preflight, so it must not be read as JSON.
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', null]) {
    const answer = await service.call('POST', '/session', { token: null, body, type })
    assertRefused(answer, 'unsupported_media_type')
  }
  assert.deepEqual(service.snapshot(), before)
})

test('a foreign origin is refused in a call without Host, too', async () => {
  const body = JSON.stringify({ token: service.staff.token })
  const head = `POST /admin/v1/session HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
  const before = service.snapshot()
  for (const origin of ['null', 'https://evil.test', '']) {
    assertRefused(await service.send(`${head}\r\nOrigin: ${origin}\r\n\r\n${body}`), 'csrf_refused')
  }
  assert.deepEqual(service.snapshot(), before)
})

test('our own pages, and addresses that are typed, are not refused as another site', async () => {
  // A proxy may have replaced Host. Pages of other sites cannot make a browser say same-origin.
  const behindProxy = { Origin: 'https://operators.example', 'Sec-Fetch-Site': 'same-origin' }
  for (const headers of [OWN_ORIGIN, { 'Sec-Fetch-Site': 'same-origin' }, { 'Sec-Fetch-Site': 'none' }, behindProxy]) {
    const { cookie, csrf } = await service.signIn(service.staff.token, headers)
    assert.equal((await service.call('DELETE', '/session', { cookie, csrf, headers })).status, 204)
  }
})

test('a call with an operator token requires no CSRF token', async () => {
  const headers = { Origin: 'https://script.test', 'Sec-Fetch-Site': 'cross-site' }
  const answer = await service.call('POST', '/pets', { headers, body: { name: 'Rex', categoryId: 1 } })
  assert.equal(answer.status, 201)
})

test('a token takes precedence over a cookie, but signing out still ends the session of the cookie', async () => {
  const { cookie, csrf } = await service.signIn(service.admin.token)
  const both = { cookie, token: service.staff.token }
  assert.equal((await service.call('GET', '/session', both)).value.operator.name, 'Sam')
  assertRefused(await service.call('POST', '/accounts', { ...both, csrf, body: {} }), 'role_insufficient')
  assert.equal((await service.call('DELETE', '/session', both)).status, 204)
  assertRefused(await service.call('GET', '/session', { cookie }), 'invalid_token')
})

test('signing out ends the session, not the token, and deletes the cookie', async () => {
  // The token has many sessions, of which the newest are kept.
  service.clock.advance(1)
  const { cookie, csrf } = await service.signIn(service.admin.token)
  const other = await service.signIn(service.admin.token)
  const answer = await service.call('DELETE', '/session', { cookie, csrf })
  assert.equal(answer.status, 204)
  assert.equal(only(answer, 'Set-Cookie'), 'petstore_session_live=; Max-Age=0; HttpOnly; SameSite=Strict')
  for (const [method, path] of [
    ['GET', '/session'],
    ['DELETE', '/session'],
    ['POST', '/pets'],
  ] as const) {
    assertRefused(await service.call(method, path, { cookie, csrf }), 'invalid_token')
  }
  assert.equal((await service.call('GET', '/session', other)).status, 200)
  assert.equal((await service.call('GET', '/session')).status, 200)
})

test('a session ends after twelve hours', async t => {
  const another = await startOperatorService(t)
  const { cookie, csrf } = await another.signIn(another.admin.token)
  another.clock.advance(SESSION_MS - 1)
  assert.equal((await another.call('GET', '/session', { cookie })).status, 200)
  another.clock.advance(1)
  await assertOver(another.call, { cookie, csrf })
  assert.equal((await another.call('GET', '/session')).status, 200)
})

test('a session ends with its token at the latest', async t => {
  const another = await startOperatorService(t)
  const expiresAt = another.clock.now + 90_500
  const { token } = await another.createToken('admin', { expiresAt })
  const { answer, cookie, csrf } = await another.signIn(token)
  assert.equal(answer.value.expiresAt, new Date(expiresAt).toISOString())
  assert.match(only(answer, 'Set-Cookie'), /; Max-Age=90;/)
  another.clock.now = expiresAt - 1
  assert.equal((await another.call('GET', '/session', { cookie })).status, 200)
  another.clock.now = expiresAt
  await assertOver(another.call, { cookie, csrf })
})

test('revoking a token ends its sessions immediately, and no others', async () => {
  const { id, token } = await service.createToken('admin')
  const { cookie, csrf } = await service.signIn(token)
  const other = await service.signIn(service.admin.token)
  await revokeToken(service.adminContext(), String(id))
  await assertOver(service.call, { cookie, csrf })
  assert.equal((await service.call('GET', '/session', { cookie: other.cookie })).status, 200)
})

test('a session outlives a restart of the service', async t => {
  const first = await startOperatorService(t)
  const { cookie, csrf } = await first.signIn(first.staff.token)
  const ended = await first.signIn(first.staff.token)
  await first.call('DELETE', '/session', ended)
  await first.close()
  const second = await first.startAnother()
  assert.equal((await second.call('GET', '/session', { cookie })).value.csrfToken, csrf)
  const pet = { name: 'Rex', categoryId: 1 }
  assert.equal((await second.call('POST', '/pets', { cookie, csrf, body: pet })).status, 201)
  await assertOver(second.call, ended)
})

test('a forged or malformed cookie is refused', async () => {
  service.clock.advance(60_000)
  const { secret } = await service.signIn(service.admin.token)
  const NAME = 'petstore_session_live'
  for (const cookie of [
    `${NAME}=`,
    `${NAME}=${'A'.repeat(43)}`,
    `${NAME}=${secret.slice(0, -1)}`,
    `${NAME}=${secret}=`,
    `${NAME}="${secret}"`,
    `${NAME}=%${secret}`,
    `${NAME}=${secret},${secret}`,
    `${NAME}=' OR 1=1 --`,
    `${NAME}=${'x'.repeat(8_000)}`,
    `${NAME}=\xff\xfe`,
  ]) {
    service.clock.advance(6_000)
    assertRefused(await service.call('GET', '/session', { cookie }), 'invalid_token')
  }
  for (const cookie of ['', ';;;', '=', NAME, `x${NAME}=${secret}`, `${NAME.toUpperCase()}=${secret}`, `a=${secret}`]) {
    assertRefused(await service.call('GET', '/session', { cookie }), 'missing_token')
  }
})

test('other cookies in the request do not matter', async () => {
  service.clock.advance(60_000)
  const { cookie } = await service.signIn(service.admin.token)
  for (const sent of [
    `a=b; ${cookie}; c=d`,
    `${cookie};a="x;y"`,
    ` ${cookie} ;`,
    `petstore_session_lives=1; ${cookie}`,
  ]) {
    assert.equal((await service.call('GET', '/session', { cookie: sent })).status, 200, sent)
  }
})

test('among several cookies with the same name, up to a maximum, the one of a session is found', async () => {
  service.clock.advance(60_000)
  const { cookie, csrf } = await service.signIn(service.admin.token)
  const unknown = () => `petstore_session_live=${generateSession()}`
  for (const sent of [
    `${unknown()}; ${cookie}`,
    `${cookie}; ${unknown()}`,
    `petstore_session_live=; petstore_session_live=x; ${unknown()}; ${unknown()}; ${cookie}`,
    `${cookie}; ${cookie}`,
  ]) {
    assert.equal((await service.call('GET', '/session', { cookie: sent })).status, 200)
    const body = { name: 'Rex', categoryId: 1 }
    assert.equal((await service.call('POST', '/pets', { cookie: sent, csrf, body })).status, 201)
  }
  const headers = [
    ['Cookie', unknown()],
    ['Cookie', cookie],
  ] as const
  assert.equal((await service.call('GET', '/session', { token: null, headers })).status, 200)
  const many = [...Array.from({ length: 50 }, unknown), cookie].join('; ')
  assertRefused(await service.call('GET', '/session', { cookie: many }), 'invalid_token')
})

test('signing in and out ends the sessions of all cookies in the request, and deletes the cookies', async () => {
  service.clock.advance(60_000)
  const [one, two, other] = [
    await service.signIn(service.admin.token),
    await service.signIn(service.admin.token),
    await service.signIn(service.admin.token),
  ]
  const cookie = `${one.cookie}; ${two.cookie}`
  const answer = await service.call('DELETE', '/session', { cookie, csrf: one.csrf })
  assert.equal(answer.status, 204)
  const paths = answer.headers.filter(([name]) => name.toLowerCase() === 'set-cookie').map(([, value]) => value)
  assert.deepEqual(
    paths,
    ['; Path=/', '; Path=/admin', ''].map(
      path => `petstore_session_live=${path}; Max-Age=0; HttpOnly; SameSite=Strict`,
    ),
  )
  for (const ended of [one, two]) await assertOver(service.call, ended)
  assert.equal((await service.call('GET', '/session', { cookie: other.cookie })).status, 200)
})

test('signing in again ends the previous session of the browser, even of another token', async () => {
  service.clock.advance(60_000)
  const [first, other] = [await service.signIn(service.admin.token), await service.signIn(service.admin.token)]
  const second = await service.signIn(service.staff.token, { Cookie: first.cookie })
  await assertOver(service.call, first)
  for (const { cookie } of [second, other]) {
    assert.equal((await service.call('GET', '/session', { cookie })).status, 200)
  }
  const failed = { token: null, cookie: second.cookie, body: { token: 'x' } }
  assertRefused(await service.call('POST', '/session', failed), 'invalid_token')
  assert.equal((await service.call('GET', '/session', { cookie: second.cookie })).status, 200)
})

async function assertOver(
  call: (method: string, path: string, options: CallOptions) => Promise<AdminAnswer>,
  { cookie, csrf }: { cookie: string; csrf: string },
): Promise<void> {
  assertRefused(await call('GET', '/session', { cookie }), 'invalid_token')
  assertRefused(await call('POST', '/pets', { cookie, csrf, body: { name: 'Rex', categoryId: 1 } }), 'invalid_token')
}
