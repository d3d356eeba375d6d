import assert from 'node:assert/strict'
import type { AuditAction } from '../audit.ts'
import { IDEMPOTENCY_MS } from '../idempotency.ts'
import { ActionRefused } from '../permit.ts'
import { repeatableRequest, unseal } from '../repeatable-request.ts'
import type { Store } from '../store.ts'
import { newClaimLink } from './claim-links.contract.ts'
import {
  audit,
  createAccount,
  createKey,
  entry,
  firstPage,
  LIMITS,
  listAccounts,
  NOW,
  newDeletion,
  newKey,
  newPet,
  newToken,
  nowAndAfterwards,
  type Rule,
} from './fixtures.contract.ts'

type Create = (by: (action: AuditAction) => ReturnType<typeof entry>) => Promise<object>

const CALL = { method: 'POST', target: '/', body: Buffer.from('body') }

function requestOf(key: string) {
  return repeatableRequest({ tokenId: 1n, key }, CALL)
}

/** What operators create with an idempotency key. */
export function operatorCreationsContract(rule: Rule): void {
  rule('what an operator creates is remembered with what the store does not keep', async (store, reopen) => {
    const creations = await everyCreation(store)
    const created = new Map<string, object>()
    for (const [name, create] of Object.entries(creations)) {
      assert.equal(await store.findCreation(requestOf(name).key, NOW), undefined)
      const request = { ...requestOf(name), unstored: { secret: name } }
      created.set(name, await create(action => entry(action, { request })))
    }
    for await (const kept of nowAndAfterwards(store, reopen)) {
      for (const [name, value] of created) {
        const request = requestOf(name)
        const found = await kept.findCreation(request.key, NOW)
        assert.equal(found?.fingerprint, request.fingerprint)
        assert.equal(textOf(unseal(request, found?.sealed ?? '')), textOf({ ...value, secret: name }))
      }
    }
  })

  rule('a request that has been carried out before creates nothing', async store => {
    const request = requestOf('key-1')
    await store.addPet(newPet(), entry('pet.create', { request }))
    for (const create of Object.values(await everyCreation(store))) {
      const before = await contents(store)
      const again = create(action => entry(action, { request, at: NOW + IDEMPOTENCY_MS - 1 }))
      await assert.rejects(again, (error: unknown) => error instanceof ActionRefused && error.reason === 'repeated')
      assert.deepEqual(await contents(store), before)
    }
    await store.addPet(newPet(), entry('pet.create'))
    assert.equal((await store.listPets(firstPage)).pets.length, 2)
  })

  rule('of requests with the same key at the same time, exactly one creates', async store => {
    const request = requestOf('key-1')
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, () => store.addPet(newPet(), entry('pet.create', { request }))),
    )
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
    assert.equal((await store.listPets(firstPage)).pets.length, 1)
  })

  rule('24 hours later, the key of an operator’s request creates again, also with another body', async store => {
    const request = repeatableRequest({ tokenId: 1n, key: 'key-1' }, { ...CALL, body: Buffer.from('another body') })
    const create = (at: number) => store.addPet(newPet(), entry('pet.create', { request, at }))
    await store.addPet(newPet(), entry('pet.create', { request: requestOf('key-1') }))
    assert.ok(await store.findCreation(request.key, NOW + IDEMPOTENCY_MS - 1))
    assert.equal(await store.findCreation(request.key, NOW + IDEMPOTENCY_MS), undefined)
    const created = await create(NOW + IDEMPOTENCY_MS)
    assert.equal(created.id, 2n)
    const found = await store.findCreation(request.key, NOW + 2 * IDEMPOTENCY_MS - 1)
    assert.equal(found?.fingerprint, request.fingerprint)
    assert.equal(textOf(unseal(request, found?.sealed ?? '')), textOf(created))
    await store.deleteExpired(NOW + 2 * IDEMPOTENCY_MS - 1, 0)
    assert.ok(await store.findCreation(request.key, NOW))
    await store.deleteExpired(NOW + 2 * IDEMPOTENCY_MS, 0)
    assert.equal(await store.findCreation(request.key, NOW), undefined)
  })
}

/** Without members that are undefined. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? `${member}n` : member))
}

/** Each creation of an operator, with what it needs. */
async function everyCreation(store: Store): Promise<Record<string, Create>> {
  const { id } = await createAccount(store, `Account ${(await listAccounts(store)).length}`)
  const { key } = await createKey(store, id)
  const { entryId } = await newDeletion(store)
  return {
    addPet: by => store.addPet(newPet(), by('pet.create')),
    undo: by => store.undo(entryId, by('pet.undo')),
    createAccount: by => store.createAccount({ name: `of ${id}`, plan: 'free', limits: LIMITS }, by('account.create')),
    createKey: by => store.createKey(newKey(id), by('key.issue')),
    replaceKey: async by => (await store.replaceKey(key.id, NOW + 10, newKey(id), by('key.rotate'))) ?? assert.fail(),
    createClaimLink: by => store.createClaimLink(newClaimLink(id), by('claim-link.create')),
    createToken: by => store.createToken(newToken(), by('token.create')),
  }
}

async function contents(store: Store): Promise<unknown> {
  return [
    await audit(store),
    (await store.listPets(firstPage)).pets,
    await listAccounts(store),
    await store.listKeys(),
    await store.listClaimLinks(),
    await store.listTokens(),
  ]
}
