import assert from 'node:assert/strict'
import type { AccountCounts } from '../store/accounts.ts'
import { DAY_MS } from '../time.ts'
import { createAccount, entry, NOW, nowAndAfterwards, type Rule } from './fixtures.contract.ts'

const MIDNIGHT = Date.UTC(2027, 2, 2)

/** Possible counts of an account at NOW, in windows that are not over. */
export function countsOf(accountId: bigint, used: number): AccountCounts {
  return { accountId, counts: { minute: { used, resetsAt: NOW + 50_000 }, day: { used, resetsAt: MIDNIGHT } } }
}

/** The counts of the accounts. */
export function countsContract(rule: Rule): void {
  rule('counts come back as they were last saved, if one of their windows is not over', async (store, reopen) => {
    const [first, second, third] = [
      await createAccount(store, 'first'),
      await createAccount(store, 'second'),
      await createAccount(store, 'third'),
    ]
    await store.saveCounts([countsOf(first.id, 1), countsOf(second.id, 2)])
    const latest = [
      countsOf(first.id, 1_000_000_000),
      { accountId: third.id, counts: { day: { used: 9, resetsAt: MIDNIGHT + DAY_MS } } },
    ]
    await store.saveCounts(latest)
    await store.saveCounts([])
    for await (const kept of nowAndAfterwards(store, reopen)) {
      const today = await kept.listCounts(NOW)
      assert.deepEqual(today.toSorted(byAccount), [latest[0], countsOf(second.id, 2), latest[1]])
      assert.equal((await kept.listCounts(MIDNIGHT - 1)).length, 3)
      const [tomorrow, ...others] = await kept.listCounts(MIDNIGHT + DAY_MS - 1)
      assert.deepEqual([tomorrow, others], [latest[1], []])
      assert.deepEqual(await kept.listCounts(MIDNIGHT + DAY_MS), [])
    }
  })

  rule(
    'the counts of one account come back as they were last saved, even if their windows are over',
    async (store, reopen) => {
      const [first, second] = [await createAccount(store, 'first'), await createAccount(store, 'second')]
      const day = { counts: { day: { used: 9, resetsAt: NOW - 1 } } }
      await store.saveCounts([countsOf(first.id, 1), { accountId: second.id, ...day }])
      await store.saveCounts([countsOf(first.id, 7)])
      for await (const kept of nowAndAfterwards(store, reopen)) {
        assert.deepEqual(await kept.findCounts(first.id), countsOf(first.id, 7).counts)
        assert.deepEqual(await kept.findCounts(second.id), day.counts)
        assert.deepEqual(await kept.findCounts(4_711n), {})
      }
    },
  )

  rule('a count whose minute crosses midnight comes back until that minute is over', async store => {
    const { id } = await createAccount(store, 'Acme')
    const minute = { used: 3, resetsAt: MIDNIGHT + 10_000 }
    const saved = { accountId: id, counts: { minute, day: { used: 9, resetsAt: MIDNIGHT } } }
    await store.saveCounts([saved])
    assert.deepEqual(await store.listCounts(MIDNIGHT + 9_999), [saved])
    assert.deepEqual(await store.listCounts(MIDNIGHT + 10_000), [])
  })

  rule('counts of an account that does not exist are dropped, and the others are saved', async store => {
    const [gone, first, second] = [
      await createAccount(store, 'gone'),
      await createAccount(store, 'first'),
      await createAccount(store, 'second'),
    ]
    await store.deleteAccount(gone.id, entry('account.delete'))
    await store.saveCounts([countsOf(first.id, 1), countsOf(gone.id, 2), countsOf(4_711n, 3), countsOf(second.id, 4)])
    const saved = (await store.listCounts(NOW)).toSorted(byAccount)
    assert.deepEqual(saved, [countsOf(first.id, 1), countsOf(second.id, 4)])
  })
}

function byAccount(one: AccountCounts, other: AccountCounts): number {
  return Number(one.accountId - other.accountId)
}
