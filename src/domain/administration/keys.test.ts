import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acting } from '../../../test/support/acting.ts'
import { openStore } from '../../../test/support/store.ts'
import { isWellFormedKey } from '../api-key.ts'
import { hashSecret } from '../secret.ts'
import { ALL, type Store } from '../store.ts'
import { createAccount } from './accounts.ts'
import { findKey, issueKey, keyState, listKeys, revokeKey, rotateKey } from './keys.ts'

const NOW = Date.UTC(2027, 2, 1, 12, 0, 0, 250)
const HOUR_MS = 3_600_000

test('a key is told once; the store keeps its hash and its last characters', async t => {
  const store = await openStore(t)
  await createAccount(acting(store, NOW), { name: 'Acme', plan: 'free', limits: {} })
  const { key, ...kept } = await issueKey(acting(store, NOW, 'staging'), { account: 'Acme', name: 'laptop' })
  assert.ok(isWellFormedKey(key, 'staging'))
  assert.equal(kept.hint, key.slice(-4))
  assert.equal((await store.findCaller(hashSecret(key)))?.keyId, kept.id)
  assert.deepEqual(await listKeys(store, 'Acme'), [kept])
})

test('a key that would never work, or of an unknown account, is a mistake', async t => {
  const store = await openStore(t)
  const operator = acting(store, NOW)
  await createAccount(operator, { name: 'Acme', plan: 'free', limits: {} })
  for (const wish of [
    { account: 'Acme', expiresAt: NOW },
    { account: 'Acme', expiresAt: NOW - 1 },
    { account: 'Acme', name: '' },
    { account: 'Acme', name: 'a\nb' },
    { account: 'Acme', name: 'x'.repeat(101) },
  ]) {
    await assert.rejects(issueKey(operator, wish), { name: 'Mistake', kind: 'invalid' }, JSON.stringify(wish))
  }
  await assert.rejects(issueKey(operator, { account: 'nobody' }), { name: 'Mistake', kind: 'not_found' })
  assert.deepEqual(await listKeys(store), [])
  assert.equal((await store.listAudit({ limit: 10 })).length, 1)
})

test('a key is active until it expires or is revoked', async t => {
  const store = await openStore(t)
  const { keyId } = await issueTo(store, { expiresAt: NOW + HOUR_MS })
  const state = async (now: number) => keyState(await findKey(store, keyId), now)
  assert.equal(await state(NOW + HOUR_MS - 1), 'active')
  assert.equal(await state(NOW + HOUR_MS), 'expired')
  assert.equal((await revokeKey(acting(store, NOW + 1), keyId)).revokedAt, NOW + 1)
  assert.equal(await state(NOW + 1), 'revoked')
  await assert.rejects(revokeKey(acting(store, NOW + 2), keyId), { kind: 'conflict', message: /revoked already/ })
  for (const unknown of ['2', 'x', '', '-1']) {
    await assert.rejects(revokeKey(acting(store, NOW), unknown), { name: 'Mistake', kind: 'not_found' })
  }
})

test('a rotated key works on for the overlap, and its successor has its name', async t => {
  const store = await openStore(t)
  const { key, keyId } = await issueTo(store, { name: 'laptop' })
  const { issued, old } = await rotateKey(acting(store, NOW), { keyId, overlapSeconds: 60 })
  assert.notEqual(issued.key, key)
  assert.deepEqual([issued.name, issued.expiresAt], ['laptop', undefined])
  assert.equal((await store.findCaller(hashSecret(key)))?.expiresAt, NOW + 60_000)
  assert.equal((await store.findCaller(hashSecret(issued.key)))?.expiresAt, undefined)
  assert.deepEqual(old, await findKey(store, keyId), 'the old key is told as it is now')
  assert.equal(old.replacedBy, issued.id)
})

test('an overlap never reaches past the old key’s own expiry', async t => {
  const store = await openStore(t)
  const { key, keyId } = await issueTo(store, { expiresAt: NOW + 30_000 })
  const { issued } = await rotateKey(acting(store, NOW), { keyId, overlapSeconds: 60 })
  assert.equal((await store.findCaller(hashSecret(key)))?.expiresAt, NOW + 30_000)
  assert.equal(issued.expiresAt, NOW + 30_000)
})

test('a key is rotated once: its successor would else inherit the end of the overlap', async t => {
  const store = await openStore(t)
  const { keyId } = await issueTo(store)
  const rotate = (id: string) => rotateKey(acting(store, NOW), { keyId: id, overlapSeconds: 60 })
  const { issued } = await rotate(keyId)
  const refusal = { kind: 'conflict', message: new RegExp(`its successor is key ${issued.id}`) }
  await assert.rejects(rotate(keyId), refusal)
  assert.equal((await rotate(String(issued.id))).issued.expiresAt, undefined)
  assert.equal((await listKeys(store)).length, 3)
})

test('of operators who rotate and revoke a key at once the later are told so', async t => {
  const store = await openStore(t)
  const { keyId } = await issueTo(store)
  const operator = acting(store, NOW)
  const rotations = await Promise.allSettled(
    Array.from({ length: 10 }, () => rotateKey(operator, { keyId, overlapSeconds: 60 })),
  )
  assert.equal(rotations.filter(({ status }) => status === 'fulfilled').length, 1)
  for (const one of rotations) if (one.status === 'rejected') assert.equal(one.reason.kind, 'conflict')
  const revocations = await Promise.allSettled(Array.from({ length: 10 }, () => revokeKey(operator, keyId)))
  assert.equal(revocations.filter(({ status }) => status === 'fulfilled').length, 1)
  for (const one of revocations) if (one.status === 'rejected') assert.equal(one.reason.kind, 'conflict')
})

test('only an active key can be rotated', async t => {
  const store = await openStore(t)
  const { keyId } = await issueTo(store, { expiresAt: NOW + HOUR_MS })
  const rotate = (now: number) => rotateKey(acting(store, now), { keyId, overlapSeconds: 60 })
  await assert.rejects(rotate(NOW + HOUR_MS), { kind: 'conflict', message: /expired/ })
  await revokeKey(acting(store, NOW), keyId)
  await assert.rejects(rotate(NOW), { kind: 'conflict', message: /revoked/ })
  assert.equal((await listKeys(store)).length, 1)
})

test('keys are listed of all accounts or of one, by its id or name, page by page', async t => {
  const store = await openStore(t)
  const operator = acting(store, NOW)
  for (const name of ['Acme', 'Zoo']) {
    await createAccount(operator, { name, plan: 'free', limits: {} })
    for (let count = 0; count < 2; count += 1) await issueKey(operator, { account: name })
  }
  const ids = async (account?: string, page = ALL) => (await listKeys(store, account, page)).map(({ id }) => id)
  assert.deepEqual(await ids(), [1n, 2n, 3n, 4n])
  assert.deepEqual(await ids('Zoo'), [3n, 4n])
  assert.deepEqual(await ids('1', { afterId: 1n, limit: 5 }), [2n])
  await assert.rejects(ids('nobody'), { kind: 'not_found' })
})

test('the audit log tells who did what to a key, without the key', async t => {
  const store = await openStore(t)
  const old = await issueTo(store, { name: 'laptop', expiresAt: NOW + HOUR_MS })
  const { issued } = await rotateKey(acting(store, NOW + 1), { keyId: old.keyId, overlapSeconds: 60 })
  await revokeKey(acting(store, NOW + 2), old.keyId)
  const unnamed = await issueKey(acting(store, NOW + 3), { account: 'Acme' })
  const who = { actor: 'ada', origin: '192.0.2.7', accountId: 1n }
  const expires = '2027-03-01T13:00:00.250Z'
  const rotated = { hint: issued.hint, 'old key works until': '2027-03-01T12:01:00.251Z', successor: String(issued.id) }
  const entries = await store.listAudit({ limit: 10 })
  assert.deepEqual(
    entries.toReversed().slice(1),
    [
      { action: 'key.issue', subjectId: old.id, details: { name: 'laptop', hint: old.hint, expires } },
      { action: 'key.rotate', subjectId: old.id, details: rotated },
      { action: 'key.revoke', subjectId: old.id, details: { name: 'laptop', hint: old.hint } },
      { action: 'key.issue', subjectId: unnamed.id, details: { hint: unnamed.hint } },
    ].map((entry, index) => ({ ...who, id: BigInt(index + 2), at: NOW + index, ...entry })),
  )
  const written = entries.map(({ details }) => JSON.stringify(details)).join()
  for (const { key } of [old, issued, unnamed]) {
    for (const part of [key, key.slice('petstore_live_'.length), key.slice(-12), hashSecret(key)]) {
      assert.ok(!written.includes(part))
    }
  }
})

/** A key of a new account. `keyId` is its id as an operator types it. */
async function issueTo(store: Store, wish: { name?: string; expiresAt?: number } = {}) {
  const { id } = await createAccount(acting(store, NOW), { name: 'Acme', plan: 'free', limits: {} })
  const issued = await issueKey(acting(store, NOW), { account: String(id), ...wish })
  return { ...issued, keyId: String(issued.id) }
}
