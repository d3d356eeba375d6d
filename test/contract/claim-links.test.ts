import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  createAccount,
  deleteAccount,
  resumeAccount,
  suspendAccount,
} from '../../src/domain/administration/accounts.ts'
import { createClaimLink, findClaimLink, revokeClaimLink } from '../../src/domain/administration/claim-links.ts'
import type { GivenTerms } from '../../src/domain/administration/keys.ts'
import { generateClaimSecret } from '../../src/domain/claim-link.ts'
import { call, formatRequest } from '../support/call.ts'
import { addressesOf, assertWellFormed, textOf } from '../support/html.ts'
import { only, readRate } from '../support/rate.ts'
import { type Answer, Connection, rawCall } from '../support/raw.ts'
import { startTestService, type TestService } from '../support/service.ts'

// Claim links: a page that shows a new API key once, when its button is pressed for the first time.

const publicUrls = { production: 'https://animals.test/shop/v1' }
const service = await startTestService({ after }, { config: { publicUrls, trustedProxies: ['127.0.0.1'] } })

/** The headers that browsers send when someone opens a link. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'
const FORM = 'application/x-www-form-urlencoded'
const DAY_MS = 86_400_000

interface Link {
  id: bigint
  accountId: bigint
  accountName: string
  path: string
}

interface Wish {
  terms?: GivenTerms
  account?: string
  at?: TestService
}

let made = 0

async function createLink({ account = `shop ${++made}`, at = service, ...more }: Wish = {}): Promise<Link> {
  const operator = at.adminContext()
  const { id } = await createAccount(operator, { name: account, plan: 'free', limits: {} })
  const wish = { account: String(id), validForSeconds: DAY_MS / 1_000, ...more }
  const { secret, ...link } = await createClaimLink(operator, wish)
  return { ...link, path: `/claim/${secret}` }
}

interface Visit {
  method?: string
  headers?: Record<string, string>
  body?: string | Uint8Array
  type?: string | null
  at?: TestService
}

/** Sends a browser's headers, unless a test overrides them. */
async function visit(
  path: string,
  { method = 'GET', headers = {}, at = service, ...rest }: Visit = {},
): Promise<Answer> {
  const form = method === 'POST' ? { body: '', type: FORM, ...rest } : rest
  const bytes = formatRequest(at, { method, path, headers: { Accept: BROWSER, ...headers }, ...form })
  const [answer] = await rawCall(at.port, bytes, { methods: [method] })
  assert.ok(answer)
  return answer
}

const press = (path: string, more: Visit = {}) => visit(path, { method: 'POST', ...more })

/** The key that a page shows; undefined if it shows none. */
function keyOn(page: Answer): string | undefined {
  return /petstore_live_[0-9A-Za-z]{36}/.exec(page.text)?.[0]
}

async function stateOf({ id }: Link): Promise<string> {
  const { claimedAt, revokedAt } = await findClaimLink(service.store, String(id))
  return claimedAt === undefined ? (revokedAt === undefined ? 'open' : 'revoked') : 'claimed'
}

/** Checks the headers that every response at a link's URL must have. */
function assertGuarded(answer: Answer, mayRunScripts = false): void {
  assert.equal(only(answer, 'Cache-Control'), 'no-store')
  assert.equal(only(answer, 'Referrer-Policy'), 'no-referrer')
  assert.match(only(answer, 'X-Robots-Tag'), /\bnoindex\b/)
  assert.equal(only(answer, 'Cross-Origin-Opener-Policy'), 'same-origin')
  assert.equal(only(answer, 'Cross-Origin-Resource-Policy'), 'same-origin')
  assert.equal(only(answer, 'X-Content-Type-Options'), 'nosniff')
  assert.equal(
    only(answer, 'Content-Security-Policy'),
    `default-src 'none'; ${mayRunScripts ? "script-src 'self'; " : ''}style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
  )
  assert.equal(answer.header('etag'), undefined)
  readRate(answer)
}

function assertPage(answer: Answer, status: number, heading: string): void {
  assert.equal(answer.status, status)
  assert.equal(only(answer, 'Content-Type'), 'text/html; charset=utf-8')
  const isOpen = answer.text.includes('<form')
  assertGuarded(answer, isOpen)
  assertWellFormed(answer.text)
  assert.match(answer.text, new RegExp(`<h1>${heading}</h1>`))
  assert.doesNotMatch(answer.text, /<script>|<iframe| on[a-z]+="/i)
  if (!isOpen) assert.doesNotMatch(answer.text, /<script/)
}

test('the page describes the key, and its button shows it, once', async () => {
  const expiresAt = Date.UTC(2099, 11, 31, 18)
  const { path, accountName } = await createLink({
    terms: { name: 'till <1> & "2"', scope: 'read', networks: ['127.0.0.0/8', '192.0.2.7'], expiresAt },
  })
  const page = await visit(path)
  assertPage(page, 200, 'Your API key is ready')
  const text = textOf(page.text)
  for (const fact of [
    accountName,
    'till <1> & "2"',
    publicUrls.production,
    'The key maylist and read animals',
    '127.0.0.0/8, 192.0.2.7/32',
    '31 December 2099 at 18:00 UTC',
  ]) {
    assert.ok(text.includes(fact), fact)
  }
  assert.match(page.text, /<form method="post"><button type="submit">Show the API key<\/button><\/form>/)
  assert.equal(keyOn(page), undefined)

  const shown = await press(path)
  assertPage(shown, 200, 'Your API key')
  const key = keyOn(shown)
  assert.ok(key)
  assert.equal((await call(service, { path: '/v1/pets', key })).status, 200, 'the key works at once')
  const added = await call(service, { method: 'POST', path: '/v1/pets', key, body: '{"name":"Rex","categoryId":1}' })
  assert.equal(added.json.code, 'insufficient_scope')

  for (const again of [await press(path), await visit(path)]) {
    assertPage(again, 410, 'This link has already been used')
    assert.equal(keyOn(again), undefined)
    assert.ok(!again.text.includes(accountName), 'it says no more than what has become of the link')
  }
})

test('only the button uses a link up: previews, HEAD, OPTIONS and other methods do not', async () => {
  const link = await createLink()
  for (const headers of [
    { Accept: '*/*', 'User-Agent': 'Slackbot-LinkExpanding 1.0' },
    { Accept: 'application/json' },
    { 'Sec-Purpose': 'prefetch;prerender' },
    { 'X-Requested-With': 'preview' },
  ] as Record<string, string>[]) {
    assert.equal((await visit(link.path, { headers })).status, 200)
  }
  const head = await visit(link.path, { method: 'HEAD' })
  assert.equal(head.status, 200)
  assertGuarded(head, true)
  assert.equal(head.body.length, 0)
  const options = await visit(link.path, { method: 'OPTIONS' })
  assert.equal(options.status, 204)
  assert.equal(only(options, 'Allow'), 'GET, HEAD, POST, OPTIONS')
  for (const method of ['PUT', 'PATCH', 'DELETE', 'QUERY']) {
    const answer = await visit(link.path, { method })
    assert.equal(answer.status, 405, method)
    assertGuarded(answer)
  }
  for (const query of ['?claim=1', '?method=post&_method=POST'])
    assert.equal((await visit(link.path + query)).status, 200)
  assert.equal(await stateOf(link), 'open')
  assert.ok(keyOn(await press(link.path)))
})

test('a POST that is not a form, or too large, uses nothing up', async () => {
  const link = await createLink()
  for (const [type, body] of [
    [null, ''],
    ['application/json', '{}'],
    ['text/plain', 'claim'],
    ['multipart/form-data; boundary=x', '--x--\r\n'],
    ['', ''],
    [`${FORM}x`, ''],
  ] as const) {
    const answer = await press(link.path, { type, body })
    assert.equal(`${answer.status} ${answer.json.code}`, '415 unsupported_media_type', String(type))
    assertGuarded(answer)
  }
  const compressed = await press(link.path, { headers: { 'Content-Encoding': 'gzip' } })
  assert.equal(compressed.status, 415)
  const large = await press(link.path, { body: `a=${'x'.repeat(65_536)}` })
  assert.equal(`${large.status} ${large.json.code}`, '413 body_too_large')
  assertGuarded(large)
  const head = `POST ${link.path} HTTP/1.1\r\nHost: a\r\nContent-Type: ${FORM}\r\n`
  const [huge] = await rawCall(service.port, `${head}Content-Length: 99999999999\r\n\r\n`, { methods: ['POST'] })
  assert.equal(huge?.status, 413)
  assert.equal(await stateOf(link), 'open')
  const charset = await press(link.path, { type: `${FORM.toUpperCase()}; charset=UTF-8`, body: 'field=ignored' })
  assert.ok(keyOn(charset))
})

test('a form whose sender leaves before its end uses nothing up', async () => {
  const link = await createLink()
  const connection = await Connection.open(service.port)
  connection.write(`POST ${link.path} HTTP/1.1\r\nHost: a\r\nContent-Type: ${FORM}\r\nContent-Length: 10\r\n\r\nhalf`)
  connection.destroy()
  assert.equal((await visit(link.path)).status, 200)
  assert.equal(await stateOf(link), 'open')
})

test('a link that expires before the last byte of a form issues no key', async t => {
  const another = await startTestService(t)
  const link = await createLink({ at: another })
  const connection = await Connection.open(another.port)
  const head = `POST ${link.path} HTTP/1.1\r\nHost: a\r\nContent-Type: ${FORM}\r\nContent-Length: 1\r\n`
  connection.write(`${head}Expect: 100-continue\r\n\r\n`)
  assert.equal((await connection.answer('POST')).status, 100)
  another.clock.advance(DAY_MS)
  connection.write('x')
  assert.equal((await connection.answer('POST')).status, 410)
  assert.deepEqual(await another.store.listKeys(), [])
})

test('of ten people who press the button at once, exactly one sees a key', async () => {
  const link = await createLink()
  const pages = await Promise.all(Array.from({ length: 10 }, () => press(link.path)))
  const keys = pages.map(keyOn).filter(key => key !== undefined)
  assert.equal(keys.length, 1)
  assert.deepEqual(
    pages.map(({ status }) => status).toSorted((one, other) => one - other),
    [200, ...Array.from({ length: 9 }, () => 410)],
  )
  assert.equal((await service.store.listKeys({ accountId: link.accountId })).length, 1)
})

test('the page of a link that no longer works says why', async () => {
  const service24 = await startTestService({ after })
  const [expired, revoked, suspended, deleted] = [
    await createLink({ at: service24 }),
    await createLink({ at: service24 }),
    await createLink({ at: service24 }),
    await createLink({ at: service24 }),
  ]
  const operator = service24.adminContext()
  await revokeClaimLink(operator, String(revoked.id))
  await suspendAccount(operator, String(suspended.accountId))
  await deleteAccount(operator, String(deleted.accountId))
  const both = async (path: string) => [await visit(path, { at: service24 }), await press(path, { at: service24 })]
  for (const page of await both(revoked.path)) assertPage(page, 410, 'This link no longer works')
  for (const page of await both(suspended.path)) assertPage(page, 409, 'This link cannot be used at the moment')
  for (const page of await both(deleted.path)) assertPage(page, 404, 'This link is not valid')
  service24.clock.advance(DAY_MS - 1)
  assert.equal((await visit(expired.path, { at: service24 })).status, 200)
  service24.clock.advance(1)
  for (const page of await both(expired.path)) assertPage(page, 410, 'This link has expired')
  await resumeAccount(service24.adminContext(), String(suspended.accountId))
  assert.equal((await service24.store.listKeys()).length, 0)
})

test('all wrong links look alike, whatever is wrong with them', async () => {
  const { path } = await createLink()
  const secret = path.slice('/claim/'.length)
  const wrong = [
    'x',
    secret.slice(0, -1),
    `${secret}x`,
    secret.toLowerCase(),
    generateClaimSecret('production'),
    generateClaimSecret('staging'),
    secret.replace('claim_', ''),
    `%00${secret}`,
    '%F0%9F%90%95',
    'x'.repeat(7_000),
  ]
  const bodies = new Set<string>()
  for (const one of wrong) {
    for (const page of [await visit(`/claim/${one}`), await press(`/claim/${one}`)]) {
      assertPage(page, 404, 'This link is not valid')
      bodies.add(page.text)
    }
  }
  assert.equal(bodies.size, 1)
  for (const missing of ['/claim', '/claim/', `${path}/`, `${path}/x`, `/Claim${path.slice(6)}`, `/v1${path}`]) {
    assert.ok([401, 404].includes((await visit(missing)).status), missing)
    assert.ok([401, 404].includes((await press(missing)).status), missing)
  }
})

test('a URL with percent-encoded letters is the same link', async () => {
  const { path } = await createLink()
  assert.equal((await visit(path.replaceAll('_', '%5F').replace('/claim', '/%63laim'))).status, 200)
})

test('programs get the refusal of a link as JSON', async () => {
  const { path } = await createLink()
  await press(path)
  for (const [target, expected] of [
    [path, '410 gone'],
    ['/claim/x', '404 route_not_found'],
  ] as const) {
    for (const answer of [
      await visit(target, { headers: { Accept: '*/*' } }),
      await press(target, { headers: { Accept: 'application/json' } }),
    ]) {
      assert.equal(`${answer.status} ${answer.json.code}`, expected)
      assert.deepEqual(Object.keys(answer.json), ['code', 'message', 'status'])
      assertGuarded(answer)
    }
  }
})

test('guessing uses up the allowance of the network it comes from', async t => {
  const guarded = await startTestService(t, { config: { anonymousPerMinute: 5, trustedProxies: ['127.0.0.1'] } })
  const link = await createLink({ at: guarded })
  const from = (address: string) => ({ at: guarded, headers: { 'X-Forwarded-For': address } })
  const guess = () => press(`/claim/${generateClaimSecret('production')}`, from('198.51.100.1'))
  for (let guesses = 1; guesses <= 5; guesses += 1) {
    const answer = await guess()
    assert.equal(answer.status, 404)
    assert.equal(readRate(answer).remaining, 5 - guesses)
  }
  for (const answer of [await guess(), await press(link.path, from('198.51.100.1'))]) {
    assert.equal(`${answer.status} ${answer.json.code}`, '429 rate_limit_exceeded')
    assertGuarded(answer)
  }
  assert.ok(keyOn(await press(link.path, from('198.51.100.2'))), 'others are not affected')
})

test('the audit log says when a key was claimed, and from which address', async () => {
  const { path, id, accountId } = await createLink({ terms: { name: 'till' } })
  await press(path, { headers: { 'X-Forwarded-For': '203.0.113.9, 198.51.100.7' } })
  const [entry] = await service.store.listAudit({ limit: 1 })
  assert.deepEqual(
    [entry?.action, entry?.at, entry?.actor, entry?.origin, entry?.accountId, entry?.details],
    ['key.claim', service.clock.now, `claim link ${id}`, '198.51.100.7', accountId, { claimLinkId: Number(id) }],
  )
  assert.equal((await findClaimLink(service.store, String(id))).claimedFrom, '198.51.100.7')
})

test('the page works below any path prefix of a proxy, and refers to no other host', async () => {
  const { path } = await createLink()
  const [foreign] = await rawCall(service.port, `GET ${path} HTTP/1.1\r\nHost: evil.test\r\n\r\n`)
  assert.ok(foreign)
  const forwarded = await visit(path, { headers: { 'X-Forwarded-Host': 'evil.test' } })
  const claimed = await press(path)
  assert.ok(addressesOf(claimed.text).includes('../clients/'))
  for (const page of [foreign, forwarded, claimed]) {
    assert.equal(page.status, 200)
    const addresses = addressesOf(page.text)
    assert.ok(addresses.length >= 4)
    for (const address of addresses) {
      assert.match(address, /^\.\.\//)
      const found = new URL(address, `https://animals.test/shop${path}`)
      assert.match(found.href, /^https:\/\/animals\.test\/shop\//)
      assert.equal((await visit(found.pathname.replace('/shop', '') + found.search)).status, 200, address)
    }
    assert.doesNotMatch(page.text, /evil\.test/)
  }
})

test('no secret of a link, and no key that was claimed, is in the log', async t => {
  const own = await startTestService(t)
  const { path } = await createLink({ at: own })
  const secret = path.slice('/claim/'.length)
  const random = secret.slice('petstore_claim_live_'.length)
  const key = keyOn(await press(path, { at: own })) as string
  for (const target of [
    path,
    path.replaceAll('_', '%5F'),
    path.replaceAll('_', '%255F'),
    path.slice(0, -5),
    `${path}/`,
    `/${secret}`,
    `/v1/pets?claim=${secret}`,
    `/docs${path}`,
    `${path}?key=${key}`,
  ]) {
    const headers = { 'X-Request-Id': secret, Referer: `https://animals.test${path}` }
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) await visit(target, { at: own, method, headers })
  }
  await rawCall(own.port, `GET ${path} x HTTP/1.1\r\n\r\n`)
  await own.close()
  assert.ok(own.logs.length > 30)
  for (const line of own.logs) {
    assert.ok(!line.includes(random.slice(0, 20)), line)
    assert.ok(!line.includes(key.slice('petstore_live_'.length, 34)), line)
  }
  assert.ok(own.logs.some(line => line.includes('"reason":"claim link 1: claimed"')))
})

test('while the store cannot be written, the button uses nothing up', async t => {
  const own = await startTestService(t, { backend: 'embedded', embedded: { inThreads: true, busyTimeoutMs: 100 } })
  const link = await createLink({ at: own })
  const unlock = await own.backend.lockWrites()
  const failed = await press(link.path, { at: own })
  await unlock()
  assert.equal(`${failed.status} ${failed.json.code}`, '503 service_unavailable')
  assertGuarded(failed)
  assert.ok(keyOn(await press(link.path, { at: own })))
})
