import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { SqliteStore } from '../sqlite/store.ts'
import {
  createAccount,
  findAccount,
  issueKey,
  keyState,
  liftBan,
  listBans,
  listKeys,
  revokeKey,
  rotateKey,
  setPlan,
} from './administration.ts'
import { hashKey, isWellFormedKey } from './api-key.ts'
import { Mistake } from './errors.ts'
import type { Store } from './store.ts'

const NOW = Date.UTC(2027, 2, 1, 12, 0, 0, 250)
const HOUR_MS = 3_600_000

test('an account is created with the limits of its plan, and found by its id and its name', async t => {
  const store = await openStore(t)
  const acme = await createAccount(store, { name: ' Acme ', plan: 'pro', limits: {} }, NOW)
  assert.deepEqual([acme.name, acme.limits], ['Acme', { perMinute: 300, perDay: 10_000 }])
  for (const nameOrId of [String(acme.id), 'Acme', ' Acme ']) assert.deepEqual(await findAccount(store, nameOrId), acme)
  for (const nobody of ['acme', '2', '', '0x1', '99999999999999999999']) {
    await assert.rejects(findAccount(store, nobody), Mistake, nobody)
  }
})

test('what an account cannot be is a mistake, and creates none', async t => {
  const store = await openStore(t)
  const wishes = [
    { name: '', plan: 'free', limits: {} },
    { name: '42', plan: 'free', limits: {} },
    { name: 'Acme', plan: 'gold', limits: {} },
    { name: 'Acme', plan: 'free', limits: { perMinute: 5 } },
    { name: 'Acme', plan: 'enterprise', limits: { perMinute: 5 } },
  ]
  for (const wish of wishes) await assert.rejects(createAccount(store, wish, NOW), Mistake, JSON.stringify(wish))
  assert.deepEqual(await store.listAccounts(), [])
})

test('a plan can be changed to enterprise and back', async t => {
  const store = await openStore(t)
  await createAccount(store, { name: 'Acme', plan: 'free', limits: {} }, NOW)
  const limits = { perMinute: 7, perDay: 9 }
  assert.deepEqual((await setPlan(store, { account: 'Acme', plan: 'enterprise', limits })).limits, limits)
  await assert.rejects(setPlan(store, { account: 'Acme', plan: 'enterprise', limits: {} }), Mistake)
  const free = await setPlan(store, { account: 'Acme', plan: 'free', limits: {} })
  assert.deepEqual([free.plan, free.limits], ['free', { perMinute: 60, perDay: 1_000 }])
})

test('a key is told once; the store keeps its hash and its last characters', async t => {
  const store = await openStore(t)
  await createAccount(store, { name: 'Acme', plan: 'free', limits: {} }, NOW)
  const { key, ...kept } = await issueKey(store, 'staging', { account: 'Acme', name: 'laptop' }, NOW)
  assert.ok(isWellFormedKey(key, 'staging'))
  assert.equal(kept.hint, key.slice(-4))
  assert.equal((await store.findCaller(hashKey(key)))?.keyId, kept.id)
  assert.deepEqual(await listKeys(store, 'Acme'), [kept])
})

test('a key that would never work, or of an unknown account, is a mistake', async t => {
  const store = await openStore(t)
  await createAccount(store, { name: 'Acme', plan: 'free', limits: {} }, NOW)
  for (const wish of [
    { account: 'nobody' },
    { account: 'Acme', expiresAt: NOW },
    { account: 'Acme', expiresAt: NOW - 1 },
    { account: 'Acme', name: '' },
    { account: 'Acme', name: 'a\nb' },
    { account: 'Acme', name: 'x'.repeat(101) },
  ]) {
    await assert.rejects(issueKey(store, 'production', wish, NOW), Mistake, JSON.stringify(wish))
  }
  assert.deepEqual(await listKeys(store), [])
})

test('a key is active until it expires or is revoked', async t => {
  const store = await openStore(t)
  const { keyId } = await issueTo(store, { expiresAt: NOW + HOUR_MS })
  const state = async (now: number) => {
    const [key] = await listKeys(store)
    return key && keyState(key, now)
  }
  assert.equal(await state(NOW + HOUR_MS - 1), 'active')
  assert.equal(await state(NOW + HOUR_MS), 'expired')
  assert.equal((await revokeKey(store, keyId, NOW + 1)).revokedAt, NOW + 1)
  assert.equal(await state(NOW + 1), 'revoked')
  await assert.rejects(revokeKey(store, keyId, NOW + 2), /revoked already/)
  for (const unknown of ['2', 'x', '', '-1']) await assert.rejects(revokeKey(store, unknown, NOW), Mistake)
})

test('a rotated key works on for the overlap, and its successor has its name', async t => {
  const store = await openStore(t)
  const old = await issueTo(store, { name: 'laptop' })
  const successor = await rotateKey(store, 'production', { keyId: old.keyId, overlapSeconds: 60 }, NOW)
  assert.notEqual(successor.key, old.key)
  assert.deepEqual([successor.name, successor.expiresAt], ['laptop', undefined])
  assert.equal((await store.findCaller(hashKey(old.key)))?.expiresAt, NOW + 60_000)
  assert.equal((await store.findCaller(hashKey(successor.key)))?.expiresAt, undefined)
})

test('an overlap never reaches past the old key’s own expiry', async t => {
  const store = await openStore(t)
  const old = await issueTo(store, { expiresAt: NOW + 30_000 })
  const successor = await rotateKey(store, 'production', { keyId: old.keyId, overlapSeconds: 60 }, NOW)
  assert.equal((await store.findCaller(hashKey(old.key)))?.expiresAt, NOW + 30_000)
  assert.equal(successor.expiresAt, NOW + 30_000)
})

test('a key is rotated once: its successor would else inherit the end of the overlap', async t => {
  const store = await openStore(t)
  const old = await issueTo(store)
  const rotate = (keyId: string) => rotateKey(store, 'production', { keyId, overlapSeconds: 60 }, NOW)
  const successor = await rotate(old.keyId)
  await assert.rejects(rotate(old.keyId), new RegExp(`its successor is key ${successor.id}`))
  assert.equal((await rotate(String(successor.id))).expiresAt, undefined)
  assert.equal((await listKeys(store)).length, 3)
})

test('only an active key can be rotated', async t => {
  const store = await openStore(t)
  const { keyId } = await issueTo(store, { expiresAt: NOW + HOUR_MS })
  const rotate = (now: number) => rotateKey(store, 'production', { keyId, overlapSeconds: 60 }, now)
  await assert.rejects(rotate(NOW + HOUR_MS), /expired/)
  await revokeKey(store, keyId, NOW)
  await assert.rejects(rotate(NOW), /revoked/)
  assert.equal((await listKeys(store)).length, 1)
})

test('the bans in force are listed, and can be lifted once', async t => {
  const store = await openStore(t)
  const { id, keyId } = await issueTo(store)
  await assert.rejects(liftBan(store, keyId, NOW), /not banned/)
  const ban = await store.createBan(id, { startedAt: NOW, endsAt: NOW + HOUR_MS, ordinal: 1 })
  assert.deepEqual(await listBans(store, NOW + HOUR_MS - 1), [ban])
  assert.deepEqual(await listBans(store, NOW + HOUR_MS), [])
  assert.deepEqual(await liftBan(store, keyId, NOW + 5), { ...ban, liftedAt: NOW + 5 })
  assert.deepEqual(await listBans(store, NOW + 5), [])
  await assert.rejects(liftBan(store, keyId, NOW + 6), /not banned/)
})

async function openStore(t: TestContext): Promise<Store> {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-administration-'))
  const store = await SqliteStore.open(folder, 'production')
  t.after(async () => {
    await store.close()
    await rm(folder, { recursive: true })
  })
  return store
}

/** A key of a new account. `keyId` is its id as an operator types it. */
async function issueTo(store: Store, wish: { name?: string; expiresAt?: number } = {}) {
  const { id } = await createAccount(store, { name: 'Acme', plan: 'free', limits: {} }, NOW)
  const issued = await issueKey(store, 'production', { account: String(id), ...wish }, NOW)
  return { ...issued, keyId: String(issued.id) }
}
