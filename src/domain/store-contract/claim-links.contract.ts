import assert from 'node:assert/strict'
import type { KeyTerms } from '../api-key.ts'
import type { ClaimLink } from '../claim-link.ts'
import { hashSecret } from '../secret.ts'
import type { NewClaimLink } from '../store/claim-links.ts'
import type { Store } from '../store.ts'
import { audit, createAccount, entry, NOW, nowAndAfterwards, type Rule } from './fixtures.contract.ts'

const HOUR_MS = 3_600_000
const LATER = { at: NOW + 7, origin: '198.51.100.9' }

const TERMS: KeyTerms = { name: undefined, scope: 'read-write', networks: undefined, expiresAt: undefined }
const NARROW: KeyTerms = {
  name: 'büro 🐕',
  scope: 'read',
  networks: ['192.0.2.0/24', '2001:db8::/32'],
  expiresAt: NOW + 2 * HOUR_MS,
}

let made = 0

export function newClaimLink(accountId: bigint, more: Partial<NewClaimLink> = {}): NewClaimLink {
  made += 1
  const hash = hashSecret(`claim link ${made}`)
  return { hash, accountId, terms: TERMS, expiresAt: NOW + HOUR_MS, ...more }
}

async function createLink(store: Store, accountId: bigint, more: Partial<NewClaimLink> = {}) {
  const link = newClaimLink(accountId, more)
  return { hash: link.hash, link: await store.createClaimLink(link, entry('claim-link.create', { accountId })) }
}

function newSecret() {
  made += 1
  return { hash: hashSecret(`claimed key ${made}`), hint: 'hint' }
}

/** The links by which keys are handed over. */
export function claimLinksContract(rule: Rule): void {
  rule('a claim link is found by its id and by its hash, and listed, newest first', async (store, reopen) => {
    const acme = await createAccount(store, 'Acme')
    const other = await createAccount(store, 'Other')
    const first = await createLink(store, acme.id, { terms: NARROW })
    const second = await createLink(store, other.id)
    const third = await createLink(store, acme.id)
    assert.deepEqual(first.link, {
      id: first.link.id,
      accountId: acme.id,
      accountName: 'Acme',
      accountSuspendedAt: undefined,
      terms: NARROW,
      createdAt: NOW,
      expiresAt: NOW + HOUR_MS,
      claimedAt: undefined,
      claimedFrom: undefined,
      keyId: undefined,
      revokedAt: undefined,
    } satisfies ClaimLink)
    const written = { ...entry('claim-link.create', { accountId: acme.id }), id: 3n, subjectId: first.link.id }
    for await (const kept of nowAndAfterwards(store, reopen)) {
      assert.deepEqual((await audit(kept))[2], written)
      assert.deepEqual(await kept.listClaimLinks(), [third.link, second.link, first.link])
      assert.deepEqual(await kept.listClaimLinks({ accountId: acme.id }), [third.link, first.link])
      assert.deepEqual(await kept.listClaimLinks({ beforeId: third.link.id, limit: 1 }), [second.link])
      assert.deepEqual(await kept.findClaimLink(second.link.id), second.link)
      assert.deepEqual(await kept.findClaimLinkByHash(first.hash), first.link)
      assert.equal(await kept.findClaimLink(4_711n), undefined)
      for (const hash of ['', first.hash.toUpperCase(), hashSecret('unknown')]) {
        assert.equal(await kept.findClaimLinkByHash(hash), undefined)
      }
    }
  })

  rule('a claim creates the key that its link describes, and ends the link', async (store, reopen) => {
    const { id: accountId } = await createAccount(store, 'Acme')
    const { link, hash } = await createLink(store, accountId, { terms: NARROW })
    const secret = newSecret()
    const newEntry = entry('key.claim', { ...LATER, accountId })
    const key = await store.claimKey(link.id, secret, newEntry)
    assert.ok(key)
    const { name, scope, networks, expiresAt } = key
    assert.deepEqual({ name, scope, networks, expiresAt }, NARROW)
    assert.deepEqual([key.accountId, key.hint, key.createdAt], [accountId, 'hint', NOW + 7])
    const claimed = { ...link, claimedAt: NOW + 7, claimedFrom: LATER.origin, keyId: key.id }
    const written = { ...newEntry, id: 3n, subjectId: key.id, details: { claimLinkId: Number(link.id) } }
    for await (const kept of nowAndAfterwards(store, reopen)) {
      assert.deepEqual((await audit(kept))[0], written)
      assert.deepEqual(await kept.findClaimLinkByHash(hash), claimed)
      assert.deepEqual(await kept.listKeys(), [key])
      assert.equal((await kept.findCaller(secret.hash))?.keyId, key.id)
    }
  })

  rule('when ten claim a link at once, exactly one gets a key, with one audit entry', async store => {
    const { id: accountId } = await createAccount(store, 'Acme')
    const { link } = await createLink(store, accountId)
    const newEntry = entry('key.claim', { ...LATER, accountId })
    const claims = Array.from({ length: 10 }, () => store.claimKey(link.id, newSecret(), newEntry))
    const keys = (await Promise.all(claims)).filter(key => key !== undefined)
    assert.equal(keys.length, 1)
    assert.deepEqual(await store.listKeys(), keys)
    assert.equal((await audit(store)).length, 3)
    assert.equal(await store.claimKey(link.id, newSecret(), newEntry), undefined, 'nor later')
    assert.equal(await store.claimKey(4_711n, newSecret(), newEntry), undefined, 'a link that is not there')
    assert.equal((await audit(store)).length, 3)
  })

  rule('when a link is claimed and revoked at once, exactly one of both succeeds', async store => {
    const { id: accountId } = await createAccount(store, 'Acme')
    for (let round = 0; round < 5; round += 1) {
      const { link } = await createLink(store, accountId)
      const [key, revoked] = await Promise.all([
        store.claimKey(link.id, newSecret(), entry('key.claim', LATER)),
        store.revokeClaimLink(link.id, entry('claim-link.revoke', LATER)),
      ])
      assert.equal(key === undefined, revoked)
      const { keyId, revokedAt } = (await store.findClaimLink(link.id)) as ClaimLink
      assert.deepEqual([keyId, revokedAt], revoked ? [undefined, NOW + 7] : [key?.id, undefined])
    }
  })

  rule(
    'a link that has expired, or of a suspended account, creates no key; the latter does once the account is resumed',
    async store => {
      const { id: accountId } = await createAccount(store, 'Acme')
      const { link } = await createLink(store, accountId)
      const claim = (at: number) => store.claimKey(link.id, newSecret(), entry('key.claim', { at }))
      const written = (await audit(store)).length
      assert.equal(await claim(link.expiresAt), undefined)
      assert.equal(await store.revokeClaimLink(link.id, entry('claim-link.revoke', { at: link.expiresAt })), false)
      assert.equal((await audit(store)).length, written)
      await store.setSuspended(accountId, NOW + 1, entry('account.suspend'))
      assert.equal((await store.findClaimLink(link.id))?.accountSuspendedAt, NOW + 1)
      assert.equal(await claim(link.expiresAt - 1), undefined)
      await store.setSuspended(accountId, undefined, entry('account.resume'))
      assert.ok(await claim(link.expiresAt - 1))
    },
  )

  rule('links are listed by their state at a given time', async store => {
    const { id: accountId } = await createAccount(store, 'Acme')
    const { link: claimed } = await createLink(store, accountId)
    const { link: revoked } = await createLink(store, accountId)
    const { link: short } = await createLink(store, accountId, { expiresAt: NOW + 60_000 })
    const { link: long } = await createLink(store, accountId)
    await store.claimKey(claimed.id, newSecret(), entry('key.claim', LATER))
    await store.revokeClaimLink(revoked.id, entry('claim-link.revoke', LATER))
    const idsOf = async (is: 'open' | 'claimed' | 'expired' | 'revoked', at: number) =>
      (await store.listClaimLinks({ state: { is, at } })).map(({ id }) => id)
    assert.deepEqual(await idsOf('open', NOW + 59_999), [long.id, short.id])
    assert.deepEqual(await idsOf('open', NOW + 60_000), [long.id])
    assert.deepEqual(await idsOf('expired', NOW + 60_000), [short.id])
    assert.deepEqual(await idsOf('expired', NOW + 2 * HOUR_MS), [long.id, short.id])
    assert.deepEqual(await idsOf('claimed', NOW + 2 * HOUR_MS), [claimed.id])
    assert.deepEqual(await idsOf('revoked', NOW + 2 * HOUR_MS), [revoked.id])
  })

  rule('the claim links of an account are deleted with it, claimed or not', async store => {
    const { id: accountId } = await createAccount(store, 'Acme')
    const { link: claimed } = await createLink(store, accountId)
    const { link: open, hash } = await createLink(store, accountId)
    await store.claimKey(claimed.id, newSecret(), entry('key.claim', LATER))
    const other = await createAccount(store, 'Other')
    const { link: kept } = await createLink(store, other.id)
    assert.equal(await store.deleteAccount(accountId, entry('account.delete')), true)
    assert.deepEqual(await store.listClaimLinks(), [kept])
    assert.equal(await store.findClaimLinkByHash(hash), undefined)
    assert.equal(await store.claimKey(open.id, newSecret(), entry('key.claim', LATER)), undefined)
    await assert.rejects(createLink(store, accountId), { name: 'UserError', kind: 'not_found' })
  })
}
