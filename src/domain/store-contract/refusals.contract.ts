import assert from 'node:assert/strict'
import { MAX_REFUSALS, REFUSAL_DAYS, type RefusedCall } from '../refusals.ts'
import type { Store } from '../store.ts'
import { DAY_MS } from '../time.ts'
import { dayOf } from '../usage.ts'
import { createAccount, createKey, entry, NOW, nowAndAfterwards, type Rule } from './fixtures.contract.ts'

/** A call over the limit, at NOW by default. */
export function refusedCall(more: Partial<RefusedCall> = {}): RefusedCall {
  return {
    keyId: 1n,
    calledAt: NOW,
    sequence: 1,
    method: 'GET',
    path: '/v1/pets?limit=20',
    status: 429,
    code: 'rate_limit_exceeded',
    calledFrom: '192.0.2.7',
    userAgent: 'curl/8',
    ...more,
  }
}

/** The last refused or failed calls of keys. */
export function refusalsContract(rule: Rule): void {
  rule(
    'the refused calls of a key, and those of all keys of an account, are listed newest first',
    async (store, reopen) => {
      const { account, till, web } = await twoKeys(store)
      const other = await createAccount(store, 'Zoo')
      const { key: ofOther } = await createKey(store, other.id)
      const calls = [
        refusedCall({ keyId: till, calledAt: NOW + 1, userAgent: undefined }),
        refusedCall({ keyId: till, calledAt: NOW + 2, sequence: 8, path: '/v1/pets/7' }),
        refusedCall({
          keyId: till,
          calledAt: NOW + 2,
          sequence: 9,
          method: 'POST',
          status: 403,
          code: 'read_only_key',
        }),
        refusedCall({ keyId: web, calledAt: NOW + 1, sequence: 2 ** 50, calledFrom: '2001:db8:1:2::/64' }),
        refusedCall({ keyId: ofOther.id }),
      ]
      await store.addRefusals(calls.slice(2))
      await store.addRefusals([])
      await store.addRefusals(calls.slice(0, 2))
      const [first, second, third, fourth] = calls.map(({ sequence: _, ...call }) => ({
        ...call,
        keyName: call.keyId === till ? 'till' : undefined,
      }))
      for await (const kept of nowAndAfterwards(store, reopen)) {
        assert.deepEqual(await kept.listRefusals({ keyId: till }), [third, second, first])
        assert.deepEqual(await kept.listRefusals({ accountId: account }), [third, second, fourth, first])
        assert.deepEqual(await kept.listRefusals({ keyId: 4_711n }), [])
      }
    },
  )

  rule('only the newest calls of each key are kept, whichever instance adds them when', async store => {
    const { account, till, web } = await twoKeys(store)
    const call = (keyId: bigint, second: number) => refusedCall({ keyId, calledAt: NOW + second * 1_000 })
    const many = Array.from({ length: 2 * MAX_REFUSALS }, (_, second) => call(till, second))
    await store.addRefusals([call(web, 0), ...many.filter(({ calledAt }) => calledAt % 2_000 === 0)])
    await store.addRefusals(many.filter(({ calledAt }) => calledAt % 2_000 !== 0))
    const newest = await store.listRefusals({ keyId: till })
    assert.deepEqual(
      newest.map(({ calledAt }) => calledAt),
      many
        .slice(-MAX_REFUSALS)
        .map(({ calledAt }) => calledAt)
        .toReversed(),
    )
    assert.equal((await store.listRefusals({ keyId: web })).length, 1)
    assert.deepEqual(await store.listRefusals({ accountId: account }), newest)
    await store.deleteExpired(NOW, 0)
    await store.addRefusals([call(till, 0)])
    assert.deepEqual(await store.listRefusals({ keyId: till }), newest, 'an old call does not replace a newer one')
  })

  rule('calls that are added again change nothing', async store => {
    const { till } = await twoKeys(store)
    const calls = [1, 2, 3].map(sequence => refusedCall({ keyId: till, sequence }))
    await store.addRefusals(calls.slice(0, 2))
    await store.addRefusals(calls)
    assert.equal((await store.listRefusals({ keyId: till })).length, 3)
  })

  rule('refused calls are deleted after some days, or with older usage if that is sooner', async store => {
    const { till } = await twoKeys(store)
    const days = [0, 3, REFUSAL_DAYS, REFUSAL_DAYS + 1]
    await store.addRefusals(days.map(day => refusedCall({ keyId: till, calledAt: NOW - day * DAY_MS })))
    const ages = async () =>
      (await store.listRefusals({ keyId: till })).map(({ calledAt }) => (NOW - calledAt) / DAY_MS)
    assert.deepEqual(await ages(), days)
    await store.deleteExpired(NOW, 0)
    assert.deepEqual(await ages(), [0, 3, REFUSAL_DAYS])
    await store.deleteExpired(NOW + 1, 0)
    assert.deepEqual(await ages(), [0, 3])
    await store.deleteExpired(NOW, dayOf(NOW))
    assert.deepEqual(await ages(), [0])
  })

  rule('refused calls are deleted with their account, and none is added for a key that is gone', async store => {
    const { account, till } = await twoKeys(store)
    await store.addRefusals([refusedCall({ keyId: till })])
    await store.deleteAccount(account, entry('account.delete'))
    const { till: present } = await twoKeys(store)
    await store.addRefusals([refusedCall({ keyId: till }), refusedCall({ keyId: present })])
    assert.deepEqual(await store.listRefusals({ keyId: till }), [])
    assert.equal((await store.listRefusals({ keyId: present })).length, 1)
  })
}

async function twoKeys(store: Store) {
  const { id: account } = await createAccount(store, 'Acme')
  const { key: till } = await createKey(store, account, { name: 'till' })
  const { key: web } = await createKey(store, account)
  return { account, till: till.id, web: web.id }
}
