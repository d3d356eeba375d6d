import assert from 'node:assert/strict'
import { MAX_AHEAD_MS } from '../clock.ts'
import { IDEMPOTENCY_MS } from '../idempotency.ts'
import { DAY_MS } from '../time.ts'
import { createRequest, entry, firstPage, NOW, newPet, nowAndAfterwards, type Rule } from './fixtures.contract.ts'

/** The confirmed time of the clock, and what depends on it. */
export function clockContract(rule: Rule): void {
  rule('the confirmed time comes back as it was last written, and a new store has none', async (store, reopen) => {
    assert.equal((await store.readClock()).confirmedAt, undefined)
    await store.confirmClock(NOW)
    await store.confirmClock(NOW - DAY_MS)
    for await (const kept of nowAndAfterwards(store, reopen)) {
      assert.equal((await kept.readClock()).confirmedAt, NOW - DAY_MS)
    }
  })

  rule('only a confirmation by an operator is in the audit log', async store => {
    await store.confirmClock(NOW - 1)
    await store.confirmClock(NOW, entry('store.confirm-clock'))
    assert.deepEqual(
      (await store.listAudit({ limit: 10 })).map(({ action, at, subjectId }) => [action, at, subjectId]),
      [['store.confirm-clock', NOW, undefined]],
    )
  })

  rule('an idempotency key stays in force while the clock is in doubt, and after it was set right', async store => {
    await store.confirmClock(NOW)
    const request = await createRequest(store, 'key-1')
    const outcomeAt = async (time: number) => (await store.createPet(newPet(), time, request)).outcome
    assert.equal(await outcomeAt(NOW), 'created')
    assert.equal(await outcomeAt(NOW + 400 * DAY_MS), 'replayed')
    assert.equal(await outcomeAt(NOW + 1), 'replayed')
    const other = { ...request, key: 'key-2' }
    assert.equal((await store.createPet(newPet(), NOW + 400 * DAY_MS, other)).outcome, 'created')
    assert.equal((await store.createPet(newPet(), NOW + 2, other)).outcome, 'replayed')
    await store.confirmClock(NOW + IDEMPOTENCY_MS)
    assert.equal(await outcomeAt(NOW + IDEMPOTENCY_MS + MAX_AHEAD_MS), 'created')
    assert.equal((await store.listPets(firstPage)).pets.length, 3)
  })
}
