import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertTime, assertUserError, makeStore, startServe } from '../support/command-line.ts'

const BROWSER = { Accept: 'text/html' }
const FORM = { ...BROWSER, 'Content-Type': 'application/x-www-form-urlencoded' }

test('claim links are created, listed and revoked', async t => {
  const store = await makeStore(t)
  await store.issueKey()
  const [{ id: accountId, name: account }] = await store.json('account', 'list')
  assert.match(await store.text('claim-link', 'list'), /no claim links yet; create one with petstore claim-link create/)
  const before = Date.now()
  const created = await store.json('claim-link', 'create', account, '--name', ' till ', '--expires', '2090-12-31')
  const { link, createdAt, expiresAt, ...rest } = created
  assert.match(link, /^http:\/\/127\.0\.0\.1:8080\/claim\/petstore_claim_live_[0-9A-Za-z]{36}$/)
  assertTime(createdAt, before)
  assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), 86_400_000)
  assert.deepEqual(rest, {
    id: 1,
    accountId,
    account,
    name: 'till',
    scope: 'read-write',
    networks: null,
    keyExpiresAt: '2090-12-31T00:00:00.000Z',
    state: 'open',
    claimedAt: null,
    claimedFrom: null,
    keyId: null,
    revokedAt: null,
  })

  const shown = await store.text('claim-link', 'create', String(accountId), '--valid-for', '2h')
  assert.match(
    shown,
    /^http:\/\/127\.0\.0\.1:8080\/claim\/petstore_claim_live_\w{36}\n\nThis is claim link 2 for a key of account "/,
  )
  assert.match(
    shown,
    /The link works once, until .*Z\.\n.*set PETSTORE_PRODUCTION_URL to the public address\.\n.*shown only once/,
  )

  const inTwoHours = await store.json('claim-link', 'show', '2')
  assertTime(inTwoHours.expiresAt, Date.parse(inTwoHours.createdAt) + 7_200_000)

  const revoked = await store.json('claim-link', 'revoke', '1')
  assertTime(revoked.revokedAt, before)
  assert.deepEqual(revoked, { ...rest, createdAt, expiresAt, revokedAt: revoked.revokedAt, state: 'revoked' })
  assert.deepEqual(
    (await store.json('claim-link', 'list', account)).map(({ id, state }: { id: number; state: string }) => [
      id,
      state,
    ]),
    [
      [2, 'open'],
      [1, 'revoked'],
    ],
  )
  assert.deepEqual(await store.json('claim-link', 'list', '--state', 'revoked'), [revoked])
  assert.deepEqual(await store.json('claim-link', 'list', '--before', '2', '--limit', '1'), [revoked])
  assert.deepEqual(await store.json('claim-link', 'show', '1'), revoked)
  assert.match(await store.text('claim-link', 'show', '1'), /^Claim link +1\nAccount +.*\nState +revoked\n/)
  assert.match(await store.text('claim-link', 'list'), /^ID .*\n2 .* open .*\n1 .* till .* revoked /)
  const newest = await store.text('claim-link', 'list', '--limit', '1')
  assert.match(newest, /\n2 .*\n\nThere are more: add --before 2 to see older ones\.\n$/)
  assert.match(await store.text('claim-link', 'list', '--state', 'expired'), /No claim link matches/)
  assert.match(await store.text('claim-link', 'revoke', '2'), /^Claim link 2 of account ".*" is revoked\.\n$/)
  const other = await store.with({ PETSTORE_CLAIM_LINK_FOR: '60' }).json('claim-link', 'create', account)
  assertTime(other.expiresAt, Date.parse(other.createdAt) + 60_000)
  assert.match(await store.text('claim-link', 'list', '--before', '1'), /No claim link matches/)
})

test('a claim link can be for a key that only reads, from some networks', async t => {
  const store = await makeStore(t)
  await store.issueKey()
  const [{ name: account }] = await store.json('account', 'list')
  const access = ['--scope', 'read', '--networks', '192.0.2.7,2001:db8::/32']
  const { scope, networks } = await store.json('claim-link', 'create', account, ...access)
  assert.deepEqual([scope, networks], ['read', ['192.0.2.7/32', '2001:db8::/32']])
  const shown = await store.text('claim-link', 'create', account, ...access)
  assert.match(shown, /\nThe key can only read, and works only from 192\.0\.2\.7\/32, 2001:db8::\/32\.\n/)
})

test('an invalid claim link is a user error', async t => {
  const store = await makeStore(t)
  await store.issueKey()
  const [{ name: account }] = await store.json('account', 'list')
  await store.json('claim-link', 'create', account)
  await store.json('claim-link', 'revoke', '1')
  const cases: readonly (readonly [args: readonly string[], message: RegExp, code: number])[] = [
    [['create', 'nobody'], /no account/, 1],
    [['create', account, '--valid-for', '59'], /from one minute to 30 days/, 2],
    [['create', account, '--valid-for', '0h'], /from one minute to 30 days/, 2],
    [['create', account, '--valid-for', '31d'], /from one minute to 30 days/, 2],
    [['create', account, '--valid-for', 'soon'], /from one minute to 30 days/, 2],
    [['create', account, '--expires', '23h'], /must expire after its link/, 2],
    [['create', account, '--name', 'a\nb'], /no control characters/, 2],
    [['list', '--state', 'new'], /open, claimed, expired, revoked/, 2],
    [['create', account, '--scope', 'write'], /read, read-write/, 2],
    [['create', account, '--networks', '1.2.3'], /IP address or a CIDR range/, 2],
    [['show', '2'], /no claim link with id "2"/, 1],
    [['revoke', '1'], /already revoked/, 1],
    [['revoke', '2'], /no claim link with id "2"/, 1],
  ]
  const endings = await store.runEach(cases.map(([args]) => ['claim-link', ...args]))
  for (const [index, [, message, code]] of cases.entries()) assertUserError(endings[index], message, code)
  assert.equal((await store.json('claim-link', 'list')).length, 1)
})

test('a running service serves the page of a link, and its key works at once', async t => {
  const service = await startServe(t)
  const { store } = service
  await store.json('account', 'create', 'Acme', '--plan', 'free')
  const { link } = await store.json('claim-link', 'create', 'Acme')
  const page = service.url + new URL(link).pathname
  assert.equal((await fetch(page, { headers: BROWSER })).status, 200)
  const shown = await fetch(page, { method: 'POST', headers: FORM, body: '' })
  const [key] = /petstore_live_\w{36}/.exec(await shown.text()) ?? []
  assert.ok(key)
  assert.equal((await fetch(`${service.url}/v1/pets`, { headers: { Authorization: `Bearer ${key}` } })).status, 200)
  const [listed] = await store.json('claim-link', 'list', '--state', 'claimed')
  assert.deepEqual([listed.claimedFrom, listed.keyId], ['127.0.0.1', 1])
  assert.match(await store.text('audit', '--action', 'key.claim'), /claim link 1/)
  assert.equal((await fetch(page, { headers: BROWSER })).status, 410)
})
