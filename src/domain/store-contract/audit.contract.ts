import assert from 'node:assert/strict'
import { deleteAccount, renameAccount, resumeAccount, setPlan, suspendAccount } from '../administration/accounts.ts'
import type { AdminContext } from '../administration/context.ts'
import { revokeKey, rotateKey } from '../administration/keys.ts'
import { correctPet, findPet } from '../administration/pets.ts'
import { AUDIT_ACTIONS, type AuditEntry } from '../audit.ts'
import { INT64_MAX } from '../int64.ts'
import type { Store } from '../store.ts'
import {
  audit,
  create,
  createAccount,
  createKey,
  entry,
  NOW,
  newPet,
  nowAndAfterwards,
  type Rule,
} from './fixtures.contract.ts'

/** What operators did. */
export function auditContract(rule: Rule): void {
  rule('audit entries come back as they were written, newest first', async (store, reopen) => {
    const odd = { 'old key works until': '2027-03-01', __proto__x: 'x', name: '"; DROP TABLE audit; --🐕\n\u0000' }
    const newEntries = [
      entry('pet.create', { actor: 'zoë', origin: 'command line', details: odd }),
      entry('pet.import', { at: NOW - 5, accountId: INT64_MAX }),
      entry('pet.create', { at: NOW + 5, details: { '': '' } }),
    ]
    for (const newEntry of newEntries) await store.addPet(newPet(), newEntry)
    const expected = newEntries.map((newEntry, index) => ({
      ...newEntry,
      id: BigInt(index + 1),
      subjectId: BigInt(index + 1),
    }))
    for await (const kept of nowAndAfterwards(store, reopen)) assert.deepEqual(await audit(kept), expected.toReversed())
  })

  rule('audit entries are found by account and action, page by page', async store => {
    const accountIds = [undefined, 1n, 2n]
    for (let index = 0; index < 24; index += 1) {
      const more = { accountId: accountIds[index % 3], at: NOW + index }
      await store.addPet(newPet(), entry(AUDIT_ACTIONS[index % 4] ?? 'pet.create', more))
    }
    const all = await audit(store)
    assert.equal(all.length, 24)
    for (const accountId of [undefined, 1n, 2n, 4_711n]) {
      for (const action of [undefined, AUDIT_ACTIONS[0], AUDIT_ACTIONS[3], AUDIT_ACTIONS[9]]) {
        for (const beforeId of [undefined, INT64_MAX, 20n, 7n, 1n]) {
          const matches = (one: AuditEntry) =>
            (accountId === undefined || one.accountId === accountId) &&
            (action === undefined || one.action === action) &&
            (beforeId === undefined || one.id < beforeId)
          for (const limit of [1, 5, 100]) {
            const expected = all.filter(matches).slice(0, limit)
            assert.deepEqual(await store.listAudit({ accountId, action, beforeId, limit }), expected)
          }
        }
      }
    }
  })

  rule('the creation of an account is among the audit entries of the account', async store => {
    const { id } = await createAccount(store, 'Acme')
    const expected = [{ ...entry('account.create'), id: 1n, accountId: id, subjectId: id }]
    assert.deepEqual(await audit(store, { accountId: id }), expected)
  })

  rule('audit entries are never forgotten', async store => {
    await store.addPet(newPet(), entry('pet.create', { at: 0 }))
    await store.forgetExpired(NOW, 99_999)
    assert.equal((await audit(store)).length, 1)
  })

  rule('of many renames at once, each audit entry has the name that the previous one set', async store => {
    const { id } = await createAccount(store, 'Acme')
    const renames = times(20, index => renameAccount(context(store), { account: String(id), name: `Acme ${index}` }))
    await Promise.all(renames)
    const entries = await inOrder(store, 'account.rename')
    assert.equal(entries.length, 20)
    assertChain('Acme', entries, ({ was, name }) => [was, name])
    assert.equal((await store.findAccount(id))?.name, entries.at(-1)?.details.name)
  })

  rule('of many plan changes at once, each audit entry has the plan that the previous one set', async store => {
    const { id } = await createAccount(store, 'Acme')
    const changes = times(30, index => {
      const limits = { perMinute: index + 1, perDay: index + 1 }
      const change = index % 3 === 0 ? { plan: 'pro', limits: {} } : { plan: 'enterprise', limits }
      return setPlan(context(store), { account: String(id), ...change })
    })
    await Promise.all(changes)
    const entries = await inOrder(store, 'account.set-plan')
    assert.equal(entries.length, 30)
    assertChain('free', entries, ({ was, plan }) => [was, plan])
  })

  rule('an audit entry about an account has the name of that moment', async store => {
    const { id } = await createAccount(store, 'Acme')
    const account = String(id)
    const rename = (index: number) => renameAccount(context(store), { account, name: `Acme ${index}` })
    const changes = times(30, index => [
      rename(index),
      suspendAccount(context(store), account),
      resumeAccount(context(store), account),
    ])
    await Promise.allSettled([...changes.flat(), deleteAccount(context(store), account), rename(99)])
    let name: string | undefined = 'Acme'
    const entries = (await audit(store, { accountId: id })).toReversed().slice(1)
    assert.ok(entries.some(({ action }) => action === 'account.suspend'))
    for (const { action, details } of entries) {
      assert.equal(action === 'account.rename' ? details.was : details.name, name, action)
      name = details.name
    }
    assert.equal(entries.at(-1)?.action, 'account.delete')
  })

  rule(
    'of many corrections of an animal at once, each audit entry has the values that the previous one set',
    async store => {
      const { id } = await create(store, newPet())
      await Promise.all(
        times(20, index =>
          persist(async () => {
            await correctPet(context(store), await findPet(store, String(id)), { name: `Max ${index}` })
          }),
        ),
      )
      const entries = await inOrder(store, 'pet.correct')
      assert.equal(entries.length, 20)
      assertChain('Rex', entries, ({ name = '' }) => name.split(' → '))
    },
  )

  rule(
    'a key that many rotate and revoke at once is done so once each at most, and the audit log agrees',
    async store => {
      const { id } = await createAccount(store, 'Acme')
      const { key } = await createKey(store, id)
      const keyId = String(key.id)
      const outcomes = await Promise.allSettled(
        times(20, index =>
          index % 2 === 0 ? rotateKey(context(store), { keyId, overlapSeconds: 60 }) : revokeKey(context(store), keyId),
        ),
      )
      const entries = [...(await inOrder(store, 'key.rotate')), ...(await inOrder(store, 'key.revoke'))]
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, entries.length)
      const successor = entries.find(({ action }) => action === 'key.rotate')?.details.successor
      assert.equal((await store.findKey(key.id))?.replacedBy?.toString(), successor)
    },
  )
}

function context(store: Store): AdminContext {
  return { store, deployment: 'production', actor: { name: 'ada', origin: '192.0.2.7' }, now: NOW }
}

function times<Result>(count: number, make: (index: number) => Result): Result[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

/** Tries again where someone else was faster. */
async function persist(work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if ((error as { kind?: string }).kind !== 'conflict') throw error
    }
  }
}

async function inOrder(store: Store, action: AuditEntry['action']): Promise<AuditEntry[]> {
  return (await audit(store, { action })).toReversed()
}

/** Each entry begins where the one before it has ended. */
function assertChain(
  first: string,
  entries: readonly AuditEntry[],
  read: (details: AuditEntry['details']) => readonly (string | undefined)[],
): void {
  let last: string | undefined = first
  for (const { details } of entries) {
    const [was, is] = read(details)
    assert.equal(was, last)
    last = is
  }
}
