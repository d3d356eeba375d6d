import assert from 'node:assert/strict'
import type { AuditAction } from '../audit.ts'
import { ActionRefused, type Permit, type PermitFault } from '../permit.ts'
import { previewOf } from '../pet-selection.ts'
import { hashSecret } from '../secret.ts'
import type { Store } from '../store.ts'
import { newClaimLink } from './claim-links.contract.ts'
import {
  audit,
  byId,
  create,
  createAccount,
  createKey,
  createToken,
  entry,
  firstPage,
  LIMITS,
  listAccounts,
  NOW,
  newDeletion,
  newKey,
  newPet,
  newToken,
  type Rule,
} from './fixtures.contract.ts'

type Write = (by: (action: AuditAction) => ReturnType<typeof entry>) => Promise<unknown>

/** The rights of operators, at the moment of their writes. */
export function permitsContract(rule: Rule): void {
  rule('a write of an operator who has lost the right to it changes nothing', async store => {
    const lapsed = await lapsedPermits(store)
    const { token } = await createToken(store)
    const valid: Permit = { tokenId: token.id, role: 'admin' }
    for (const [name, write] of Object.entries(await everyWrite(store))) {
      const before = await contents(store)
      for (const { permit, fault } of lapsed) {
        const refused = write(action => entry(action, { tokenId: permit.tokenId, permit }))
        await assert.rejects(
          refused,
          (error: unknown) => error instanceof ActionRefused && error.reason === fault,
          name,
        )
      }
      assert.deepEqual(await contents(store), before, name)
      const done = await write(action => entry(action, { tokenId: token.id, permit: valid }))
      assert.ok(done !== false && (await audit(store))[0]?.tokenId === token.id, name)
    }
  })

  rule('a permit has a fault as soon as its token, its session or its role does not hold', async store => {
    for (const { permit, fault } of await lapsedPermits(store)) {
      assert.equal(await store.findPermitFault(permit, NOW), fault)
    }
    const { token } = await createToken(store, { role: 'staff', expiresAt: NOW + 2 })
    await store.createSession({ hash: 'open', tokenId: token.id, expiresAt: NOW + 1 }, entry('session.sign-in'))
    const byToken = { tokenId: token.id, role: 'staff' } as const
    const bySession = { ...byToken, sessionHash: 'open' }
    assert.equal(await store.findPermitFault(bySession, NOW), undefined)
    assert.equal(await store.findPermitFault(bySession, NOW + 1), 'ended')
    assert.equal(await store.findPermitFault(byToken, NOW + 1), undefined)
    assert.equal(await store.findPermitFault(byToken, NOW + 2), 'ended')
  })

  rule('a refused write does not affect those that run at the same time', async store => {
    const [{ permit } = assert.fail()] = await lapsedPermits(store)
    const refused = () => store.addPet(newPet(), entry('pet.create', { permit })).catch(error => error)
    const created = () => store.addPet(newPet(), entry('pet.create'))
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, index) => (index % 2 ? created() : refused())))
    const errors = outcomes.filter(outcome => outcome instanceof Error)
    assert.deepEqual([errors.length, errors.every(error => error instanceof ActionRefused)], [10, true])
    const added = outcomes.filter(outcome => !(outcome instanceof Error)).map(({ entryId: _, ...pet }) => pet)
    assert.deepEqual((await store.listPets(firstPage)).pets, added.toSorted(byId))
  })

  rule('an operator can revoke the own token, and end the own session', async store => {
    const { token } = await createToken(store)
    const session = { tokenId: token.id, role: 'admin', sessionHash: 'own' } as const
    await store.createSession({ hash: 'own', tokenId: token.id, expiresAt: NOW + 1 }, entry('session.sign-in'))
    assert.equal(await store.deleteSession('own', entry('session.sign-out', { permit: session })), true)
    const permit = { tokenId: token.id, role: 'admin' } as const
    assert.equal(await store.revokeToken(token.id, entry('token.revoke', { permit })), true)
    await assert.rejects(store.revokeToken(token.id, entry('token.revoke', { permit })), ActionRefused)
  })
}

async function lapsedPermits(store: Store): Promise<{ permit: Permit; fault: PermitFault }[]> {
  const revoked = (await createToken(store)).token
  await store.createSession({ hash: 'revoked', tokenId: revoked.id, expiresAt: NOW + 9 }, entry('session.sign-in'))
  await store.revokeToken(revoked.id, entry('token.revoke'))
  const expired = (await createToken(store, { expiresAt: NOW })).token
  const staff = (await createToken(store, { role: 'staff' })).token
  const begin = (hash: string, expiresAt: number) =>
    store.createSession({ hash, tokenId: staff.id, expiresAt }, entry('session.sign-in'))
  await begin('expired', NOW)
  await begin('of staff', NOW + 9)
  const permit = (tokenId: bigint, sessionHash?: string): Permit => ({ tokenId, sessionHash, role: 'admin' })
  return [
    { permit: permit(revoked.id), fault: 'ended' },
    { permit: permit(revoked.id, 'revoked'), fault: 'ended' },
    { permit: permit(expired.id), fault: 'ended' },
    { permit: permit(4_711n), fault: 'ended' },
    { permit: permit(staff.id, 'expired'), fault: 'ended' },
    { permit: permit(staff.id, 'unknown'), fault: 'ended' },
    { permit: permit(staff.id), fault: 'role' },
    { permit: permit(staff.id, 'of staff'), fault: 'role' },
  ]
}

/** Each write of an operator, with what it needs. They can be carried out in this order. */
async function everyWrite(store: Store): Promise<Record<string, Write>> {
  const pet = await create(store, newPet())
  const selected = await create(store, newPet({ name: 'Max' }))
  const filter = { ids: [selected.id] }
  const { version } = previewOf([selected], filter)
  const { version: changed } = previewOf([{ ...selected, name: 'Moritz' }], filter)
  const [{ entryId }, { pet: gone }] = [await newDeletion(store), await newDeletion(store)]
  const { id } = await createAccount(store, 'Acme')
  const left = await createAccount(store, 'Gone')
  const [{ key }, { key: other }] = [await createKey(store, id), await createKey(store, id)]
  const ban = await store.createBan(key.id, {
    source: '192.0.2.7',
    earnedIn: 'minute',
    startedAt: NOW,
    endsAt: NOW + 1,
    ordinal: 1,
  })
  const link = await store.createClaimLink(newClaimLink(id), entry('claim-link.create'))
  const { token } = await createToken(store)
  const hash = hashSecret('a session')
  await store.createSession({ hash, tokenId: token.id, expiresAt: NOW + 9 }, entry('session.sign-in'))
  await store.createSignInLink({ hash, tokenId: token.id, expiresAt: NOW + 9 }, entry('token.link'))
  const session = { tokenId: token.id, expiresAt: NOW + 9 }
  return {
    addPet: by => store.addPet(newPet(), by('pet.create')),
    correctPet: by => store.correctPet(pet, { ...pet, name: 'Bo' }, by('pet.correct')),
    deletePet: by => store.deletePet({ ...pet, name: 'Bo' }, by('pet.delete')),
    correctPets: by => store.correctPets(filter, { name: 'Moritz' }, version, by('pet.correct-many')),
    deletePets: by => store.deletePets(filter, changed, by('pet.delete-many')),
    undo: by => store.undo(entryId, by('pet.undo')),
    bringBackPet: by => store.bringBackPet(gone, by('pet.restore')),
    labelCategory: by => store.labelCategory(7n, 'Dogs', by('category.label')),
    createAccount: by => store.createAccount({ name: 'New', plan: 'free', limits: LIMITS }, by('account.create')),
    renameAccount: by => store.renameAccount(id, 'Zoo', by('account.rename')),
    setPlan: by => store.setPlan(id, 'pro', LIMITS, by('account.set-plan')),
    suspend: by => store.setSuspended(id, NOW, by('account.suspend')),
    resume: by => store.setSuspended(id, undefined, by('account.resume')),
    createKey: by => store.createKey(newKey(id), by('key.issue')),
    changeKey: by => store.changeKey(key.id, { scope: 'read' }, by('key.change')),
    replaceKey: by => store.replaceKey(key.id, NOW + 10, newKey(id), by('key.rotate')),
    revokeKey: by => store.revokeKey(other.id, by('key.revoke')),
    liftBan: by => store.liftBan(ban.id, by('ban.lift')),
    createClaimLink: by => store.createClaimLink(newClaimLink(id), by('claim-link.create')),
    revokeClaimLink: by => store.revokeClaimLink(link.id, by('claim-link.revoke')),
    deleteAccount: by => store.deleteAccount(left.id, by('account.delete')),
    createToken: by => store.createToken(newToken(), by('token.create')),
    createSession: by => store.createSession({ hash: 'new', ...session }, by('session.sign-in')),
    createSignInLink: by => store.createSignInLink({ ...session, hash: 'new link' }, by('token.link')),
    redeemSignInLink: by => store.redeemSignInLink(hash, { ...session, hash: 'by link' }, by('session.sign-in')),
    deleteSession: by => store.deleteSession(hash, by('session.sign-out')),
    revokeToken: by => store.revokeToken(token.id, by('token.revoke')),
    recordAudit: by => store.recordAudit(by('pet.import')),
  }
}

async function contents(store: Store): Promise<unknown> {
  return [
    await audit(store),
    (await store.listPets(firstPage)).pets,
    await store.listCategories({ limit: 1_000 }),
    await listAccounts(store),
    await store.listKeys(),
    await store.listClaimLinks(),
    await store.listTokens(),
    await store.findSession(hashSecret('a session')),
    await store.findSignInLink(hashSecret('a session')),
    await store.findSession('new'),
    await store.findSession('by link'),
  ]
}
