import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createSignInLink } from '../../src/domain/administration/sign-in-links.ts'
import { createSource } from '../../src/domain/administration/sources.ts'
import { createToken, revokeToken } from '../../src/domain/administration/tokens.ts'
import type { Role } from '../../src/domain/operator.ts'
import { generateSignInLink, OWN_LINK_SECONDS } from '../../src/domain/sign-in-link.ts'
import { isoTime } from '../../src/domain/time.ts'
import { assertRefused, type OperatorService, startOperatorService } from '../support/operator.ts'
import { only } from '../support/rate.ts'

// `petstore console` prints a link that signs a browser in once, within five minutes.

const service = await startOperatorService({ after })

test('a link signs in as the operator of its name and role', async () => {
  const link = await createLink(service, { name: 'Olga', role: 'staff' })
  const answer = await signIn(service, link.secret)
  assert.equal(answer.status, 201)
  assert.deepEqual(answer.value.operator, { tokenId: link.token.id, name: 'Olga', role: 'staff' })
  const cookie = only(answer, 'Set-Cookie').split(';')[0]
  const session = await service.call('GET', '/session', { cookie })
  assert.deepEqual(session.value.operator, answer.value.operator)
  assertRefused(await service.call('GET', '/tokens', { cookie }), 'role_insufficient')
})

test('a link works once, even if several browsers open it at once', async () => {
  const { secret } = await createLink(service)
  const answers = await Promise.all(Array.from({ length: 5 }, () => signIn(service, secret)))
  assert.equal(answers.filter(({ status }) => status === 201).length, 1)
  for (const answer of answers.filter(({ status }) => status !== 201)) {
    assertRefused(answer, 'invalid_token', /^The sign-in link has expired or was already used/)
    assert.equal(answer.header('set-cookie'), undefined)
  }
  service.clock.advance(60_000)
  assertRefused(await signIn(service, secret), 'invalid_token')
})

test('a link works within five minutes', async t => {
  const another = await startOperatorService(t)
  const [early, late] = [await createLink(another), await createLink(another)]
  another.clock.advance(OWN_LINK_SECONDS * 1_000 - 1)
  assert.equal((await signIn(another, early.secret)).status, 201)
  another.clock.advance(1)
  assertRefused(await signIn(another, late.secret), 'invalid_token')
})

test('a link ends with its token', async t => {
  const another = await startOperatorService(t)
  const { token, secret } = await createLink(another)
  await revokeToken(another.adminContext(), String(token.id))
  assertRefused(await signIn(another, secret), 'invalid_token')
})

test('a link of another deployment, a token and anything else are not links, and a link is not a token', async t => {
  const another = await startOperatorService(t)
  const { secret } = await createLink(another)
  const wrong = [
    generateSignInLink('staging'),
    generateSignInLink('production'),
    another.admin.token,
    '',
    secret.slice(1),
    `${secret} `,
  ]
  for (const one of wrong) assertRefused(await signIn(another, one), 'invalid_token')
  another.clock.advance(60_000)
  const asToken = await another.call('POST', '/session', { token: null, body: { token: secret } })
  assertRefused(asToken, 'invalid_token')
  assertRefused(await another.call('GET', '/session', { token: secret }), 'invalid_token')
  assert.equal((await signIn(another, secret)).status, 201)
})

test('guesses are limited per address', async t => {
  const another = await startOperatorService(t)
  const guess = () => signIn(another, generateSignInLink('production'))
  for (let count = 0; count < 10; count += 1) assertRefused(await guess(), 'invalid_token')
  assertRefused(await guess(), 'rate_limit_exceeded')
  // Signing in by a token goes on.
  assert.equal((await another.signIn(another.staff.token)).answer.status, 201)
})

test('the body has either a token or a link', async () => {
  const { secret } = await createLink(service)
  const send = (body: object) => service.call('POST', '/session', { token: null, body })
  assertRefused(await send({}), 'invalid_body', 'Either token or link is required.')
  const both = await send({ token: service.staff.token, link: secret })
  assertRefused(both, 'invalid_body', 'Send either token or link, not both.')
  assert.equal((await signIn(service, secret)).status, 201)
})

test('a page of another site can use no link', async () => {
  const { secret } = await createLink(service)
  const headers = { Origin: 'https://evil.test' }
  const answer = await service.call('POST', '/session', { token: null, body: { link: secret }, headers })
  assertRefused(answer, 'csrf_refused')
  assert.equal((await signIn(service, secret)).status, 201)
})

test('links of the same name and role share a token, and others do not', async t => {
  const another = await startOperatorService(t)
  const first = await createLink(another, { name: 'Olga', role: 'staff' })
  assert.equal((await createLink(another, { name: 'Olga', role: 'staff' })).token.id, first.token.id)
  const boss = await createLink(another, { name: 'Olga', role: 'admin' })
  const other = await createLink(another, { name: 'Nora', role: 'staff' })
  await revokeToken(another.adminContext(), String(first.token.id))
  const anew = await createLink(another, { name: 'Olga', role: 'staff' })
  assert.equal(new Set([first, boss, other, anew].map(({ token }) => token.id)).size, 4)
  const sam = await createLink(another, { name: another.staff.name, role: 'staff' })
  assert.equal(sam.token.id, another.staff.id, 'a token that was given out is used, too')
})

test('the audit log has the link, its use and who used it from where', async t => {
  const another = await startOperatorService(t)
  const { token, secret, expiresAt } = await createLink(another, { name: 'Olga', role: 'staff' })
  await signIn(another, secret)
  const [used, created] = (await another.call('GET', '/audit?limit=2')).value
  assert.deepEqual([created.action, created.subjectId, created.origin], ['token.link', token.id, '192.0.2.7'])
  assert.equal(expiresAt, another.clock.now + OWN_LINK_SECONDS * 1_000)
  assert.deepEqual([used.action, used.actor], ['session.sign-in', `Olga (token ${token.id})`])
  assert.equal(used.origin, '127.0.0.1')
  assert.equal(used.details.by, 'sign-in link')
})

test('an admin creates a link of a token for a colleague, for as long as they say, and each link works once', async t => {
  const another = await startOperatorService(t)
  const path = `/tokens/${another.staff.id}/sign-in-links`
  const create = (validForSeconds: number) => another.call('POST', path, { body: { validForSeconds } })
  const [week, minute] = [await create(604_800), await create(60)]
  assert.equal(week.status, 201)
  assert.deepEqual([week.value.tokenId, week.value.expiresAt], [another.staff.id, isoTime(another.clock.now + WEEK_MS)])
  const entries = await another.call('GET', '/audit?limit=1')
  const [created] = entries.value
  assert.deepEqual([created.action, created.actor], ['token.link', `Anna (token ${another.admin.id})`])
  assert.ok(!entries.text.includes(minute.value.link))
  another.clock.advance(60_000)
  assertRefused(await signIn(another, minute.value.link), 'invalid_token')
  another.clock.advance(WEEK_MS - 60_001)
  const answer = await signIn(another, week.value.link)
  assert.deepEqual(answer.value.operator, { tokenId: another.staff.id, name: another.staff.name, role: 'staff' })
  assertRefused(await signIn(another, week.value.link), 'invalid_token')
  for (const seconds of [0, 59, 604_801, 1.5]) assertRefused(await create(seconds), 'invalid_body')
})

test('an admin whose token expires creates no links for tokens that outlast it, and so no way to stay', async t => {
  const another = await startOperatorService(t)
  const expiresAt = another.clock.now + 3_600_000
  const guest = await another.createToken('admin', { expiresAt })
  const create = (id: bigint) =>
    another.call('POST', `/tokens/${id}/sign-in-links`, { body: { validForSeconds: 604_800 }, token: guest.token })
  const later = await another.createToken('staff', { expiresAt: expiresAt + 1 })
  for (const { id } of [another.admin, another.staff, later]) {
    assertRefused(await create(id), 'conflict', `Token ${id} outlasts your own; create a new one.`)
  }
  for (const { id } of [guest, await another.createToken('staff', { expiresAt: expiresAt - 1 })]) {
    assert.equal((await create(id)).status, 201)
  }
})

test('a link cannot outlast its token, and a token that cannot sign in has none', async t => {
  const another = await startOperatorService(t)
  const create = (id: bigint) =>
    another.call('POST', `/tokens/${id}/sign-in-links`, { body: { validForSeconds: 86_400 } })
  const expiresAt = another.clock.now + 3_600_000
  const short = await createToken(another.adminContext(), { name: 'Ben', role: 'staff', expiresAt })
  assert.equal((await create(short.id)).value.expiresAt, isoTime(expiresAt))
  await createSource(another.adminContext(), 'riverside', {})
  const feed = await createToken(another.adminContext(), { name: 'Riverside', source: 'riverside' })
  assertRefused(
    await create(feed.id),
    'conflict',
    `Token ${feed.id} can only send the file of a source; it cannot sign in.`,
  )
  const { value } = await create(another.staff.id)
  await revokeToken(another.adminContext(), String(another.staff.id))
  assertRefused(await signIn(another, value.link), 'invalid_token')
  assertRefused(await create(another.staff.id), 'conflict', `Token ${another.staff.id} is revoked; create a new one.`)
  another.clock.advance(3_600_000)
  assertRefused(await create(short.id), 'conflict', `Token ${short.id} has expired; create a new one.`)
  assertRefused(await create(999n), 'not_found')
})

const WEEK_MS = 604_800_000

function createLink(one: OperatorService, { name = 'Olga', role = 'admin' as Role } = {}) {
  return createSignInLink(one.adminContext(), { name, role })
}

function signIn(one: OperatorService, link: string) {
  return one.call('POST', '/session', { token: null, body: { link } })
}
