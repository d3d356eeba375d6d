import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adminContext } from '../../../test/support/admin-context.ts'
import { openStore } from '../../../test/support/store.ts'
import { isWellFormedKey } from '../api-key.ts'
import { generateClaimSecret, isWellFormedClaimSecret } from '../claim-link.ts'
import { hashSecret } from '../secret.ts'
import type { Store } from '../store.ts'
import { createAccount, deleteAccount, resumeAccount, suspendAccount } from './accounts.ts'
import { claimKey, examineClaim } from './claim-key.ts'
import { createClaimLink, findClaimLink, listClaimLinks, revokeClaimLink } from './claim-links.ts'
import type { GivenTerms } from './keys.ts'

const NOW = Date.UTC(2027, 2, 1, 12, 0, 0, 250)
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const claimantAt = (store: Store, now: number) =>
  ({ store, deployment: 'production', now, origin: '198.51.100.9' }) as const

async function createLink(store: Store, terms: GivenTerms = {}) {
  const operator = adminContext(store, NOW)
  const { id } = await createAccount(operator, { name: `Acme ${Math.random()}`, plan: 'free', limits: {} })
  return createClaimLink(operator, { account: String(id), validForSeconds: 86_400, terms })
}

test('the secret of a link is returned once; the store keeps its hash', async t => {
  const store = await openStore(t)
  const { secret, ...link } = await createLink(store, { name: 'till' })
  assert.ok(isWellFormedClaimSecret(secret, 'production'))
  assert.ok(!isWellFormedClaimSecret(secret, 'staging'))
  assert.ok(!isWellFormedKey(secret, 'production'), 'it is not a key')
  assert.deepEqual(await store.findClaimLinkByHash(hashSecret(secret)), link)
  assert.deepEqual(await listClaimLinks(store, link.accountName), [link])
})

test('a link ends before its key', async t => {
  const store = await openStore(t)
  const { accountName: account } = await createLink(store)
  const create = (validForSeconds: number, keyExpiresAt?: number) =>
    createClaimLink(adminContext(store, NOW), { account, validForSeconds, terms: { expiresAt: keyExpiresAt } })
  for (const seconds of [60, 2_592_000]) assert.equal((await create(seconds)).expiresAt, NOW + seconds * 1_000)
  await create(3_600, NOW + HOUR_MS + 1)
  for (const keyExpiresAt of [NOW + HOUR_MS, NOW - 1]) {
    await assert.rejects(create(3_600, keyExpiresAt), { kind: 'invalid', member: 'keyExpiresAt' })
  }
  for (const name of ['', 'a\nb', 'x'.repeat(101)]) {
    const link = { account, validForSeconds: 86_400, terms: { name } }
    await assert.rejects(createClaimLink(adminContext(store, NOW), link), { name: 'UserError', kind: 'invalid' })
  }
  const unknown = { account: 'nobody', validForSeconds: 86_400 }
  await assert.rejects(createClaimLink(adminContext(store, NOW), unknown), { kind: 'not_found' })
})

test('looking at a link changes nothing', async t => {
  const store = await openStore(t)
  const { secret, ...link } = await createLink(store)
  const written = (await store.listAudit({ limit: 100 })).length
  for (let time = 0; time < 3; time += 1) {
    assert.deepEqual(await examineClaim(claimantAt(store, NOW + time), secret), { state: 'open', link })
  }
  assert.deepEqual(await findClaimLink(store, String(link.id)), link)
  assert.deepEqual(await store.listKeys(), [])
  assert.equal((await store.listAudit({ limit: 100 })).length, written)
})

test('the first claim gets a key that works; the audit log has when and from where', async t => {
  const store = await openStore(t)
  const { secret, id, accountId } = await createLink(store, {
    name: 'till',
    scope: 'read',
    networks: ['192.0.2.7'],
    expiresAt: NOW + 2 * DAY_MS,
  })
  const claimed = await claimKey(claimantAt(store, NOW + HOUR_MS), secret)
  assert.ok(claimed.state === 'issued')
  const { key, ...issued } = claimed.issued
  assert.ok(isWellFormedKey(key, 'production'))
  assert.equal(issued.hint, key.slice(-4))
  assert.deepEqual(await store.listKeys(), [issued])
  assert.equal((await store.findCaller(hashSecret(key)))?.keyId, issued.id)
  const [entry] = await store.listAudit({ limit: 1 })
  assert.deepEqual(
    [entry?.action, entry?.at, entry?.actor, entry?.origin, entry?.tokenId, entry?.subjectId, entry?.accountId],
    ['key.claim', NOW + HOUR_MS, `claim link ${id}`, '198.51.100.9', undefined, issued.id, accountId],
  )
  assert.deepEqual(entry?.details, { claimLinkId: Number(id) })
  assert.deepEqual(entry?.after, {
    name: 'till',
    scope: 'read',
    networks: '192.0.2.7/32',
    expiresAt: '2027-03-03T12:00:00.250Z',
    hint: issued.hint,
  })

  for (let time = 0; time < 3; time += 1) {
    const again = await claimKey(claimantAt(store, NOW + HOUR_MS + time), secret)
    assert.ok(again.state === 'claimed')
    assert.deepEqual([again.link.claimedAt, again.link.keyId], [NOW + HOUR_MS, issued.id])
  }
  assert.equal((await store.listKeys()).length, 1)
})

test('a link that expired, was revoked, or whose account was deleted, issues no key', async t => {
  const store = await openStore(t)
  const operator = adminContext(store, NOW)
  const expired = await createLink(store)
  const revoked = await createLink(store)
  const deleted = await createLink(store)
  await revokeClaimLink(operator, String(revoked.id))
  await deleteAccount(operator, String(deleted.accountId))
  const stateOf = async (secret: string, now = NOW) => (await claimKey(claimantAt(store, now), secret)).state
  assert.equal(await stateOf(expired.secret, NOW + DAY_MS), 'expired')
  assert.equal(await stateOf(revoked.secret), 'revoked')
  assert.equal(await stateOf(deleted.secret), 'unknown')
  assert.equal(await stateOf(generateClaimSecret('production')), 'unknown')
  assert.equal(await stateOf(generateClaimSecret('staging')), 'unknown')
  assert.equal(await stateOf(expired.secret.slice(0, -1)), 'unknown')
  assert.deepEqual(await store.listKeys(), [])
  assert.equal(await stateOf(expired.secret, NOW + DAY_MS - 1), 'issued', 'until the last millisecond')
})

test('text that cannot be the secret of a link is not looked up', async t => {
  const store = await openStore(t)
  const lookUps = t.mock.method(store, 'findClaimLinkByHash').mock
  const examine = (text: string) => examineClaim(claimantAt(store, NOW), text)
  const secret = generateClaimSecret('production')
  for (const text of ['', secret.slice(0, -1), generateClaimSecret('staging')]) {
    assert.deepEqual(await examine(text), { state: 'unknown' }, text)
  }
  assert.equal(lookUps.callCount(), 0)
  assert.deepEqual(await examine(secret), { state: 'unknown' })
  assert.equal(lookUps.callCount(), 1)
})

test('while its account is suspended, a link is not used up', async t => {
  const store = await openStore(t)
  const { secret, accountId } = await createLink(store)
  const stateOf = async () => (await claimKey(claimantAt(store, NOW), secret)).state
  await suspendAccount(adminContext(store, NOW), String(accountId))
  assert.equal(await stateOf(), 'suspended')
  await resumeAccount(adminContext(store, NOW), String(accountId))
  assert.equal(await stateOf(), 'issued')
  await suspendAccount(adminContext(store, NOW), String(accountId))
  assert.equal(await stateOf(), 'claimed')
})

test('only an open link can be revoked', async t => {
  const store = await openStore(t)
  const { id, secret } = await createLink(store)
  const revoke = (linkId: bigint | string, now = NOW) => revokeClaimLink(adminContext(store, now), String(linkId))
  assert.equal((await revoke(id, NOW + 5)).revokedAt, NOW + 5)
  await assert.rejects(revoke(id), { kind: 'conflict', message: /already revoked/ })
  assert.equal((await examineClaim(claimantAt(store, NOW), secret)).state, 'revoked')
  const expired = await createLink(store)
  await assert.rejects(revoke(expired.id, NOW + DAY_MS), { kind: 'conflict', message: /expired/ })
  const claimed = await createLink(store)
  await claimKey(claimantAt(store, NOW), claimed.secret)
  await assert.rejects(revoke(claimed.id), { kind: 'conflict', message: /revoke key 1 instead/ })
  for (const unknown of ['4711', 'x', '']) await assert.rejects(revoke(unknown), { kind: 'not_found' })
})
