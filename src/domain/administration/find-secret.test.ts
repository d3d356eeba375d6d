import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adminContext } from '../../../test/support/admin-context.ts'
import { openStore } from '../../../test/support/store.ts'
import { generateKey } from '../api-key.ts'
import { generateClaimSecret } from '../claim-link.ts'
import { UserError } from '../errors.ts'
import { generateToken } from '../operator.ts'
import { hashSecret } from '../secret.ts'
import { csrfTokenOf, generateSession, SESSION_MS } from '../session.ts'
import { generateSignInLink, OWN_LINK_SECONDS } from '../sign-in-link.ts'
import { createAccount } from './accounts.ts'
import { claimKey } from './claim-key.ts'
import { createClaimLink } from './claim-links.ts'
import { findSecret } from './find-secret.ts'
import { issueKey, revokeKey } from './keys.ts'
import { createSignInLink } from './sign-in-links.ts'
import { createToken, revokeToken } from './tokens.ts'

const NOW = Date.UTC(2027, 2, 1, 12)

async function start(t: Parameters<typeof openStore>[0]) {
  const store = await openStore(t)
  const context = adminContext(store, NOW)
  await createAccount(context, { name: 'Acme', plan: 'free', limits: {} })
  return { store, context, find: (text: string, now = NOW) => findSecret({ ...context, now }, text) }
}

test('a key is found wherever it is in a text, whole or without its prefix, and shows its owner and state', async t => {
  const { store, context, find } = await start(t)
  const { key, ...issued } = await issueKey(context, { account: 'Acme', name: 'till', expiresAt: NOW + 9 })
  const random = key.slice('petstore_live_'.length)
  for (const text of [key, ` export PETSTORE_API_KEY="${key}"\n${key}`, `Bearer ${key},`, random, `-${random}.`]) {
    assert.deepEqual(await find(text), { kind: 'key', state: 'active', key: issued }, text)
  }
  assert.equal((await find(key, NOW + 9)).state, 'expired')
  await revokeKey(context, String(issued.id))
  const revoked = await find(key)
  assert.deepEqual([revoked.state, revoked.key?.revokedAt], ['revoked', NOW])
  assert.deepEqual(revoked.key, await store.findKey(issued.id))
})

test('a typing error, the other deployment and an unknown secret are told apart', async t => {
  const { find } = await start(t)
  const key = generateKey('production')
  for (const [secret, kind, state] of [
    [`${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`, 'key', 'mistyped'],
    [key.toLowerCase().replace(/$/, 'A'), 'key', 'mistyped'],
    [key.slice(0, -1), 'key', 'mistyped'],
    [`${key}a`, 'key', 'mistyped'],
    ['petstore_live_x', 'key', 'mistyped'],
    [generateToken('production').slice(0, 40), 'operator-token', 'mistyped'],
    [generateSession().slice(0, -1), 'session', 'mistyped'],
    ['1234567890abcdefghijklmnopqrstuvwxyz', undefined, 'mistyped'],
    [key, 'key', 'unknown'],
    [generateToken('production'), 'operator-token', 'unknown'],
    [generateClaimSecret('production'), 'claim-link', 'unknown'],
    [generateSignInLink('production'), 'sign-in-link', 'unknown'],
    [generateSession(), 'session', 'unknown'],
    [csrfTokenOf(generateSession()), 'session', 'unknown'],
    [generateKey('staging'), 'key', 'other-deployment'],
    [generateToken('staging').slice('petstore_operator_test_'.length), 'operator-token', 'other-deployment'],
    [generateClaimSecret('staging'), 'claim-link', 'other-deployment'],
    [generateSignInLink('staging'), 'sign-in-link', 'other-deployment'],
  ] as const) {
    assert.deepEqual(await find(secret), { kind, state }, secret)
  }
})

test('operator tokens, sessions, sign-in links and claim links show whose they are', async t => {
  const { store, context, find } = await start(t)
  const { token: secret, ...token } = await createToken(context, { name: 'Anna', role: 'staff' })
  assert.deepEqual(await find(secret), { kind: 'operator-token', state: 'active', token })

  const session = generateSession()
  const endsAt = NOW + SESSION_MS
  const entry = { at: NOW, actor: 'Anna', origin: '', action: 'session.sign-in', details: {} } as const
  await store.createSession({ hash: hashSecret(session), tokenId: token.id, expiresAt: endsAt }, entry)
  assert.deepEqual(await find(session), { kind: 'session', state: 'active', token, endsAt })
  assert.equal((await find(session, endsAt)).state, 'expired')

  const signIn = await createSignInLink(context, { name: 'Anna', role: 'staff' })
  const found = await find(`https://admin.example/console/sign-in#${signIn.secret}`)
  assert.deepEqual([found.kind, found.state, found.endsAt], ['sign-in-link', 'active', NOW + OWN_LINK_SECONDS * 1_000])
  assert.equal(found.token?.name, 'Anna')

  await revokeToken(context, String(token.id))
  assert.deepEqual([(await find(secret)).state, (await find(session)).state], ['revoked', 'revoked'])
  assert.equal((await find(session, endsAt)).state, 'revoked')

  const link = await createClaimLink(context, { account: 'Acme', validForSeconds: 60 })
  const address = `https://api.example/claim/${link.secret}`
  const { secret: _, ...claimLink } = link
  assert.deepEqual(await find(address), { kind: 'claim-link', state: 'open', claimLink })
  assert.equal((await find(address, NOW + 60_000)).state, 'expired')
  const claimed = await claimKey({ store, deployment: 'production', now: NOW, origin: '192.0.2.7' }, link.secret)
  const after = await find(address)
  assert.deepEqual([claimed.state, after.state, after.claimLink?.keyId], ['issued', 'claimed', 1n])
})

test('a text without a secret, or with several, is refused, and the message repeats nothing of it', async t => {
  const { find } = await start(t)
  const [one, other] = [generateKey('production'), generateKey('production')]
  for (const [text, message] of [
    ['', /This is not an API key/],
    ['Rex', /This is not an API key/],
    ['petstore_live_', /This is not an API key/],
    [`${one}\n${other}`, /There is more than one secret/],
  ] as const) {
    await assert.rejects(find(text), error => {
      assert.ok(error instanceof UserError && error.kind === (text.includes(one) ? 'invalid' : 'not_found'))
      assert.match(error.message, message)
      return !error.message.includes(one)
    })
  }
})
