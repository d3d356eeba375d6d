import assert from 'node:assert/strict'
import { AUDIT_ACTIONS, type AuditEntry } from '../audit.ts'
import { INT64_MAX } from '../int64.ts'
import { audit, createAccount, entry, NOW, newPet, nowAndAfterwards, type Rule } from './fixtures.contract.ts'

/** What operators did. */
export function auditContract(rule: Rule): void {
  rule('an audit entry comes back as it was written, the newest first', async (store, reopen) => {
    const odd = { 'old key works until': '2027-03-01', __proto__x: 'x', name: '"; DROP TABLE audit; --🐕\n\u0000' }
    const deeds = [
      entry('pet.create', { actor: 'zoë', origin: 'command line', details: odd }),
      entry('pet.import', { at: NOW - 5, accountId: INT64_MAX }),
      entry('pet.create', { at: NOW + 5, details: { '': '' } }),
    ]
    for (const deed of deeds) await store.addPet(newPet(), deed)
    const expected = deeds.map((deed, index) => ({ ...deed, id: BigInt(index + 1), subjectId: BigInt(index + 1) }))
    for await (const kept of nowAndAfterwards(store, reopen)) assert.deepEqual(await audit(kept), expected.toReversed())
  })

  rule('audit entries are found by account and action, page by page', async store => {
    const accountIds = [undefined, 1n, 2n]
    for (let index = 0; index < 24; index += 1) {
      const deed = { accountId: accountIds[index % 3], at: NOW + index }
      await store.addPet(newPet(), entry(AUDIT_ACTIONS[index % 4] ?? 'pet.create', deed))
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

  rule('the creation of an account is found among what concerns it', async store => {
    const { id } = await createAccount(store, 'Acme')
    const expected = [{ ...entry('account.create'), id: 1n, accountId: id, subjectId: id }]
    assert.deepEqual(await audit(store, { accountId: id }), expected)
  })

  rule('what is forgotten in time is never an audit entry', async store => {
    await store.addPet(newPet(), entry('pet.create', { at: 0 }))
    await store.forgetExpired(NOW, 99_999)
    assert.equal((await audit(store)).length, 1)
  })
}
