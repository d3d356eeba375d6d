import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporaryFolder } from '../../test/support/folder.ts'
import { DEFAULT_SOURCE } from '../domain/source.ts'
import type { Revision } from '../domain/store/revision.ts'
import {
  create,
  createAccount,
  createKey,
  createToken,
  entry,
  LIMITS,
  NOW,
  newDeletion,
  newKey,
  newPet,
  newToken,
} from '../domain/store-contract/fixtures.contract.ts'
import type { WriteName } from '../sql/operations.ts'
import { OPERATIONS } from './operations.ts'
import { SqliteStore } from './store.ts'

const SESSION = { hash: 'session', tokenId: 1n, expiresAt: NOW + 1 }
const EVERYTHING = { statuses: undefined }

/** Each write, so that it changes something. */
const WRITES: Record<WriteName, (store: SqliteStore) => Promise<unknown>> = {
  addPet: store => store.addPet(newPet(), entry('pet.create')),
  async correctPet(store) {
    const pet = await create(store, newPet())
    return store.correctPet(pet, { ...pet, name: 'Max' }, entry('pet.correct'))
  },
  deletePet: async store => store.deletePet(await create(store, newPet()), entry('pet.delete')),
  async correctPets(store) {
    await create(store, newPet())
    const { version } = await store.previewPets(EVERYTHING)
    return store.correctPets(EVERYTHING, { name: 'Max' }, version, entry('pet.correct-many'))
  },
  async deletePets(store) {
    await create(store, newPet())
    const { version } = await store.previewPets(EVERYTHING)
    return store.deletePets(EVERYTHING, version, entry('pet.delete-many'))
  },
  undo: async store => store.undo((await newDeletion(store)).entryId, entry('pet.undo')),
  bringBackPet: async store => store.bringBackPet((await newDeletion(store)).pet, entry('pet.restore')),
  async countNextPets(store) {
    await create(store, newPet())
    await store.indexPets({ minAnimals: 1, maxMs: 0 })
  },
  async indexNextPets(store) {
    await create(store, newPet())
    await store.indexPets({ minAnimals: 1, maxMs: 0 })
  },
  labelCategory: store => store.labelCategory(7n, 'Dogs', entry('category.label')),
  async unlabelCategory(store) {
    await store.labelCategory(7n, 'Dogs', entry('category.label'))
    return store.unlabelCategory(7n, entry('category.unlabel'))
  },
  createAccount: store => createAccount(store, 'Acme'),
  renameAccount: changesAccount((store, id) => store.renameAccount(id, 'Zoo', entry('account.rename'))),
  setPlan: changesAccount((store, id) => store.setPlan(id, 'pro', LIMITS, entry('account.set-plan'))),
  setSuspended: changesAccount((store, id) => store.setSuspended(id, NOW, entry('account.suspend'))),
  deleteAccount: changesAccount((store, id) => store.deleteAccount(id, entry('account.delete'))),
  createKey: changesAccount((store, id) => createKey(store, id)),
  changeKey: changesKey((store, id) => store.changeKey(id, { scope: 'read' }, entry('key.change'))),
  replaceKey: changesKey((store, id) => store.replaceKey(id, NOW + 10, newKey(1n), entry('key.rotate'))),
  revokeKey: changesKey((store, id) => store.revokeKey(id, entry('key.revoke'))),
  createBan: changesKey(createBan),
  liftBan: changesKey(async (store, id) => store.liftBan((await createBan(store, id)).id, entry('ban.lift'))),
  createClaimLink: changesAccount(createClaimLink),
  claimKey: changesAccount(async (store, accountId) => {
    const { id } = await createClaimLink(store, accountId)
    return store.claimKey(id, newKey(accountId), entry('key.claim'))
  }),
  revokeClaimLink: changesAccount(async (store, accountId) => {
    const { id } = await createClaimLink(store, accountId)
    return store.revokeClaimLink(id, entry('claim-link.revoke'))
  }),
  createToken: store => store.createToken(newToken(), entry('token.create')),
  revokeToken: withToken(store => store.revokeToken(1n, entry('token.revoke'))),
  createSession: withToken(store => store.createSession(SESSION, entry('session.sign-in'))),
  deleteSession: withToken(async store => {
    await store.createSession(SESSION, entry('session.sign-in'))
    return store.deleteSession(SESSION.hash, entry('session.sign-out'))
  }),
  createSignInLink: withToken(store => store.createSignInLink(SESSION, entry('token.link'))),
  redeemSignInLink: withToken(async store => {
    await store.createSignInLink(SESSION, entry('token.link'))
    return store.redeemSignInLink(SESSION.hash, SESSION, entry('session.sign-in'))
  }),
  createSource,
  changeSource: async store =>
    store.changeSource((await createSource(store)).id, { ...DEFAULT_SOURCE, missing: 'keep' }, entry('source.change')),
  removeSource: async store => store.removeSource((await createSource(store)).id, entry('source.remove')),
  recordAudit: store => store.recordAudit(entry('sign-in.refused')),
  confirmClock: store => store.confirmClock(NOW),
}

for (const [name, carryOut] of Object.entries(WRITES)) {
  const { changes } = OPERATIONS[name as WriteName]
  test(`${name} changes ${changes}, as its operation says`, async t => {
    const revisions: Revision[] = []
    const store = await SqliteStore.open(await temporaryFolder(t), 'production', {
      inThreads: false,
      onCommit: () => revisions.push(store.revision()),
    })
    t.after(() => store.close())
    revisions.push(store.revision())
    assert.notEqual(await carryOut(store), false)
    const [before, after] = revisions.slice(-2) as [Revision, Revision]
    assert.equal(after.callers !== before.callers, changes === 'callers')
    assert.equal(after.corrections !== before.corrections, changes === 'corrections')
  })
}

function changesAccount(change: (store: SqliteStore, accountId: bigint) => Promise<unknown>) {
  return async (store: SqliteStore) => change(store, (await createAccount(store, 'Acme')).id)
}

function changesKey(change: (store: SqliteStore, keyId: bigint) => Promise<unknown>) {
  return changesAccount(async (store, accountId) => change(store, (await createKey(store, accountId)).key.id))
}

function withToken(change: (store: SqliteStore) => Promise<unknown>) {
  return async (store: SqliteStore) => {
    await createToken(store)
    return change(store)
  }
}

function createSource(store: SqliteStore) {
  return store.createSource({ name: 'riverside', ...DEFAULT_SOURCE }, entry('source.create'))
}

function createBan(store: SqliteStore, keyId: bigint) {
  const term = { source: '192.0.2.7', earnedIn: 'minute', startedAt: NOW, endsAt: NOW + 1, ordinal: 1 } as const
  return store.createBan(keyId, term)
}

function createClaimLink(store: SqliteStore, accountId: bigint) {
  const terms = { name: undefined, scope: 'read', networks: undefined, expiresAt: undefined } as const
  return store.createClaimLink({ hash: 'link', accountId, terms, expiresAt: NOW + 1 }, entry('claim-link.create'))
}
