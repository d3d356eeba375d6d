import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adminContext } from '../../../test/support/admin-context.ts'
import { openStore } from '../../../test/support/store.ts'
import { isWellFormedKey } from '../api-key.ts'
import { hashSecret, secretState } from '../secret.ts'
import { ALL } from '../store/page.ts'
import type { Store } from '../store.ts'
import { createAccount } from './accounts.ts'
import { changeKey, findKey, type GivenTerms, issueKey, listKeys, revokeKey, rotateKey } from './keys.ts'

const NOW = Date.UTC(2027, 2, 1, 12, 0, 0, 250)
const HOUR_MS = 3_600_000
/** The audit log's details of a key without restrictions. */
const ANYWHERE = { scope: 'read-write', networks: null }

const NO_MORE = { tokenId: undefined, before: undefined, after: undefined, accountName: undefined, pet: undefined }

test('a key is returned once; the store keeps its hash and its last characters', async t => {
  const store = await openStore(t)
  await createAccount(adminContext(store, NOW), { name: 'Acme', plan: 'free', limits: {} })
  const { key, ...kept } = await issueKey(adminContext(store, NOW, 'staging'), { account: 'Acme', name: 'laptop' })
  assert.ok(isWellFormedKey(key, 'staging'))
  assert.equal(kept.hint, key.slice(-4))
  assert.equal((await store.findCaller(hashSecret(key)))?.keyId, kept.id)
  assert.deepEqual(await listKeys(store, 'Acme'), [kept])
})

test('a key that would never work, or of an unknown account, is an error', async t => {
  const store = await openStore(t)
  const operator = adminContext(store, NOW)
  await createAccount(operator, { name: 'Acme', plan: 'free', limits: {} })
  for (const given of [
    { account: 'Acme', expiresAt: NOW },
    { account: 'Acme', expiresAt: NOW - 1 },
    { account: 'Acme', name: '' },
    { account: 'Acme', name: 'a\nb' },
    { account: 'Acme', name: 'x'.repeat(101) },
  ]) {
    await assert.rejects(issueKey(operator, given), { name: 'UserError', kind: 'invalid' }, JSON.stringify(given))
  }
  await assert.rejects(issueKey(operator, { account: 'nobody' }), { name: 'UserError', kind: 'not_found' })
  assert.deepEqual(await listKeys(store), [])
  assert.equal((await store.listAudit({ limit: 10 })).length, 1)
})

test('a key is active until it expires or is revoked', async t => {
  const store = await openStore(t)
  const { keyId } = await issueTo(store, { expiresAt: NOW + HOUR_MS })
  const state = async (now: number) => secretState(await findKey(store, keyId), now)
  assert.equal(await state(NOW + HOUR_MS - 1), 'active')
  assert.equal(await state(NOW + HOUR_MS), 'expired')
  assert.equal((await revokeKey(adminContext(store, NOW + 1), keyId)).revokedAt, NOW + 1)
  assert.equal(await state(NOW + 1), 'revoked')
  await assert.rejects(revokeKey(adminContext(store, NOW + 2), keyId), { kind: 'conflict', message: /already revoked/ })
  for (const unknown of ['2', 'x', '', '-1']) {
    await assert.rejects(revokeKey(adminContext(store, NOW), unknown), { name: 'UserError', kind: 'not_found' })
  }
})

test('a rotated key keeps working for the overlap, and its successor has the same name', async t => {
  const store = await openStore(t)
  const { key, keyId } = await issueTo(store, { name: 'laptop' })
  const { issued, old } = await rotateKey(adminContext(store, NOW), { keyId, overlapSeconds: 60 })
  assert.notEqual(issued.key, key)
  assert.deepEqual([issued.name, issued.expiresAt], ['laptop', undefined])
  assert.equal((await store.findCaller(hashSecret(key)))?.expiresAt, NOW + 60_000)
  assert.equal((await store.findCaller(hashSecret(issued.key)))?.expiresAt, undefined)
  assert.deepEqual(old, await findKey(store, keyId), 'the old key is returned as it is now')
  assert.equal(old.replacedBy, issued.id)
})

test('an overlap never exceeds the expiry of the old key', async t => {
  const store = await openStore(t)
  const { key, keyId } = await issueTo(store, { expiresAt: NOW + 30_000 })
  const { issued } = await rotateKey(adminContext(store, NOW), { keyId, overlapSeconds: 60 })
  assert.equal((await store.findCaller(hashSecret(key)))?.expiresAt, NOW + 30_000)
  assert.equal(issued.expiresAt, NOW + 30_000)
})

test('a key is rotated only once: otherwise a second successor would inherit the end of the overlap', async t => {
  const store = await openStore(t)
  const { keyId } = await issueTo(store)
  const rotate = (id: string) => rotateKey(adminContext(store, NOW), { keyId: id, overlapSeconds: 60 })
  const { issued } = await rotate(keyId)
  const refusal = { kind: 'conflict', message: new RegExp(`its successor is key ${issued.id}`) }
  await assert.rejects(rotate(keyId), refusal)
  assert.equal((await rotate(String(issued.id))).issued.expiresAt, undefined)
  assert.equal((await listKeys(store)).length, 3)
})

test('if operators rotate and revoke a key at once, the later ones get a conflict', async t => {
  const store = await openStore(t)
  const { keyId } = await issueTo(store)
  const operator = adminContext(store, NOW)
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
  const rotate = (now: number) => rotateKey(adminContext(store, now), { keyId, overlapSeconds: 60 })
  await assert.rejects(rotate(NOW + HOUR_MS), { kind: 'conflict', message: /expired/ })
  await revokeKey(adminContext(store, NOW), keyId)
  await assert.rejects(rotate(NOW), { kind: 'conflict', message: /revoked/ })
  assert.equal((await listKeys(store)).length, 1)
})

test('keys of all accounts, or of one by its id or name, are listed page by page', async t => {
  const store = await openStore(t)
  const operator = adminContext(store, NOW)
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

test('a key may read and write from anywhere unless it is given a scope and networks', async t => {
  const store = await openStore(t)
  const { keyId, scope, networks } = await issueTo(store)
  assert.deepEqual([scope, networks], ['read-write', undefined])
  const bound = await issueKey(adminContext(store, NOW), { account: 'Acme', scope: 'read', networks: ['192.0.2.7/24'] })
  assert.deepEqual([bound.scope, bound.networks], ['read', ['192.0.2.0/24']])
  const { key: _, ...kept } = bound
  assert.deepEqual(await findKey(store, String(bound.id)), kept)
  assert.equal((await findKey(store, keyId)).networks, undefined)
  for (const wrong of [[], ['home'], ['192.0.2.7', '']]) {
    const given = { account: 'Acme', networks: wrong }
    await assert.rejects(issueKey(adminContext(store, NOW), given), { name: 'UserError', kind: 'invalid' })
  }
})

test('the name, the scope and the networks of a key can be changed; what is not given stays', async t => {
  const store = await openStore(t)
  const { key, keyId } = await issueTo(store, { name: 'laptop', expiresAt: NOW + HOUR_MS })
  const operator = adminContext(store, NOW)
  const change = async (given: Parameters<typeof changeKey>[2]) => {
    const { name, scope, networks, expiresAt } = await changeKey(operator, keyId, given)
    assert.equal(expiresAt, NOW + HOUR_MS)
    return [name, scope, networks]
  }
  assert.deepEqual(await change({ scope: 'read' }), ['laptop', 'read', undefined])
  assert.deepEqual(await change({ networks: ['2001:DB8::/32'] }), ['laptop', 'read', ['2001:db8::/32']])
  assert.deepEqual(await change({ name: ' till ' }), ['till', 'read', ['2001:db8::/32']])
  assert.deepEqual(await change({}), ['till', 'read', ['2001:db8::/32']])
  assert.deepEqual(await change({ name: null, networks: null }), [undefined, 'read', undefined])
  const { scope, networks } = (await store.findCaller(hashSecret(key))) ?? assert.fail('no caller')
  assert.deepEqual([scope, networks], ['read', undefined])
  for (const wrong of [{ name: '' }, { name: 'a\nb' }, { networks: [] }, { networks: ['home'] }]) {
    await assert.rejects(changeKey(operator, keyId, wrong), { name: 'UserError', kind: 'invalid' })
  }
  await assert.rejects(changeKey(operator, '2', { scope: 'read' }), { kind: 'not_found' })
})

test('only an active key can be changed', async t => {
  const store = await openStore(t)
  const { keyId } = await issueTo(store, { expiresAt: NOW + HOUR_MS })
  const change = (now: number) => changeKey(adminContext(store, now), keyId, { scope: 'read' })
  await assert.rejects(change(NOW + HOUR_MS), { kind: 'conflict', message: /expired; only an active key/ })
  await revokeKey(adminContext(store, NOW), keyId)
  await assert.rejects(change(NOW), { kind: 'conflict', message: /revoked; only an active key/ })
  assert.equal((await findKey(store, keyId)).scope, 'read-write')
})

test('a successor has the scope and the networks of the old key', async t => {
  const store = await openStore(t)
  const { keyId } = await issueTo(store, { scope: 'read', networks: ['192.0.2.7'] })
  const { issued } = await rotateKey(adminContext(store, NOW), { keyId, overlapSeconds: 60 })
  assert.deepEqual([issued.scope, issued.networks], ['read', ['192.0.2.7/32']])
})

test('the audit log says who did what to a key, without the key', async t => {
  const store = await openStore(t)
  const old = await issueTo(store, { name: 'laptop', expiresAt: NOW + HOUR_MS })
  const { issued } = await rotateKey(adminContext(store, NOW + 1), { keyId: old.keyId, overlapSeconds: 60 })
  await revokeKey(adminContext(store, NOW + 2), old.keyId)
  const unnamed = await issueKey(adminContext(store, NOW + 3), { account: 'Acme' })
  const facts = { details: {}, ...NO_MORE }
  const who = { actor: 'ada', origin: '192.0.2.7', accountId: 1n, subjectName: 'laptop', ...facts, accountName: 'Acme' }
  const named = { name: 'laptop', hint: old.hint }
  const expiresAt = '2027-03-01T13:00:00.250Z'
  const rotated = {
    details: { ...named, successorHint: issued.hint },
    before: { expiresAt, replacedBy: null },
    after: { expiresAt: '2027-03-01T12:01:00.251Z', replacedBy: Number(issued.id) },
  }
  const revoked = { before: { revokedAt: null }, after: { revokedAt: '2027-03-01T12:00:00.252Z' } }
  const entries = await store.listAudit({ limit: 10 })
  assert.deepEqual(
    entries.toReversed().slice(1),
    [
      { action: 'key.issue', subjectId: old.id, after: { ...named, ...ANYWHERE, expiresAt } },
      { action: 'key.rotate', subjectId: old.id, ...rotated },
      { action: 'key.revoke', subjectId: old.id, details: named, ...revoked },
      {
        action: 'key.issue',
        subjectId: unnamed.id,
        subjectName: `…${unnamed.hint}`,
        after: { name: null, hint: unnamed.hint, ...ANYWHERE, expiresAt: null },
      },
    ].map((entry, index) => ({ ...who, id: BigInt(index + 2), at: NOW + index, ...entry })),
  )
  const written = entries.map(({ details, before, after }) => JSON.stringify([details, before, after])).join()
  for (const { key } of [old, issued, unnamed]) {
    for (const part of [key, key.slice('petstore_live_'.length), key.slice(-12), hashSecret(key)]) {
      assert.ok(!written.includes(part))
    }
  }
})

/** A key of a new account. `keyId` is its id as an operator types it. */
async function issueTo(store: Store, given: GivenTerms = {}) {
  const { id } = await createAccount(adminContext(store, NOW), { name: 'Acme', plan: 'free', limits: {} })
  const issued = await issueKey(adminContext(store, NOW), { account: String(id), ...given })
  return { ...issued, keyId: String(issued.id) }
}
