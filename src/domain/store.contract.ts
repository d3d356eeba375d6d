import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { StoreUnavailable } from './errors.ts'
import { IDEMPOTENCY_MS } from './idempotency.ts'
import type { Revision } from './store/revision.ts'
import type { Store } from './store.ts'
import { accountsContract } from './store-contract/accounts.contract.ts'
import { animalsContract } from './store-contract/animals.contract.ts'
import { asTypedContract } from './store-contract/as-typed.contract.ts'
import { auditContract } from './store-contract/audit.contract.ts'
import { categoriesContract } from './store-contract/categories.contract.ts'
import { claimLinksContract, newClaimLink } from './store-contract/claim-links.contract.ts'
import { clockContract } from './store-contract/clock.contract.ts'
import { correctionsContract } from './store-contract/corrections.contract.ts'
import { countsContract, countsOf } from './store-contract/counts.contract.ts'
import { deletedPetsContract } from './store-contract/deleted-pets.contract.ts'
import {
  create,
  createAccount,
  createAll,
  createKey,
  createRequest,
  createToken,
  entry,
  firstPage,
  inParts,
  mixed,
  NOW,
  newKey,
  newPet,
  type Rule,
} from './store-contract/fixtures.contract.ts'
import { keysContract } from './store-contract/keys.contract.ts'
import { operatorCreationsContract } from './store-contract/operator-creations.contract.ts'
import { operatorsContract } from './store-contract/operators.contract.ts'
import { permitsContract } from './store-contract/permits.contract.ts'
import { petHistoryContract } from './store-contract/pet-history.contract.ts'
import { petIndexContract } from './store-contract/pet-index.contract.ts'
import { refusalsContract, refusedCall } from './store-contract/refusals.contract.ts'
import { searchContract } from './store-contract/search.contract.ts'
import { selectionsContract } from './store-contract/selections.contract.ts'
import { undoContract } from './store-contract/undo.contract.ts'
import { usageContract, usageOf } from './store-contract/usage.contract.ts'

/** An empty store. */
export interface OpenedStore {
  store: Store
  /** Closes the store and opens it again, as after a restart. */
  reopen(): Promise<Store>
  close(): Promise<void>
}

/** Much less than the duration of a long read. */
const TIMEOUT_MS = 5_000

/** The contract of every store. */
export function storeContract(name: string, openStore: () => Promise<OpenedStore>): void {
  const rule: Rule = (sentence, check) =>
    test(`${name}: ${sentence}`, async (t: TestContext) => {
      const { store, reopen, close } = await openStore()
      t.after(close)
      await check(store, reopen)
    })

  for (const contract of [
    animalsContract,
    correctionsContract,
    searchContract,
    asTypedContract,
    petIndexContract,
    selectionsContract,
    petHistoryContract,
    undoContract,
    deletedPetsContract,
    categoriesContract,
    accountsContract,
    keysContract,
    claimLinksContract,
    clockContract,
    countsContract,
    operatorsContract,
    operatorCreationsContract,
    permitsContract,
    auditContract,
    usageContract,
    refusalsContract,
  ]) {
    contract(rule)
  }

  rule('only creations older than 24 hours are forgotten', async store => {
    const request = await createRequest(store, 'key-1')
    await store.createPet(newPet(), NOW, request)
    await store.deleteExpired(NOW + IDEMPOTENCY_MS - 1, 0)
    assert.equal((await store.createPet(newPet(), NOW + 1, request)).outcome, 'replayed')
    await store.deleteExpired(NOW + IDEMPOTENCY_MS, 0)
    assert.equal((await store.createPet(newPet(), NOW + 1, request)).outcome, 'created')
    assert.equal((await store.listPets(firstPage)).pets.length, 2)
  })

  rule(
    'a change of an account, a key or a ban shows in the revision immediately, and no other write does',
    async store => {
      let account = { id: 0n }
      let key = { id: 0n }
      let ban = { id: 0n }
      let token = { id: 0n }
      let link = { id: 0n }
      const other = await createAccount(store, 'Other')
      const createLink = () => store.createClaimLink(newClaimLink(other.id), entry('claim-link.create'))
      const open = await createLink()
      const term = {
        source: '192.0.2.7',
        earnedIn: 'minute' as const,
        startedAt: NOW,
        endsAt: NOW + 900_000,
        ordinal: 1,
      }
      const changes: Record<string, () => Promise<unknown>> = {
        createAccount: async () => (account = await createAccount(store, 'Acme')),
        renameAccount: () => store.renameAccount(account.id, 'Zoo', entry('account.rename')),
        setPlan: () => store.setPlan(account.id, 'pro', { perMinute: 300, perDay: 10_000 }, entry('account.set-plan')),
        suspend: () => store.setSuspended(account.id, NOW, entry('account.suspend')),
        resume: () => store.setSuspended(account.id, undefined, entry('account.resume')),
        createKey: async () => (key = (await createKey(store, account.id)).key),
        replaceKey: () => store.replaceKey(key.id, NOW + 10, newKey(account.id), entry('key.rotate')),
        claimKey: () => store.claimKey(open.id, { hash: 'of a claimed key', hint: 'hint' }, entry('key.claim')),
        createBan: async () => (ban = await store.createBan(key.id, term)),
        liftBan: () => store.liftBan(ban.id, entry('ban.lift')),
        revokeKey: () => store.revokeKey(key.id, entry('key.revoke')),
        deleteAccount: () => store.deleteAccount(account.id, entry('account.delete')),
      }
      const others: Record<string, () => Promise<unknown>> = {
        saveCounts: () => store.saveCounts([countsOf(account.id, 3)]),
        addUsage: () => store.addUsage([usageOf({ admitted: 1 })]),
        addRefusals: () => store.addRefusals([refusedCall({ keyId: key.id })]),
        createClaimLink: async () => (link = await createLink()),
        revokeClaimLink: () => store.revokeClaimLink(link.id, entry('claim-link.revoke')),
        createToken: async () => (token = (await createToken(store)).token),
        createSession: () =>
          store.createSession({ hash: 'hash', tokenId: token.id, expiresAt: NOW + 1 }, entry('session.sign-in')),
        deleteSession: () => store.deleteSession('hash', entry('session.sign-out')),
        revokeToken: () => store.revokeToken(token.id, entry('token.revoke')),
        check: () => store.check(),
        deleteExpired: () => store.deleteExpired(NOW + 2, 99_999),
        listAccounts: () => store.listAccounts({ at: NOW }),
        takenName: () => createAccount(store, 'Other').catch(() => undefined),
        fruitless: () => store.revokeKey(4_711n, entry('key.revoke')),
      }
      for (const [name, change] of Object.entries(changes)) {
        const before = store.revision()
        await change()
        const after = store.revision()
        assert.notEqual(after.callers, before.callers, name)
        assert.deepEqual({ ...after, callers: 0 }, { ...before, callers: 0 }, name)
      }
      for (const [name, other] of Object.entries(others)) {
        const before = store.revision()
        await other()
        assert.deepEqual(store.revision(), before, name)
      }
    },
  )

  rule(
    'each creation shows in the revision at once, as the newest id if that is known, and as nothing else',
    async (store, reopen) => {
      const request = await createRequest(store, 'key-1')
      const before = store.revision()
      const isKnown = before.newestPetId !== undefined
      const withNewest = (id: bigint): Revision => ({ ...before, newestPetId: isKnown ? id : undefined })
      assert.deepEqual(before, withNewest(0n))
      await create(store, newPet())
      assert.deepEqual(store.revision(), withNewest(1n))
      await store.createPet(newPet(), NOW, request)
      assert.deepEqual(store.revision(), withNewest(2n))
      await store.createPet(newPet(), NOW, request)
      await store.createPet(newPet(), NOW, { ...request, fingerprint: 'of another body' })
      assert.deepEqual(store.revision(), withNewest(2n))
      assert.deepEqual((await reopen()).revision(), withNewest(2n))
    },
  )

  rule('the secret that signs cursors is made once, and every store has its own', async (store, reopen) => {
    const secret = Buffer.from(store.cursorSecret)
    assert.ok(secret.length >= 32)
    assert.deepEqual(Buffer.from((await reopen()).cursorSecret), secret)
    const another = await openStore()
    try {
      assert.notDeepEqual(Buffer.from(another.store.cursorSecret), secret)
    } finally {
      await another.close()
    }
  })

  rule('any number of creations is forgotten', async store => {
    const request = await createRequest(store, 'key')
    const requests = Array.from({ length: 6_000 }, (_, index) => ({ ...request, key: `key ${index}` }))
    const createEach = () => inParts(requests, one => store.createPet(newPet(), NOW, one))
    await createEach()
    await store.deleteExpired(NOW + IDEMPOTENCY_MS, 0)
    const again = await createEach()
    assert.ok(again.every(({ outcome }) => outcome === 'created'))
  })

  rule('a check passes when the store can be read and written, and changes nothing', async store => {
    await create(store, newPet())
    await createAccount(store, 'Acme')
    const before = { pets: await store.listPets(firstPage), revision: store.revision() }
    for (let count = 0; count < 3; count += 1) await store.check()
    assert.deepEqual({ pets: await store.listPets(firstPage), revision: store.revision() }, before)
  })

  rule('closing does not wait for long reads: they are refused, and so are all later calls', async (store, reopen) => {
    await createAll(store, mixed(5_000))
    const everything = { name: 'nobody', limit: 1 }
    const reads = Array.from({ length: 500 }, () => store.searchPets(everything))
    const outcomes = Promise.allSettled(reads)
    const reopened = await reopen()
    const settled = await Promise.race([outcomes, sleep(TIMEOUT_MS, undefined, { ref: false })])
    assert.ok(settled, 'waiting reads end when the store is closed')
    for (const outcome of settled) {
      if (outcome.status === 'rejected') assert.ok(outcome.reason instanceof StoreUnavailable)
    }
    for (const late of [
      () => store.searchPets(everything),
      () => store.listAudit({ limit: 1 }),
      () => store.listPets(firstPage),
      () => store.createPet(newPet(), NOW),
      () => store.check(),
    ]) {
      await assert.rejects(late, StoreUnavailable, String(late))
    }
    assert.equal((await reopened.listPets({ ...firstPage, limit: 5_001 })).pets.length, 5_000)
  })
}
