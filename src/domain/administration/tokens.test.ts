import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adminContext } from '../../../test/support/admin-context.ts'
import { openStore } from '../../../test/support/store.ts'
import { generateToken, isWellFormedToken } from '../operator.ts'
import { hashSecret } from '../secret.ts'
import { isCsrfToken, SESSION_MS } from '../session.ts'
import { findUsableSession, signIn, signOut } from './sessions.ts'
import { createLinkOfToken } from './sign-in-links.ts'
import { createToken, examineToken, revokeToken } from './tokens.ts'

const NOW = Date.UTC(2027, 2, 1, 12, 0, 0, 250)
const HOUR_MS = 3_600_000
const ADA = { name: 'Ada', role: 'admin' }

const NO_MORE = { tokenId: undefined, before: undefined, after: undefined, accountName: undefined, pet: undefined }

test('a token is returned once; the store keeps its hash and its last characters', async t => {
  const store = await openStore(t)
  const { token, ...kept } = await createToken(adminContext(store, NOW), { name: ' Ada ', role: 'staff' })
  assert.ok(isWellFormedToken(token, 'production'))
  const expected = { id: 1n, name: 'Ada', role: 'staff', source: undefined, hint: token.slice(-4), createdAt: NOW }
  assert.deepEqual(kept, { ...expected, expiresAt: undefined, revokedAt: undefined })
  assert.deepEqual(await store.listTokens(), [kept])
  assert.deepEqual(await findUsable(adminContext(store, NOW), token), kept)
})

test('an invalid token is an error, and is not created', async t => {
  const store = await openStore(t)
  for (const given of [
    { name: '', role: 'admin' },
    { name: 'a\tb', role: 'admin' },
    { name: 'x'.repeat(101), role: 'admin' },
    { name: 'Ada', role: 'owner' },
    { name: 'Ada', role: 'Admin' },
    { name: 'Ada', role: 'admin', expiresAt: NOW },
  ]) {
    await assert.rejects(createToken(adminContext(store, NOW), given), { kind: 'invalid' }, JSON.stringify(given))
  }
  assert.deepEqual(await store.listTokens(), [])
  assert.deepEqual(await store.listAudit({ limit: 10 }), [])
})

test('a token works until it expires or is revoked, and only in its own deployment', async t => {
  const store = await openStore(t)
  const { token } = await createToken(adminContext(store, NOW), { ...ADA, expiresAt: NOW + HOUR_MS })
  const isUsableAt = async (now: number, text = token) =>
    (await findUsable(adminContext(store, now), text)) !== undefined
  assert.equal(await isUsableAt(NOW + HOUR_MS - 1), true)
  assert.equal(await isUsableAt(NOW + HOUR_MS), false)
  for (const text of ['', token.slice(0, -1), `${token} `, generateToken('production')]) {
    assert.equal(await isUsableAt(NOW, text), false)
  }
  const staging = await createToken(adminContext(store, NOW, 'staging'), ADA)
  assert.equal(await isUsableAt(NOW, staging.token), false)
  assert.equal((await revokeToken(adminContext(store, NOW + 1), '1')).revokedAt, NOW + 1)
  assert.equal(await isUsableAt(NOW + 1), false)
})

test('a token is revoked once', async t => {
  const store = await openStore(t)
  await createToken(adminContext(store, NOW), ADA)
  const outcomes = await Promise.allSettled(
    Array.from({ length: 10 }, () => revokeToken(adminContext(store, NOW), '1')),
  )
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
  for (const one of outcomes) if (one.status === 'rejected') assert.equal(one.reason.kind, 'conflict')
  for (const unknown of ['2', '0', 'x', '']) {
    await assert.rejects(revokeToken(adminContext(store, NOW), unknown), { kind: 'not_found' }, unknown)
  }
})

test('a session lasts twelve hours, and never longer than its token', async t => {
  const store = await openStore(t)
  const lasting = await createToken(adminContext(store, NOW), ADA)
  const short = await createToken(adminContext(store, NOW), { ...ADA, expiresAt: NOW + HOUR_MS })
  for (const [token, expiresAt] of [
    [lasting, NOW + SESSION_MS],
    [short, NOW + HOUR_MS],
  ] as const) {
    const session = await signIn(adminContext(store, NOW), token)
    assert.equal(session.expiresAt, expiresAt)
    assert.ok(isCsrfToken(session.csrfToken, session.secret))
    const found = await findUsableSession(adminContext(store, expiresAt - 1), session.secret)
    assert.deepEqual([found?.token.id, found?.expiresAt], [token.id, expiresAt])
    assert.equal(await findUsableSession(adminContext(store, expiresAt), session.secret), undefined)
  }
  assert.equal(SESSION_MS, 12 * HOUR_MS)
})

test('a session ends with its token, and when its holder signs out', async t => {
  const store = await openStore(t)
  const operator = adminContext(store, NOW)
  const tokens = [await createToken(operator, ADA), await createToken(operator, ADA)] as const
  const [first, second, third] = [
    await signIn(operator, tokens[0]),
    await signIn(operator, tokens[1]),
    await signIn(operator, tokens[1]),
  ]
  const isOpen = async (secret: string) => (await findUsableSession(operator, secret)) !== undefined
  await revokeToken(operator, String(tokens[0].id))
  assert.deepEqual([await isOpen(first.secret), await isOpen(second.secret)], [false, true])
  await signOut(operator, second.secret)
  assert.deepEqual([await isOpen(second.secret), await isOpen(third.secret)], [false, true])
  const before = await store.listAudit({ limit: 20 })
  await signOut(operator, second.secret)
  await signOut(operator, 'nonsense')
  assert.deepEqual(await store.listAudit({ limit: 20 }), before)
})

test('a token that is being revoked gets no more links', async t => {
  const store = await openStore(t)
  const operator = adminContext(store, NOW)
  const { id } = await createToken(operator, ADA)
  const revoked = revokeToken(operator, String(id))
  await assert.rejects(createLinkOfToken(operator, String(id), 60), { kind: 'conflict', message: /is revoked/ })
  await revoked
  assert.deepEqual(await store.listAudit({ action: 'token.link', limit: 1 }), [])
})

test('the audit log says who did what to a token and who signed in and out, without any secret', async t => {
  const store = await openStore(t)
  const at = (ms: number) => adminContext(store, NOW + ms)
  const token = await createToken(at(0), { ...ADA, expiresAt: NOW + HOUR_MS })
  const session = await signIn(at(1), token)
  await signOut(at(2), session.secret)
  await revokeToken(at(3), '1')
  const facts = { details: {}, ...NO_MORE }
  const who = { actor: 'ada', origin: '192.0.2.7', accountId: undefined, subjectId: 1n, subjectName: 'Ada', ...facts }
  const known = { name: 'Ada', role: 'admin', hint: token.hint }
  const revoked = { before: { revokedAt: null }, after: { revokedAt: '2027-03-01T12:00:00.253Z' } }
  const entries = await store.listAudit({ limit: 10 })
  const expiresAt = '2027-03-01T13:00:00.250Z'
  assert.deepEqual(
    entries.toReversed(),
    [
      { action: 'token.create', after: { ...known, expiresAt } },
      { action: 'session.sign-in' },
      { action: 'session.sign-out' },
      { action: 'token.revoke', details: known, ...revoked },
    ].map((entry, index) => ({ ...who, id: BigInt(index + 1), at: NOW + index, ...entry })),
  )
  const written = entries.map(({ details, before, after }) => JSON.stringify([details, before, after])).join()
  for (const secret of [token.token, session.secret, session.csrfToken]) {
    for (const part of [secret, secret.slice(-12), hashSecret(secret)]) assert.ok(!written.includes(part))
  }
})

async function findUsable(operator: Parameters<typeof examineToken>[0], text: string) {
  const examined = await examineToken(operator, text)
  return 'token' in examined ? examined.token : undefined
}
